"""Parts during an e-stop, without commands, after a crash. Numbers by hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.guard.ports import carry_out
from saint_services.lib.hw import will_of
from tests.unit.role.parts.parts_rig import ALL, FIELDS, PINS, PartsRig, config
from tools.sim.board import SimBoard
from tools.sim.chips.base import ChipFault
from tools.sim.observe import read_pca9685, read_pins


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[PartsRig]:
    found = PartsRig(tmp_path)
    found.hold(0.5, **ALL)
    assert found.live_outputs == ["tail", "valve", "motor", "fan", "relay"]
    yield found
    found.close()


def test_estop_leaves_every_switch_off_and_every_velocity_at_zero(rig: PartsRig) -> None:
    rig.estop(True, 1)
    assert rig.live_outputs == []  # within the callback
    assert rig.session.is_safe
    assert rig.state()["cheek"] == 0.5  # harmless: people still see


def test_nothing_comes_back_while_the_stop_lasts(rig: PartsRig) -> None:
    rig.estop(True, 1)
    rig.hold(2.0, **ALL)
    assert rig.live_outputs == []


def test_silence_of_250_ms_switches_off(rig: PartsRig) -> None:
    begin_s = rig.clock.now
    while rig.live_outputs and rig.clock.now < begin_s + 1.0:
        rig.clock.advance(0.001)
    assert rig.clock.now - begin_s <= 0.251
    assert rig.session.is_safe


def test_heartbeat_without_commands_switches_off_too(rig: PartsRig) -> None:
    rig.live(0.3, lambda: None)
    assert rig.live_outputs == []


def test_off_on_a_bus_that_answers_everything_is_not_called_safe(rig: PartsRig) -> None:
    rig.servo_chip.set_fault(ChipFault.LOW)
    rig.estop(True, 1)
    assert rig.live_outputs == ["tail", "valve"]
    assert not rig.session.is_safe
    rig.clock.advance(0.2)
    assert not rig.session.is_safe
    assert "writing to chip failed (SDA is held low" in rig.session.fault


def test_off_that_fails_is_tried_again(rig: PartsRig) -> None:
    rig.servo_chip.set_answers(False)
    rig.estop(True, 1)
    assert rig.live_outputs == ["tail", "valve"]
    assert not rig.session.is_safe
    rig.servo_chip.set_answers(True)
    rig.clock.advance(0.02)
    assert rig.live_outputs == []
    assert rig.session.is_safe


def test_switch_is_off_after_its_longest_time_whatever_is_commanded(tmp_path: Path) -> None:
    pin = PINS["relay"] | {"longest_on_s": 1.5}
    rig = PartsRig(tmp_path, config({"relay": FIELDS["relay"]}, {"relay": pin}))
    rig.hold(1.4, relay=1.0)
    assert rig.is_relay_on
    rig.hold(0.12, relay=1.0)
    assert not rig.is_relay_on
    rig.hold(10.0, relay=1.0)
    assert not rig.is_relay_on
    assert "relay was on for 1.5 s" in rig.session.condition.reason
    rig.hold(0.1, relay=0.0)
    rig.hold(0.1, relay=1.0)
    assert rig.is_relay_on
    rig.close()


def test_switch_limit_needs_no_command_to_end_it(tmp_path: Path) -> None:
    """The role's own timer ends it: between two commands, not with the next one."""
    pin = PINS["relay"] | {"longest_on_s": 0.1}
    rig = PartsRig(tmp_path, config({"relay": FIELDS["relay"]}, {"relay": pin}))
    rig.beat()
    rig.command(relay=1.0)
    rig.clock.advance(0.099)
    assert rig.is_relay_on
    rig.clock.advance(0.002)
    assert not rig.is_relay_on
    rig.close()


def test_switch_keeps_its_duty(tmp_path: Path) -> None:
    """At most 1 s of every 4 s, sampled each 10 ms over a minute of a stuck or flickering input."""
    pin = PINS["relay"] | {"most_duty": 0.25, "duty_window_s": 4.0}
    rig = PartsRig(tmp_path, config({"relay": FIELDS["relay"]}, {"relay": pin}))
    on: list[bool] = []

    def say() -> None:
        on.append(rig.is_relay_on)
        rig.command(relay=float(int(rig.clock.now * 10) % 7 != 0))

    rig.live(30.0, say, period_s=0.01)
    worst = max(sum(on[at : at + 400]) for at in range(len(on) - 400))
    assert 50 < worst <= 102  # of 400 samples a quarter, and the edges
    rig.close()


def test_crash_leaves_what_the_will_makes_safe(tmp_path: Path) -> None:
    """The process ends without a word; the guard alone writes."""
    rig = PartsRig(tmp_path)
    rig.hold(0.5, **ALL)
    will = will_of(rig.board, rig.config, "role-partsd")
    assert carry_out([will]) == []
    channels = {at: each.value for at, each in read_pca9685(tmp_path, 1, 0x40).items()}
    pins = read_pins(tmp_path)
    assert (channels[1], channels[2]) == (0.0, 0.0)
    assert channels[0] > 1000.0  # a servo that falls would be worse
    assert channels[3] > 0.0  # a light stays
    assert (pins[12].value, pins[13].value) == (0.0, 0.0)
    assert pins[6].value == 1.0  # high is off for a relay that is active low
    rig.board.close()


def test_will_of_chips_behind_a_multiplexer_ends_their_pulses(tmp_path: Path) -> None:
    chip = {"bus": 1, "address": 0x40, "driver": "pca9685", "required": True}
    role = config(
        {"left": FIELDS["tail"], "right": FIELDS["tail"]},
        {
            "left": PINS["tail"] | {"device": "a", "channel": 4},
            "right": PINS["tail"] | {"device": "b", "channel": 4},
        },
        i2c_devices={
            "a": chip | {"mux": {"channel": 2}},
            "b": chip | {"mux": {"channel": 5}},
        },
    )
    rig = PartsRig(tmp_path, role)
    rig.hold(0.3, left=1.0, right=-1.0)
    hidden = rig.board._hidden
    pulses = [hidden[1, 0x70, at][0x40].output(4).value for at in (2, 5)]  # type: ignore[attr-defined]
    assert pulses == pytest.approx([2000, 1000], abs=5)
    assert carry_out([will_of(rig.board, role, "role-partsd")]) == []
    pulses = [hidden[1, 0x70, at][0x40].output(4).value for at in (2, 5)]  # type: ignore[attr-defined]
    assert pulses == [0.0, 0.0]
    with pytest.raises(OSError, match="no acknowledge"):  # no channel is open afterwards
        rig.board.i2c(1).write(0x40, b"\0")
    rig.session.close()
    rig.board.close()


def test_next_process_begins_with_everything_off(tmp_path: Path) -> None:
    first = PartsRig(tmp_path)
    first.hold(0.5, **ALL)
    board = SimBoard(tmp_path)  # the first process is gone without having written anything
    second = PartsRig(tmp_path)
    assert second.live_outputs == []
    board.close()
    second.close()
