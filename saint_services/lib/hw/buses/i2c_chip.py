"""Accesses the registers of a chip on an I2C bus, for the drivers of sensors."""

import errno

from ...errors import Code, SaintError
from ..ports import I2cBus
from .held_low import SDA_HELD_LOW


class I2cChip:
    """A chip at one address. Every failure is an OSError, a short read too."""

    __slots__ = ("address", "bus", "kind", "name")

    def __init__(self, bus: I2cBus, address: int, kind: str, name: str) -> None:
        self.bus = bus
        self.address = address
        self.kind = kind
        self.name = name

    def read(self, register: int, length: int) -> bytes:
        """Read bytes from `register` on."""
        data = self.bus.transfer(self.address, bytes((register,)), length)
        if len(data) != length:
            raise OSError(errno.EIO, f"short read: {len(data)} of {length} bytes")
        return data

    def byte(self, register: int) -> int:
        """Read one register."""
        return self.read(register, 1)[0]

    def word(self, register: int) -> int:
        """Read two bytes, the high one first."""
        return int.from_bytes(self.read(register, 2), "big")

    def write(self, register: int, *values: int) -> None:
        """Write bytes from `register` on."""
        self.bus.write(self.address, bytes((register, *values)))

    def write_word(self, register: int, value: int) -> None:
        """Write two bytes, the high one first."""
        self.write(register, value >> 8 & 0xFF, value & 0xFF)

    def missing(self, error: OSError) -> SaintError:
        """Make the error for a chip that does not answer."""
        return SaintError(
            Code.HARDWARE_MISSING,
            f"{self.name}: no {self.kind} answers at I2C address 0x{self.address:02x} "
            f"({error.strerror or error})",
        )

    def other(self, found: int, wanted: int) -> SaintError:
        """Make the error for another chip at this address, or for none on a bus that is held."""
        why = "" if found else f"; a bus says so while {SDA_HELD_LOW}"
        return SaintError(
            Code.HARDWARE_MISSING,
            f"{self.name}: the device at I2C address 0x{self.address:02x} is not a {self.kind} "
            f"(it says 0x{found:02x}, not 0x{wanted:02x}{why})",
            fix="Correct driver or address in the role's manifest.",
        )

    def lost(self) -> OSError:
        """Make the error for a chip that lost its settings by a power cut."""
        return OSError(errno.EIO, f"the {self.kind} has lost its settings")
