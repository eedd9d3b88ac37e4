#!/bin/bash -e
# image/packages.list without what Raspberry Pi OS brings itself; not pi-gen's own list of packages, so that there is one.
packages="$(cd "${SAINT_SOURCE}" && python3 -m tools.pi_gen packages)"
on_chroot << EOF
apt-get install --no-install-recommends -y ${packages}
EOF
own="$(cd "${SAINT_SOURCE}" && python3 -m tools.pi_gen own-packages)"
on_chroot << EOF
for package in ${own}; do
	if apt-cache show "\${package}" > /dev/null 2>&1; then
		apt-get install --no-install-recommends -y "\${package}"
	else
		echo "SAINT.OS: this archive has no \${package}; what needs it will not work (image/pi-gen/packages.list)"
	fi
done
EOF
