"""The chips on the IO board's I2C bus: measurements, hostile and absent chips, the loop's time."""

import hashlib
import json
import random
from typing import Any

import pytest

from image.boards.io.barometer import Barometer, Bmp280
from image.boards.io.chips import ChipError, Chips
from image.boards.io.distance import DistanceSensor
from image.boards.io.nfc import NfcReader, framed_command, reply_of, uid_of
from saint_services.lib.wagon.board_link import BoardLinkParser, BoardNfc, BoardSensor
from saint_services.lib.wagon.board_meanings import BoardSensorId
from tests.unit.boards.bench import Bench
from tools.sim.chips.wagon_i2c import (
    SimBmp280,
    SimBmp388,
    SimHostileChip,
    SimPn532,
    SimVl53l0x,
    SimVl53l4cd,
    WagonI2c,
)

TURN_MS = 5
UID = bytes.fromhex("04a1b2c3d4e5f6")


class Rig:
    """The chips, their bus, and what they measure."""

    def __init__(self, barometer: type[Any] = SimBmp280, distance: type[Any] = SimVl53l0x) -> None:
        self.pressure, self.celsius, self.metres, self.uid = 98_765.0, -11.25, 0.75, UID
        self.reader = SimPn532(lambda: self.uid)
        self.bus = WagonI2c(
            {
                0x76: barometer(lambda: self.pressure, lambda: self.celsius),
                0x29: distance(lambda: self.metres),
                0x24: self.reader,
            }
        )
        self.chips = Chips(self.bus, (DistanceSensor(), Barometer(), NfcReader()))
        self.now_ms = 0
        self.most_in_a_turn = 0

    def run(self, ms: int) -> list[Any]:
        """Let time pass; return the messages for the link."""
        frames = b""
        for _ in range(ms // TURN_MS):
            before = self.bus.transactions
            self.now_ms += TURN_MS
            self.chips.step(self.now_ms)
            self.most_in_a_turn = max(self.most_in_a_turn, self.bus.transactions - before)
            if self.now_ms % 200 == 0:
                frames += b"".join(self.chips.poll(self.now_ms))
        return BoardLinkParser().feed(frames)

    def status(self) -> dict[str, Any]:
        return self.chips.status(self.now_ms)


def newest(messages: list[Any], number: int) -> float:
    found = [each.value for each in messages if isinstance(each, BoardSensor)]
    numbers = [each.sensor_id for each in messages if isinstance(each, BoardSensor)]
    return [value for value, each in zip(found, numbers, strict=True) if each == number][-1]


@pytest.mark.parametrize("distance", [SimVl53l0x, SimVl53l4cd])
@pytest.mark.parametrize("barometer", [SimBmp280, SimBmp388])
def test_measurements_reach_the_link(barometer: type[Any], distance: type[Any]) -> None:
    rig = Rig(barometer, distance)
    found = rig.run(3000)
    assert newest(found, BoardSensorId.DISTANCE) == pytest.approx(0.75)
    assert newest(found, BoardSensorId.PRESSURE) == pytest.approx(98_765, abs=1)
    assert newest(found, BoardSensorId.TEMPERATURE) == pytest.approx(-11.25, abs=0.01)
    assert [each for each in found if isinstance(each, BoardNfc)] == [BoardNfc(UID, 7)]
    assert rig.most_in_a_turn <= 4  # a turn of the loop must not wait for chips
    assert rig.bus.longest <= 25
    rig.pressure, rig.celsius, rig.metres = 40_000.0, 60.0, 0.1
    found = rig.run(1000)
    assert newest(found, BoardSensorId.PRESSURE) == pytest.approx(40_000, abs=1)
    assert newest(found, BoardSensorId.TEMPERATURE) == pytest.approx(60, abs=0.01)
    assert newest(found, BoardSensorId.DISTANCE) == pytest.approx(0.1)


def test_bmp280_computes_the_example_of_its_data_sheet() -> None:
    chip = Bmp280(WagonI2c({0x76: SimBmp280(lambda: 0.0, lambda: 0.0)}), 0x76)
    chip.calibrate()
    pressure, celsius = 415_148, 519_888
    data = b"".join((each << 4).to_bytes(3, "big") for each in (pressure, celsius))
    found = chip.measured(data)
    assert found[0] == pytest.approx(100_653.27, abs=0.05)
    assert found[1] == pytest.approx(25.08, abs=0.01)


@pytest.mark.parametrize(
    ("distance", "expected"),
    [(SimVl53l4cd, "74d57654470ecd4c"), (SimVl53l0x, "3b969a6b6a7c9e9e")],
)
def test_distance_sensors_are_set_up_as_another_driver_does(
    distance: type[Any], expected: str
) -> None:
    """The digests are those after Adafruit's drivers, 1.3.6 and 3.6.19, on these chips."""
    rig = Rig(distance=distance)
    rig.metres = 0.75
    rig.run(2000)
    chip: Any = rig.bus.chips[0x29]
    chip.refresh()
    assert hashlib.sha256(setting(chip)).hexdigest()[:16] == expected


def setting(chip: Any) -> bytes:
    """Return the registers that a driver sets, without what the chip measures."""
    if isinstance(chip, SimVl53l4cd):
        return bytes(chip.registers[0x2D:0x31] + chip.registers[0x32:0x86])
    pages = sorted((page, sorted(values.items())) for page, values in chip.pages.items())
    return bytes(chip.registers[0x15:0x1E] + chip.registers[0x20:]) + repr(pages).encode()


def test_no_target_and_no_tag_are_no_errors() -> None:
    rig = Rig()
    rig.run(2000)
    rig.metres, rig.uid = 9.0, b""
    rig.run(3000)
    status = rig.status()
    assert status["distance"] == {"found": True, "errors": 0}
    assert status["nfc"] == {"found": True, "errors": 0}


def test_tag_is_reported_once_until_it_was_away() -> None:
    rig = Rig()
    assert sum(isinstance(each, BoardNfc) for each in rig.run(4000)) == 1
    rig.uid = b""
    rig.run(1500)
    rig.uid = UID
    assert sum(isinstance(each, BoardNfc) for each in rig.run(1000)) == 1
    rig.uid = b"\x01\x02\x03\x04"
    assert [each for each in rig.run(1000) if isinstance(each, BoardNfc)] == [
        BoardNfc(b"\x01\x02\x03\x04\0\0\0", 4)
    ]
    rig.uid = bytes(10)  # of triple size: no place in the message
    assert not [each for each in rig.run(1000) if isinstance(each, BoardNfc)]
    assert rig.status()["nfc"]["errors"] == 0


@pytest.mark.parametrize("address", [0x24, 0x29, 0x76])
def test_absent_chip_is_counted_at_growing_pauses_and_the_others_go_on(address: int) -> None:
    rig = Rig()
    del rig.bus.chips[address]
    found = rig.run(20_000)
    status = rig.status()
    absent = {0x24: "nfc", 0x29: "distance", 0x76: "barometer"}[address]
    assert not status[absent]["found"]
    assert 3 <= status[absent]["errors"] <= 8
    assert all(each["errors"] == 0 for name, each in status.items() if name != absent)
    assert len([each for each in found if isinstance(each, BoardSensor)]) > 90 or address == 0x76


def test_chip_that_returns_is_used_again() -> None:
    rig = Rig()
    chip = rig.bus.chips.pop(0x29)
    rig.run(3000)
    rig.bus.chips[0x29] = chip
    rig.run(5000)
    assert rig.status()["distance"]["distance_m"] == 0.75
    del rig.bus.chips[0x29]
    rig.run(3000)
    assert rig.status()["distance"] == {
        "found": False,
        "errors": rig.status()["distance"]["errors"],
    }


def test_broken_reply_of_the_reader_is_counted() -> None:
    rig = Rig()
    rig.run(2000)
    rig.reader.breaks = 1
    rig.run(3000)
    assert rig.status()["nfc"] == {"found": True, "errors": 1, "tag": UID.hex()}


def hostile(seed: int) -> tuple[Rig, random.Random]:
    rig, numbers = Rig(), random.Random(seed)
    for address in list(rig.bus.chips):
        if numbers.random() < 0.7:
            rig.bus.chips[address] = SimHostileChip(numbers)
    return rig, numbers


@pytest.mark.parametrize("seed", range(30))
def test_hostile_chips_are_errors_and_disturb_nothing_else(seed: int) -> None:
    rig, _ = hostile(seed)
    found = rig.run(10_000)
    assert rig.most_in_a_turn <= 4
    for address, name in ((0x24, "nfc"), (0x29, "distance"), (0x76, "barometer")):
        is_hostile = isinstance(rig.bus.chips[address], SimHostileChip)
        assert (rig.status()[name]["errors"] > 0) == is_hostile, name
    for each in found:  # what a hostile chip says is at least possible
        if isinstance(each, BoardSensor) and each.sensor_id == BoardSensorId.PRESSURE:
            assert 30_000 <= each.value <= 125_000


def test_boards_drive_beside_hostile_chips() -> None:
    rig, _ = hostile(3)
    bench = Bench()
    assert bench.io
    bench.io.chips = rig.chips
    bench.run(1000)
    bench.drive()
    bench.run(3000)
    assert bench.is_turning


def test_console_of_both_boards_shows_what_is_measured() -> None:
    rig, bench = Rig(), Bench()
    assert bench.io
    bench.io.chips = rig.chips
    bench.run(3000)
    found = json.loads(bench.command("STATUS"))["sensors"]
    assert found["distance_m"] == 0.75
    assert found["pressure_pa"] == pytest.approx(98_765, abs=1)
    assert found["tag"] == UID.hex()
    bench.io_console.waiting += b"STATUS\n"
    bench.step()
    chips = json.loads(bench.io_console.sent)["chips"]
    assert chips["barometer"]["temperature_c"] == pytest.approx(-11.25, abs=0.01)
    bench.cut_io()
    bench.run(2500)
    assert json.loads(bench.command("STATUS"))["sensors"] == {"tag": UID.hex()}


GOOD = b"\x00\x00\xff\x03\xfd\xd5\x4b\x00\xe0\x00"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\xff",
        GOOD[:-3],
        GOOD.replace(b"\xfd", b"\xfe"),
        GOOD.replace(b"\xe0", b"\xe1"),
        GOOD.replace(b"\xd5", b"\xd4").replace(b"\xe0", b"\xe1"),
        b"\x00\x00\xff\x03\xfd\xd5\x15\x00\x16\x00",
        b"\x00\x00\xff\x01\xff\x7f\x81\x00",
    ],
)
def test_reply_that_is_not_whole_is_refused(data: bytes) -> None:
    with pytest.raises(ChipError):
        reply_of(data, 0x4A)


def test_frames_of_the_reader_are_those_of_its_manual() -> None:
    assert framed_command((0x02,)) == bytes.fromhex("0000ff02fed4022a00")
    assert framed_command((0x4A, 1, 0)) == bytes.fromhex("0000ff04fcd44a0100e100")
    assert reply_of(GOOD, 0x4A) == b"\x00"


@pytest.mark.parametrize(
    "reply", [b"\x01", b"\x01\x01\x00\x44\x00\x05abcde", b"\x01\x01\x00\x44\x00\x07ab"]
)
def test_tag_that_is_not_whole_is_refused(reply: bytes) -> None:
    with pytest.raises(ChipError):
        uid_of(reply)


def test_barometer_is_found_at_both_addresses() -> None:
    rig = Rig()
    rig.bus.chips[0x77] = rig.bus.chips.pop(0x76)
    rig.run(2000)
    assert rig.status()["barometer"]["found"]


@pytest.mark.parametrize(
    ("pressure", "celsius"), [(20_000.0, 20.0), (101_325.0, 99.0), (101_325.0, -45.0)]
)
def test_barometer_beyond_its_range_is_an_error(pressure: float, celsius: float) -> None:
    rig = Rig(SimBmp388)
    rig.pressure, rig.celsius = pressure, celsius
    assert not any(isinstance(each, BoardSensor) and each.sensor_id == 2 for each in rig.run(2000))
    assert rig.status()["barometer"]["errors"] > 0
