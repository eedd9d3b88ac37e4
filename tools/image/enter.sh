#!/bin/bash
# enter.sh TREE FOLDERS COMMAND...: runs COMMAND with TREE as its root, in mount and process namespaces of
# its own, FOLDERS (colons between) visible at their own paths. mkosi refuses to run in a bare chroot.
set -euo pipefail
export SAINT_TREE=$1 SAINT_FOLDERS=$2
shift 2
exec unshare --mount --propagation private bash -euc '
  mount --bind "$SAINT_TREE" "$SAINT_TREE"
  cd "$SAINT_TREE"
  mkdir -p .outside
  for place in proc sys dev; do mount --rbind "/$place" "$place"; done
  mount -t tmpfs tmpfs tmp
  mount -t tmpfs tmpfs run
  IFS=:
  for folder in $SAINT_FOLDERS; do
    mkdir -p "./$folder"
    mount --rbind "$folder" "./$folder"
  done
  unset IFS
  where=$PWD
  pivot_root . .outside
  cd /
  umount --lazy /.outside
  unset SAINT_TREE SAINT_FOLDERS
  exec "$@"' bash "$@"
