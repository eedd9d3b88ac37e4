"""Sources that flicker, that report a lost signal, and safety inputs that time out."""

import pytest

from saint_services.lib.errors import SaintError
from tests.unit.routerd.rig import DIRECT, DRIVE, FACE, STOP, Rig, route

GRIP = route("rc_grip", "rc", "arms.left", [{"from": "stick", "to": "gripper", "offset": 0.25}])
JAW = route("jaw", "rc", "head", [{"from": "stick", "to": "jaw"}])


def both(rig: Rig, seconds: float, stick: float = 0.02, linear: float = 0.04) -> None:
    for _ in range(round(seconds * 100)):
        rig.send("rc", stick=stick)
        rig.send("websocket:1", "tracks", linear=linear)
        rig.wait(0.01)


def only_web(rig: Rig, seconds: float) -> None:
    rig.stream(seconds, "websocket:1", "tracks", linear=0.04)


def winner(rig: Rig) -> str:
    return rig.output("tracks.linear").winner


def test_first_appearance_takes_over_at_once() -> None:
    rig = Rig(DRIVE, DIRECT)
    only_web(rig, 0.1)
    rig.send("rc", stick=0.0)
    assert winner(rig) == "rc_drive"


def test_returning_source_takes_over_when_it_is_steady() -> None:
    rig = Rig(DRIVE, DIRECT)
    both(rig, 0.1)
    only_web(rig, 0.3)
    assert winner(rig) == "web"
    both(rig, 0.19)
    output = rig.output("tracks.linear")
    assert (output.winner, output.rivals[0].reason) == ("web", "returned just now")
    both(rig, 0.02)
    assert winner(rig) == "rc_drive"


def test_flickering_source_never_takes_over() -> None:
    rig = Rig(DRIVE, DIRECT)
    both(rig, 0.1)
    for _ in range(10):
        only_web(rig, 0.15)
        both(rig, 0.18)
        assert winner(rig) == "web"


def test_steady_source_takes_over_by_time_alone() -> None:
    rig = Rig(DRIVE.model_copy(update={"timeout_ms": 500}), DIRECT, hysteresis_ms=100)
    both(rig, 0.1)
    only_web(rig, 0.6)
    rig.send("rc", stick=0.0)
    only_web(rig, 0.12)  # no sample of the rc is needed for it
    assert winner(rig) == "rc_drive"


def test_losing_is_immediate_and_needs_no_steady_contender() -> None:
    rig = Rig(DRIVE, DIRECT)
    both(rig, 0.1)
    only_web(rig, 0.3)
    both(rig, 0.1)
    rig.stream(0.31, "rc", stick=0.02)  # the web is lost before the rc is steady
    assert winner(rig) == "rc_drive"


def test_returning_source_has_a_free_field_at_once() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.1, "rc", stick=0.02)
    rig.wait(0.5)
    rig.send("rc", stick=0.02)
    assert winner(rig) == "rc_drive"


def test_hysteresis_of_0_is_none() -> None:
    rig = Rig(DRIVE, DIRECT, hysteresis_ms=0)
    both(rig, 0.1)
    only_web(rig, 0.3)
    rig.send("rc", stick=0.0)
    assert winner(rig) == "rc_drive"


def test_passthrough_lets_others_take_over() -> None:
    rig = Rig(DRIVE, DIRECT)
    both(rig, 0.1)
    rig.send("rc", failsafe=True)
    assert winner(rig) == "web"


def test_hold_keeps_positions_rests_velocities_and_bars_lower_ones() -> None:
    rig = Rig(DRIVE, GRIP, DIRECT)
    for _ in range(50):
        rig.send("rc", stick=0.5)
        rig.send("websocket:1", "tracks", linear=0.04)
        rig.wait(0.01)
    for _ in range(40):
        rig.send("rc", failsafe=True, stick=0.5)
        rig.send("websocket:1", "tracks", linear=0.04)
        rig.send("websocket:2", "arms.left", gripper=0.0)
        rig.wait(0.01)
    output = rig.output("tracks.linear")
    assert (output.winner, output.value, output.policy) == ("", 0.0, "ramp_to_zero")
    assert {r.route: r.reason for r in output.rivals} == {
        "rc_drive": "failsafe",
        "web": "failsafe of rc holds",
    }
    grip = rig.output("arms.left.gripper")
    assert (grip.winner, grip.value, grip.policy) == ("", 0.75, "hold")


def test_hold_takes_no_field_that_another_had() -> None:
    rig = Rig(DRIVE, DIRECT)
    rig.send("rc", failsafe=True, stick=0.5)
    only_web(rig, 0.1)
    assert winner(rig) == "web"


def test_hold_takes_back_what_a_time_out_released() -> None:
    """A report of the loss that the machine delayed: until it comes, another source drives."""
    rig = Rig(DRIVE, GRIP, DIRECT)
    both(rig, 0.3)
    only_web(rig, 0.2)
    assert winner(rig) == "web"
    for _ in range(20):
        rig.send("rc", failsafe=True, stick=0.02)
        only_web(rig, 0.05)
        assert winner(rig) == ""
    assert rig.value("tracks.linear") == 0.0


def test_hold_takes_back_nothing_that_was_lost_long_before() -> None:
    rig = Rig(DRIVE, DIRECT)
    both(rig, 0.1)
    only_web(rig, 0.7)
    rig.send("rc", failsafe=True, stick=0.02)
    assert winner(rig) == "web"


def test_hold_takes_back_nothing_that_was_lost_before_a_stop() -> None:
    rig = Rig(DRIVE, DIRECT)
    both(rig, 0.1)
    only_web(rig, 0.13)
    rig.router.raise_estop("test", "", rig.now)
    rig.wait(0.31)
    rig.clear("test", rig.now)
    rig.stream(0.05, "websocket:2", "tracks", linear=0.05)
    rig.send("rc", failsafe=True, stick=0.02)
    assert winner(rig) == "web"


def test_hold_gives_way_to_higher_priorities() -> None:
    rig = Rig(DRIVE, DIRECT.model_copy(update={"priority": 400}))
    rig.stream(0.3, "rc", stick=0.02)
    rig.send("rc", failsafe=True, stick=0.02)
    rig.send("websocket:1", "tracks", linear=0.04)
    assert winner(rig) == "web"


@pytest.mark.parametrize(
    ("silent_s", "then", "expected"),
    [
        (0.0, None, ""),
        (0.49, None, ""),
        (0.51, None, "web"),  # half a second after its last sample
        (0.05, {"stick": 0.02}, "rc_drive"),  # the signal is back
        (0.05, {"wheel": 0.0}, "web"),  # back, but it feeds the field no more
        (0.05, {"failsafe": True}, "web"),  # the receiver was switched off
    ],
)
def test_hold_ends(silent_s: float, then: dict[str, float] | None, expected: str) -> None:
    rig = Rig(DRIVE, DIRECT)
    both(rig, 0.1)
    rig.send("rc", failsafe=True, stick=0.02)
    only_web(rig, silent_s)
    if then is not None:
        rig.send("rc", **then)  # type: ignore[arg-type]
    assert winner(rig) == expected


def test_neutral_brings_positions_to_the_middle_of_the_input() -> None:
    rig = Rig(DRIVE, GRIP, JAW)
    rig.stream(0.5, "rc", stick=0.5)
    for _ in range(50):
        rig.send("rc", failsafe=True, stick=0.0)
        rig.wait(0.01)
    assert rig.value("arms.left.gripper") == 0.25
    assert rig.value("head.jaw") == 0.0
    assert rig.value("tracks.linear") == 0.0
    assert rig.output("arms.left.gripper").policy == "neutral"


def test_action_may_change_while_the_signal_is_lost() -> None:
    rig = Rig(GRIP)
    rig.stream(0.5, "rc", stick=0.5)
    for x in (0.5, 0.0):
        for _ in range(30):
            rig.send("rc", failsafe=True, stick=x)
            rig.wait(0.01)
        assert rig.value("arms.left.gripper") == 0.25 + x


def test_inputs_that_are_no_numbers_hold_nothing() -> None:
    rig = Rig(DRIVE, DIRECT)
    both(rig, 0.1)
    rig.send("rc", failsafe=True, stick=0.02, trim=float("nan"))
    assert winner(rig) == "web"


def test_failsafe_estop_latches_and_bars_the_reset() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.3, "rc", stick=0.02)
    rig.send("rc", failsafe=True, estop=1.0)
    assert rig.router.latch.active
    assert (rig.router.latch.source, rig.router.latch.reason) == ("rc", "its signal is lost")
    with pytest.raises(SaintError, match="rc has lost its signal"):
        rig.clear("web", rig.now)
    rig.wait(0.121)
    rig.clear("web", rig.now)
    assert not rig.router.latch.active


def test_signal_that_is_back_lets_the_reset_pass() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", failsafe=True, estop=1.0)
    rig.send("rc", stick=0.0)
    rig.clear("web", rig.now)
    assert not rig.router.latch.active


def test_estop_ends_a_hold() -> None:
    rig = Rig(DRIVE, DIRECT)
    both(rig, 0.1)
    rig.send("rc", failsafe=True, stick=0.02)
    rig.router.raise_estop("test", "", rig.now)
    rig.wait(0.4)
    rig.clear("test", rig.now)
    rig.stream(0.1, "websocket:2", "tracks", linear=0.05)
    assert winner(rig) == "web"


def test_safety_input_that_falls_silent_is_a_stop() -> None:
    rig = Rig(DRIVE)
    for _ in range(20):
        rig.send("safety:bumper", pressed=0.0)
        rig.send("rc", stick=0.5)
        rig.wait(0.01)
    rig.stream(0.28, "rc", stick=0.5)
    assert not rig.router.latch.active
    rig.stream(0.02, "rc", stick=0.5)
    assert rig.router.latch.source == "safety:bumper"
    assert rig.value("tracks.linear") == 0.0


def test_safety_input_stops_without_other_traffic() -> None:
    rig = Rig()
    rig.send("safety:bumper", pressed=0.0)
    rig.wait(0.301)
    assert rig.router.latch.active


def test_safety_input_in_failsafe_is_a_stop_at_once() -> None:
    rig = Rig(DRIVE)
    rig.send("safety:bumper", failsafe=True)
    assert rig.router.latch.source == "safety:bumper"


def test_safety_input_that_stays_silent_stops_once() -> None:
    rig = Rig(DRIVE)
    rig.send("safety:bumper", pressed=0.0)
    rig.wait(0.5)
    rig.clear("web", rig.now)
    rig.wait(5.0)
    assert not rig.router.latch.active


def test_safety_switch_is_a_route_like_any_other() -> None:
    bumper = route("b", "safety", "*", [{"from": "pressed", "to": "estop", "mode": "switch"}])
    rig = Rig(bumper, FACE, STOP)
    rig.send("safety:bumper", pressed=0.0)
    rig.send("safety:bumper", pressed=1.0)
    assert rig.router.latch.active


def test_park_goes_where_the_manifest_says() -> None:
    rig = Rig(FACE)
    output = rig.router.by_name["head", "pan"]
    output.on_loss, output.park = "park", 30.0
    rig.stream(0.1, "livelink:a", headYaw=0.1)
    rig.wait(0.55)
    assert 5.0 < (rig.value("head.pan") or 0) < 30.0
    rig.wait(0.1)
    assert (rig.value("head.pan"), rig.output("head.pan").policy) == (30.0, "park")


def test_who_is_not_steady_yet_gains_nothing_by_an_edit() -> None:
    rig = Rig(DRIVE, DIRECT)
    both(rig, 0.1)
    only_web(rig, 0.3)
    both(rig, 0.05)
    rig.router.set_routes([DRIVE, DIRECT], rig.now)
    assert winner(rig) == "web"


def test_when_the_winner_is_lost_the_steady_one_is_next() -> None:
    low = route("low", "autonomous", "*")
    rig = Rig(DRIVE, DIRECT, low)
    both(rig, 0.1)
    only_web(rig, 0.3)  # the rc is lost
    for _ in range(31):
        rig.send("autonomous:a", "tracks", linear=0.01)
        rig.wait(0.01)
    rig.send("websocket:2", "tracks", linear=0.04)
    assert winner(rig) == "web"
    rig.send("rc", stick=0.02)
    rig.send("autonomous:a", "tracks", linear=0.02)
    rig.send("websocket:2", failsafe=True)
    assert winner(rig) == "low"


def test_steadiness_counts_to_the_millisecond() -> None:
    rig = Rig(DRIVE.model_copy(update={"timeout_ms": 300}), DIRECT, hysteresis_ms=250)
    both(rig, 0.1)
    only_web(rig, 0.5)
    rig.send("rc", stick=0.02)
    only_web(rig, 0.24)
    rig.wait(0.0099)
    assert winner(rig) == "web"
    rig.wait(0.0002)
    assert winner(rig) == "rc_drive"


def test_higher_one_that_is_not_steady_yet_has_the_field_when_it_is_held() -> None:
    rig = Rig(DRIVE, DIRECT.model_copy(update={"priority": 400}))
    both(rig, 0.1)
    rig.stream(0.4, "rc", stick=0.02)
    both(rig, 0.05)
    assert winner(rig) == "rc_drive"
    rig.send("rc", failsafe=True, stick=0.02)
    assert winner(rig) == "web"


def test_held_field_of_policy_neutral_goes_there_when_the_source_is_silent_at_last() -> None:
    rig = Rig(JAW)
    rig.stream(0.3, "rc", stick=0.75)
    for _ in range(5):
        rig.send("rc", failsafe=True, stick=0.75)
        rig.wait(0.05)
    assert rig.value("head.jaw") == 0.75
    rig.wait(0.6)
    assert (rig.value("head.jaw"), rig.output("head.jaw").policy) == (0.0, "neutral")


def test_held_velocity_stays_at_rest_when_the_source_is_silent_at_last() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.3, "rc", stick=0.75)
    rig.send("rc", failsafe=True, stick=0.75)
    rig.wait(1.0)
    assert rig.value("tracks.linear") == 0.0
    assert rig.router.wake_at == float("inf")


def test_hold_of_a_blended_field_releases_it() -> None:
    rig = Rig(DRIVE, DIRECT, mode="blend")
    both(rig, 0.5)
    rig.send("rc", failsafe=True, stick=0.02)
    assert winner(rig) == "web"
    only_web(rig, 0.3)
    assert rig.value("tracks.linear") == pytest.approx(0.04)


def test_hold_needs_every_input_of_a_field_to_say_where_it_goes() -> None:
    two = [{"from": "stick", "to": "gripper"}, {"from": "trim", "to": "gripper"}]
    rig = Rig(route("g", "rc", "arms.left", two))
    rig.stream(0.5, "rc", stick=0.5, trim=0.25)
    rig.send("rc", failsafe=True, stick=0.0)
    rig.wait(0.1)
    assert (rig.value("arms.left.gripper"), rig.output("arms.left.gripper").policy) == (
        0.75, "hold",
    )  # fmt: skip
    for _ in range(50):
        rig.send("rc", failsafe=True, stick=0.0, trim=0.25)
        rig.wait(0.01)
    assert rig.value("arms.left.gripper") == 0.25


def test_source_that_speaks_again_is_no_longer_in_failsafe() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", failsafe=True)
    assert rig.status().sources[0].failsafe
    rig.send("rc", stick=0.0)
    assert not rig.status().sources[0].failsafe


def test_safety_input_that_said_so_does_not_stop_again_by_its_silence() -> None:
    rig = Rig(DRIVE)
    rig.send("safety:bumper", pressed=0.0)
    rig.send("safety:bumper", failsafe=True)
    rig.clear("web", rig.now)
    rig.wait(2.0)
    assert not rig.router.latch.active
