"""Sensors on I2C against register models of their chips, on good and on bad wires."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.sensors.bmp280 import Bmp280, compensate
from saint_services.lib.hw.sensors.gyro_bias import GyroBias
from saint_services.lib.hw.sensors.ina219 import Ina219
from saint_services.lib.hw.sensors.mpu6050 import Mpu6050
from saint_services.lib.hw.sensors.tsl2561 import CHIP_SCALE, Tsl2561, lux
from saint_services.lib.hw.sensors.vl53l0x import Vl53l0x
from saint_services.lib.role_config.devices import I2cDevice
from tools.sim.chips.outputs import CHIPS, ChipFault
from tools.sim.chips.sensors import Bmp280Chip
from tools.sim.pins import SimI2c

DRIVERS: dict[str, Callable[..., Any]] = {
    "mpu6050": Mpu6050,
    "ina219": Ina219,
    "bmp280": Bmp280,
    "vl53l0x": Vl53l0x,
    "tsl2561": Tsl2561,
}
ADDRESS = 0x40


class Bench:
    """One chip on one bus."""

    def __init__(self, folder: Path, driver: str, **keys: Any) -> None:
        self.driver = driver
        self.chip: Any = CHIPS[driver](folder / driver)
        self.bus = SimI2c({ADDRESS: self.chip})
        self.device = I2cDevice(bus=1, address=ADDRESS, driver=driver, **keys)  # type: ignore[arg-type]

    def open(self) -> Any:
        return DRIVERS[self.driver](self.bus, self.device, "thing")


@pytest.fixture(params=sorted(DRIVERS))
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    return Bench(tmp_path, request.param)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (ChipFault.UNPLUGGED, "no acknowledge"),
        (ChipFault.DEAF, "no acknowledge"),
        (ChipFault.STUCK, "held low"),
        (ChipFault.SHORT, "short read"),
        (ChipFault.BLANK, r"is not a .*it says 0xff"),
        (ChipFault.LOW, r"is not a .*it says 0x0.* while SDA is held low"),
    ],
)
def test_sensor_that_cannot_be_opened_is_named(bench: Bench, fault: ChipFault, words: str) -> None:
    bench.chip.set_fault(fault)
    with pytest.raises(SaintError, match=words) as caught:
        bench.open()
    assert caught.value.code is Code.HARDWARE_MISSING
    assert caught.value.message.startswith("thing: ")
    assert "0x40" in caught.value.message


@pytest.mark.parametrize(
    "fault", [ChipFault.UNPLUGGED, ChipFault.DEAF, ChipFault.STUCK, ChipFault.SHORT]
)
def test_sensor_that_fails_while_it_is_read_raises(bench: Bench, fault: ChipFault) -> None:
    sensor = bench.open()
    assert sensor.read() is not None
    bench.chip.set_fault(fault)
    with pytest.raises(OSError, match=r"acknowledge|held low|short read"):
        sensor.read()


def test_zeros_of_a_bus_whose_data_line_is_held_low_are_no_measurement(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    sensor = bench.open()
    bench.chip.set_fault(ChipFault.LOW)
    if bench.driver == "vl53l0x":  # no measurement is ready, as far as it shows
        assert sensor.read() is None
        monkeypatch.setattr(sensor, "_measured_s", sensor._measured_s - 1.0)
    with pytest.raises(OSError, match="lost its settings"):
        sensor.read()


def test_loose_contact_fails_now_and_then(bench: Bench) -> None:
    sensor = bench.open()
    bench.chip.set_fault(ChipFault.NAK)
    results = []
    for _ in range(12):
        try:
            results.append(sensor.read() is not None)
        except OSError:
            results.append(False)
    assert False in results


def test_measurement_after_a_cut_wire_goes_on(bench: Bench) -> None:
    sensor = bench.open()
    bench.chip.set_fault(ChipFault.DEAF)
    with pytest.raises(OSError, match="acknowledge"):
        sensor.read()
    bench.chip.set_fault(ChipFault.NONE)
    assert sensor.read() is not None


def test_sensor_that_lost_its_power_says_so_and_opens_again(
    tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    sensor = bench.open()
    bench.chip.set_fault(ChipFault.UNPLUGGED)
    bench.chip.set_fault(ChipFault.NONE)
    if bench.driver == "vl53l0x":  # it can only be silent
        assert sensor.read() is None
        monkeypatch.setattr(sensor, "_measured_s", sensor._measured_s - 1.0)
    with pytest.raises(OSError, match="lost its settings"):
        sensor.read()
    assert bench.open().read() is not None


def test_other_process_finds_the_sensor_as_it_is(bench: Bench, tmp_path: Path) -> None:
    bench.open()
    other = Bench(tmp_path, bench.driver)
    assert other.open().read() is not None


def test_world_is_brought_up_to_date_before_each_look(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "vl53l0x")
    sensor = bench.open()
    bench.chip.on_look = lambda: bench.chip.feed(0.25)
    assert sensor.read().distance_m == 0.25


@pytest.mark.parametrize("gyro_range", [250, 500, 1000, 2000])
@pytest.mark.parametrize("accel_range", [2, 4, 8, 16])
def test_imu_shows_rad_and_metres_whatever_its_ranges(
    tmp_path: Path, gyro_range: int, accel_range: int
) -> None:
    bench = Bench(tmp_path, "mpu6050", gyro_range_dps=gyro_range, accel_range_g=accel_range)
    bench.chip.feed((1.0, -2.0, 3.0), (1.0, -2.0, 9.80665), 31.5)
    sample = bench.open().read()
    assert sample.gyro_rads == pytest.approx((1.0, -2.0, 3.0), abs=2e-3)
    assert sample.accel_mps2 == pytest.approx((1.0, -2.0, 9.80665), abs=5e-3)
    assert sample.temperature_c == pytest.approx(31.5, abs=0.01)


def test_imu_known_bytes_are_known_numbers(tmp_path: Path) -> None:
    """Sensitivity of the product specification: 65.5 LSB per deg/s, 8192 LSB per g."""
    bench = Bench(tmp_path, "mpu6050")
    sensor = bench.open()
    raw = b"".join(n.to_bytes(2, "big", signed=True) for n in (8192, 0, -8192, 0, 6550, -655, 0))

    class Fixed(SimI2c):
        def transfer(self, address: int, data: bytes, length: int) -> bytes:
            return raw if data == b"\x3b" else super().transfer(address, data, length)

    sensor._chip.bus = Fixed({ADDRESS: bench.chip})
    sample = sensor.read()
    assert sample.accel_mps2 == pytest.approx((9.80665, 0.0, -9.80665))
    assert sample.gyro_rads == pytest.approx((math.radians(100), -math.radians(10), 0.0), rel=1e-3)
    assert sample.temperature_c == 36.53


def test_imu_stops_at_the_end_of_its_range(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "mpu6050", gyro_range_dps=250)
    bench.chip.feed((100.0, -100.0, 0.0), (0.0, 0.0, 1000.0))
    sample = bench.open().read()
    assert sample.gyro_rads[0] == pytest.approx(math.radians(250), rel=1e-3)
    assert sample.gyro_rads[1] == pytest.approx(-math.radians(250), rel=1e-3)
    assert sample.accel_mps2[2] == pytest.approx(4 * 9.80665, rel=1e-3)


def test_imu_mounted_otherwise_shows_the_robots_axes(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "mpu6050", axes=["-y", "x", "z"])
    bench.chip.feed((0.1, 0.2, 0.3), (1.0, 2.0, 3.0))
    sample = bench.open().read()
    assert sample.gyro_rads == pytest.approx((-0.2, 0.1, 0.3), abs=1e-3)
    assert sample.accel_mps2 == pytest.approx((-2.0, 1.0, 3.0), abs=5e-3)


def test_imu_at_rest_learns_its_bias(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "mpu6050")
    bench.chip.feed((0.02, -0.01, 0.03), (0.0, 0.0, 9.8))
    sensor = bench.open()
    samples = [sensor.read() for _ in range(101)]
    assert not samples[98].is_calibrated
    assert samples[100].is_calibrated
    assert samples[100].gyro_rads == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)


def test_bias_is_not_learnt_while_something_moves() -> None:
    bias = GyroBias()
    for step in range(1000):
        bias.learn((0.0, 0.0, 0.1 * math.sin(step / 10)))
    assert not bias.is_known
    for _ in range(199):
        bias.learn((0.0, 0.0, 0.01))
    assert bias.is_known
    assert bias.value[2] == pytest.approx(0.01)


def test_bias_that_no_chip_has_is_not_believed() -> None:
    bias = GyroBias()
    for _ in range(500):
        bias.learn((0.0, -0.5, 0.0))
    assert not bias.is_known


def test_pressure_of_the_data_sheets_example() -> None:
    """BST-BMP280-DS001, 3.12: 25.08 degrees, 100653.27 Pa."""
    sample = compensate(519888, 415148, Bmp280Chip.CALIBRATION)
    assert sample.temperature_c == pytest.approx(25.08, abs=0.005)
    assert sample.pressure_pa == pytest.approx(100_653.27, abs=0.01)


@pytest.mark.parametrize(("pressure", "warmth"), [(101_325.0, 20.0), (80_000.0, -10.0)])
def test_air_is_measured(tmp_path: Path, pressure: float, warmth: float) -> None:
    bench = Bench(tmp_path, "bmp280")
    bench.chip.feed(pressure, warmth)
    sample = bench.open().read()
    assert sample.pressure_pa == pytest.approx(pressure, abs=1.0)
    assert sample.temperature_c == pytest.approx(warmth, abs=0.01)


def test_chip_with_erased_calibration_is_an_error_and_no_division_by_zero() -> None:
    with pytest.raises(OSError, match="calibration is damaged"):
        compensate(519888, 415148, type(Bmp280Chip.CALIBRATION)(*([0] * 12)))


@pytest.mark.parametrize(
    ("shunt", "most", "current"), [(0.1, 3.2, 1.25), (0.1, 3.2, -0.8), (0.001, 100.0, 42.0)]
)
def test_supply_is_measured(tmp_path: Path, shunt: float, most: float, current: float) -> None:
    bench = Bench(tmp_path, "ina219", shunt_ohm=shunt, max_current_a=most)
    bench.chip.feed(12.4, current, shunt)
    sample = bench.open().read()
    assert sample.voltage_v == pytest.approx(12.4, abs=0.003)
    assert sample.current_a == pytest.approx(current, rel=0.01)
    assert sample.power_w == pytest.approx(12.4 * current, rel=0.01)


def test_current_beyond_its_register_is_taken_from_the_shunt(tmp_path: Path) -> None:
    """A blocked motor takes more than it should; that is when the number is needed."""
    bench = Bench(tmp_path, "ina219", shunt_ohm=0.1, max_current_a=0.5)
    bench.chip.feed(12.0, 0.7)
    assert bench.open().read().current_a == pytest.approx(0.7, rel=0.01)
    bench.chip.feed(12.0, -5.0)  # beyond the amplifier too: its end
    assert bench.open().read().current_a == pytest.approx(-0.8, rel=0.01)


def test_imu_that_is_silent_while_it_resets_is_waited_for(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "mpu6050")
    silent = [False, True, True, True]

    def look() -> None:
        if len(silent) > 1 and silent.pop(0):
            raise OSError(6, "no acknowledge")
        if len(silent) == 1:
            silent[0] = False

    bench.chip.on_look = look
    assert bench.open().read() is not None


def test_current_registers_are_those_of_the_data_sheet(tmp_path: Path) -> None:
    """SBOS448G, 8.5: calibration = 0.04096 / (1 mA x 0.1 ohm) would be 4096 for 32.768 A."""
    bench = Bench(tmp_path, "ina219", shunt_ohm=0.01, max_current_a=32.0)
    bench.open()
    bench.chip.write(b"\x05")
    assert int.from_bytes(bench.chip.read(2), "big") == int(0.04096 * 32768 / 0.32) & 0xFFFE
    bench.chip.write(b"\x00")
    assert bench.chip.read(2) == bytes((0x3D, 0xDF))  # 32 V, 320 mV, 8 samples, continuous


def test_shunt_that_the_chip_cannot_measure_is_a_wrong_setting(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "ina219", shunt_ohm=0.1, max_current_a=10.0)
    with pytest.raises(SaintError, match=r"1\.00 V") as caught:
        bench.open()
    assert caught.value.code is Code.CONFIG_INVALID


@pytest.mark.parametrize(
    ("real", "shown"), [(0.03, 0.03), (1.234, 1.234), (3.0, math.inf), (math.inf, math.inf)]
)
def test_distance_is_in_metres_and_inf_beyond_reach(
    tmp_path: Path, real: float, shown: float
) -> None:
    bench = Bench(tmp_path, "vl53l0x")
    bench.chip.feed(real)
    assert bench.open().read().distance_m == shown


def test_distance_sensor_gets_the_detectors_that_it_requested(tmp_path: Path) -> None:
    """Five behind the aperture: the first good ones from number 12 on. The model calls 12 to 16
    bad."""
    bench = Bench(tmp_path, "vl53l0x")
    bench.open()
    chosen = int.from_bytes(bytes(bench.chip.registers[0xB0:0xB6]), "little")
    assert chosen == 0b11111 << 17


def test_distance_sensor_that_still_measures_is_reset_first(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "vl53l0x")
    bench.open()
    seen: list[int] = []
    bench.chip.on_look = lambda: seen.append(bench.chip.registers[0x00])
    bench.open()
    assert seen[0] == 2  # goes on by itself
    assert seen[1] == 0


def test_distance_sensor_that_never_calibrates_is_missing(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "vl53l0x")
    bench.chip.on_look = lambda: bench.chip.registers.__setitem__(0x13, 0)
    times = iter(x * 0.2 for x in range(1000))
    with pytest.raises(SaintError, match="its calibration does not end"):
        Vl53l0x(bench.bus, bench.device, "thing", lambda: next(times))


@pytest.mark.parametrize("shone", [0.0, 0.5, 40.0, 300.0, 5_000.0, 20_000.0])
def test_light_is_in_lux_whatever_its_gain(tmp_path: Path, shone: float) -> None:
    bench = Bench(tmp_path, "tsl2561")
    sensor = bench.open()
    bench.chip.feed(shone)
    samples = [sample for _ in range(4) if (sample := sensor.read())]
    assert samples[-1].lux == pytest.approx(shone, rel=0.02, abs=0.05)


def test_light_beyond_its_range_is_no_number(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "tsl2561")
    sensor = bench.open()
    bench.chip.feed(100_000.0)
    assert sensor.read() is None, "it changes its gain"
    assert sensor.read().lux == math.inf
    bench.chip.feed(20.0)
    assert [sensor.read(), sensor.read().lux] == [None, pytest.approx(20.0, rel=0.02)]


@pytest.mark.parametrize(
    ("light", "infrared", "package", "expected"),
    [
        (1000, 0, 5, 30.4), (1000, 500, 5, 30.4 - 62 * 0.5**1.4), (1000, 600, 5, 22.4 - 18.6),
        (1000, 700, 5, 12.8 - 10.71), (1000, 1000, 5, 1.46 - 1.12), (1000, 1400, 5, 0.0),
        (1000, 0, CHIP_SCALE, 31.5), (1000, 600, CHIP_SCALE, 22.9 - 17.46), (0, 0, 5, 0.0),
    ],
)  # fmt: skip
def test_lux_are_those_of_the_data_sheet(
    light: float, infrared: float, package: int, expected: float
) -> None:
    assert lux(light, infrared, package) == pytest.approx(expected, abs=1e-6)
