"""Ports of a will's writes to simulated chips and motor controllers."""

import errno
from pathlib import Path

from saint_services.lib.errors import SaintError
from saint_services.lib.guard.will import Write, WriteKind
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.socketcan import EFF_FLAG
from tools.sim.can_bus import SimCan
from tools.sim.chips.multiplexer import Tca9548aChip, behind_open_channels, mux_file
from tools.sim.chips.outputs import ChipFault, Pca9685Chip
from tools.sim.chips.roboclaw import RoboClawPeer
from tools.sim.chips.servo_bus import PREFIX, ServoBusPeer
from tools.sim.chips.vesc import VescPeer


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
        kind = ServoBusPeer if path.name.startswith(PREFIX) else RoboClawPeer
        self._peer: ServoBusPeer | RoboClawPeer = kind(path)
        self._data = write.data

    def write(self) -> None:
        if self._peer.fault is ChipFault.UNPLUGGED:
            raise OSError(errno.ENODEV, "the device is not plugged in")
        self._peer.received(self._data)

    def close(self) -> None:
        self._peer.close()


class _BusPort:
    """Port to the simulated VESCs of a CAN bus."""

    def __init__(self, write: Write) -> None:
        self._folder = Path(write.path)
        is_extended = bool(write.place & EFF_FLAG)
        self._frame = CanFrame(write.place & ~EFF_FLAG, write.data, is_extended)

    def write(self) -> None:
        for path in sorted(self._folder.glob("vesc-*[0-9]")):
            peer = VescPeer(path)
            try:
                peer.received(self._frame)
            finally:
                peer.close()
        name = self._folder.name.removeprefix("can-")
        try:
            bus = SimCan(self._folder.parent, name)
        except SaintError as err:
            raise OSError(errno.ENODEV, err.message) from err
        bus.send(self._frame)  # its role sees it, as on a real bus
        bus.close()

    def close(self) -> None:
        """Hold nothing: the VESCs may be made later."""


def open_port(write: Write) -> _ChipPort | _LinePort | _BusPort:
    """Open the port of a write to simulated hardware. Raises OSError."""
    if write.kind is WriteKind.SIM_CAN:
        return _BusPort(write)
    return _ChipPort(write) if write.kind is WriteKind.SIM_I2C else _LinePort(write)
