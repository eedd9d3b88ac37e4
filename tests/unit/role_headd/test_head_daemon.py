"""The head at work: what it tells."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.generated.saint_msgs import HeadCommand, HeadExpression
from saint_services.lib.generated.topics import HEAD_CMD, HEAD_EXPRESSION_CMD
from tests.unit.role.role_rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path, "head")
    yield rig
    rig.close()


def test_state_tells_what_is_applied_not_what_is_wanted(rig: Rig) -> None:
    rig.beat()
    rig.send(HEAD_CMD, HeadCommand(180.0, 0.0, 0.0, 1.0))
    rig.clock.advance(0.1)
    states = rig.bus.sent["/saint/head/state"]
    assert len(states) == 2
    assert states[-1].pan == pytest.approx(rig.pin(12).value * 0.18 - 270.0, abs=4.0)
    assert 20.0 < states[-1].pan < 60.0
    assert not states[-1].camera_active


def test_expression_is_told(rig: Rig) -> None:
    rig.live(0.3, lambda: rig.send(HEAD_EXPRESSION_CMD, HeadExpression(0.5, 10.0, -5.0)))
    expression = rig.bus.sent["/saint/head/expression/state"][-1]
    assert (expression.jaw, expression.eye_pan, expression.eye_tilt) == (0.5, 10.0, -5.0)


def test_missing_sensors_are_not_a_number(rig: Rig) -> None:
    rig.clock.advance(2.0)
    sensors = rig.bus.sent["/saint/head/sensors"]
    assert len(sensors) == 2
    values = (sensors[0].proximity, sensors[0].ambient_light, sensors[0].temperature)
    assert all(math.isnan(value) for value in values)


def test_nothing_has_a_pulse_before_the_first_command(rig: Rig) -> None:
    rig.live(0.5, lambda: None)
    assert [rig.pin(pin).writes for pin in (12, 13, 18)] == [0, 0, 0]
    assert rig.channels() == [0.0] * 16
