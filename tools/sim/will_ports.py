"""Ports of a will's writes to simulated chips and motor controllers. Not here: frames on a CAN bus
(will_frames.py).
"""

import errno
from pathlib import Path

from saint_services.lib.guard.will import Write, WriteKind
from tools.sim.chips.multiplexer import Tca9548aChip, behind_open_channels, mux_file
from tools.sim.chips.outputs import ChipFault, Pca9685Chip
from tools.sim.chips.roboclaw import RoboClawPeer
from tools.sim.chips.servo_bus import PREFIX, X_PREFIX, ServoBusPeer
from tools.sim.chips.x_bus import peer_of


class _ChipPort:
    """Port to what is at an address of a simulated bus: a multiplexer, the chips of its open
    channels, or the PCA9685 on the bus itself."""

    def __init__(self, write: Write) -> None:
        path = Path(write.path)
        self._folder, self._bus = path.parent, int(path.name.split("-")[1])
        self._address, self._data = write.place, write.data
        self._mux = self._folder / mux_file(self._bus, self._address)
        self._direct = None if self._mux.exists() else Pca9685Chip(path)

    def write(self) -> None:
        if self._direct is None:
            mux = Tca9548aChip(self._mux)
            try:
                mux.write(self._data)
            finally:
                mux.close()
            return
        behind = behind_open_channels(self._folder, self._bus, self._address)
        for path in behind:
            chip = Pca9685Chip(path)
            try:
                chip.write(self._data)
            finally:
                chip.close()
        if not behind:
            self._direct.write(self._data)

    def close(self) -> None:
        if self._direct:
            self._direct.close()


class _LinePort:
    """Port to what hangs on a simulated serial line: a RoboClaw, or bus servos."""

    def __init__(self, write: Write) -> None:
        path = Path(write.path)
        is_of_servos = path.name.startswith((PREFIX, X_PREFIX))
        self._peer: ServoBusPeer | RoboClawPeer = (
            peer_of(path) if is_of_servos else RoboClawPeer(path)
        )
        self._data = write.data

    def write(self) -> None:
        if self._peer.fault is ChipFault.UNPLUGGED:
            raise OSError(errno.ENODEV, "the device is not plugged in")
        self._peer.received(self._data)

    def close(self) -> None:
        self._peer.close()


def open_port(write: Write) -> _ChipPort | _LinePort:
    """Open the port of a write to simulated hardware. Raises OSError."""
    return _ChipPort(write) if write.kind is WriteKind.SIM_I2C else _LinePort(write)
