#!/bin/bash -e
# Users, folders and units of the image. saint-setup starts what this machine's role needs.
systemd-sysusers
systemd-tmpfiles --create --prefix=/data --prefix=/var/lib/saint
python3 -m compileall -q /usr/lib/python3/dist-packages/saint_services
systemctl preset $(cd /usr/lib/systemd/system && ls -d saint-*.service saint-*.socket saint-*.path saint-*.timer var-lib-*.mount | grep -v '\.d$')
systemctl enable nftables.service systemd-networkd.service systemd-resolved.service chrony.service ssh.service
# systemd-networkd and wpa_supplicant do what these would; the wizard would ask for a password.
for unit in NetworkManager.service dhcpcd.service wpa_supplicant.service userconfig.service; do
	systemctl mask "${unit}"
done
passwd --lock root
