"""A head whose pan is a stepper: it finds its switch, then it moves; it stands at once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.generated.saint_msgs import HeadCommand
from saint_services.lib.generated.topics import HEAD_CMD
from saint_services.lib.guard.ports import carry_out
from saint_services.lib.hw import will_of
from saint_services.lib.role_config.hardware import hardware
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.resources import claims
from tests.unit.role.role_rig import Rig, load_role
from tools.sim.faults import Fault

STEP, DIRECTION, ENABLE, SWITCH = 23, 24, 25, 22
PAN: dict[str, Any] = {
    "type": "stepper", "pin": STEP, "direction_pin": DIRECTION, "enable_pins": [ENABLE],
    "switch_pin": SWITCH, "switch_at": -95, "homing_rate": 40, "steps_per_turn": 200, "gear": 4,
}  # fmt: skip
STEPS_PER_DEG = 200 * 4 / 360


def head(**changes: Any) -> RoleConfig:
    """Return the shipped head with a stepper as its pan."""
    whole = load_role("head").model_dump(exclude_unset=True)
    whole["gpio_mapping"]["pan"] = PAN | changes.pop("pan", {})
    whole["fields"]["pan"] |= {"limits": [-90, 90], "max_rate": 90, "max_acceleration": 180}
    whole["fields"]["pan"] |= changes.pop("field", {})
    return RoleConfig.model_validate(whole | {"homing": None} | changes)


class StepperRig(Rig):
    """A rig that notes when the step line rises."""

    def __init__(self, directory: Path, config: RoleConfig) -> None:
        super().__init__(directory, "head", config)
        self.body = self.board.drive.plant.steppers[0]
        self.rises: list[float] = []
        write = self.board.bank.write

        def noted(pin: int, value: float) -> None:
            if pin == STEP and value >= 0.5:
                self.rises.append(self.clock.now)
            write(pin, value)

        self.board.bank.write = noted  # type: ignore[method-assign]

    def aim(self, pan: float, seconds: float) -> None:
        """Command a position for a while."""
        self.live(seconds, lambda: self.send(HEAD_CMD, HeadCommand(pan, 0.0, 0.0, 1.0)))

    @property
    def pan(self) -> float:
        """The position that the head states."""
        state = self.bus.sent["/saint/head/state"][-1]
        return float(state.pan)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[StepperRig]:
    rig = StepperRig(tmp_path, head())
    yield rig
    rig.close()


def test_no_step_and_no_torque_before_the_first_command(rig: StepperRig) -> None:
    rig.live(2.0, lambda: None)
    assert not rig.rises
    assert rig.pin(ENABLE).value == 1.0
    assert rig.pan != rig.pan  # NaN: nobody knows
    assert "pan: no position" in rig.session.report().reason
    assert "head_pan" not in rig.bus.sent["/saint/head/joint_states"][-1].name


def test_it_finds_its_switch_wherever_it_stands_then_goes_where_it_was_sent(
    rig: StepperRig,
) -> None:
    rig.body.position = 37.7
    rig.aim(30.0, 8.0)
    assert rig.pan == pytest.approx(30.0, abs=0.5 / STEPS_PER_DEG + 1e-6)
    assert rig.body.position == pytest.approx(rig.pan, abs=1.0 / STEPS_PER_DEG)
    assert rig.pin(ENABLE).value == 0.0
    assert rig.session.report().reason == ""
    assert rig.session.is_safe
    gaps = [b - a for a, b in zip(rig.rises, rig.rises[1:], strict=False)]
    assert min(gaps) >= 0.75 / (90 * STEPS_PER_DEG) - 1e-9


def test_a_switch_that_is_closed_at_the_start_is_left_first(rig: StepperRig) -> None:
    rig.body.position = -97.0
    rig.board.drive._press(rig.body)
    rig.aim(-20.0, 8.0)
    assert rig.body.position == pytest.approx(-20.0, abs=2.0 / STEPS_PER_DEG)


def test_another_direction_of_the_motor(tmp_path: Path) -> None:
    rig = StepperRig(tmp_path, head(pan={"reversed": True, "switch_at": 90}))
    rig.aim(-45.0, 10.0)
    assert rig.body.position == pytest.approx(-45.0, abs=1.0 / STEPS_PER_DEG)
    rig.close()


@pytest.mark.parametrize("fault", [Fault.STALL, Fault.UNPLUG])
def test_a_switch_that_is_never_reached_is_a_fault(rig: StepperRig, fault: Fault) -> None:
    rig.faults.set("pan", fault)
    rig.board.drive.advance()
    rig.aim(0.0, 12.0)
    report = rig.session.report()
    assert not report.ready
    assert "pan: the homing switch was not reached" in report.reason
    # No more than a tenth beyond the whole way.
    assert len(rig.rises) <= 185 * 1.1 * STEPS_PER_DEG + 1


def test_a_switch_that_stays_closed_is_a_fault(rig: StepperRig) -> None:
    rig.body.position = -150.0
    rig.board.drive._press(rig.body)
    rig.aim(0.0, 8.0)
    assert "pan: the homing switch stays closed" in rig.session.report().reason


@pytest.mark.parametrize("after_s", [0.5, 3.8])
def test_e_stop_ends_the_steps_at_once(rig: StepperRig, after_s: float) -> None:
    """While it looks for its switch, and on its way."""
    rig.aim(60.0, after_s)
    before = len(rig.rises)
    assert before and not rig.session.is_safe
    rig.estop(True, 1)
    assert rig.session.is_safe
    rig.live(1.0, rig.beat)
    assert len(rig.rises) == before
    assert rig.pin(ENABLE).value == 0.0  # it holds


def test_count_survives_a_stop_in_the_middle_of_a_way(rig: StepperRig) -> None:
    rig.aim(60.0, 3.8)
    rig.live(0.6, lambda: None)  # no command: the deadline stops it
    assert rig.session.is_safe
    assert rig.pan == pytest.approx(rig.body.position, abs=1.0 / STEPS_PER_DEG)
    rig.aim(60.0, 4.0)
    # Half a step of rounding, and one by which the switch may close late.
    assert rig.body.position == pytest.approx(60.0, abs=1.5 / STEPS_PER_DEG)


def test_a_step_that_cannot_be_written_puts_its_place_in_doubt(
    rig: StepperRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.aim(0.0, 8.0)
    assert rig.pan == pytest.approx(0.0, abs=0.5)
    step = rig.session.joints.by_name["pan"].output._stepper.step  # type: ignore[attr-defined]
    stepper = rig.session.joints.by_name["pan"].output._stepper  # type: ignore[attr-defined]
    failing = iter([True])

    def fails_once(is_up: bool) -> None:
        if next(failing, False):
            raise OSError(5, "line")
        step(is_up)

    monkeypatch.setattr(stepper, "step", fails_once)
    rig.aim(20.0, 10.0)
    assert rig.body.position == pytest.approx(20.0, abs=1.0 / STEPS_PER_DEG)


def test_will_leaves_the_step_line_low_and_the_motor_holding(rig: StepperRig) -> None:
    rig.aim(0.0, 8.0)
    will = will_of(rig.board, rig.config, "role-headd")
    assert [write.place for write in will.writes] == [STEP, ENABLE]
    assert carry_out([will]) == []
    assert (rig.pin(STEP).value, rig.pin(ENABLE).value) == (0.0, 0.0)


def test_released_lines_leave_the_motor_holding(rig: StepperRig) -> None:
    stepper = rig.session.joints.by_name["pan"].output._stepper  # type: ignore[attr-defined]
    assert rig.pin(ENABLE).value == 1.0  # no torque before the first command
    stepper.close()
    assert [rig.pin(pin).value for pin in (STEP, DIRECTION, ENABLE)] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"field": {"max_rate": 200}}, "444 steps a second, and 250 can be sent"),
        ({"pan": {"microsteps": 16}}, "3200 steps a second"),
        ({"field": {"max_acceleration": None}}, "needs max_acceleration"),
        ({"pan": {"switch_at": 10}}, "closes at a limit or beyond"),
        ({"pan": {"switch_pin": None}}, "switch_pin is missing; stepper needs it"),
        ({"pan": {"switch_pin": STEP}}, "names a pin twice"),
        ({"field": {"unit": "ratio"}}, "a position in degrees"),
    ],
)
def test_configuration_that_cannot_work_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        head(**changes)


def test_pins_are_claimed_and_named() -> None:
    assert {f"GPIO{pin}" for pin in (STEP, DIRECTION, ENABLE, SWITCH)} <= claims(head()).keys()
    uses = {use.bcm: use.purpose for use in hardware(head()).pins if use.name == "pan"}
    assert uses == {STEP: "step", DIRECTION: "direction", ENABLE: "enable", SWITCH: "homing switch"}
