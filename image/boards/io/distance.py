"""The distance sensor of the IO board: a VL53L0X or a VL53L4CD, which have the same address.

ST documents no registers of these; the sequences are those of its own software (STSW-IMG005,
STSW-IMG026). The document's address 0x52 is 0x29 with the bit for writing.
"""

from ..shared import tables as t
from .chips import ChipError

ADDRESS = 0x29
_MOST_WAITS = 60
_WAIT_MS = 5
_SILENT = 40  # turns of _WAIT_MS without a measurement
_MOST_MM = 4000
_CHUNK = 16  # bytes in a transaction


class DistanceSensor:
    """Reports the distance in m; nothing while the chip sees no target."""

    name = "distance"

    def life(self, bus, show):
        """Find the chip, set it up, measure."""
        is_new = bytes(bus.readfrom_mem(ADDRESS, 0x010F, 2, addrsize=16)) == b"\xeb\xaa"
        yield 0
        if not is_new and bus.readfrom_mem(ADDRESS, 0xC0, 1)[0] != 0xEE:
            raise ChipError("no distance sensor")
        chip = Vl53l4cd(bus) if is_new else Vl53l0x(bus)
        yield from chip.begin()
        waits = 0
        while True:
            found = chip.measured()
            yield _WAIT_MS
            if found is None:
                waits += 1
                if waits > _SILENT:
                    raise ChipError("no measurement")
                continue
            waits = 0
            chip.again()
            is_valid, millimetres = found
            has_target = is_valid and millimetres <= _MOST_MM
            show(t.SENSOR_DISTANCE, millimetres / 1000 if has_target else None)
            yield _WAIT_MS


class Vl53l4cd:
    """VL53L4CD: registers of 16 bits, continuous, 50 ms."""

    def __init__(self, bus) -> None:
        self._bus = bus

    def begin(self):
        """Set it up; yields pauses."""
        yield from self._until(lambda: self._read(0xE5, 1)[0] == 3)  # it has started
        for at in range(0, len(_DEFAULTS_L4), _CHUNK):
            self._write(0x2D + at, _DEFAULTS_L4[at : at + _CHUNK])
            yield 0
        self._write(0x87, b"\x40")  # a first measurement sets its voltages
        yield from self._until(lambda: self.measured() is not None)
        for register, data in _SEQUENCE_L4:
            self._write(register, data)
            yield 0
        clock = int.from_bytes(self._read(0x06, 2), "big")
        if clock == 0:
            raise ChipError("no clock")
        for register, periods in ((0x5E, 16), (0x61, 12)):
            self._write(register, _budget(clock, periods))
            yield 0
        self._write(0x87, b"\x21")  # measure again and again

    def _until(self, is_true):
        for _ in range(_MOST_WAITS):
            if is_true():
                return
            yield _WAIT_MS
        raise ChipError("it does not start")

    def measured(self) -> "tuple[bool, int] | None":
        """Return whether the newest measurement is valid, and millimetres; None: there is none."""
        if self._read(0x31, 1)[0] & 1:  # the line is low when there is one
            return None
        data = self._read(0x89, 15)
        return data[0] & 0x1F == 9, data[13] << 8 | data[14]

    def again(self) -> None:
        """Let it measure again."""
        self._write(0x86, b"\x01")

    def _read(self, register: int, size: int) -> bytes:
        return self._bus.readfrom_mem(ADDRESS, register, size, addrsize=16)

    def _write(self, register: int, data: bytes) -> None:
        self._bus.writeto_mem(ADDRESS, register, data, addrsize=16)


_BUDGET_US = 50_000 - 2500
# Registers 0x2D to 0x87: 400 kHz, an interrupt that is low, for each measurement.
_DEFAULTS_L4 = (
    b"\x12\x00\x00\x11\x02\x00\x02\x08\x00\x08\x10\x01\x01\x00\x00\x00\x00\xff\x00\x0f"
    b"\x00\x00\x00\x00\x00\x20\x0b\x00\x00\x02\x14\x21\x00\x00\x05\x00\x00\x00\x00\xc8"
    b"\x00\x00\x38\xff\x01\x00\x08\x00\x00\x01\xcc\x07\x01\xf1\x05\x00\xa0\x00\x80\x08"
    b"\x38\x00\x00\x00\x00\x0f\x89\x00\x00\x00\x00\x00\x00\x00\x01\x07\x05\x06\x06\x00"
    b"\x00\x02\xc7\xff\x9b\x00\x00\x00\x01\x00\x00"
)
_SEQUENCE_L4 = (
    (0x86, b"\x01"),
    (0x87, b"\x00"),
    (0x08, b"\x09"),
    (0x0B, b"\x00"),
    (0x24, b"\x05\x00"),
    (0x6C, bytes(4)),  # no pause between measurements
)


def _budget(clock: int, periods: int) -> bytes:
    """Return how long it measures, as the chip counts it: a byte and how often it is doubled."""
    macro_us = 2304 * (1 << 30) // clock >> 6
    unit = macro_us * periods >> 6
    count = ((_BUDGET_US << 12) + (unit >> 1)) // unit - 1
    doubled = 0
    while count > 255:
        count >>= 1
        doubled += 1
    return bytes((doubled, count))


class Vl53l0x:
    """VL53L0X: registers of 8 bits in pages, continuous, 33 ms."""

    def __init__(self, bus) -> None:
        self._bus = bus
        self._stop = 0

    def begin(self):
        """Set it up; yields pauses."""
        yield from self._put(b"\x88\x00\x80\x01\xff\x01\x00\x00")
        self._stop = self._read(0x91)
        yield from self._put(b"\x00\x01\xff\x00\x80\x00")
        self._write(0x60, self._read(0x60) | 0x12)
        yield from self._put(b"\x44\x00\x45\x20\x01\xff")  # at least 0.25 million counts a second
        yield from self._spads()
        yield from self._put(_TUNING_L0)
        self._write(0x84, self._read(0x84) & ~0x10)
        yield from self._put(b"\x0b\x01\x01\x01")
        yield from self._calibrate(0x41)
        yield from self._put(b"\x01\x02")
        yield from self._calibrate(0x01)
        yield from self._put(b"\x01\xe8\x80\x01\xff\x01\x00\x00")
        self._write(0x91, self._stop)
        yield from self._put(b"\x00\x01\xff\x00\x80\x00\x00\x02")

    def _spads(self):
        """Choose the reference diodes that the factory has found good."""
        yield from self._put(b"\x80\x01\xff\x01\x00\x00\xff\x06")
        self._write(0x83, self._read(0x83) | 0x04)
        yield from self._put(b"\xff\x07\x81\x01\x80\x01\x94\x6b\x83\x00")
        yield from self._until(lambda: self._read(0x83) != 0)
        self._write(0x83, 0x01)
        found = self._read(0x92)
        yield from self._put(b"\x81\x00\xff\x06")
        self._write(0x83, self._read(0x83) & ~0x04)
        yield from self._put(b"\xff\x01\x00\x01\xff\x00\x80\x00")
        good = self._bus.readfrom_mem(ADDRESS, 0xB0, 6)
        yield from self._put(b"\xff\x01\x4f\x00\x4e\x2c\xff\x00\xb6\xb4")
        self._bus.writeto_mem(ADDRESS, 0xB0, _enabled(good, found & 0x7F, found & 0x80))
        yield 0

    def _calibrate(self, start: int):
        self._write(0x00, start)
        yield from self._until(lambda: self._read(0x13) & 7 != 0)
        yield from self._put(b"\x0b\x01\x00\x00")

    def _until(self, is_true):
        for _ in range(_MOST_WAITS):
            if is_true():
                return
            yield _WAIT_MS
        raise ChipError("it does not start")

    def _put(self, pairs: bytes):
        """Write registers, one in each turn."""
        for at in range(0, len(pairs), 2):
            self._write(pairs[at], pairs[at + 1])
            yield 0

    def measured(self) -> "tuple[bool, int] | None":
        """Return whether the newest measurement is valid, and millimetres; None: there is none."""
        if self._read(0x13) & 7 == 0:
            return None
        data = self._bus.readfrom_mem(ADDRESS, 0x14, 12)
        return data[0] >> 3 & 0x0F == 11, data[10] << 8 | data[11]

    def again(self) -> None:
        """Let it measure again."""
        self._write(0x0B, 0x01)

    def _read(self, register: int) -> int:
        return self._bus.readfrom_mem(ADDRESS, register, 1)[0]

    def _write(self, register: int, value: int) -> None:
        self._bus.writeto_mem(ADDRESS, register, bytes((value,)))


def _enabled(good: bytes, count: int, has_aperture: int) -> bytes:
    """Return the map of the first `count` good diodes; those with an aperture begin with 12."""
    found = bytearray(6)
    for number in range(12 if has_aperture else 0, 48):
        if count and good[number // 8] >> number % 8 & 1:
            found[number // 8] |= 1 << number % 8
            count -= 1
    return bytes(found)


_TUNING_L0 = (
    b"\xff\x01\x00\x00\xff\x00\x09\x00\x10\x00\x11\x00\x24\x01\x25\xff\x75\x00\xff\x01\x4e\x2c"
    b"\x48\x00\x30\x20\xff\x00\x30\x09\x54\x00\x31\x04\x32\x03\x40\x83\x46\x25\x60\x00\x27\x00"
    b"\x50\x06\x51\x00\x52\x96\x56\x08\x57\x30\x61\x00\x62\x00\x64\x00\x65\x00\x66\xa0\xff\x01"
    b"\x22\x32\x47\x14\x49\xff\x4a\x00\xff\x00\x7a\x0a\x7b\x00\x78\x21\xff\x01\x23\x34\x42\x00"
    b"\x44\xff\x45\x26\x46\x05\x40\x40\x0e\x06\x20\x1a\x43\x40\xff\x00\x34\x03\x35\x44\xff\x01"
    b"\x31\x04\x4b\x09\x4c\x05\x4d\x04\xff\x00\x44\x00\x45\x20\x47\x08\x48\x28\x67\x00\x70\x04"
    b"\x71\x01\x72\xfe\x76\x00\x77\x00\xff\x01\x0d\x01\xff\x00\x80\x01\x01\xf8\xff\x01\x8e\x01"
    b"\x00\x01\xff\x00\x80\x00\x0a\x04\x71\x02\x72\x94"
)
