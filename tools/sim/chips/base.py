"""Base of simulated chips: a mapped file that outlives its process, a fault switch that any process
may set while a daemon uses the chip, and registers behind a pointer.
"""

import contextlib
import errno
from abc import abstractmethod
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Protocol

from saint_services.lib.records import map_file

_POWERED, _FAULT, _TRANSFERS, _POINTER = range(4)  # bytes before the chip's memory
_HEAD = 8
_NUMBER = 8  # bytes


class ChipFault(IntEnum):
    """Fault of a chip, or of the wires to it."""

    NONE = 0
    UNPLUGGED = 1  # no acknowledge; its settings are lost
    DEAF = 2  # no acknowledge; its power and its registers stay
    NAK = 3  # every third address is not acknowledged: a loose contact
    SHORT = 4  # reads end early
    STUCK = 5  # the bus is held low, which its controller notices
    BLANK = 6  # it acknowledges and answers 0xFF: another chip
    LOW = 7  # SDA is held low, which a Pi's controller takes for acknowledges and zeros


class Chip(Protocol):
    """Interface of a chip on its bus."""

    on_look: Callable[[], None] | None

    def write(self, data: bytes) -> None: ...

    def read(self, length: int) -> bytes: ...

    def set_answers(self, answers: bool) -> None: ...

    def set_fault(self, fault: ChipFault) -> None: ...

    @property
    def fault(self) -> ChipFault: ...

    def close(self) -> None: ...


class ChipFile:
    """Chip with its memory in a file. `on_look` runs before a read and may update the chip's
    inputs.
    """

    def __init__(self, path: Path, size: int) -> None:
        self.on_look: Callable[[], None] | None = None
        self._map = map_file(path, _HEAD + size)
        self._memory = memoryview(self._map)[_HEAD:]
        if not self._map[_POWERED]:
            self._power_up()
            self._map[_POWERED] = 1

    @property
    def fault(self) -> ChipFault:
        """Return the present fault."""
        return ChipFault(self._map[_FAULT])

    def set_fault(self, fault: ChipFault) -> None:
        """Set the fault, or clear it with NONE, from the next transfer of any process on."""
        if fault is ChipFault.UNPLUGGED:
            self._power_up()
        self._map[_FAULT] = fault

    def set_answers(self, answers: bool) -> None:
        """Cut or reconnect the data lines."""
        self.set_fault(ChipFault.NONE if answers else ChipFault.DEAF)

    def close(self) -> None:
        """Unmap; the memory stays."""
        self._memory.release()
        with contextlib.suppress(BufferError):  # a sensor's thread is reading: closed with it
            self._map.close()

    @property
    def _pointer(self) -> int:
        return self._map[_POINTER]

    @_pointer.setter
    def _pointer(self, value: int) -> None:
        self._map[_POINTER] = value

    @abstractmethod
    def _power_up(self) -> None:
        """Reset to the state after power-up."""

    def _answer(self, is_read: bool = False) -> None:
        """Acknowledge the address, or raise OSError by the fault."""
        fault = self._map[_FAULT]
        if fault == ChipFault.NONE:
            return
        count = 1
        if not is_read:  # a read follows the write of its register: together one transfer
            count = self._map[_TRANSFERS] = (self._map[_TRANSFERS] + 1) % 3
        if fault in (ChipFault.UNPLUGGED, ChipFault.DEAF) or (fault == ChipFault.NAK and not count):
            raise OSError(errno.ENXIO, "no acknowledge")
        if fault == ChipFault.STUCK:
            raise OSError(errno.ETIMEDOUT, "the bus is held low")

    @property
    def _is_written(self) -> bool:
        """Whether the chip receives what is written to its address."""
        return self._map[_FAULT] not in (ChipFault.BLANK, ChipFault.LOW)

    def _sent(self, data: bytes) -> bytes:
        """Return what arrives of the data that the chip sends."""
        fault = self._map[_FAULT]
        if fault in (ChipFault.BLANK, ChipFault.LOW):
            return (b"\xff" if fault == ChipFault.BLANK else b"\0") * len(data)
        return data[: len(data) // 2] if fault == ChipFault.SHORT else data


class RegisterChip(ChipFile):
    """Chip with 256 byte registers, an incrementing pointer, and physical inputs."""

    NUMBERS = 0  # what `feed` of the chip stores

    def __init__(self, path: Path) -> None:
        super().__init__(path, _NUMBER * self.NUMBERS + 256)

    @property
    def registers(self) -> "memoryview[int]":
        """Return the registers."""
        return self._memory[_NUMBER * self.NUMBERS :]

    @property
    def world(self) -> "memoryview[float]":
        """Return the physical inputs, as doubles."""
        return self._memory[: _NUMBER * self.NUMBERS].cast("d")

    def write(self, data: bytes) -> None:
        """Write a register address, then values."""
        self._answer()
        if data and self._is_written:
            self._pointer = data[0]
            for offset, value in enumerate(data[1:]):
                self._store(data[0] + offset & 0xFF, value)

    def read(self, length: int) -> bytes:
        """Read values from the register that was addressed last."""
        self._answer(is_read=True)
        if self.on_look:
            self.on_look()
        self._refresh()
        start = self._pointer
        data = bytes(self._load(start + offset & 0xFF) for offset in range(length))
        return self._sent(data)

    def _store(self, register: int, value: int) -> None:
        """Store a byte in a register."""
        self.registers[register] = value

    def _load(self, register: int) -> int:
        """Load the byte of a register."""
        return int(self.registers[register])

    def _refresh(self) -> None:
        """Update the registers from the physical inputs."""

    def _put(self, register: int, value: int, length: int = 2) -> None:
        """Store a signed number, highest byte first, saturated like a converter."""
        most = 1 << 8 * length - 1
        value = max(-most, min(value, most - 1))
        self.registers[register : register + length] = value.to_bytes(length, "big", signed=True)

    def _reset(self, values: dict[int, int]) -> None:
        """Set all registers to zero except these."""
        self.registers[:] = bytes(256)
        for register, value in values.items():
            self.registers[register] = value
