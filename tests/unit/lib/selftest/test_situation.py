"""What forbids a test that drives pins of the header."""

import pytest
import yaml

from saint_services.lib.api.selftest import JUMPERS
from saint_services.lib.generated.saint_msgs import GPIOPin
from saint_services.lib.hw.pins.header import HEADER
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.selftest.situation import WIRES, Situation, of_roles, refusal, wires
from tests.unit.lib.selftest.conftest import REPOSITORY
from tests.unit.lib.selftest.test_header_checks import FREE


def role(name: str) -> RoleConfig:
    text = (REPOSITORY / f"manifests/roles/{name}.yaml").read_text()
    return RoleConfig.model_validate(yaml.safe_load(text))


@pytest.mark.parametrize("jumper", JUMPERS)
def test_free_header_of_a_resting_machine_may_be_tested(jumper: str) -> None:
    assert refusal(jumper, Situation(), FREE) == ""  # type: ignore[arg-type]


def test_pins_of_the_wires_are_those_of_the_header_and_none_is_power() -> None:
    assert WIRES == {"serial": (14, 15), "pwm0": (12, 6), "pwm1": (13, 19)}
    by_number = {pin.number: pin for pin in HEADER}
    for wire in wires():
        first, second = (by_number[number] for number in wire.pins)
        assert {first.function, second.function} == {"gpio"}
        # A jumper cap reaches across, or along one row; a wire reaches anywhere.
        assert abs(first.number - second.number) in (1, 2)
    assert wires()[0].wire == "GPIO14 (pin 8) and GPIO15 (pin 10)"


def test_pin_of_a_role_is_never_driven() -> None:
    here = of_roles([role("tracks")])
    assert "tracks" in refusal("pwm0", here, FREE)
    assert "tracks" in refusal("pwm1", here, FREE)


@pytest.mark.parametrize("bcm", [12, 6])
def test_pin_that_another_program_holds_is_never_driven(bcm: int) -> None:
    taken = GPIOPin(bcm, f"GPIO{bcm}", "output", "low", True, "saint-guard")
    header = [pin for pin in FREE if pin.pin_number != bcm] + [taken]
    assert refusal("pwm0", Situation(), header) == f"GPIO{bcm} is used by saint-guard"


def test_pin_with_pulses_is_never_driven() -> None:
    pulsing = GPIOPin(12, "GPIO12", "pwm", "pwm_7", False, "")
    header = [pin for pin in FREE if pin.pin_number != 12] + [pulsing]
    assert "sends pulses" in refusal("pwm0", Situation(), header)


@pytest.mark.parametrize("jumper", JUMPERS)
def test_driven_robot_and_update_forbid_every_wire(jumper: str) -> None:
    for here in (Situation(is_driven=True), Situation(busy="an update is being installed")):
        assert refusal(jumper, here, FREE)  # type: ignore[arg-type]


def test_enable_line_forbids_pulses_because_a_will_would_switch_it_on() -> None:
    here = Situation(enable_line="24")
    assert "enable line" in refusal("pwm0", here, FREE)
    assert refusal("serial", here, FREE) == ""
