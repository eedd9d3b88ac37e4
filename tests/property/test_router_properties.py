"""Whatever comes in: outputs are finite and within limits, nothing drives without a live source,
the e-stop wins. One state machine over samples, time, loss, restarts, the e-stop and route edits.
"""

import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from saint_services.lib.api.routing import Mapping, Route
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.routerd.mapping import shape
from saint_services.routerd.outputs import Output
from tests.unit.routerd.rig import Rig, preset, route

TIMEOUTS_S = {"rc": 0.12, "websocket": 0.3, "livelink": 0.5, "autonomous": 0.3}
FLOATS = st.floats(width=32, allow_nan=True, allow_infinity=True)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
INPUTS = ("channel_1", "channel_2", "channel_6", "headYaw", "jawOpen", "linear", "angular", "pan")
SOURCES = ("rc", "websocket:1", "websocket:2", "livelink:a", "autonomous:ros", "autonomous:b")
FIELDS = {
    "tracks": ("linear", "angular"),
    "head": ("pan", "tilt", "jaw", "eye_pan"),
    "arms.left": ("joint_0", "gripper"),
}


@st.composite
def mappings(draw: Any, to: str) -> dict[str, Any]:
    pair = sorted(draw(st.tuples(NUMBERS, NUMBERS)))
    return {
        "from": draw(st.sampled_from(INPUTS)),
        "to": to,
        "mode": draw(st.sampled_from(("axis", "switch"))),
        "inverted": draw(st.booleans()),
        "deadzone": draw(st.floats(0, 0.99)),
        "curve": draw(st.sampled_from(("linear", "exponential"))),
        "expo": draw(st.floats(0, 1)),
        "scale": draw(NUMBERS),
        "offset": draw(NUMBERS),
        "clamp": draw(st.sampled_from((None, pair))),
    }


@st.composite
def routes(draw: Any) -> Route:
    name = draw(st.sampled_from("abcdef"))
    source = draw(st.sampled_from(tuple(TIMEOUTS_S)))
    target = draw(st.sampled_from(tuple(FIELDS)))
    more = {
        "priority": draw(st.sampled_from((None, 0, 300, 1000))),
        "enabled": draw(st.sampled_from((True, True, False))),
    }
    if draw(st.booleans()):
        return route(name, source, draw(st.sampled_from(("*", target))), **more)
    arrows = [draw(mappings(field)) for field in draw(st.lists(st.sampled_from(FIELDS[target])))]
    return route(name, source, target, arrows, **more)


@given(mappings("pan"), st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_mapping_of_any_number_is_within_limits(mapping: dict[str, Any], value: float) -> None:
    assert -180.0 <= shape(Mapping.model_validate(mapping), -180.0, 180.0)(value) <= 180.0


def assert_sound(output: Output) -> None:
    if output.value is not None:
        assert math.isfinite(output.value)
        assert output.low <= output.value <= output.high


class Machine(RuleBasedStateMachine):
    """The router beside what it must at least obey."""

    def __init__(self) -> None:
        super().__init__()
        self.rig = Rig()
        self.heard: dict[str, float] = {}  # when the newest good sample of a source came
        self.epochs = dict.fromkeys(SOURCES, 0)
        self.latched_since: float | None = None

    @initialize()
    def start(self) -> None:
        self.rig = Rig(*preset())

    @rule(
        source=st.sampled_from(SOURCES),
        to=st.sampled_from(("", "tracks", "head", "arms.left")),
        values=st.dictionaries(st.sampled_from(INPUTS), st.one_of(st.floats(-2, 2), FLOATS)),
        failsafe=st.sampled_from((False, False, False, True)),
    )
    def sample(self, source: str, to: str, values: dict[str, float], failsafe: bool) -> None:
        target = "" if source in ("rc", "livelink:a") else to
        origin = f"origin {self.epochs[source]}"
        accepted = self.rig.send(source, target, failsafe=failsafe, origin=origin, **values)
        if accepted and not failsafe:
            self.heard[source] = self.rig.now
        elif source in self.heard and accepted:  # lost now: the ramp may take its time
            lost_at = self.rig.now - TIMEOUTS_S[source.partition(":")[0]]
            self.heard[source] = min(self.heard[source], lost_at)

    @rule(source=st.sampled_from(SOURCES), linear=st.floats(-1.5, 1.5))
    def drive(self, source: str, linear: float) -> None:
        """Samples that are likely to move something."""
        target = "tracks" if source.startswith(("web", "auto")) else ""
        values = {"linear": linear, "channel_2": linear, "channel_6": -1.0}
        if self.rig.send(source, target, origin=f"origin {self.epochs[source]}", **values):
            self.heard[source] = self.rig.now

    @rule(source=st.sampled_from(SOURCES), back=st.integers(0, 3), value=FLOATS)
    def repeat(self, source: str, back: int, value: float) -> None:
        """A repeated or older sample is refused and keeps nothing alive."""
        newest = self.rig.sequences.get(source)
        if newest is None or source not in self.rig.router.sources:
            return
        known = self.rig.router.sources[source]
        message = InputSample(
            source=source,
            sequence=max(known.sequence - back, 0),
            names=("linear",),
            values=(value,),
        )
        if known.sequence >= 0:
            assert not self.rig.router.sample(message, known.origin, self.rig.now)

    @rule(source=st.sampled_from(SOURCES))
    def restart_source(self, source: str) -> None:
        self.epochs[source] += 1
        self.rig.sequences[source] = 0

    @rule(seconds=st.sampled_from((0.001, 0.01, 0.05, 0.13, 0.31, 0.6, 3.0)))
    def wait(self, seconds: float) -> None:
        self.rig.wait(seconds)

    @rule(seconds=st.sampled_from((0.02, 0.2, 1.0)))
    def stall(self, seconds: float) -> None:
        """The loop was blocked: timers come late, all at once."""
        self.rig.now += seconds
        self.rig.router.advance(self.rig.now)

    @rule(chosen=st.lists(routes(), max_size=5, unique_by=lambda route: route.id))
    def edit(self, chosen: list[Route]) -> None:
        self.rig.router.set_routes(chosen, self.rig.now)

    @rule()
    def use_default(self) -> None:
        self.rig.router.set_routes(preset(), self.rig.now)

    @rule()
    def press(self) -> None:
        self.rig.router.raise_estop("test", "pressed", self.rig.now)

    @precondition(lambda self: self.rig.router.latch.active)
    @rule()
    def reset(self) -> None:
        try:
            self.rig.router.clear_estop("test", self.rig.now)
        except SaintError:
            assert self.rig.router.latch.active

    @rule()
    def restart_router(self) -> None:
        """A new process: it knows the latch and the routes, nothing else."""
        old = self.rig
        self.rig = Rig(*old.router.routes, latch=old.router.latch)
        assert self.rig.router.latch == old.router.latch
        self.rig.now, self.rig.sequences = old.now, old.sequences
        self.heard.clear()

    @invariant()
    def outputs_are_sound(self) -> None:
        for output in self.rig.router.outputs:
            assert_sound(output)

    @invariant()
    def nothing_drives_without_a_live_source(self) -> None:
        now = self.rig.now
        alive = any(
            now - at < TIMEOUTS_S[source.partition(":")[0]] + 0.0601
            for source, at in self.heard.items()
        )
        if alive:
            return
        for output in self.rig.router.outputs:
            assert not output.is_velocity or output.value == 0.0

    @invariant()
    def estop_wins(self) -> None:
        if not self.rig.router.latch.active:
            return
        for output in self.rig.router.outputs:
            assert output.winner is None
            assert not output.is_velocity or output.value == 0.0
            assert output.is_velocity or not output.is_driven

    @invariant()
    def winner_is_the_best_live_claim(self) -> None:
        for output in self.rig.router.outputs:
            if output.winner is not None:
                assert output.winner.is_armed
                rivals = [c.priority for c in output.claims if c.may_drive(self.rig.now)]
                assert not rivals or output.winner.priority >= max(rivals)

    @invariant()
    def status_can_be_told(self) -> None:
        text = self.rig.status().model_dump_json()
        assert "NaN" not in text


Machine.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
test_machine = Machine.TestCase


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.floats(-2, 2, width=32), st.floats(0.001, 0.2)), max_size=40))
def test_rate_of_a_position_is_kept(moves: list[tuple[float, float]]) -> None:
    """Over any time span a field moves by no more than its rate allows, plus one step."""
    rig = Rig(route("r", "rc", "head", [{"from": "x", "to": "pan", "scale": 180}], timeout_ms=500))
    path: list[tuple[float, float]] = []
    for value, pause in moves:
        rig.send("rc", x=value)
        path.append((rig.now, rig.value("head.pan") or 0.0))
        rig.wait(pause)
        path.append((rig.now, rig.value("head.pan") or 0.0))
    for index, (at, where) in enumerate(path):
        for later, there in path[index + 1 :]:
            assert abs(there - where) <= 360.0 * (later - at + 0.010) + 1e-6


@settings(deadline=None, max_examples=60)
@given(
    stick=st.floats(-1, 1),
    before=st.integers(0, 20),
    lost=st.booleans(),
)
def test_after_a_reset_an_input_that_stays_moves_nothing(
    stick: float, before: int, lost: bool
) -> None:
    drive = route("d", "rc", "tracks", [{"from": "x", "to": "linear", "scale": 1.5}])
    rig = Rig(drive)
    rig.stream(before / 100, "rc", x=stick)
    rig.router.raise_estop("test", "", rig.now)
    if lost:
        rig.wait(0.2)
    else:
        rig.stream(0.05, "rc", x=stick)
    try:
        rig.router.clear_estop("test", rig.now)
    except SaintError:
        assert abs(stick) > 0.0199
        return
    rig.stream(0.3, "rc", x=stick)
    assert rig.value("tracks.linear") == 0.0
