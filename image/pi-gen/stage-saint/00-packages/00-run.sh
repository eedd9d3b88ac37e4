#!/bin/bash -e
# image/packages.list without what Raspberry Pi OS brings itself; not pi-gen's own list of packages, so that there is one.
packages="$(cd "${SAINT_SOURCE}" && python3 -m tools.pi_gen packages)"
on_chroot << EOF
apt-get install --no-install-recommends -y ${packages}
EOF
