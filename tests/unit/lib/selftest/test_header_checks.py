"""What the self-test says of pins, buses and chips that are broken or held."""

from dataclasses import replace
from pathlib import Path

from saint_services.lib.generated.saint_msgs import GPIOPin, PeripheralInfo
from saint_services.lib.hw.pins.header import PINS, pin_name
from saint_services.lib.selftest import header_checks, header_facts
from saint_services.lib.selftest.header_facts import HeaderFacts
from saint_services.lib.selftest.situation import Situation


def line(bcm: int, used_by: str = "") -> GPIOPin:
    return GPIOPin(bcm, pin_name(bcm), "input", "low", bool(used_by), used_by)


FREE = tuple(line(bcm) for bcm in range(PINS))
WHOLE = HeaderFacts(pins=FREE, buses=(0, 1), is_probed=True, pwm_pins=(12, 13))


def held(bcm: int, by: str) -> HeaderFacts:
    return replace(WHOLE, pins=(*FREE[:bcm], line(bcm, by), *FREE[bcm + 1 :]))


def chip(place: str, text: str, *, responsive: bool = True) -> HeaderFacts:
    return replace(WHOLE, peripherals=(PeripheralInfo("i2c", place, text, responsive),))


def test_pins_of_a_machine_without_a_header_fail() -> None:
    found = header_checks.pins(header_facts.read(None, "no GPIO chip", may_probe=True), Situation())
    assert (found.state, "no GPIO chip" in found.text) == ("failed", True)


def test_users_of_pins_are_named() -> None:
    found = header_checks.pins(held(26, "reset button"), Situation())
    assert found.text == "27 pins are free; used: GPIO26 by reset button."


def test_pin_of_a_role_held_by_another_program_fails() -> None:
    here = Situation(pins={12: "tracks (left_motor)"}, is_role_alive=True)
    assert header_checks.pins(held(12, "left_motor"), here).state == "passed"
    found = header_checks.pins(held(12, "blinker"), here)
    assert (found.state, "held by blinker" in found.text) == ("failed", True)


def test_stuck_bus_fails_and_says_so() -> None:
    facts = chip("1", "bus is stuck: SDA or SCL is held low", responsive=False)
    found = header_checks.i2c("i2c1", 1, facts, Situation())
    assert found.state == "failed"
    assert found.fix.startswith(
        "Check the wires for a short circuit, and each chip for a missing or reversed supply"
    )
    empty = header_checks.i2c("i2c0", 0, facts, Situation())
    assert empty.state == "not_connected"
    for each in (found, empty):
        assert "used as a plain pin since this node started? Then restart the node." in each.fix


def test_chips_are_listed_by_address() -> None:
    found = header_checks.i2c("i2c1", 1, chip("1:0x40", "PCA9685 or INA219?"), Situation())
    assert (found.state, found.text) == ("passed", "Answering: 0x40 PCA9685 or INA219?.")


def test_bus_that_cannot_be_probed_is_not_called_working() -> None:
    broken = replace(WHOLE, probe_problem="no permission")
    assert header_checks.i2c("i2c1", 1, broken, Situation()).state == "failed"
    unprobed = replace(WHOLE, is_probed=False)
    assert header_checks.i2c("i2c1", 1, unprobed, Situation()).state == "skipped"


def test_missing_pwm_fails() -> None:
    found = header_checks.pwm(replace(WHOLE, pwm_pins=(), pwm_problem="There is no hardware PWM"))
    assert (found.state, "saint-pwm" in found.fix) == ("failed", True)


def test_driver_of_the_serial_line_is_found_below_the_layer_of_ports(tmp_path: Path) -> None:
    """As since Linux 6.5: the line hangs on a port, the port on a controller, that on the chip."""
    chip = tmp_path / "devices/7e201000.serial"
    port = chip / "7e201000.serial:0/7e201000.serial:0.0"
    port.mkdir(parents=True)
    (port / "driver").symlink_to("../../../../bus/serial-base/drivers/port")
    (port.parent / "driver").symlink_to("../../../bus/serial-base/drivers/ctrl")
    (chip / "driver").symlink_to("../../bus/amba/drivers/uart-pl011")
    line = tmp_path / "tty/ttyAMA0"
    line.mkdir(parents=True)
    (line / "device").symlink_to(port)
    assert header_facts.driver_of(line / "device") == "uart-pl011"
