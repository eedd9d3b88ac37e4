"""The I2C bus of the wagon's IO board with its chips, register by register: barometer BMP280 or
BMP388, distance sensor VL53L0X or VL53L4CD, NFC reader PN532. The bus is as machine.I2C.

A chip answers as its data sheet says, from formulas in floats where the firmware computes with
integers, so that neither is a copy of the other.
"""

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

Measure = Callable[[], float]
_NO_REPLY = 19  # ENODEV, as MicroPython raises it


class I2cChip(Protocol):
    """A chip: what it takes, and what it returns to a read of so many bytes."""

    def write(self, data: bytes) -> None: ...

    def read(self, size: int) -> bytes: ...


@dataclass
class WagonI2c:
    """The bus; counts transactions and the bytes of the longest."""

    chips: dict[int, I2cChip] = field(default_factory=dict)
    transactions: int = 0
    longest: int = 0

    def writeto(self, address: int, data: bytes) -> int:
        """Write to a chip."""
        self._count(len(data))
        self._chip(address).write(bytes(data))
        return len(data)

    def readfrom(self, address: int, size: int) -> bytes:
        """Read from a chip."""
        self._count(size)
        return self._chip(address).read(size)

    def readfrom_mem(self, address: int, register: int, size: int, *, addrsize: int = 8) -> bytes:
        """Read registers."""
        self._count(size)
        chip = self._chip(address)
        chip.write(register.to_bytes(addrsize // 8, "big"))
        return chip.read(size)

    def writeto_mem(self, address: int, register: int, data: bytes, *, addrsize: int = 8) -> None:
        """Write registers."""
        self._count(len(data))
        self._chip(address).write(register.to_bytes(addrsize // 8, "big") + bytes(data))

    def _count(self, size: int) -> None:
        self.transactions += 1
        self.longest = max(self.longest, size)

    def _chip(self, address: int) -> I2cChip:
        if address not in self.chips:
            raise OSError(_NO_REPLY, "no reply")
        return self.chips[address]


class RegisterChip:
    """A chip whose registers count up; the first `width` bytes of a write name one."""

    width = 1

    def __init__(self) -> None:
        self.registers = bytearray(1 << 8 * self.width)
        self._at = 0

    def write(self, data: bytes) -> None:
        """Choose a register, and write what follows."""
        self._at = int.from_bytes(data[: self.width], "big")
        for offset, value in enumerate(data[self.width :]):
            self.put((self._at + offset) % len(self.registers), value)

    def put(self, register: int, value: int) -> None:
        """Write one register."""
        self.registers[register] = value

    def read(self, size: int) -> bytes:
        """Return registers from the chosen one on."""
        self.refresh()
        end = self._at + size
        return bytes(self.registers[self._at : end]).ljust(size, b"\0")

    def refresh(self) -> None:
        """Bring the registers up to date before a read."""


def _inverse(wanted: float, formula: Callable[[int], float], bits: int) -> int:
    """Return the count for which a formula gives the wanted value."""
    low, high = 0, (1 << bits) - 1
    is_rising = formula(high) > formula(low)
    while low < high:
        middle = (low + high) // 2
        if (formula(middle) < wanted) == is_rising:
            low = middle + 1
        else:
            high = middle
    return low


class SimBmp280(RegisterChip):
    """BMP280 with the constants of the example in its data sheet (3.12)."""

    constants = (27504, 26435, -1000, 36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000)

    def __init__(self, pressure_pa: Measure, temperature_c: Measure) -> None:
        super().__init__()
        self._pressure, self._temperature = pressure_pa, temperature_c
        self.registers[0xD0] = 0x58
        self.registers[0x88:0xA0] = struct.pack("<HhhH8h", *self.constants)
        self.registers[0xF7:0xFD] = b"\x80\x00\x00" * 2  # until it measures

    def refresh(self) -> None:
        if self.registers[0xF4] & 3 != 3:
            return
        adc_t = _inverse(self._temperature(), lambda adc: self._fine(adc) / 5120, 20)
        fine = self._fine(adc_t)
        adc_p = _inverse(self._pressure(), lambda adc: self._pascal(adc, fine), 20)
        for at, adc in ((0xF7, adc_p), (0xFA, adc_t)):
            self.registers[at : at + 3] = bytes((adc >> 12, adc >> 4 & 0xFF, (adc & 15) << 4))

    def _fine(self, adc: int) -> float:
        t1, t2, t3 = self.constants[:3]
        offset = adc / 131072 - t1 / 8192
        return (adc / 16384 - t1 / 1024) * t2 + offset * offset * t3

    def _pascal(self, adc: int, fine: float) -> float:
        """Return the pressure; appendix 1 of the data sheet."""
        p1, p2, p3, p4, p5, p6, p7, p8, p9 = self.constants[3:]
        first = fine / 2 - 64000
        second = first * first * p6 / 32768 + first * p5 * 2
        second = second / 4 + p4 * 65536
        first = (p3 * first * first / 524288 + p2 * first) / 524288
        first = (1 + first / 32768) * p1
        found = (1048576 - adc - second / 4096) * 6250 / first
        return found + (p9 * found * found / 2147483648 + found * p8 / 32768 + p7) / 16


class SimBmp388(RegisterChip):
    """BMP388."""

    constants = (27772, 18937, -10, -327, -1050, 35, 0, 25124, 30180, 3, -11, 15000, 5, -60)

    def __init__(self, pressure_pa: Measure, temperature_c: Measure) -> None:
        super().__init__()
        self._pressure, self._temperature = pressure_pa, temperature_c
        self.registers[0x00] = 0x50
        self.registers[0x31:0x46] = struct.pack("<HHbhhbbHHbbhbb", *self.constants)
        self.registers[0x04:0x0A] = b"\x00\x00\x80" * 2

    def refresh(self) -> None:
        if self.registers[0x1B] & 0x13 != 0x13:
            return
        adc_t = _inverse(self._temperature(), self._celsius, 24)
        celsius = self._celsius(adc_t)
        adc_p = _inverse(self._pressure(), lambda adc: self._pascal(adc, celsius), 24)
        self.registers[0x03] = 0x60  # both are ready
        self.registers[0x04:0x0A] = adc_p.to_bytes(3, "little") + adc_t.to_bytes(3, "little")

    def _celsius(self, adc: int) -> float:
        t1, t2, t3 = self.constants[:3]
        offset = adc - t1 * 2.0**8
        return offset * t2 / 2**30 + offset * offset * t3 / 2**48

    def _pascal(self, adc: int, celsius: float) -> float:
        """Return the pressure; section 9.3 of the data sheet."""
        p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11 = self.constants[3:]
        offset = p5 * 8.0 + p6 / 2**6 * celsius + p7 / 2**8 * celsius**2 + p8 / 2**15 * celsius**3
        share = (p1 - 2**14) / 2**20 + (p2 - 2**14) / 2**29 * celsius
        share += p3 / 2**32 * celsius**2 + p4 / 2**37 * celsius**3
        curve = p9 / 2**48 + p10 / 2**48 * celsius
        return offset + adc * share + adc**2 * curve + p11 / 2**65 * adc**3


class SimVl53l4cd(RegisterChip):
    """VL53L4CD: measures once it was started, until it is cleared. Beyond 1.3 m: no target."""

    width = 2

    def __init__(self, distance_m: Measure) -> None:
        super().__init__()
        self._distance = distance_m
        self.registers[0x010F:0x0111] = b"\xeb\xaa"
        self.registers[0xE5] = 3
        self.registers[0x06:0x08] = (0xBCCC).to_bytes(2, "big")
        self.registers[0xDE:0xE0] = (0x1B3).to_bytes(2, "big")
        self._is_ready = False

    def put(self, register: int, value: int) -> None:
        super().put(register, value)
        if register == 0x87:
            self._is_ready = value in (0x21, 0x40)
        elif register == 0x86 and value & 1:
            self._is_ready = self.registers[0x87] in (0x21, 0x40)

    def refresh(self) -> None:
        self.registers[0x31] = self.registers[0x31] & 0xFE | (0 if self._is_ready else 1)
        metres = self._distance()
        self.registers[0x89] = 9 if metres <= 1.3 else 4
        self.registers[0x96:0x98] = round(min(metres, 8.0) * 1000).to_bytes(2, "big")


class SimVl53l0x(RegisterChip):
    """VL53L0X: register 0xFF chooses a page; measures as 0x00 says. Beyond 2 m: no target."""

    def __init__(self, distance_m: Measure) -> None:
        super().__init__()
        self._distance = distance_m
        self._page = 0
        self.pages: dict[int, dict[int, int]] = {}
        self.registers[0xC0:0xC3] = b"\xee\xaa\x10"
        self.registers[0xB0:0xB6] = b"\xff\xff\xff\xff\xff\x0f"
        self._is_ready = False

    def put(self, register: int, value: int) -> None:
        if register == 0xFF:
            self._page = value
        elif self._page:
            self.pages.setdefault(self._page, {})[register] = value
        else:
            super().put(register, value)
            if register == 0x00 and value & 3:
                self._is_ready = True
            elif register == 0x0B and value & 1:
                self._is_ready = bool(self.registers[0x00] & 2)

    def read(self, size: int) -> bytes:
        if self._page:
            # The reference diodes: 5 of those without an aperture; what the API stops with.
            fixed = {0x92: 0x05, 0x91: 0x3C, 0x83: 0x10}
            pages = self.pages.get(self._page, {})
            return bytes(pages.get(self._at, 0) or fixed.get(self._at, 0) for _ in range(size))
        return super().read(size)

    def refresh(self) -> None:
        self.registers[0x13] = 4 if self._is_ready else 0
        if self.registers[0x00] & 2 == 0:
            self.registers[0x00] &= 0xFE  # a single measurement is over
        metres = self._distance()
        self.registers[0x14] = (11 if metres <= 2.0 else 4) << 3
        self.registers[0x1E:0x20] = round(min(metres, 8.19) * 1000).to_bytes(2, "big")


class SimPn532:
    """PN532: normal frames, acknowledgement, then the reply; `uid` returns the tag's, or b""."""

    def __init__(self, uid: Callable[[], bytes]) -> None:
        self._uid = uid
        self._waiting: list[bytes] = []
        self.commands: list[bytes] = []
        self.breaks = 0  # so many replies come with a wrong sum

    def write(self, data: bytes) -> None:
        """Take a frame; another one than a whole one is not acknowledged."""
        self._waiting = []
        start = data.find(b"\x00\xff")
        length = data[start + 2] if 0 <= start < len(data) - 3 else 0
        body = data[start + 4 : start + 4 + length]
        is_whole = (
            length and (length + data[start + 3]) & 0xFF == 0 and len(data) > start + 4 + length
        )
        if not is_whole or (sum(body) + data[start + 4 + length]) & 0xFF or body[0] != 0xD4:
            return
        self.commands.append(body[1:])
        self._waiting = [b"\x00\x00\xff\x00\xff\x00", self._reply(body[1], body[2:])]

    def _reply(self, command: int, parameters: bytes) -> bytes:
        body = bytes((0xD5, command + 1))
        if command == 0x02:
            body += b"\x32\x01\x06\x07"
        elif command == 0x4A:
            uid = self._uid()
            tag = b"\x01\x00\x44\x00" + bytes((len(uid),)) + uid
            body += b"\x01" + tag if uid else b"\x00"
        total = -sum(body) & 0xFF
        if self.breaks:
            self.breaks, total = self.breaks - 1, total ^ 1
        head = b"\x00\x00\xff" + bytes((len(body), -len(body) & 0xFF))
        return head + body + bytes((total, 0))

    def read(self, size: int) -> bytes:
        """Return whether it is ready, and what it says; that is then over."""
        if not self._waiting:
            return b"\x00" * size
        if size == 1:
            return b"\x01"
        return (b"\x01" + self._waiting.pop(0)).ljust(size, b"\x00")[:size]


class SimHostileChip:
    """A chip that takes everything and answers with nonsense, or not at all."""

    def __init__(self, numbers: random.Random) -> None:
        self._random = numbers
        self._usual = numbers.choice((0x00, 0xFF, 0x01, None))

    def write(self, data: bytes) -> None:
        self._maybe_fail()

    def read(self, size: int) -> bytes:
        self._maybe_fail()
        if self._usual is not None and self._random.random() < 0.3:
            return bytes((self._usual,)) * size
        return self._random.randbytes(size)

    def _maybe_fail(self) -> None:
        if self._random.random() < 0.1:
            raise OSError(110, "timed out")


class SwitchedChip:
    """A chip of a world that may be absent (0), good (1) or hostile (2)."""

    def __init__(self, state: Measure, chip: I2cChip) -> None:
        self._state, self._good = state, chip
        self._hostile = SimHostileChip(random.Random())

    def _chip(self) -> I2cChip:
        state = self._state()
        if not state:
            raise OSError(_NO_REPLY, "no reply")
        return self._good if state == 1 else self._hostile

    def write(self, data: bytes) -> None:
        self._chip().write(data)

    def read(self, size: int) -> bytes:
        return self._chip().read(size)


class NumbersOfWorld(Protocol):
    """What is true around the wagon, by name."""

    def __getitem__(self, name: str) -> float: ...


def chips_of(world: NumbersOfWorld) -> WagonI2c:
    """Return the bus of a simulated IO board."""
    distance = SimVl53l4cd(lambda: world["distance_m"])
    barometer = SimBmp388(lambda: world["pressure_pa"], lambda: world["temperature_c"])
    reader = SimPn532(lambda: int(world["tag"]).to_bytes(7, "big") if world["tag"] else b"")
    return WagonI2c(
        {
            0x29: SwitchedChip(lambda: world["distance_chip"], distance),
            0x76: SwitchedChip(lambda: world["barometer_chip"], barometer),
            0x24: SwitchedChip(lambda: world["nfc_chip"], reader),
        }
    )
