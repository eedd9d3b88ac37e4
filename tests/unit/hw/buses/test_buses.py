"""SPI by the kernel's device, and a RoboClaw on a real serial line (a pseudo terminal)."""

import asyncio
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.motors.roboclaw_line import RoboClawLine, RoboClawMotor
from saint_services.lib.hw.pi_board import PiBoard
from saint_services.lib.role_config.devices import SerialDevice
from tests.waiting import until
from tools.sim.chips.roboclaw import RoboClawPeer


class SpiDev:
    """The library's class: records its calls."""

    opened: list["SpiDev"] = []
    error: OSError | None = None

    def __init__(self) -> None:
        self.max_speed_hz = 0
        self.mode = -1
        self.place: tuple[int, int] | None = None
        self.written: list[bytes] = []

    def open(self, bus: int, select: int) -> None:
        if SpiDev.error:
            raise SpiDev.error
        self.place = bus, select
        SpiDev.opened.append(self)

    def writebytes2(self, data: bytes) -> None:
        self.written.append(data)

    def close(self) -> None:
        self.place = None


@pytest.fixture
def spidev(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spidev", types.SimpleNamespace(SpiDev=SpiDev))
    monkeypatch.setattr(SpiDev, "opened", [])
    monkeypatch.setattr(SpiDev, "error", None)


@pytest.mark.usefixtures("spidev")
def test_spi_is_opened_at_its_speed_and_written() -> None:
    bus = PiBoard().spi(0, 1, 2_400_000)
    (device,) = SpiDev.opened
    assert (device.place, device.max_speed_hz, device.mode) == ((0, 1), 2_400_000, 0)
    bus.write(b"abc")
    bus.close()
    assert device.written == [b"abc"]
    assert device.place is None


@pytest.mark.usefixtures("spidev")
def test_spi_that_is_not_there_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SpiDev, "error", FileNotFoundError(2, "No such file or directory"))
    with pytest.raises(SaintError, match="SPI bus 0, select 1 cannot be opened") as caught:
        PiBoard().spi(0, 1, 1_000_000)
    assert caught.value.code is Code.HARDWARE_MISSING
    assert "dtparam=spi=on" in caught.value.fix


def test_missing_spi_library_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spidev", None)
    with pytest.raises(SaintError, match="spidev is not installed"):
        PiBoard().spi(0, 0, 1_000_000)


class Cable:
    """A pseudo terminal with a controller at its other end, served by the loop."""

    def __init__(self, folder: Path) -> None:
        self.peer = RoboClawPeer(folder / "controller")
        self.master, slave = os.openpty()
        self.device = SerialDevice(port=os.ttyname(slave), driver="roboclaw")
        self._slave: int | None = slave

    def serve(self) -> None:
        asyncio.get_running_loop().add_reader(self.master, self._serve)

    def unplug(self) -> None:
        asyncio.get_running_loop().remove_reader(self.master)
        os.close(self.master)
        self.master = -1

    def close(self) -> None:
        if self.master >= 0:
            os.close(self.master)
        if self._slave is not None:
            os.close(self._slave)
        self.peer.close()

    def _serve(self) -> None:
        os.write(self.master, self.peer.received(os.read(self.master, 4096)))


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[Cable]:
    cable = Cable(tmp_path)
    yield cable
    cable.close()


def opened(device: SerialDevice) -> RoboClawLine:
    return RoboClawLine(PiBoard().serial(device.port, device.baud), device, "drive")


@pytest.mark.skipif(sys.platform != "linux", reason="pseudo terminals behave otherwise elsewhere")
async def test_controller_on_a_serial_line_is_driven_and_read(cable: Cable) -> None:
    cable.serve()
    line = await asyncio.to_thread(opened, cable.device)
    motor = RoboClawMotor(line, 1, False)
    motor.set(0.75)
    await until(lambda: cable.peer.duty(1) > 0.74)
    cable.peer.feed(1, 0, 3.5)
    await until(lambda: motor.current_a == 3.5)
    motor.close()
    await until(lambda: cable.peer.duty(1) == 0.0)


@pytest.mark.skipif(sys.platform != "linux", reason="pseudo terminals behave otherwise elsewhere")
async def test_cable_that_is_pulled_is_an_error_of_the_motor(cable: Cable) -> None:
    cable.serve()
    line = await asyncio.to_thread(opened, cable.device)
    motor = RoboClawMotor(line, 1, False)
    motor.set(0.75)
    await until(lambda: cable.peer.duty(1) > 0.74)
    cable.unplug()
    await until(lambda: motor.problem != "")
    assert "unplugged" in motor.problem
    with pytest.raises(OSError, match="unplugged"):
        motor.set(0.5)
    motor.close()
