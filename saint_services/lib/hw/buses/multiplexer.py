"""Reaches chips behind a TCA9548A: one byte to the multiplexer opens a channel, from the STOP on
(Texas Instruments SCPS207, 7.5). The multiplexer belongs to one role's process (role_config/
resources.py refuses a second one), and within it a lock keeps channel and transfer together, as
sensors are read in threads. The channel is opened before every transfer: a multiplexer that lost
power has all channels closed, and nothing that is stored here could be outdated.
"""

import threading

from ...role_config.devices import I2cDevice, Multiplexer
from ..ports import Board, I2cBus

CLOSED = b"\0"  # no channel is open
_locks: dict[tuple[int, int], threading.Lock] = {}  # by bus and address, of this process


def open_i2c(board: Board, device: I2cDevice) -> I2cBus:
    """Open the bus of a chip, through its multiplexer where it has one."""
    bus = board.i2c(device.bus)
    if device.mux is None:
        return bus
    lock = _locks.setdefault((device.bus, device.mux.address), threading.Lock())
    return MultiplexedBus(bus, device.mux, lock)


def opening(mux: Multiplexer) -> bytes:
    """Return the transfer that opens a channel and closes the others."""
    return bytes((1 << mux.channel,))


class MultiplexedBus:
    """One channel of a multiplexer. Implements ports.I2cBus."""

    def __init__(self, bus: I2cBus, mux: Multiplexer, lock: threading.Lock) -> None:
        self._bus = bus
        self._mux = mux
        self._opening = opening(mux)
        self._lock = lock

    def write(self, address: int, data: bytes) -> None:
        with self._lock:
            self._bus.write(self._mux.address, self._opening)
            self._bus.write(address, data)

    def transfer(self, address: int, data: bytes, length: int) -> bytes:
        with self._lock:
            self._bus.write(self._mux.address, self._opening)
            return self._bus.transfer(address, data, length)

    def close(self) -> None:
        self._bus.close()
