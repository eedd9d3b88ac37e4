"""Ports of a will's writes to simulated chips and motor controllers."""

import errno
from pathlib import Path

from saint_services.lib.guard.will import Write, WriteKind
from tools.sim.chips.outputs import ChipFault, Pca9685Chip
from tools.sim.chips.roboclaw import RoboClawPeer


class _ChipPort:
    """Port to a simulated PCA9685."""

    def __init__(self, write: Write) -> None:
        self._chip = Pca9685Chip(Path(write.path))
        self._data = write.data

    def write(self) -> None:
        self._chip.write(self._data)

    def close(self) -> None:
        self._chip.close()


class _LinePort:
    """Port to a simulated RoboClaw on its serial line."""

    def __init__(self, write: Write) -> None:
        self._peer = RoboClawPeer(Path(write.path))
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
