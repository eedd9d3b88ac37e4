"""The safety argument for one output field: whatever is requested, it stays within its limits and
its rate, moves only for a live authorised source, obeys its loss policy and the e-stop. A field
states its numbers by hand (not from the manifests) and inherits the rest.
"""

import pytest

from saint_services.lib.api.routing import Route
from tests.unit.routerd.rig import STOP, Rig, route

HOSTILE = (3.4e38, -3.4e38, 1e9, -1e9, 1e-300)


class FieldArgument:
    """The argument for every field."""

    target: str
    field: str
    low: float
    high: float
    rate: float  # per second

    @property
    def name(self) -> str:
        return f"{self.target}.{self.field}"

    def direct(self) -> Route:
        return route("direct", "websocket", "*")

    def mapped(self, **more: float) -> Route:
        return route("mapped", "rc", self.target, [{"from": "x", "to": self.field, **more}])

    def value(self, rig: Rig) -> float:
        value = rig.value(self.name)
        assert value is not None
        return value

    @pytest.mark.parametrize("value", HOSTILE)
    def test_hostile_command_stays_within_the_limits(self, value: float) -> None:
        rig = Rig(self.direct())
        rig.stream(1.5, "websocket:1", self.target, **{self.field: value})
        assert self.low <= self.value(rig) <= self.high
        if abs(value) > 1:
            assert self.value(rig) == (self.high if value > 0 else self.low)
            assert rig.output(self.name).clamped

    @pytest.mark.parametrize("mode", ["priority", "blend", "additive"])
    @pytest.mark.parametrize("sign", [1, -1])
    def test_no_mapping_and_no_mix_widens_the_limits(self, mode: str, sign: int) -> None:
        wild = {"scale": 1e6 * sign, "offset": 1e300 * sign, "clamp": [-1e308, 1e308]}
        rig = Rig(
            route("a", "rc", self.target, [{"from": "x", "to": self.field, **wild}] * 3),
            route("b", "livelink", self.target, [{"from": "x", "to": self.field, **wild}]),
            mode=mode,
        )
        for _ in range(150):
            rig.send("rc", x=1.0)
            rig.send("livelink:a", x=1.0)
            rig.wait(0.01)
            assert self.low <= self.value(rig) <= self.high
        assert self.value(rig) == (self.high if sign > 0 else self.low)

    def test_jump_between_the_limits_takes_its_time(self) -> None:
        rig = Rig(self.direct())
        rig.stream(1.5, "websocket:1", self.target, **{self.field: -1e9})
        start, before = rig.now, self.value(rig)
        for _ in range(150):
            rig.send("websocket:1", self.target, **{self.field: 1e9})
            assert self.value(rig) - before <= self.rate * (rig.now - start + 0.0101)
            rig.wait(0.01)
        assert self.value(rig) == min(self.high, self.low + self.rate * 1.51) or (
            self.value(rig) >= self.low + self.rate * 1.49
        )

    def test_change_of_control_takes_its_time(self) -> None:
        low = route("low", "livelink", self.target, [{"from": "x", "to": self.field}])
        rig = Rig(self.mapped(), low, blend_time_ms=0)
        for x, source in ((self.low, "livelink:a"), (self.high, "rc")):
            start = rig.now
            before = rig.value(self.name)
            for _ in range(20):
                rig.send("livelink:a", x=self.low)
                if source == "rc":
                    rig.send("rc", x=x)
                if before is not None:
                    moved = abs(self.value(rig) - before)
                    assert moved <= self.rate * (rig.now - start + 0.0101)
                rig.wait(0.01)

    def test_unauthorised_source_moves_nothing(self) -> None:
        rig = Rig(self.mapped())
        before = rig.value(self.name)
        for source in ("websocket:1", "livelink:a", "autonomous:ros", "leader:left", "safety:a"):
            rig.stream(0.2, source, self.target, **{self.field: self.high})
            rig.stream(0.2, source, x=self.high)
            assert rig.value(self.name) == before
            assert rig.output(self.name).winner == ""

    def test_disabled_route_moves_nothing(self) -> None:
        rig = Rig(self.mapped().model_copy(update={"enabled": False}))
        before = rig.value(self.name)
        rig.stream(0.5, "rc", x=self.high)
        assert rig.value(self.name) == before

    @pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
    def test_no_number_moves_nothing(self, bad: float) -> None:
        rig = Rig(self.direct())
        before = rig.value(self.name)
        rig.stream(0.5, "websocket:1", self.target, **{self.field: bad})
        assert rig.value(self.name) == before

    def test_locked_target_moves_for_its_holder_alone(self) -> None:
        rig = Rig(self.direct(), self.mapped())
        rig.router.take_control(self.target, "websocket:2", 60.0, rig.now)
        before = rig.value(self.name)
        rig.stream(0.3, "rc", x=self.high)
        rig.stream(0.3, "websocket:1", self.target, **{self.field: self.high})
        assert rig.value(self.name) == before
        rig.stream(1.5, "websocket:2", self.target, **{self.field: self.high})
        assert self.value(rig) > (before or 0.0)

    def test_estop_wins_over_every_priority_lock_and_mode(self) -> None:
        for mode in ("priority", "blend", "additive"):
            rig = Rig(self.mapped().model_copy(update={"priority": 1000}), STOP, mode=mode)
            rig.router.take_control(self.target, "rc", 60.0, rig.now)
            rig.stream(0.3, "rc", x=self.high, switch=0.0)
            rig.send("rc", x=self.high, switch=1.0)
            self.stands(rig)
            rig.stream(0.3, "rc", x=self.low, switch=0.0)
            self.stands(rig)

    def stands(self, rig: Rig) -> None:
        """Return whether the field stands as the e-stop demands."""
        assert rig.router.latch.active
        assert rig.output(self.name).policy == "estop"
        assert not rig.router.dirty

    def test_after_a_reset_only_a_moved_input_moves_it(self) -> None:
        rig = Rig(self.mapped(scale=self.high))
        rig.stream(0.3, "rc", x=0.5)
        rig.router.raise_estop("test", "", rig.now)
        rig.wait(0.3)  # the source is lost: else a deflected velocity bars the reset
        rig.clear("test", rig.now)
        before = rig.value(self.name)
        rig.stream(0.5, "rc", x=0.5)
        rig.stream(0.5, "rc", x=0.54)
        assert rig.value(self.name) == before
        assert rig.output(self.name).winner == ""
        rig.stream(1.5, "rc", x=0.6)
        assert self.value(rig) == pytest.approx(0.6 * self.high)


class VelocityArgument(FieldArgument):
    """A velocity is zero 60 ms after its last source is lost, however it is lost."""

    @pytest.mark.parametrize(
        ("source", "loss_s"),
        [("rc", 0.12), ("websocket:1", 0.3), ("livelink:a", 0.5), ("autonomous:a", 0.3)],
    )
    @pytest.mark.parametrize("mode", ["priority", "blend", "additive"])
    def test_silence_is_a_stop(self, source: str, loss_s: float, mode: str) -> None:
        kind = source.partition(":")[0]
        arrow = [{"from": "x", "to": self.field, "scale": self.high}]
        rig = Rig(route("r", kind, self.target, arrow), mode=mode, blend_time_ms=5000)
        rig.stream(1.0, source, x=1.0)
        assert self.value(rig) == self.high
        rig.wait(loss_s - 0.011)
        assert self.value(rig) == self.high
        rig.wait(0.001 + 0.06)
        assert self.value(rig) == 0.0

    @pytest.mark.parametrize("values", [{}, {"x": 1.0}, {"x": 0.0}, {"estop": 1.0}])
    def test_failsafe_is_a_stop_whatever_its_action(self, values: dict[str, float]) -> None:
        rig = Rig(self.mapped(scale=self.high))
        rig.stream(1.0, "rc", x=1.0)
        for _ in range(7):
            rig.send("rc", failsafe=True, **values)
            rig.wait(0.01)
        assert self.value(rig) == 0.0

    def test_stall_of_the_loop_is_not_added(self) -> None:
        rig = Rig(self.mapped(scale=self.high))
        rig.stream(1.0, "rc", x=1.0)
        rig.now += 0.2
        rig.router.advance(rig.now)
        assert self.value(rig) == 0.0

    def test_removed_route_is_a_stop(self) -> None:
        rig = Rig(self.mapped(scale=self.high))
        rig.stream(1.0, "rc", x=1.0)
        rig.router.set_routes([], rig.now)
        rig.stream(0.06, "rc", x=1.0)
        assert self.value(rig) == 0.0

    def test_clear_is_refused_while_an_input_requests_motion(self) -> None:
        rig = Rig(self.mapped(scale=self.high))
        rig.router.raise_estop("test", "", rig.now)
        rig.stream(0.1, "rc", x=0.03)
        with pytest.raises(Exception, match="still requests"):
            rig.clear("test", rig.now)

    def stands(self, rig: Rig) -> None:
        super().stands(rig)
        assert rig.value(self.name) == 0.0


class PositionArgument(FieldArgument):
    """A position stays where it is when its source is lost, or goes to neutral (`neutral`)."""

    neutral: float | None = None  # None: it holds

    def test_silence_follows_the_loss_policy(self) -> None:
        rig = Rig(self.mapped(scale=self.high))
        rig.stream(1.5, "rc", x=0.75)
        assert self.value(rig) == pytest.approx(0.75 * self.high)
        rig.wait(3.0)
        output = rig.output(self.name)
        if self.neutral is None:
            assert (output.policy, output.value) == ("hold", pytest.approx(0.75 * self.high))
        else:
            assert (output.policy, output.value) == ("neutral", self.neutral)

    def test_it_is_not_commanded_before_an_input_drives_it(self) -> None:
        rig = Rig(self.direct())
        rig.wait(5.0)
        assert not rig.is_driven(self.name)

    def stands(self, rig: Rig) -> None:
        super().stands(rig)
        assert not rig.is_driven(self.name)
