"""Judges one cut after the other, without booting: would the machine come back, with everything.

1. The slot that the boot script would choose holds a whole image. 2. The data partition comes
back, the firmware partition is whole. 3. Every state file can be read by the product, and every
promise is kept. Not here: which cuts (cuts.py), several processes (workers.py).
"""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import facts, firmware
from .disks.cuts import Cut, Piece, Timeline
from .disks.disk import Key, Stretch, copy_sparse
from .disks.filesystems import FileSystems
from .disks.layout import (
    DATA,
    ENV_BYTES,
    ENV_OFFSETS,
    ENVIRONMENT,
    FIRMWARE,
    SLOT_A,
    SLOT_B,
    TABLE,
    LayoutError,
    Place,
    partitions,
)
from .disks.recording import Recording
from .disks.slots import Slot
from .environment import first_slot
from .facts import FOLDERS
from .promises import broken


@dataclass(frozen=True, slots=True)
class Verdict:
    """One cut: what is wrong, what would be booted, and which state of each place it met."""

    cut: Cut
    faults: tuple[str, ...]
    slot: str
    image: str
    is_repaired: bool
    is_untidy: bool  # of the firmware partition, beside what the machine starts from
    data_state: str
    environment_state: str


@dataclass(frozen=True, slots=True)
class _Data:
    """What was found on one state of the data partition."""

    faults: tuple[str, ...]
    is_repaired: bool
    facts: dict[str, str]


class Judge:
    """One recording, with cuts that come in the order of every_cut()."""

    def __init__(self, recording: Recording, seed: int, systems: FileSystems, work: Path) -> None:
        assert recording.base is not None, "a recording without its disk"
        self._recording = recording
        self._seed = seed
        self._systems = systems
        self._work = work
        self._timeline = Timeline(recording.requests)
        with recording.base.open("rb") as file:
            places = partitions(file.read(TABLE.length))
        size = recording.base.stat().st_size
        # The first boot makes the last partition longer: the rest of the disk belongs to it.
        data = Place(DATA, places[DATA].start, size - places[DATA].start)
        self._table = Stretch(recording, TABLE, work / "table")
        self._environment = Stretch(recording, ENVIRONMENT, work / "environment")
        self._firmware = Stretch(recording, places[FIRMWARE], work / "firmware")
        self._data = Stretch(recording, data, work / "data")
        images = {name: Path(path) for name, path in recording.info.images.items()}
        self._slots = {name: Slot(recording, places[name], images) for name in (SLOT_A, SLOT_B)}
        self._known_data: dict[tuple[Key, int], _Data] = {}
        self._known_firmware: dict[Key, firmware.Found] = {}
        with self._firmware.at((0, ())):
            self._whole_firmware = firmware.Firmware(systems, self._firmware.file)

    def judge(self, cut: Cut) -> Verdict:
        """One cut."""
        sure, pieces = self._timeline.pieces(cut, self._seed)
        start = self._firmware_found(sure, pieces)
        faults = list(start.faults)
        slot, image, environment = self._choice(sure, pieces)
        if not image:
            faults.append(f"the boot script would choose slot {slot}, which is not whole")
        key = self._data.key(sure, pieces)
        found = self._data_found(key, sure, pieces)
        if image and not self._is_accounted_for(slot, found):
            faults.append(f"slot {slot} would run without a record that it is on trial")
        faults += found.faults
        known = {**start.facts, **found.facts, "slot-image": image}
        faults += broken(self._recording.marks, cut.settled, known)
        return Verdict(
            cut,
            tuple(faults),
            slot,
            image,
            found.is_repaired,
            start.is_untidy,
            _name(key),
            _name(environment),
        )

    def _is_accounted_for(self, slot: str, found: _Data) -> bool:
        """Proven before or since, or on trial: nothing else may run, or a bad release would be
        called good."""
        proven = self._recording.info.proven.split()
        proven += found.facts.get("proven-slots", "").split()
        return slot in proven or slot == found.facts.get("update-pending")

    def _choice(self, sure: int, pieces: Sequence[Piece]) -> tuple[str, str, Key]:
        key = self._environment.key(sure, pieces)
        with self._environment.at(key) as descriptor:
            first, second = (
                os.pread(descriptor, ENV_BYTES, offset - ENVIRONMENT.start)
                for offset in ENV_OFFSETS
            )
        slot = first_slot(first, second)
        return slot, self._slots[slot].holds(sure, pieces) if slot else "", key

    def _data_found(self, key: Key, sure: int, pieces: Sequence[Piece]) -> _Data:
        try:
            with self._table.at(self._table.key(sure, pieces)) as descriptor:
                length = partitions(os.pread(descriptor, TABLE.length, 0))[DATA].length
        except LayoutError as err:
            return _Data((str(err),), False, {})
        if (key, length) not in self._known_data:
            self._known_data = {  # a state that is past does not come back
                known: data for known, data in self._known_data.items() if known[0][0] >= key[0]
            }
            self._known_data[key, length] = self._examined(key, length)
        return self._known_data[key, length]

    def _examined(self, key: Key, length: int) -> _Data:
        image, files = self._work / "data.copy", self._work / "files"
        with self._data.at(key) as descriptor:
            copy_sparse(descriptor, image)
        os.truncate(image, length)
        check = self._systems.recover_ext4(image)
        shutil.rmtree(files, ignore_errors=True)
        files.mkdir()
        self._systems.read_ext4(image, FOLDERS, files)
        found = facts.read(files)
        return _Data((*check.faults, *found.faults), check.is_repaired, found.facts)

    def _firmware_found(self, sure: int, pieces: Sequence[Piece]) -> firmware.Found:
        key = self._firmware.key(sure, pieces)
        if key not in self._known_firmware:
            with self._firmware.at(key):
                self._known_firmware[key] = self._whole_firmware.look(self._firmware.file)
        return self._known_firmware[key]

    def close(self) -> None:
        for stretch in (self._table, self._environment, self._firmware, self._data):
            stretch.close()
        with contextlib.suppress(OSError):
            (self._work / "data.copy").unlink()


def _name(key: Key) -> str:
    pieces = [(p.index, sorted(p.sectors) if p.sectors is not None else None) for p in key[1]]
    return hashlib.sha256(repr((key[0], pieces)).encode()).hexdigest()[:12]
