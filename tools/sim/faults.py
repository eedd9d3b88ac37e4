"""Fault switches of a simulated board in a mapped file: they act at once on a running daemon, until
cleared. Not here: what a fault does (bodies/plant.py; chips have their own).
"""

import fcntl
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from saint_services.lib.records import map_file

FILE = "faults"
SUPPLY = "supply"
_SLOTS = 64
_HEAD = struct.Struct("<Q")  # count of changes; odd during a write
_SLOT = struct.Struct("<16sd104s")  # fault, value, device; no device: free
_SIZE = _HEAD.size + _SLOTS * _SLOT.size


class Fault(StrEnum):
    """Fault of a motor, servo, encoder or the supply."""

    UNPLUG = "unplug"  # its plug is out
    STALL = "stall"  # it is blocked
    LOAD = "load"  # value: share of what it can just hold
    SLIP = "slip"  # the track turns, the robot does not go
    NOISE = "noise"  # value: share of edges that are lost
    BROWN_OUT = "brown-out"  # value: volts
    HOT = "hot"  # value: degrees Celsius
    DOUBLED = "doubled"  # another servo has its id


# What a switch that was given no value stands for.
VALUES = {Fault.LOAD: 0.5, Fault.NOISE: 0.1, Fault.BROWN_OUT: 4.0, Fault.HOT: 75.0}


@dataclass(frozen=True, slots=True)
class FaultSwitch:
    """A fault and its value."""

    fault: Fault
    value: float = 0.0


class Faults:
    """The switches by device. Reading costs one comparison without a change. Where two roles of a
    board have a device of one name, a switch names the role too: arms.left.joint_0; `role` is that
    of the reader.
    """

    def __init__(self, directory: Path, role: str = "") -> None:
        self._path = directory / FILE
        self._prefix = f"{role}."
        self._map = map_file(self._path, _SIZE)
        self._seen = 0
        self._switches: dict[str, FaultSwitch] = {}

    def read(self) -> dict[str, FaultSwitch]:
        """Return the faults by device."""
        changes = self._changes()
        if changes != self._seen and not changes & 1:
            switches = dict(self._read())
            if self._changes() == changes:  # else: half of a change; the next call has it
                own = {n.removeprefix(self._prefix): each for n, each in switches.items()}
                self._switches, self._seen = switches | own, changes
        return self._switches

    def set(self, device: str, fault: Fault, value: float | None = None) -> None:
        """Set the fault of a device, in place of another."""
        given = VALUES.get(fault, 0.0) if value is None else value
        self._change(lambda switches: switches | {device: FaultSwitch(fault, given)})

    def clear(self, device: str = "") -> None:
        """Clear the fault of one device, or all."""
        self._change(
            lambda switches: {
                name: switch for name, switch in switches.items() if device and name != device
            }
        )

    def close(self) -> None:
        """Unmap; the switches stay."""
        self._map.close()

    def _changes(self) -> int:
        changes: int = _HEAD.unpack_from(self._map, 0)[0]
        return changes

    def _read(self) -> Iterator[tuple[str, FaultSwitch]]:
        for index in range(_SLOTS):
            fault, value, device = _SLOT.unpack_from(self._map, _HEAD.size + index * _SLOT.size)
            name = device.rstrip(b"\0").decode(errors="replace")
            known = fault.rstrip(b"\0").decode(errors="replace")
            if name and known in set(Fault):
                yield name, FaultSwitch(Fault(known), value)

    def _change(self, edit: Callable[[dict[str, FaultSwitch]], dict[str, FaultSwitch]]) -> None:
        with self._path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # released when the file is closed
            switches = edit(dict(self._read()))
            if len(switches) > _SLOTS:
                raise ValueError(f"at most {_SLOTS} faults at once")
            changes = self._changes() | 1  # odd already: a writer was killed
            _HEAD.pack_into(self._map, 0, changes)
            free = [("", FaultSwitch(Fault.UNPLUG))] * (_SLOTS - len(switches))
            for index, (device, switch) in enumerate([*switches.items(), *free]):
                at = _HEAD.size + index * _SLOT.size
                fault, name = switch.fault.encode(), device.encode()
                _SLOT.pack_into(self._map, at, fault, switch.value, name)
            _HEAD.pack_into(self._map, 0, changes + 1)
