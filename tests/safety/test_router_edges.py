"""What happens exactly at a bound: at the very moment of a time-out, at the very first sample. The
numbers are typed by hand; times are sums of powers of two, so that they are exact.
"""

import pytest

from saint_services.lib.api.mapping import Mapping
from saint_services.lib.errors import Code, SaintError
from saint_services.routerd.estop.latch import Latch
from saint_services.routerd.fields.targets import MODIFIERS
from saint_services.routerd.routes.mapping import Shape, shape
from tests.unit.routerd.rig import DIRECT, DRIVE, FACE, STOP, Rig, route


class TestEstopSwitch:
    def test_a_switch_that_is_on_bars_the_reset_for_120_ms_and_no_longer(self) -> None:
        rig = Rig(DRIVE, STOP)
        rig.send("rc", stick=0.0, switch=1.0)
        with pytest.raises(SaintError, match="still requests the stop"):
            rig.clear("web", rig.now + 0.1199)
        rig.clear("web", rig.now + 0.120)
        assert not rig.router.latch.active


class TestStart:
    def test_unsound_routes_are_refused(self) -> None:
        with pytest.raises(SaintError, match="two routes 'rc_drive'") as caught:
            Rig(DRIVE, DRIVE)
        assert caught.value.code is Code.REQUEST_INVALID

    def test_a_latch_from_before_stops_everything(self) -> None:
        rig = Rig(DRIVE, latch=Latch(active=True, source="web", generation=7))
        outputs = rig.status().outputs
        assert {each.policy for each in outputs} == {"estop"}
        assert {each.changed_ms for each in outputs} == {0}
        rig.stream(0.3, "rc", stick=1.0)
        assert rig.value("tracks.linear") == 0.0


class TestSilence:
    def test_source_that_is_received_at_its_time_out_returns_as_lost(self) -> None:
        rig = Rig(DRIVE, DIRECT, source_timeout_ms=125, hysteresis_ms=250)
        rig.send("rc", stick=0.0)
        for _ in range(4):
            rig.send("websocket:1", "tracks", linear=0.04)
            rig.wait(0.03125)  # 4 x 31.25 ms are 125 ms
        assert rig.output("tracks.linear").winner == "web"
        for _ in range(8):
            assert rig.output("tracks.linear").winner == "web"
            rig.send("rc", stick=0.0)
            rig.send("websocket:1", "tracks", linear=0.04)
            rig.wait(0.03125)
        assert rig.output("tracks.linear").winner == "rc_drive"

    def test_a_refused_sample_returns_false(self) -> None:
        rig = Rig(FACE, route("r", "rc", "head", [{"from": "x", "to": "pan"}]))
        assert rig.send("rc", x=1.0)
        assert not rig.send("joystick", x=1.0)
        assert not rig.send("rc", sequence=1, x=1.0)
        assert not rig.send("rc", x=float("nan"))
        assert not rig.send("rc", "legs", x=1.0)
        assert rig.send("rc", failsafe=True)


SUM = route(
    "sum", "websocket", "tracks", [{"from": x, "to": "linear", "scale": 0.02} for x in "ab"]
)


class TestSamples:
    def test_only_accepted_ones_are_counted(self) -> None:
        rig = Rig(DRIVE)
        assert rig.router.samples == 0
        for accepted, more in ((1, {}), (1, {"sequence": 1}), (2, {}), (3, {"failsafe": True})):
            rig.send("rc", stick=0.0, **more)  # type: ignore[arg-type]
            assert rig.router.samples == accepted

    def test_no_step_is_due_for_what_has_arrived(self) -> None:
        rig = Rig(DRIVE)
        for stick in (0.0, 0.02, 0.03):
            rig.send("rc", stick=stick)
            rig.now += 0.0078125
        assert rig.router.wake_at == 1000.120  # the time-out of the first
        rig.send("rc", stick=1.0)
        assert rig.router.wake_at == rig.now + 0.010

    def test_a_sum_that_is_not_in_control_moves_nothing(self) -> None:
        rig = Rig(DRIVE, SUM)
        for step in range(20):
            rig.send("rc", stick=0.5)
            rig.send("websocket:1", a=1.0, b=step / 20)
            rig.wait(0.01)
            assert rig.output("tracks.linear").winner == "rc_drive"
        assert rig.value("tracks.linear") == 0.75

    def test_a_sum_in_control_follows_each_of_its_inputs(self) -> None:
        rig = Rig(SUM)
        for a, b in ((0.5, 0.5), (1.0, 0.5), (1.0, -1.0)):
            for _ in range(3):
                rig.send("websocket:1", a=a, b=b)
                rig.wait(0.01)
            assert rig.value("tracks.linear") == pytest.approx(0.02 * (a + b))


class TestWhileStopped:
    def test_a_stick_that_is_moved_arms_nothing(self) -> None:
        rig = Rig(DRIVE, SUM)
        rig.send("rc", stick=0.0)
        rig.send("websocket:1", a=0.0, b=0.0)
        rig.router.raise_estop("test", "", rig.now)
        rig.clear("test", rig.now)
        rig.router.raise_estop("test", "", rig.now)
        for step in range(1, 40):  # nothing counts as moved yet, and nothing may
            rig.send("rc", stick=step / 40)
            rig.send("websocket:1", a=step / 40, b=1.0)
            rig.wait(0.01)
            assert rig.value("tracks.linear") == 0.0
            assert (rig.output("tracks.linear").winner, rig.router.dirty) == ("", set())
            assert {each.reason for each in rig.output("tracks.linear").rivals} == {"e-stop"}


class TestAfterTheReset:
    def test_a_safety_input_that_died_while_stopped_stops_again_at_once(self) -> None:
        rig = Rig(DRIVE)
        rig.send("safety:bumper", pressed=0.0)
        rig.router.raise_estop("web", "", rig.now)
        rig.wait(1.0)
        rig.clear("web", rig.now)
        rig.wait(0.0)  # nobody sends anything
        assert rig.router.latch.active
        assert (rig.router.latch.source, rig.router.latch.reason) == (
            "safety:bumper", "its signal timed out",
        )  # fmt: skip

    def test_a_safety_input_that_lives_is_watched_on(self) -> None:
        rig = Rig(DRIVE)
        rig.router.raise_estop("web", "", rig.now)
        rig.send("safety:bumper", pressed=0.0)
        rig.clear("web", rig.now)
        rig.wait(0.0)
        assert rig.router.wake_at == rig.now + 0.300
        rig.wait(0.301)
        assert rig.router.latch.source == "safety:bumper"

    def test_one_that_said_so_itself_is_not_watched_any_more(self) -> None:
        rig = Rig(DRIVE)
        rig.send("safety:bumper", pressed=0.0)
        rig.send("safety:bumper", failsafe=True)
        rig.clear("web", rig.now)
        rig.wait(2.0)
        rig.router.advance(rig.now)
        assert not rig.router.latch.active

    def test_a_stick_that_was_moved_meanwhile_drives_with_its_first_sample(self) -> None:
        rig = Rig(DRIVE)
        rig.send("rc", stick=0.0)
        rig.router.raise_estop("web", "", rig.now)
        rig.clear("web", rig.now)
        rig.send("rc", stick=0.5, trim=0.0)  # other names: another stream
        assert rig.output("tracks.linear").winner == "rc_drive"


CURVES: list[dict[str, object]] = [
    {},
    {"deadzone": 0.25},
    {"curve": "exponential", "expo": 0.5},
    {"deadzone": 0.25, "curve": "exponential", "expo": 0.5},
]


def shaped(low: float = -100.0, high: float = 100.0, **more: object) -> Shape:
    return shape(Mapping.model_validate({"from": "x", "to": "y", **more}), low, high)


@pytest.mark.parametrize("curve", CURVES)
class TestMapping:
    """Whatever the curve, full deflection is full and the middle is the middle."""

    def test_it_is_scaled_and_moved(self, curve: dict[str, object]) -> None:
        run = shaped(scale=2.0, offset=0.5, **curve)
        assert [run(x) for x in (-1.0, 0.0, 1.0)] == [-1.5, 0.5, 2.5]
        run = shaped(scale=2.0, offset=0.5, inverted=True, **curve)
        assert [run(x) for x in (-1.0, 0.0, 1.0)] == [2.5, 0.5, -1.5]

    def test_its_bounds_are_the_narrower_ones(self, curve: dict[str, object]) -> None:
        for bounds in ({"low": -1.0, "high": 2.0}, {"clamp": [-1.0, 2.0]}):
            run = shaped(scale=2.0, offset=0.5, **bounds, **curve)  # type: ignore[arg-type]
            assert [run(x) for x in (-1.0, 1.0)] == [-1.0, 2.0]
            assert run(0.0) == 0.5
        run = shaped(0.0, 1.0, scale=2.0, offset=0.5, clamp=[-1.0, 2.0], **curve)
        assert [run(x) for x in (-1.0, 1.0)] == [0.0, 1.0]

    def test_a_scale_of_0_is_the_offset_for_any_input(self, curve: dict[str, object]) -> None:
        run = shaped(scale=0.0, offset=0.5, **curve)
        assert [run(x) for x in (0.0, 1.0, 1e300, -1e300)] == [0.5] * 4

    def test_no_input_is_too_large(self, curve: dict[str, object]) -> None:
        run = shaped(scale=1e300, offset=-1e300, **curve)
        assert [run(x) for x in (1e300, -1e300)] == [100.0, -100.0]


def test_curves_between_the_middle_and_the_end() -> None:
    # 0.25 is the deadzone's end, (0.625 - 0.25) / 0.75 is a half; 0.5 x 0.5 + 0.5 x 0.125.
    found = [shaped(scale=4.0, offset=1.0, **curve)(0.625) for curve in CURVES]
    assert found == [3.5, 3.0, 4.0 * (0.5 + 0.5 * 0.625**2) * 0.625 + 1.0, 2.25]
    assert [shaped(**curve)(0.25) for curve in CURVES[1::2]] == [0.0, 0.0]
    assert [shaped(**curve)(-0.625) for curve in CURVES[1::2]] == [-0.5, -0.3125]


@pytest.mark.parametrize(
    ("message", "name", "bounds", "is_pace"),
    [
        ("HeadCommand", "speed", (0.0, 1.0, 1.0), True),
        ("ArmCommand", "speed", (0.0, 1.0, 1.0), True),
        ("GripperCommand", "force", (0.0, 1000.0, 0.0), False),
    ],
)
def test_speed_is_a_share_and_force_ends_at_1000(
    message: str, name: str, bounds: tuple[float, float, float], is_pace: bool
) -> None:
    (modifier,) = MODIFIERS[f"saint_msgs/msg/{message}"]
    assert (modifier.name, modifier.is_pace) == (name, is_pace)
    assert (modifier.low, modifier.high, modifier.neutral) == bounds
