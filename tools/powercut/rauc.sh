#!/bin/bash
# rauc.sh FOLDER SLOT ARGUMENT...: RAUC's service on a bus of its own, as if SLOT were running, and
# one command of rauc. Run inside of the tools tree; rauc.py writes what lies in FOLDER.
set -euo pipefail
folder=$1 slot=$2
shift 2
export DBUS_SYSTEM_BUS_ADDRESS="unix:path=$folder/bus" PATH="$folder/bin:$PATH"
rm -f "$folder/bus"
mkdir -p /run/rauc/mnt
dbus-daemon --config-file="$folder/bus.conf" --nofork &
bus=$!
trap 'kill $bus ${rauc:-}' EXIT
until [ -S "$folder/bus" ]; do sleep 0.1; done
rauc --conf="$folder/system.conf" --override-boot-slot="$slot" service >>"$folder/rauc.log" 2>&1 &
rauc=$!
for _ in $(seq 100); do
  rauc status >/dev/null 2>&1 && break
  sleep 0.2
done
rauc "$@"
