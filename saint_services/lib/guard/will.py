"""The will of a role: the writes that make its outputs safe, prepared so that carrying them out
needs no driver, no bus and no configuration; and the files that store wills. Not here: the content
of a role's will (lib/hw), how a write reaches its device (ports.py), when it is carried out
(guardd).

Tuples instead of dataclasses, here and in what ports.py imports: guardd/rescue.py starts while
outputs may be live, and importing dataclasses would double the time of its start.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

MOST_WRITES = 128
MOST_BYTES = 64  # of one write
_LONGEST_NAME = 128


class WriteKind(StrEnum):
    """How a write reaches its device, and what `place` means."""

    FILE = "file"  # pwrite at offset `place`: kernel PWM
    I2C = "i2c"  # one transfer to address `place`
    LINE = "line"  # line `place` of a GPIO chip: b"\\0" low, b"\\1" high
    SERIAL = "serial"  # bytes on a serial line at `place` baud
    PIGPIO = "pigpio"  # one command to pigpiod, path "host:port"
    CAN = "can"  # one frame on that interface with identifier `place`; bit 31: it has 29 bits
    UDP = "udp"  # one datagram to path "host:port"; the host is an address
    RECORD = "record"  # record `place` of a simulated board's pins becomes 0, or 1 with b"\\1"
    SIM_I2C = "sim_i2c"  # one transfer to the simulated PCA9685 of that file
    SIM_SERIAL = "sim_serial"  # bytes to the simulated RoboClaw of that file
    SIM_CAN = "sim_can"  # one frame to the simulated VESCs of that folder, `place` as above


class Write(NamedTuple):
    """One write. `place` depends on the kind."""

    kind: WriteKind
    path: str
    place: int = 0
    data: bytes = b""

    def as_json(self) -> list[object]:
        """The write as a list of JSON values."""
        return [self.kind.value, self.path, self.place, self.data.hex()]

    @classmethod
    def of(cls, value: object) -> "Write":
        """Parse what `as_json` made. Raises ValueError."""
        if not isinstance(value, list) or len(value) != 4:
            raise ValueError("a write is a list of kind, path, place and data")
        kind, path, place, data = value
        if type(place) is not int or not isinstance(path, str) or not isinstance(data, str):
            raise ValueError("a write has the wrong types")
        found = cls(WriteKind(kind), path, place, bytes.fromhex(data))
        if not 0 <= place < 1 << 32 or len(found.data) > MOST_BYTES:
            raise ValueError("a write is out of range")
        return found


class Will(NamedTuple):
    """The writes of one role, in the order in which they are carried out. `name` is the role's
    process (role-tracksd, role-armsd@2), `target` what it drives (tracks, arms.left)."""

    name: str
    target: str
    writes: tuple[Write, ...] = ()

    def as_json(self) -> dict[str, object]:
        """The will as JSON values."""
        writes = [write.as_json() for write in self.writes]
        return {"name": self.name, "target": self.target, "writes": writes}

    def encoded(self) -> bytes:
        """The will as a file holds it."""
        return json.dumps(self.as_json()).encode()

    @classmethod
    def of(cls, data: Mapping[str, object]) -> "Will":
        """Parse and check what `as_json` made. Raises ValueError."""
        name, target, writes = data.get("name"), data.get("target"), data.get("writes")
        if not isinstance(name, str) or not isinstance(target, str):
            raise ValueError("a will has a name and a target")
        if not 0 < len(name) <= _LONGEST_NAME or "/" in name or name.startswith("."):
            raise ValueError(f"{name[:_LONGEST_NAME]!r} is no name of a process")
        if not isinstance(writes, list) or len(writes) > MOST_WRITES:
            raise ValueError(f"a will has at most {MOST_WRITES} writes")
        return cls(name, target[:_LONGEST_NAME], tuple(Write.of(write) for write in writes))

    @classmethod
    def decoded(cls, data: bytes) -> "Will":
        """Parse a file. Raises ValueError."""
        found = json.loads(data)
        if not isinstance(found, dict):
            raise ValueError("a will is an object")
        return cls.of(found)


def wills_folder(runtime: str) -> str:
    """Return where wills are kept: RUNTIME_DIRECTORY where the unit makes it (/run/saint/wills),
    else a folder below it."""
    return runtime if os.path.basename(runtime) == "wills" else os.path.join(runtime, "wills")


class WillFiles:
    """Stores one file for each role process in tmpfs: wills end with the machine's power, like the
    outputs that they concern."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def store(self, will: Will) -> None:
        """Write a will, whole or not at all. Raises OSError."""
        os.makedirs(self._folder, mode=0o755, exist_ok=True)
        aside = os.path.join(self._folder, f".{will.name}.new")
        # The role's own user reads it after the end of its process.
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            os.fchmod(descriptor, 0o644)
            os.write(descriptor, will.encoded())
        finally:
            os.close(descriptor)
        os.replace(aside, self._path(will.name))

    def forget(self, name: str) -> None:
        """Remove the will of a role."""
        with contextlib.suppress(OSError):
            os.unlink(self._path(name))

    def load(self, name: str = "") -> Iterator[Will]:
        """Read all wills, or that of one role. Damaged ones are left out; `store` makes none."""
        for path in [self._path(name)] if name else self._paths():
            with contextlib.suppress(OSError, ValueError), open(path, "rb") as file:
                yield Will.decoded(file.read())

    def _paths(self) -> list[str]:
        with contextlib.suppress(OSError):
            names = sorted(os.listdir(self._folder))
            return [os.path.join(self._folder, each) for each in names if each.endswith(".will")]
        return []

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, f"{name}.will")
