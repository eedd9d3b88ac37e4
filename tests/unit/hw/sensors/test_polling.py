"""Sensors of a role: read beside the loop, opened again after they were gone."""

import asyncio
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.sensors.polling import Sensors
from saint_services.lib.role_config.model import RoleConfig
from tools.sim.board import SimBoard
from tools.sim.chips.outputs import CHIPS, Chip, ChipFault
from tools.sim.pins import SimI2c

DEVICES: dict[str, dict[str, Any]] = {
    "imu": {"bus": 1, "address": 0x68, "driver": "mpu6050"},
    "supply": {"bus": 1, "address": 0x41, "driver": "ina219"},
    "servos": {"bus": 1, "address": 0x40, "driver": "pca9685"},
}


class Bench:
    """A board with two sensors, and time by hand."""

    def __init__(self, folder: Path) -> None:
        (folder / "board.yaml").write_text("chips: []\n")
        self.now_s = 100.0
        self.imu: Any = CHIPS["mpu6050"](folder / "imu")
        self.supply: Any = CHIPS["ina219"](folder / "supply")
        chips: dict[int, Chip] = {0x68: self.imu, 0x41: self.supply}

        class Board(SimBoard):
            def i2c(self, bus: int) -> SimI2c:
                return SimI2c(chips)

        self.board = Board(folder)

    def open(self, **changes: Any) -> Sensors:
        devices = {name: {**device, **changes} for name, device in DEVICES.items()}
        config = RoleConfig.model_validate(
            {"role": "head", "version": "1", "topic_prefix": "/x", "i2c_devices": devices}
        )
        return Sensors(self.board, config, lambda: self.now_s)

    def run(self, sensors: Sensors, seconds: float) -> None:
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            sensors.step()
            self.now_s += 0.01


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    bench.board.close()


def test_sensors_are_read_and_other_chips_are_left_alone(bench: Bench) -> None:
    bench.supply.feed(12.0, 1.5)
    sensors = bench.open()
    assert sensors.newest("supply") is None
    bench.run(sensors, 0.1)
    supply = sensors.newest("supply")
    assert supply is not None
    assert supply.value.current_a == pytest.approx(1.5, rel=0.01)  # type: ignore[union-attr]
    assert sensors.newest("servos") is None
    assert sensors.of("mpu6050") == ["imu"]
    assert sensors.problems == {}


def test_each_sensor_has_its_own_rate(bench: Bench) -> None:
    looks = {"imu": 0, "supply": 0}
    bench.imu.on_look = lambda: looks.update(imu=looks["imu"] + 1)
    bench.supply.on_look = lambda: looks.update(supply=looks["supply"] + 1)
    sensors = bench.open()
    looks.update(imu=0, supply=0)
    bench.run(sensors, 1.0)
    assert looks["imu"] == pytest.approx(50, abs=2)
    assert looks["supply"] == pytest.approx(3 * 50, abs=6)


def test_rate_of_the_manifest_counts(bench: Bench) -> None:
    looks = []
    sensors = bench.open(rate_hz=10)
    bench.imu.on_look = lambda: looks.append(1)
    bench.run(sensors, 1.0)
    assert len(looks) == pytest.approx(10, abs=1)


def test_sensor_that_fails_once_is_no_problem(bench: Bench) -> None:
    sensors = bench.open()
    bench.run(sensors, 0.1)
    bench.imu.set_fault(ChipFault.DEAF)
    bench.run(sensors, 0.02)
    bench.imu.set_fault(ChipFault.NONE)
    bench.run(sensors, 0.1)
    assert sensors.problems == {}
    assert sensors.newest("imu") is not None


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (ChipFault.DEAF, "imu: no acknowledge"),
        (ChipFault.STUCK, "imu: the bus is held low"),
        (ChipFault.SHORT, "imu: short read"),
        (ChipFault.UNPLUGGED, "imu: no acknowledge"),
    ],
)
def test_unplugged_sensor_is_reported_and_the_others_go_on(
    bench: Bench, fault: ChipFault, words: str
) -> None:
    sensors = bench.open()
    bench.run(sensors, 0.1)
    bench.imu.set_fault(fault)
    bench.run(sensors, 0.1)
    assert sensors.problems["imu"].startswith(words)
    assert sensors.newest("imu") is None
    assert sensors.newest("supply") is not None
    bench.imu.set_fault(ChipFault.NONE)
    bench.run(sensors, 6.0)
    assert sensors.problems == {}
    assert sensors.newest("imu") is not None


def test_sensor_that_forgot_its_settings_gets_them_again(bench: Bench) -> None:
    sensors = bench.open()
    bench.run(sensors, 0.1)
    bench.supply.feed(12.0, 1.5)
    bench.supply.set_fault(ChipFault.UNPLUGGED)
    bench.supply.set_fault(ChipFault.NONE)  # so briefly that no transfer failed
    bench.run(sensors, 1.0)
    supply = sensors.newest("supply")
    assert supply is not None
    assert supply.value.current_a == pytest.approx(1.5, rel=0.01)  # type: ignore[union-attr]


def test_pauses_before_it_is_opened_again_grow(bench: Bench) -> None:
    bench.imu.set_fault(ChipFault.DEAF)
    sensors = bench.open()
    assert "no MPU6050 answers" in sensors.problems["imu"]
    attempts = []

    def noted() -> None:
        attempts.append(bench.now_s)
        raise OSError(6, "no acknowledge")

    bench.imu.set_fault(ChipFault.NONE)
    bench.imu.on_look = noted
    bench.run(sensors, 20.0)
    waits = [round(after - before, 1) for before, after in pairwise(attempts)]
    assert waits == [1.0, 2.0, 5.0, 5.0, 5.0]


def test_required_sensor_that_is_missing_is_an_error(bench: Bench) -> None:
    bench.supply.set_fault(ChipFault.DEAF)
    with pytest.raises(SaintError, match="supply: no INA219 answers") as caught:
        bench.open(required=True)
    assert caught.value.code is Code.HARDWARE_MISSING


def test_reading_that_is_old_is_none(bench: Bench) -> None:
    sensors = bench.open()
    bench.run(sensors, 0.1)
    bench.now_s += 1.5
    assert sensors.newest("imu") is None


async def test_bus_that_hangs_does_not_stop_the_loop_or_the_other_sensor(bench: Bench) -> None:
    hangs, goes_on, came = threading.Event(), threading.Event(), threading.Event()
    sensors = await asyncio.to_thread(bench.open)

    def hang() -> None:
        hangs.set()
        goes_on.wait(10)

    bench.imu.on_look = hang
    bench.supply.on_look = came.set
    sensors.start()
    assert await asyncio.to_thread(hangs.wait, 5)
    assert await asyncio.to_thread(came.wait, 5)
    sensors.close()  # does not wait either
    goes_on.set()
    for thread in threading.enumerate():
        if thread.name.startswith("sensor "):
            await asyncio.to_thread(thread.join, 5)
            assert not thread.is_alive()


def test_board_that_is_closed_under_a_reading_sensor_is_no_error(tmp_path: Path) -> None:
    """The role's end does not wait for its sensors."""
    chip: Any = CHIPS["mpu6050"](tmp_path / "imu")
    half_read = chip.registers
    chip.close()
    with pytest.raises(ValueError, match="released"):
        chip.read(1)
    half_read.release()
