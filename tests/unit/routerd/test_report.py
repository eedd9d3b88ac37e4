"""What is reported of a field: the winner, why not the others, since when, limited or not."""

import math

import pytest

from saint_services.lib.api.routing import StopOutcomeInfo
from saint_services.routerd import report
from saint_services.routerd.estop.latch import Latch
from tests.unit.routerd.rig import DIRECT, DRIVE, FACE, STOP, TURN, Rig, route


def reasons(rig: Rig, name: str = "tracks.linear") -> dict[str, str]:
    return {contender.route: contender.reason for contender in rig.output(name).rivals}


def test_winner_is_reported_with_source_and_age() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", stick=0.02)
    rig.wait(0.05)
    output = rig.output("tracks.linear")
    assert (output.winner, output.source, output.age_ms) == ("rc_drive", "rc", 50)
    assert (output.policy, output.unit, output.value) == ("live", "m/s", pytest.approx(0.03))


def test_change_of_control_is_timed() -> None:
    rig = Rig(DRIVE, DIRECT)
    assert rig.output("tracks.linear").changed_ms == 0
    rig.stream(0.25, "websocket:1", "tracks", linear=0.0)
    assert rig.output("tracks.linear").changed_ms == 250
    rig.stream(0.1, "rc", stick=0.0)
    assert rig.output("tracks.linear").changed_ms == 100


@pytest.mark.parametrize("mode", ["additive", "blend"])
def test_mix_that_hits_the_limit_is_clamped(mode: str) -> None:
    ask = [{"from": "stick", "to": "linear", "scale": 5.0}]
    rig = Rig(route("a", "rc", "tracks", ask), route("b", "websocket", "tracks", ask), mode=mode)
    for _ in range(100):
        rig.send("rc", stick=1.0)
        rig.send("websocket:1", stick=1.0)
        rig.wait(0.01)
    output = rig.output("tracks.linear")
    assert output.value == rig.router.by_name["tracks", "linear"].high
    assert output.clamped


@pytest.mark.parametrize("mode", ["additive", "blend"])
def test_mix_within_the_limits_is_not_clamped(mode: str) -> None:
    rig = Rig(DRIVE, DIRECT, mode=mode)
    for _ in range(100):
        rig.send("rc", stick=0.1)
        rig.send("websocket:1", "tracks", linear=0.2)
        rig.wait(0.01)
    assert not rig.output("tracks.linear").clamped


def test_member_of_a_mix_that_is_limited_itself_makes_it_clamped() -> None:
    rig = Rig(DRIVE, DIRECT, mode="additive")
    for _ in range(100):
        rig.send("rc", stick=3.0)
        rig.send("websocket:1", "tracks", linear=-0.5)
        rig.wait(0.01)
    assert rig.output("tracks.linear").clamped


def test_position_that_nobody_drove_since_the_start_is_unknown() -> None:
    rig = Rig(FACE)
    output = rig.output("head.pan")
    assert (output.value, output.policy, output.changed_ms) == (None, "none", 0)
    pan = next(f for f in report.message(rig.router, rig.now).fields if f.field == "pan")
    assert math.isnan(pan.value)
    assert rig.output("tracks.linear").policy == "none"


def test_position_that_was_stopped_is_unknown_until_it_is_driven_again() -> None:
    rig = Rig(FACE)
    rig.stream(1.0, "livelink:a", headYaw=0.5)
    assert rig.output("head.pan").value == pytest.approx(28.6, abs=0.1)
    rig.router.raise_estop("desk", "test", rig.now)
    stopped = rig.output("head.pan")
    assert (stopped.value, stopped.policy) == (None, "estop")
    rig.wait(1.0)
    rig.clear("desk", rig.now)
    rig.wait(0.1)
    cleared = rig.output("head.pan")
    assert (cleared.value, cleared.policy, cleared.changed_ms) == (None, "none", 100)


def test_position_that_was_lost_reports_the_requested_value() -> None:
    rig = Rig(FACE)
    rig.stream(1.0, "livelink:a", headYaw=0.5)
    rig.wait(5.0)
    output = rig.output("head.pan")
    assert output.policy == rig.router.by_name["head", "pan"].on_loss
    assert output.value is not None


def test_age_beyond_what_the_message_holds_is_not_unknown() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", stick=0.0)
    rig.now += 60 * 86_400
    fields = report.message(rig.router, rig.now).fields
    assert next(each.age_ms for each in fields if each.winner) == 0xFFFFFFFE


@pytest.mark.parametrize(
    ("stick", "clamp", "clamped"),
    [(0.5, None, False), (0.5, [-0.5, 0.5], True), (2.0, None, True), (0.3, [-0.5, 0.5], False)],
)
def test_limits_that_apply_are_reported(
    stick: float, clamp: list[float] | None, clamped: bool
) -> None:
    arrow = {"from": "stick", "to": "linear", "scale": 1.5, "clamp": clamp}
    rig = Rig(route("r", "rc", "tracks", [arrow]))
    rig.stream(0.5, "rc", stick=stick)
    assert rig.output("tracks.linear").clamped is clamped


def test_every_reason_has_its_word() -> None:
    low = route("low", "autonomous", "*")
    rig = Rig(DRIVE, DIRECT, low)
    rig.send("autonomous:a", "tracks", linear=0.01)
    rig.send("websocket:1", "tracks", linear=0.01)
    rig.send("websocket:2", "tracks", linear=0.01)
    assert reasons(rig) == {"web": "came later", "low": "lower priority"}
    rig.send("rc", failsafe=True)
    assert "rc_drive" not in reasons(rig)  # no sample of it was received
    rig.send("rc", stick=0.0)
    rig.send("rc", failsafe=True)
    assert reasons(rig)["rc_drive"] == "failsafe"
    rig.wait(0.31)
    assert reasons(rig) == {"rc_drive": "failsafe", "web": "timed out", "low": "timed out"}
    rig.send("rc", stick=0.0)
    rig.router.raise_estop("t", "", rig.now)
    assert reasons(rig)["rc_drive"] == "e-stop"
    rig.clear("t", rig.now)
    assert reasons(rig)["rc_drive"] == "must move first"


def test_contenders_are_forgotten_after_a_minute() -> None:
    rig = Rig(DRIVE, DIRECT)
    rig.send("rc", stick=0.0)
    rig.send("websocket:1", "tracks", linear=0.0)
    rig.wait(59.9)
    assert set(reasons(rig)) == {"rc_drive", "web"}
    assert {source.source for source in rig.status().sources} == {"rc", "websocket:1"}
    rig.wait(0.2)
    assert reasons(rig) == {}
    assert rig.status().sources == []


def test_contender_in_failsafe_stays_listed() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", stick=0.0)
    rig.send("rc", failsafe=True)
    assert rig.output("tracks.linear").rivals[0].age_ms is None
    fields = report.message(rig.router, rig.now).fields
    listed = next(each.rivals for each in fields if each.rivals)
    assert listed[0].age_ms == 0xFFFFFFFF


def test_state_is_blending_when_contenders_meet_in_one_field_only() -> None:
    rig = Rig(DRIVE, TURN, FACE)
    rig.send("rc", stick=0.0, wheel=0.0)
    rig.send("livelink:a", headYaw=0.0)
    assert rig.status().state == "routing"
    rig.router.raise_estop("t", "", rig.now)
    assert rig.status().state == "estop"


def test_latch_is_reported_only_while_it_is_active() -> None:
    rig = Rig(STOP)
    rig.send("rc", switch=1.0)
    rig.router.stamp_presses("then")
    info = report.estop_info(rig.router.latch, "")
    assert (info.active, info.source, info.since) == (True, "rc", "then")
    assert info.reason == "switch (route rc_stop)"
    rig.send("rc", switch=0.0)
    rig.clear("desk", rig.now)
    info = report.estop_info(rig.router.latch, "")
    assert (info.active, info.source, info.reason, info.since) == (False, "", "", "")


def test_message_says_the_same_as_the_status() -> None:
    rig = Rig(DRIVE, DIRECT)
    rig.send("rc", stick=0.02)
    rig.send("websocket:1", "tracks", linear=0.01)
    message = report.message(rig.router, rig.now)
    assert (message.state, message.estop, message.estop_source) == ("blending", False, "")
    status = rig.status()
    assert len(message.fields) == len(status.outputs)
    for field, output in zip(message.fields, status.outputs, strict=True):
        reported = output.model_dump(exclude={"rivals"})
        reported["value"] = (
            field.value
            if reported["value"] is None and math.isnan(field.value)
            else reported["value"]
        )
        assert {name: getattr(field, name) for name in reported} == reported
        assert [(r.route, r.source, r.value, r.age_ms, r.reason) for r in field.rivals] == [
            (r.route, r.source, r.value, r.age_ms, r.reason) for r in output.rivals
        ]
    rig.router.raise_estop("desk", "test", rig.now)
    message = report.message(rig.router, rig.now)
    assert (message.estop, message.estop_source, message.estop_reason) == (True, "desk", "test")


def test_route_list_shows_which_routes_are_active() -> None:
    off = FACE.model_copy(update={"enabled": False})
    rig = Rig(DRIVE, STOP, DIRECT, off)
    rig.send("rc", stick=0.0, switch=0.0)
    words = {info.route.id: info.status for info in report.route_list(rig.router, rig.now)}
    assert words == {
        "rc_drive": "active", "rc_stop": "active", "web": "standby", "face": "disabled",
    }  # fmt: skip
    rig.wait(0.2)
    words = {info.route.id: info.status for info in report.route_list(rig.router, rig.now)}
    assert words["rc_stop"] == "standby"


def test_source_is_reported_with_all_its_live_streams() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "tracks", linear=0.1)
    rig.send("websocket:1", "head", pan=2.0)
    (source,) = rig.status().sources
    assert source.values == {"tracks.linear": 0.1, "head.pan": 2.0}
    assert (source.alive, source.failsafe, source.age_ms) == (True, False, 0)
    rig.wait(0.31)
    (source,) = rig.status().sources
    assert (source.alive, source.values, source.age_ms) == (False, {"head.pan": 2.0}, 310)
    rig.send("websocket:1", failsafe=True)
    (source,) = rig.status().sources
    assert (source.alive, source.failsafe) == (False, True)


def test_lock_is_reported_with_its_remaining_time() -> None:
    rig = Rig(DIRECT)
    rig.router.take_control("head", "websocket:1", 2.0, rig.now)
    rig.wait(0.5)
    (lock,) = rig.status().control
    assert (lock.target, lock.holder, lock.remaining_ms) == ("head", "websocket:1", 1500)


def test_released_latch_names_nobody() -> None:
    rig = Rig(DRIVE)
    rig.router.raise_estop("desk", "test", rig.now)
    rig.clear("desk", rig.now)
    message = report.message(rig.router, rig.now)
    assert (message.estop, message.estop_source, message.estop_reason) == (False, "", "")


def test_two_in_one_field_are_blending_whatever_another_field_has() -> None:
    rig = Rig(DRIVE, DIRECT)
    rig.send("rc", stick=0.02)
    rig.send("websocket:1", "tracks", linear=0.01, angular=0.1)
    assert rig.status().state == "blending"


def test_source_is_silent_at_the_very_end_of_its_time() -> None:
    rig = Rig(STOP, DIRECT)
    rig.send("rc", switch=0.0)
    (source,) = rig.status().sources
    rig.now = rig.router.sources["rc"].received + rig.router.sources["rc"].timeout_s
    (source,) = rig.status().sources
    assert not source.alive
    words = {info.route.id: info.status for info in report.route_list(rig.router, rig.now)}
    assert words["rc_stop"] == "standby"


def test_source_and_contender_are_forgotten_after_exactly_a_minute() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "tracks", linear=0.0)
    rig.wait(0.4)
    rig.now = rig.router.sources["websocket:1"].received + 60.0
    assert (rig.status().sources, reasons(rig)) == ([], {})


def test_field_that_nobody_moves_has_no_age() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", stick=0.0)
    ages = {output.field: output.age_ms for output in rig.status().outputs if not output.winner}
    assert set(ages.values()) == {0}
    fields = report.message(rig.router, rig.now).fields
    assert {field.age_ms for field in fields if not field.winner} == {0}


def test_field_that_a_lost_source_keeps_names_it() -> None:
    pan = route("pan", "rc", "head", [{"from": "stick", "to": "pan"}])
    rig = Rig(pan, DIRECT)
    rig.send("rc", stick=0.02)
    rig.send("websocket:1", "head", pan=0.02)
    rig.send("rc", failsafe=True, stick=0.02)
    assert reasons(rig, "head.pan")["web"] == "failsafe of rc holds"


def test_member_of_a_mix_says_so() -> None:
    rig = Rig(DRIVE, DIRECT, mode="additive")
    rig.send("rc", stick=0.02)
    rig.send("websocket:1", "tracks", linear=0.01)
    assert reasons(rig) == {"web": "mixed in"}
    (claim,) = (each for each in rig.router.claims if each.route == "web")
    claim.steady_at = rig.now
    assert reasons(rig) == {"web": "mixed in"}
    claim.steady_at = rig.now + 0.001
    assert reasons(rig) == {"web": "returned just now"}
    claim.output.members = ()
    claim.steady_at = rig.now
    assert reasons(rig) == {"web": "lower priority"}


@pytest.mark.parametrize(
    ("states", "confirmed"),
    [([], False), (["silent"], False), (["stopped", "absent"], True), (["guard", "silent"], False)],
)
def test_stop_is_confirmed_by_everyone_and_never_by_nobody(
    states: list[str], confirmed: bool
) -> None:
    outcomes = [StopOutcomeInfo.model_validate({"target": "t", "state": each}) for each in states]
    info = report.estop_info(Latch(True, "desk", "test", 1), "", outcomes)
    assert (info.confirmed, info.outcomes, info.stored) == (confirmed, outcomes, True)
    assert not report.estop_info(Latch(), "the disk is full").stored


def test_message_takes_the_fields_that_the_caller_brings() -> None:
    rig = Rig(DRIVE)
    assert report.message(rig.router, rig.now, []).fields == []


def test_source_without_a_target_is_reported_with_plain_names_and_its_rate() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", stick=0.25)
    rig.router.sources["rc"].rate_hz = 33.333
    (source,) = rig.status().sources
    assert (source.values, source.rate_hz) == ({"stick": 0.25}, 33.3)
