#!/bin/bash -e
# What this stage starts from: Raspberry Pi OS Lite.
if [ ! -d "${ROOTFS_DIR}" ]; then
	copy_previous
fi
