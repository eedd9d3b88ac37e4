#!/bin/bash
# pigen_stand_in.sh STAGE WORK: runs a stage as pi-gen's build.sh does, over WORK/before/rootfs, in what order and with
# which variables its README and build.sh say. It is no pi-gen: no images, no other stages, no qcow2.
set -euo pipefail
STAGE_DIR=$(realpath "$1") WORK_DIR=$(realpath "$2")
PREV_ROOTFS_DIR="$WORK_DIR/before/rootfs"
STAGE_WORK_DIR="$WORK_DIR/$(basename "$STAGE_DIR")"
ROOTFS_DIR="$STAGE_WORK_DIR/rootfs"
export STAGE_DIR WORK_DIR PREV_ROOTFS_DIR STAGE_WORK_DIR ROOTFS_DIR

copy_previous() {
	mkdir -p "$ROOTFS_DIR"
	cp -a "$PREV_ROOTFS_DIR/." "$ROOTFS_DIR/"
}
on_chroot() {
	chroot "$ROOTFS_DIR" bash -e "$@"
}
export -f copy_previous on_chroot

cd "$STAGE_DIR"
./prerun.sh
for place in proc sys dev dev/pts; do mount --rbind "/$place" "$ROOTFS_DIR/$place"; done
mount -t tmpfs tmpfs "$ROOTFS_DIR/run"
for SUB_STAGE_DIR in "$STAGE_DIR"/*/; do
	cd "$SUB_STAGE_DIR"
	for number in {00..99}; do
		if [ -x "$number-run.sh" ]; then "./$number-run.sh"; fi
		if [ -f "$number-run-chroot.sh" ]; then on_chroot < "$number-run-chroot.sh"; fi
	done
done
