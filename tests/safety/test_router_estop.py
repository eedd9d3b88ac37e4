"""The e-stop always wins, and only an explicit clear with everything at rest ends it. The numbers
are typed by hand: they must not change with the code.
"""

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.routerd.estop.latch import Latch
from tests.unit.routerd.rig import DIRECT, DRIVE, FACE, STOP, TURN, Rig, preset, route

ALL = (DRIVE, TURN, STOP, DIRECT, FACE)


def stopped(rig: Rig) -> Rig:
    rig.router.raise_estop("test", "pressed", rig.now)
    return rig


def test_stop_zeroes_velocities_at_once() -> None:
    rig = Rig(*ALL)
    rig.stream(0.5, "rc", stick=1.0, wheel=1.0, switch=-1.0)
    assert (rig.value("tracks.linear"), rig.value("tracks.angular")) == (1.5, 3.0)
    stopped(rig)
    assert (rig.value("tracks.linear"), rig.value("tracks.angular")) == (0.0, 0.0)


@pytest.mark.parametrize("source", ["rc", "websocket:1", "autonomous:x"])
def test_nothing_moves_while_stopped(source: str) -> None:
    rig = stopped(Rig(*ALL, route("auto", "autonomous", "*")))
    for step in range(100):
        rig.send(source, "" if source == "rc" else "tracks", linear=step / 100, stick=step / 100)
        rig.wait(0.01)
        assert rig.value("tracks.linear") == 0.0
    assert rig.router.dirty == set()
    assert rig.output("tracks.linear").policy == "estop"


def test_switch_raises_it_from_any_target() -> None:
    rig = Rig(*ALL)
    rig.stream(0.5, "rc", stick=1.0, wheel=0.0, switch=0.49)
    assert not rig.router.latch.active
    rig.send("rc", stick=1.0, wheel=0.0, switch=0.5)
    assert rig.router.latch.active
    assert rig.router.latch.source == "rc"
    assert "switch" in rig.router.latch.reason
    assert rig.value("tracks.linear") == 0.0


def test_switch_raises_it_in_the_first_sample() -> None:
    rig = Rig(*ALL)
    rig.send("rc", stick=1.0, wheel=0.0, switch=1.0)
    assert rig.router.latch.active
    assert rig.value("tracks.linear") == 0.0


def test_short_press_between_two_samples_latches() -> None:
    rig = Rig(*ALL)
    rig.send("rc", stick=0.0, wheel=0.0, switch=-1.0)
    rig.send("rc", stick=0.0, wheel=0.0, switch=1.0)
    rig.send("rc", stick=0.0, wheel=0.0, switch=-1.0)
    assert rig.router.latch.active


def test_captured_receiver_does_not_stop_the_default_preset() -> None:
    rig = Rig(*preset())
    rig.send("rc", channel_1=0.0, channel_2=0.0, channel_5=-1.0, channel_6=-1.0)
    assert not rig.router.latch.active
    rig.send("rc", channel_1=0.0, channel_2=0.0, channel_5=-1.0, channel_6=1.0)
    assert rig.router.latch.active


def test_reset_is_refused_while_the_switch_is_on() -> None:
    rig = Rig(*ALL)
    rig.send("rc", stick=0.0, wheel=0.0, switch=1.0)
    with pytest.raises(SaintError, match="switch of rc still requests the stop") as caught:
        rig.clear("web", rig.now)
    assert caught.value.code is Code.REFUSED
    assert rig.router.latch.active


@pytest.mark.parametrize(("stick", "wheel", "named"), [(0.1, 0.0, "stick"), (0.0, -0.1, "wheel")])
def test_reset_is_refused_while_a_live_velocity_input_is_off_neutral(
    stick: float, wheel: float, named: str
) -> None:
    rig = stopped(Rig(*ALL))
    rig.send("rc", stick=stick, wheel=wheel, switch=-1.0)
    with pytest.raises(SaintError, match=f"{named} of rc still requests .* of tracks"):
        rig.clear("web", rig.now)


def test_reset_is_refused_for_a_direct_command_too() -> None:
    rig = stopped(Rig(*ALL))
    rig.send("websocket:1", "tracks", linear=0.2, angular=0.0)
    with pytest.raises(SaintError, match="linear of websocket:1 still requests"):
        rig.clear("web", rig.now)


def test_reset_is_possible_when_the_deflected_source_is_lost() -> None:
    rig = stopped(Rig(*ALL))
    rig.send("rc", stick=1.0, wheel=0.0, switch=-1.0)
    rig.wait(0.121)
    rig.clear("web", rig.now)
    assert not rig.router.latch.active


def test_after_reset_a_stick_that_comes_back_deflected_does_not_drive() -> None:
    rig = Rig(*ALL)
    rig.stream(0.1, "rc", stick=1.0, wheel=0.0, switch=-1.0)
    stopped(rig)
    rig.wait(1.0)
    rig.clear("web", rig.now)
    rig.stream(1.0, "rc", stick=1.0, wheel=0.0, switch=-1.0)
    assert rig.value("tracks.linear") == 0.0
    assert rig.output("tracks.linear").rivals[0].reason == "must move first"
    rig.stream(0.5, "rc", stick=0.9, wheel=0.0, switch=-1.0)
    assert rig.value("tracks.linear") == pytest.approx(1.35)
    assert rig.value("tracks.angular") == 0.0


def test_after_reset_a_jump_from_where_it_stood_drives_at_once() -> None:
    rig = stopped(Rig(*ALL))
    rig.stream(0.1, "rc", stick=0.0, wheel=0.0, switch=-1.0)
    rig.clear("web", rig.now)
    rig.stream(0.5, "rc", stick=0.5, wheel=0.0, switch=-1.0)
    assert rig.value("tracks.linear") == 0.75


def test_after_reset_an_unknown_receiver_must_be_moved_first() -> None:
    rig = stopped(Rig(*ALL))
    rig.clear("web", rig.now)
    rig.stream(0.5, "rc", stick=1.0, wheel=0.0, switch=-1.0)
    assert rig.value("tracks.linear") == 0.0


def test_after_reset_a_new_program_may_command_at_once() -> None:
    rig = stopped(Rig(*ALL))
    rig.clear("web", rig.now)
    rig.stream(0.5, "websocket:7", "tracks", linear=0.5, angular=0.0)
    assert rig.value("tracks.linear") == 0.5


def test_after_reset_a_stalled_program_must_change_its_command() -> None:
    rig = Rig(*ALL)
    rig.stream(0.3, "websocket:1", "tracks", linear=0.5)
    stopped(rig)
    rig.wait(1.0)  # its network stalls
    rig.clear("web", rig.now)
    rig.stream(0.5, "websocket:1", "tracks", linear=0.5)
    assert rig.value("tracks.linear") == 0.0
    rig.stream(0.5, "websocket:1", "tracks", linear=0.4)
    assert rig.value("tracks.linear") == 0.4


def test_after_reset_positions_are_not_commanded_until_moved() -> None:
    rig = Rig(*ALL)
    rig.stream(0.3, "livelink:a", headYaw=0.5)
    stopped(rig)
    assert not rig.is_driven("head.pan")
    rig.clear("web", rig.now)
    rig.stream(0.3, "livelink:a", headYaw=0.52)
    assert not rig.is_driven("head.pan")
    rig.stream(0.3, "livelink:a", headYaw=0.6)
    assert rig.is_driven("head.pan")
    assert rig.value("head.pan") == pytest.approx(34.37748)


def test_jitter_does_not_count_as_moved() -> None:
    rig = stopped(Rig(*ALL))
    rig.send("rc", stick=0.013, wheel=0.0, switch=-1.0)
    rig.clear("web", rig.now)
    for step in range(100):
        rig.send("rc", stick=0.013 + 0.002 * (step % 2), wheel=0.0, switch=-1.0)
        rig.wait(0.01)
    assert rig.output("tracks.linear").winner == ""


def test_restart_keeps_the_latch_and_its_generation() -> None:
    first = stopped(Rig(*ALL))
    again = Rig(*ALL, latch=first.router.latch)
    again.stream(0.5, "rc", stick=0.5, wheel=0.0, switch=-1.0)
    assert again.router.latch == first.router.latch
    assert again.value("tracks.linear") == 0.0


def test_generation_rises_with_every_press_and_clear() -> None:
    rig = Rig(*ALL, latch=Latch(generation=7))
    stopped(stopped(rig))
    assert rig.router.latch.generation == 9
    rig.clear("web", rig.now)
    rig.clear("web", rig.now)
    assert rig.router.latch.generation == 10


def test_clear_that_has_not_seen_the_second_press_is_refused_with_its_words() -> None:
    rig = stopped(Rig(*ALL))
    seen = rig.router.latch.generation
    rig.router.raise_estop("websocket:B", "child in front", rig.now)
    with pytest.raises(SaintError, match="websocket:B: child in front") as caught:
        rig.clear("A", rig.now, generation=seen)
    assert caught.value.code is Code.REFUSED
    assert "pressed" not in caught.value.message.partition("since:")[2]  # what was seen already
    assert rig.router.latch.active
    rig.clear("A", rig.now)
    assert not rig.router.latch.active


def test_the_same_person_pressing_again_counts() -> None:
    rig = stopped(Rig(*ALL))
    seen = rig.router.latch.generation
    stopped(rig)
    with pytest.raises(SaintError, match="test: pressed"):
        rig.clear("A", rig.now, generation=seen)


@pytest.mark.parametrize("offset", [-5, 1, 1000])
def test_clear_of_another_generation_is_refused(offset: int) -> None:
    rig = stopped(Rig(*ALL, latch=Latch(generation=7)))
    with pytest.raises(SaintError, match="the e-stop stays"):
        rig.clear("A", rig.now, generation=rig.router.latch.generation + offset)
    assert rig.router.latch.active


def test_held_switch_is_one_press_and_its_next_edge_another() -> None:
    rig = Rig(*ALL)
    rig.stream(0.1, "rc", stick=0.0, wheel=0.0, switch=-1.0)
    for _ in range(50):
        rig.stream(0.01, "rc", stick=0.001 * rig.sequences["rc"], wheel=0.0, switch=1.0)
    assert len(rig.router.latch.presses) == 1
    seen = rig.router.latch.generation
    rig.stream(0.05, "rc", stick=0.0, wheel=0.0, switch=-1.0)
    rig.stream(0.05, "rc", stick=0.0, wheel=0.0, switch=1.0)
    rig.stream(0.05, "rc", stick=0.0, wheel=0.0, switch=-1.0)
    assert len(rig.router.latch.presses) == 2
    with pytest.raises(SaintError, match="it was pressed again since: rc: switch"):
        rig.clear("A", rig.now, generation=seen)


def test_switch_moved_while_the_link_was_away_is_a_press_a_held_one_is_not() -> None:
    rig = Rig(*ALL)
    rig.stream(0.1, "rc", stick=0.0, wheel=0.0, switch=1.0)
    rig.wait(2.0)
    rig.stream(0.1, "rc", stick=0.0, wheel=0.0, switch=1.0)
    assert len(rig.router.latch.presses) == 1
    rig.stream(0.1, "rc", stick=0.0, wheel=0.0, switch=-1.0)
    rig.wait(2.0)
    rig.stream(0.1, "rc", stick=0.0, wheel=0.0, switch=1.0)
    assert len(rig.router.latch.presses) == 2


def test_lost_signal_repeats_itself_without_a_new_press() -> None:
    rig = Rig(*ALL)
    for _ in range(100):
        rig.send("rc", failsafe=True, estop=1.0)
        rig.wait(0.01)
    assert len(rig.router.latch.presses) == 1


def test_list_of_presses_keeps_the_first_and_the_newest_and_counts_the_rest() -> None:
    rig = Rig(*ALL)
    for number in range(40):
        rig.router.raise_estop("rc", f"press {number}", rig.now)
    latch = rig.router.latch
    reasons = [each.reason for each in latch.presses]
    assert reasons == ["press 0", *[f"press {number}" for number in range(25, 40)]]
    assert latch.more == 24
    assert latch.generation == 40


def test_what_drives_is_counted_as_refused_while_stopped() -> None:
    rig = stopped(Rig(*ALL))
    rig.stream(0.1, "websocket:page", "tracks", linear=0.0)
    assert rig.router.refused["e-stop is active"] == 10


def test_position_requested_during_a_stop_does_not_come_with_the_route_later() -> None:
    rig = Rig(*ALL)
    rig.stream(0.1, "websocket:page", "head", pan=0.0)
    stopped(rig)
    rig.stream(0.2, "websocket:page", "head", pan=40.0)
    rig.clear("web", rig.now)
    rig.router.set_routes([DRIVE], rig.now)
    rig.stream(0.2, "websocket:page", "head", pan=40.0)
    rig.router.set_routes(ALL, rig.now)
    rig.stream(2.0, "websocket:page", "head", pan=40.0)
    assert rig.value("head.pan") == pytest.approx(0.0)
    rig.stream(2.0, "websocket:page", "head", pan=20.0)
    assert rig.value("head.pan") == pytest.approx(20.0)


def test_first_reason_stays() -> None:
    rig = stopped(Rig(*ALL))
    rig.router.raise_estop("other", "later", rig.now)
    assert (rig.router.latch.source, rig.router.latch.reason) == ("test", "pressed")


def test_second_press_does_not_count_as_a_change() -> None:
    rig = stopped(Rig(*ALL))
    rig.wait(1.0)
    stopped(rig)
    assert rig.output("tracks.linear").changed_ms == 1000


def test_route_edit_cannot_release_it() -> None:
    rig = Rig(*ALL)
    rig.stream(0.3, "rc", stick=1.0, wheel=0.0, switch=-1.0)
    stopped(rig)
    rig.router.set_routes([DRIVE], rig.now)
    rig.stream(0.3, "rc", stick=0.5, wheel=0.0, switch=-1.0)
    assert rig.router.latch.active
    assert rig.value("tracks.linear") == 0.0


def test_enabling_a_stop_route_with_its_switch_on_stops() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.3, "rc", stick=1.0, switch=1.0)
    rig.router.set_routes([DRIVE, STOP], rig.now)
    assert rig.router.latch.active
    assert rig.value("tracks.linear") == 0.0


def test_stop_switch_of_a_lost_source_does_not_bar_the_reset() -> None:
    rig = Rig(*ALL)
    rig.send("rc", stick=0.0, wheel=0.0, switch=1.0)
    rig.wait(0.119)
    with pytest.raises(SaintError, match="still requests the stop"):
        rig.clear("web", rig.now)
    rig.wait(0.002)
    rig.clear("web", rig.now)
    assert not rig.router.latch.active


def test_other_inputs_are_looked_at_behind_a_lost_one() -> None:
    rig = Rig(*ALL, route("pedal", "websocket", "*", [STOP.mapping[0].model_dump(by_alias=True)]))
    rig.send("rc", stick=0.0, wheel=0.0, switch=1.0)
    rig.wait(0.2)
    rig.send("websocket:1", switch=1.0)
    with pytest.raises(SaintError, match="switch of websocket:1"):
        rig.clear("web", rig.now)


@pytest.mark.parametrize(("requested", "barred"), [(0.02, False), (0.0201, True), (-0.0201, True)])
def test_two_percent_count_as_standing_still(requested: float, barred: bool) -> None:
    rig = Rig(route("d", "rc", "tracks", [{"from": "x", "to": "linear", "scale": 1.5}]))
    stopped(rig)
    rig.send("rc", x=requested)
    if not barred:
        rig.clear("web", rig.now)
        return
    with pytest.raises(SaintError, match="still requests"):
        rig.clear("web", rig.now)


def test_tolerance_is_of_the_larger_limit_and_around_the_rest() -> None:
    rig = Rig(route("d", "rc", "tracks", [{"from": "x", "to": "linear"}]))
    output = rig.router.by_name["tracks", "linear"]
    output.low, output.high = -0.5, 10.0
    stopped(rig)
    rig.send("rc", x=0.19)
    rig.clear("web", rig.now)
    output.low, output.high = 0.5, 1.5  # something that never stands still: rest is 0.5
    stopped(rig)
    rig.send("rc", x=0.51)
    rig.clear("web", rig.now)
    assert not rig.router.latch.active


def test_first_generation_is_0() -> None:
    assert Latch().generation == 0


def test_reset_while_the_loop_was_late_uses_the_time_that_it_is() -> None:
    rig = Rig(*ALL)
    rig.stream(0.1, "rc", stick=1.0, wheel=0.0, switch=-1.0)
    stopped(rig)
    rig.now += 0.5
    rig.clear("web", rig.now)
    assert not rig.router.latch.active


def test_signal_that_is_lost_no_longer_requests_the_stop() -> None:
    rig = Rig(STOP)
    rig.send("rc", switch=1.0)
    rig.send("rc", failsafe=True)
    rig.clear("web", rig.now)
    assert not rig.router.latch.active


def test_taking_and_releasing_control_moves_nothing_while_stopped() -> None:
    rig = Rig(*ALL)
    rig.stream(0.1, "websocket:1", "tracks", linear=0.5)
    stopped(rig)
    rig.send("websocket:1", "tracks", linear=0.5)
    rig.router.take_control("tracks", "websocket:1", 1.0, rig.now)
    assert rig.output("tracks.linear").winner == ""
    rig.router.release_control("tracks", "websocket:1", rig.now)
    assert rig.output("tracks.linear").winner == ""
    assert rig.value("tracks.linear") == 0.0


def test_stop_route_that_is_enabled_ignores_samples_that_timed_out() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", stick=0.0, switch=1.0)
    rig.wait(0.12)
    rig.router.set_routes([DRIVE, STOP], rig.now)
    assert not rig.router.latch.active


def test_edit_while_stopped_arms_nobody() -> None:
    rig = Rig(*ALL)
    rig.stream(0.1, "rc", stick=0.0, wheel=0.0, switch=-1.0)
    stopped(rig)
    rig.router.set_routes([DRIVE, STOP], rig.now)
    rig.stream(0.1, "rc", stick=0.5, wheel=0.0, switch=-1.0)
    rig.router.set_routes([*ALL], rig.now)
    rig.wait(0.2)
    rig.clear("web", rig.now)
    rig.stream(0.3, "rc", stick=0.5, wheel=0.0, switch=-1.0)
    assert rig.value("tracks.linear") == 0.0


def test_switch_and_stick_of_one_sample_stop_first() -> None:
    rig = Rig(*ALL)
    rig.stream(0.3, "rc", stick=0.0, wheel=0.0, switch=0.0)
    rig.send("rc", stick=1.0, wheel=1.0, switch=1.0)
    assert (rig.value("tracks.linear"), rig.value("tracks.angular")) == (0.0, 0.0)
    assert rig.router.wake_at == float("inf")


@pytest.mark.parametrize("moved", ["out", "in"])
def test_after_reset_one_moved_input_of_several_is_enough(moved: str) -> None:
    arrows = [{"from": "out", "to": "linear"}, {"from": "in", "to": "linear", "scale": -1}]
    rig = Rig(route("both", "rc", "tracks", arrows))
    rig.stream(0.1, "rc", **{"out": 0.0, "in": 0.0})
    stopped(rig)
    rig.stream(0.1, "rc", **{"out": 0.0, "in": 0.0})
    rig.clear("web", rig.now)
    rig.stream(0.1, "rc", **{"out": 0.0, "in": 0.0})
    assert rig.output("tracks.linear").winner == ""
    rig.stream(0.2, "rc", **({"out": 0.0, "in": 0.0} | {moved: 0.5}))
    assert rig.value("tracks.linear") == (0.5 if moved == "out" else -0.5)
