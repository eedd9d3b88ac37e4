"""What a change of routes or of settings does to claims that are live: their time-outs, their
order, what counts as a movement. All numbers are typed by hand.
"""

import pytest

from saint_services.lib.api.routing import Blending
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.saint_msgs import InputSample
from tests.unit.routerd.rig import DIRECT, DRIVE, FACE, Rig, route


def both(rig: Rig, times: int, stick: float = 0.0) -> None:
    for _ in range(times):
        rig.send("rc", stick=stick)
        rig.send("websocket:1", "tracks", linear=0.04)
        rig.wait(0.01)


class TestTimeOuts:
    def test_a_route_has_its_own(self) -> None:
        rig = Rig(DRIVE.model_copy(update={"timeout_ms": 250}))
        rig.send("rc", stick=0.0)
        rig.wait(0.2499)
        assert rig.output("tracks.linear").winner == "rc_drive"
        rig.wait(0.0002)
        assert rig.output("tracks.linear").winner == ""

    def test_a_route_that_loses_sooner_than_its_source_comes_back_like_any_other(self) -> None:
        rig = Rig(DRIVE.model_copy(update={"timeout_ms": 50}), DIRECT, hysteresis_ms=100)
        both(rig, 5)
        for _ in range(8):
            rig.send("websocket:1", "tracks", linear=0.04)
            rig.wait(0.01)
        assert rig.output("tracks.linear").winner == "web"
        both(rig, 9)
        assert rig.output("tracks.linear").winner == "web"
        both(rig, 3)
        assert rig.output("tracks.linear").winner == "rc_drive"

    def test_new_settings_count_at_once(self) -> None:
        rig = Rig(DRIVE)
        rig.send("rc", stick=0.0)
        blending = Blending(source_timeout_ms=500)
        rig.router.set_routes([DRIVE], rig.now, blending)
        assert rig.router.blending is blending
        rig.wait(0.499)
        assert rig.output("tracks.linear").winner == "rc_drive"
        assert rig.router.sources["rc"].is_alive(rig.now)
        rig.wait(0.002)
        assert rig.output("tracks.linear").winner == ""


class TestOrder:
    def test_of_equals_the_first_in_the_file_is_next(self) -> None:
        head = [{"from": "headYaw", "to": "pan"}]
        first = route("first", "livelink", "head", head, input={"subject": "a"})
        second = route("second", "livelink", "head", head, input={"subject": "b"})
        rig = Rig(first, second, route("high", "rc", "head", [{"from": "x", "to": "pan"}]))
        rig.send("rc", x=0.0)
        for _ in range(2):
            rig.send("livelink:b", headYaw=0.0)  # received first, but second in the file
            rig.send("livelink:a", headYaw=0.0)
        rig.wait(0.13)
        assert rig.output("head.pan").winner == "first"

    def test_contenders_are_listed_strongest_first(self) -> None:
        pan = [{"from": "x", "to": "pan"}]
        kinds = ("autonomous:a", "livelink:a", "websocket:a", "rc")
        rig = Rig(
            *[route(kind.partition(":")[0], kind.partition(":")[0], "head", pan) for kind in kinds]
        )
        for kind in kinds:
            rig.send(kind, x=0.0)
        listed = [each.route for each in rig.output("head.pan").rivals]
        assert listed == ["websocket", "livelink", "autonomous"]


class TestMovement:
    def test_a_route_that_gets_a_second_input_must_be_moved_all_the_same(self) -> None:
        rig = Rig(DRIVE)
        rig.send("rc", stick=0.0, trim=0.0)
        rig.router.raise_estop("test", "", rig.now)
        rig.clear("test", rig.now)
        two = [{"from": name, "to": "linear"} for name in ("stick", "trim")]
        rig.router.set_routes([route("rc_drive", "rc", "tracks", two)], rig.now)
        for stick, winner in ((0.0, ""), (0.04, ""), (0.06, "rc_drive")):
            rig.send("rc", stick=stick, trim=0.0)
            assert rig.output("tracks.linear").winner == winner

    @pytest.mark.parametrize(("linear", "moves"), [(0.0149, False), (0.0151, True)])
    def test_of_a_direct_command_is_half_a_percent_of_the_range(
        self, linear: float, moves: bool
    ) -> None:
        rig = Rig(DIRECT)  # 3 m/s from end to end
        rig.send("websocket:1", "tracks", linear=0.0)
        rig.router.raise_estop("test", "", rig.now)
        rig.clear("test", rig.now)
        rig.send("websocket:1", "tracks", linear=linear)
        assert (rig.output("tracks.linear").winner == "web") is moves

    @pytest.mark.parametrize(("stick", "moves"), [(0.0499, False), (0.0501, True)])
    def test_of_a_stick_is_5_percent_of_its_way(self, stick: float, moves: bool) -> None:
        rig = Rig(DRIVE)
        rig.send("rc", stick=0.0)
        rig.router.raise_estop("test", "", rig.now)
        rig.clear("test", rig.now)
        rig.send("rc", stick=stick)
        assert (rig.output("tracks.linear").winner == "rc_drive") is moves


class TestNewRoutes:
    def test_an_edit_forgets_no_movement_that_is_due(self) -> None:
        rig = Rig(DRIVE)
        rig.send("rc", stick=0.0)
        rig.router.raise_estop("test", "", rig.now)
        rig.clear("test", rig.now)
        rig.router.set_routes([DRIVE], rig.now)
        rig.send("rc", stick=0.06)
        assert rig.output("tracks.linear").winner == "rc_drive"

    def test_the_parts_of_a_sum_are_not_limited_one_by_one(self) -> None:
        parts = [
            {"from": "a", "to": "linear", "scale": 10},
            {"from": "b", "to": "linear", "scale": 9},
        ]
        rig = Rig(route("sum", "rc", "tracks", parts))
        rig.stream(0.5, "rc", a=1.0, b=-1.0)
        assert rig.value("tracks.linear") == 1.0

    def test_a_velocity_must_be_moved_from_where_it_stood_at_the_edit(self) -> None:
        rig = Rig(FACE)
        rig.send("rc", stick=0.5)
        rig.router.set_routes([FACE, DRIVE], rig.now)
        assert rig.output("tracks.linear").rivals[0].reason == "must move first"
        rig.send("rc", stick=0.54)
        assert rig.output("tracks.linear").winner == ""
        rig.send("rc", stick=0.56)
        assert rig.output("tracks.linear").winner == "rc_drive"

    def test_a_position_drives_at_once(self) -> None:
        rig = Rig(FACE)
        rig.send("rc", stick=0.5)
        pan = route("rc_pan", "rc", "head", [{"from": "stick", "to": "pan"}])
        rig.router.set_routes([FACE, pan], rig.now)
        assert (rig.output("head.pan").winner, rig.value("head.pan")) == ("rc_pan", 0.5)

    def test_who_comes_after_the_edit_drives_at_once(self) -> None:
        rig = Rig(FACE)
        rig.router.set_routes([FACE, DRIVE], rig.now)
        rig.send("rc", stick=0.5)
        assert rig.output("tracks.linear").winner == "rc_drive"

    def test_they_know_the_locks(self) -> None:
        rig = Rig(FACE)
        rig.router.take_control("head", "websocket:2", 60.0, rig.now)
        rig.send("rc", stick=0.5)
        pan = route("rc_pan", "rc", "head", [{"from": "stick", "to": "pan"}])
        rig.router.set_routes([FACE, pan], rig.now)
        output = rig.output("head.pan")
        assert (output.winner, output.rivals[0].reason) == ("", "panel locked by websocket:2")

    def test_unsound_ones_change_nothing(self) -> None:
        rig = Rig(DRIVE)
        with pytest.raises(SaintError, match="two routes"):
            rig.router.set_routes([FACE, FACE], rig.now)
        assert rig.router.routes == (DRIVE,)

    def test_a_stream_that_never_had_values_is_left_alone(self) -> None:
        rig = Rig(DRIVE)
        rig.router.raise_estop("test", "", rig.now)
        rig.clear("test", rig.now)
        assert not rig.router.sample(
            InputSample(source="rc", sequence=1, names=("stick",), values=()), "a", rig.now
        )
        rig.router.set_routes([DRIVE, FACE], rig.now)
        rig.router.raise_estop("test", "", rig.now)
        rig.clear("test", rig.now)
        assert rig.output("tracks.linear").winner == ""

    def test_values_under_other_names_are_no_motion_after_a_reset(self) -> None:
        """Two samples at one moment: the claim belongs to the newer one."""
        rig = Rig(DRIVE)
        rig.send("rc", stick=0.5, spare=0.0)
        rig.send("rc", stick=0.0)
        rig.router.raise_estop("test", "", rig.now)
        rig.wait(0.13)
        rig.clear("test", rig.now)
        rig.router.set_routes([DRIVE], rig.now, Blending(source_timeout_ms=1000))
        assert rig.output("tracks.linear").winner == ""

    def test_a_field_that_was_kept_for_a_route_that_is_gone_is_free(self) -> None:
        rig = Rig(DRIVE, DIRECT)
        both(rig, 10)
        rig.send("rc", failsafe=True, stick=0.0)
        rig.send("websocket:1", "tracks", linear=0.04)
        assert rig.output("tracks.linear").winner == ""
        rig.router.set_routes([DRIVE, DIRECT], rig.now)
        assert rig.output("tracks.linear").winner == ""
        rig.router.set_routes([DIRECT], rig.now)
        assert rig.output("tracks.linear").winner == "web"

    def test_a_route_that_is_gone_is_no_part_of_a_mix(self) -> None:
        rig = Rig(DRIVE, DIRECT, mode="blend", blend_time_ms=0)
        both(rig, 30, stick=0.4)
        assert rig.value("tracks.linear") == pytest.approx((300 * 0.6 + 200 * 0.04) / 500)
        rig.router.set_routes([DIRECT], rig.now)
        both(rig, 30, stick=0.4)
        assert rig.value("tracks.linear") == pytest.approx(0.04)


class TestLocks:
    def test_each_ends_at_its_own_time(self) -> None:
        rig = Rig(DIRECT, FACE)
        rig.router.take_control("tracks", "websocket:9", 2.0, rig.now)
        rig.router.take_control("head", "websocket:9", 1.0, rig.now)
        assert rig.router.wake_at == rig.now + 1.0
        rig.wait(0.999)
        assert set(rig.router.locks.held) == {"tracks", "head"}
        rig.wait(0.002)
        assert set(rig.router.locks.held) == {"tracks"}
        rig.wait(1.0)
        assert rig.router.locks.held == {}

    @pytest.mark.parametrize(
        ("target", "hint"), [("haed", "did you mean 'head'"), ("xyz", "known: head, ")]
    )
    def test_an_unknown_target_is_refused_with_a_hint(self, target: str, hint: str) -> None:
        rig = Rig(DIRECT)
        with pytest.raises(SaintError, match=hint):
            rig.router.take_control(target, "websocket:9", 1.0, rig.now)


class TestReset:
    def test_the_loss_policies_are_in_force_afterwards(self) -> None:
        rig = Rig(DRIVE, FACE)
        rig.router.raise_estop("test", "", rig.now)
        rig.wait(1.0)
        rig.clear("test", rig.now)
        for name, policy in (("tracks.linear", "ramp_to_zero"), ("head.pan", "hold")):
            target, _, field = name.rpartition(".")
            assert rig.router.by_name[target, field].policy == policy
            output = rig.output(name)  # nothing was driven, so there is nothing to keep or change
            assert (output.policy, output.changed_ms) == ("none", 0)


class TestSamplesOfAnotherForm:
    def test_a_failsafe_sample_with_more_names_than_values_raises_nothing(self) -> None:
        rig = Rig(DRIVE)
        rig.send("rc", stick=0.5)
        lost = InputSample(
            source="rc", sequence=9, failsafe=True, names=("stick", "trim"), values=(0.5,)
        )
        assert rig.router.sample(lost, "a", rig.now)
        assert rig.output("tracks.linear").winner == ""

    def test_an_unknown_field_is_counted_once_a_sample(self) -> None:
        rig = Rig(DIRECT)
        rig.send("websocket:1", "head", nose=1.0, ear=1.0)
        assert rig.router.refused["unknown field"] == 2
        rig.router.set_routes([DIRECT], rig.now)
        rig.send("websocket:1", "head", nose=1.0, ear=1.0)
        assert rig.router.refused["unknown field"] == 4


@pytest.mark.parametrize(("stick", "expected"), [(1.0, 1.5), (-1.0, -1.5), (0.25, 1.0)])
def test_mapping_alone_requests_no_more_than_its_field_allows(
    stick: float, expected: float
) -> None:
    rig = Rig(route("r", "rc", "tracks", [{"from": "stick", "to": "linear", "scale": 4.0}]))
    rig.send("rc", stick=stick)
    (claim,) = rig.router.claims
    assert (claim.value, rig.router.by_name["tracks", "linear"].want) == (expected, expected)


@pytest.mark.parametrize(("weight", "expected"), [(None, 300), (7.0, 7.0)])
def test_weight_is_that_of_the_route_else_its_priority(
    weight: float | None, expected: float
) -> None:
    mapping = [{"from": "stick", "to": "linear"}]
    rig = Rig(route("r", "rc", "tracks", mapping, weight=weight))
    rig.send("rc", stick=0.0)
    assert [claim.weight for claim in rig.router.claims] == [expected]
