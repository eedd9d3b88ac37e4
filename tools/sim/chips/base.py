"""What all simulated chips have in common: a mapped file that outlives its process, a switch for
faults that anybody may turn while a daemon uses the chip, and registers behind a pointer.
Not here: what the registers of a chip mean.
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
    """What can be wrong with a chip, or with the wires to it."""

    NONE = 0
    UNPLUGGED = 1  # no acknowledge; what it had been told is forgotten
    DEAF = 2  # no acknowledge; its power and its registers stay
    NAK = 3  # every third address is not acknowledged: a loose contact
    SHORT = 4  # reads end early
    STUCK = 5  # the bus is held low
    BLANK = 6  # it acknowledges and answers 0xFF: another chip


class Chip(Protocol):
    """The chip's side of the bus."""

    on_look: Callable[[], None] | None

    def write(self, data: bytes) -> None: ...

    def read(self, length: int) -> bytes: ...

    def set_answers(self, answers: bool) -> None: ...

    def set_fault(self, fault: ChipFault) -> None: ...

    @property
    def fault(self) -> ChipFault: ...

    def close(self) -> None: ...


class ChipFile:
    """A chip with its memory in a file. `on_look` runs before a read: whoever simulates the world
    may then bring the chip up to date.
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
        """What is wrong with it now."""
        return ChipFault(self._map[_FAULT])

    def set_fault(self, fault: ChipFault) -> None:
        """Break it, or mend it with NONE. The next transfer of any process feels it."""
        if fault is ChipFault.UNPLUGGED:
            self._power_up()
        self._map[_FAULT] = fault

    def set_answers(self, answers: bool) -> None:
        """Cut its data lines, or mend them."""
        self.set_fault(ChipFault.NONE if answers else ChipFault.DEAF)

    def close(self) -> None:
        """Unmap; the memory stays."""
        self._memory.release()
        with contextlib.suppress(BufferError):  # a sensor's thread looks right now: it ends with it
            self._map.close()

    @property
    def _pointer(self) -> int:
        return self._map[_POINTER]

    @_pointer.setter
    def _pointer(self, value: int) -> None:
        self._map[_POINTER] = value

    @abstractmethod
    def _power_up(self) -> None:
        """As it is when it gets power."""

    def _answer(self, is_read: bool = False) -> None:
        """The chip is addressed."""
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

    def _sent(self, data: bytes) -> bytes:
        """What arrives of what the chip sends."""
        fault = self._map[_FAULT]
        if fault == ChipFault.BLANK:
            return b"\xff" * len(data)
        return data[: len(data) // 2] if fault == ChipFault.SHORT else data


class RegisterChip(ChipFile):
    """256 registers of a byte, a pointer that counts up, and numbers of the world around it."""

    NUMBERS = 0  # what `feed` of the chip stores

    def __init__(self, path: Path) -> None:
        super().__init__(path, _NUMBER * self.NUMBERS + 256)

    @property
    def registers(self) -> "memoryview[int]":
        """The registers now."""
        return self._memory[_NUMBER * self.NUMBERS :]

    @property
    def world(self) -> "memoryview[float]":
        """The numbers, as doubles."""
        return self._memory[: _NUMBER * self.NUMBERS].cast("d")

    def write(self, data: bytes) -> None:
        """Register address, then values."""
        self._answer()
        if data and self.fault is not ChipFault.BLANK:
            self._pointer = data[0]
            for offset, value in enumerate(data[1:]):
                self._store(data[0] + offset & 0xFF, value)

    def read(self, length: int) -> bytes:
        """Values from the register that was addressed last."""
        self._answer(is_read=True)
        if self.on_look:
            self.on_look()
        self._refresh()
        start = self._pointer
        data = bytes(self._load(start + offset & 0xFF) for offset in range(length))
        return self._sent(data)

    def _store(self, register: int, value: int) -> None:
        """A register is written."""
        self.registers[register] = value

    def _load(self, register: int) -> int:
        """A register is read."""
        return int(self.registers[register])

    def _refresh(self) -> None:
        """Bring the registers to what the world is."""

    def _put(self, register: int, value: int, length: int = 2) -> None:
        """A signed number, highest byte first, that stops at its ends as a converter does."""
        most = 1 << 8 * length - 1
        value = max(-most, min(value, most - 1))
        self.registers[register : register + length] = value.to_bytes(length, "big", signed=True)

    def _reset(self, values: dict[int, int]) -> None:
        """All registers zero but these."""
        self.registers[:] = bytes(256)
        for register, value in values.items():
            self.registers[register] = value
