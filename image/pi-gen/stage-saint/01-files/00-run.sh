#!/bin/bash -e
# The checkout is lent to the image: its own Python and jinja2 lay the files, as the A/B image's builder does.
lent="${ROOTFS_DIR}/tmp/saint-os"
mkdir -p "${lent}"
for part in image manifests overlays saint_services systemd tools web pi-gen.conf requirements.lock; do
	cp -a "${SAINT_SOURCE}/${part}" "${lent}/"
done
on_chroot << EOF
cd /tmp/saint-os
python3 -B -m tools.pi_gen lay
EOF
rm -rf "${lent}"
# No password, no wizard that requests one at the first boot: keys come with saint.yaml.
rm -f "${ROOTFS_DIR}"/var/lib/systemd/rfkill/*:wlan
