"""Random schedules of samples, loss, delay, reordering, restarts, edits, locks and e-stops against
what must hold whatever happens. The limits are typed by hand; the model beside the router knows
only which source was received when, and which routes there are.
"""

import math
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from saint_services.lib.api.routing import Blending, Route
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.saint_msgs import InputSample
from tests.unit.routerd.rig import Rig, preset, route

TIMEOUTS_S = {"rc": 0.12, "websocket": 0.3, "livelink": 0.5, "autonomous": 0.3, "safety": 0.3}
RAMP_S = 0.0601
STEP_S = 0.0101
# Lowest, highest, fastest change per second.
BOUNDS = {
    "head.pan": (-180.0, 180.0, 360.0),
    "head.tilt": (-90.0, 90.0, 180.0),
    "head.roll": (-45.0, 45.0, 120.0),
    "head.jaw": (0.0, 1.0, 10.0),
    "head.eye_pan": (-35.0, 35.0, 700.0),
    "head.eye_tilt": (-25.0, 25.0, 700.0),
    "tracks.linear": (-1.5, 1.5, 6.0),
    "tracks.angular": (-3.0, 3.0, 24.0),
    **{
        f"arms.{side}.{joint}": bounds
        for side in ("left", "right")
        for joint, bounds in {
            "joint_0": (-170.0, 170.0, 120.0),
            "joint_1": (-90.0, 90.0, 120.0),
            "joint_2": (-135.0, 135.0, 120.0),
            "joint_3": (-170.0, 170.0, 180.0),
            "joint_4": (-100.0, 100.0, 180.0),
            "joint_5": (-170.0, 170.0, 240.0),
            "gripper": (0.0, 1.0, 4.0),
        }.items()
    },
}
VELOCITIES = ("tracks.linear", "tracks.angular")
FLOATS = st.floats(width=32, allow_nan=True, allow_infinity=True)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
INPUTS = (
    *("channel_1", "channel_2", "channel_6", "headYaw", "jawOpen"),
    *("linear", "angular", "pan", "speed"),
)
SOURCES = ("rc", "websocket:1", "websocket:2", "livelink:a", "autonomous:ros", "safety:x")
FIELDS = {
    "tracks": ("linear", "angular"),
    "head": ("pan", "tilt", "jaw", "eye_pan"),
    "arms.left": ("joint_0", "gripper"),
}
KINDS = tuple(TIMEOUTS_S)
MODES = st.sampled_from(("priority", "priority", "blend", "additive", "greatest"))


GUIDANCE: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"filter": "low_pass", "cutoff_hz": 0.5},
    {"filter": "one_euro", "rate_limit": 5.0},
    {"only_while": [{"source": "rc", "input": "channel_1", "above": 0.0}]},
    {"only_while": [{"source": "livelink:*"}], "filter": "low_pass"},
    {"curve": "smooth", "points": [(-1, -0.5), (0, 0), (1, 1)], "rate_limit": 1.0},
)


@st.composite
def mappings(draw: Any, to: str) -> dict[str, Any]:
    pair = sorted(draw(st.tuples(NUMBERS, NUMBERS)))
    is_stop = to == "estop"
    return {
        "from": draw(st.sampled_from(INPUTS)),
        "to": to,
        "mode": "switch" if is_stop else draw(st.sampled_from(("axis", "switch"))),
        "inverted": draw(st.booleans()),
        "deadzone": draw(st.floats(0, 0.99)),
        "curve": draw(st.sampled_from(("linear", "exponential"))),
        "expo": draw(st.floats(0, 1)),
        "scale": draw(st.one_of(st.sampled_from((1.0, -1.5, 3.0, 90.0)), NUMBERS)),
        "offset": draw(st.one_of(st.just(0.0), NUMBERS)),
        "clamp": draw(st.sampled_from((None, pair))),
        **({} if is_stop else draw(st.sampled_from(GUIDANCE))),
    }


@st.composite
def routes(draw: Any) -> Route:
    name = draw(st.sampled_from("abcdef"))
    source = draw(st.sampled_from(KINDS))
    target = draw(st.sampled_from(tuple(FIELDS)))
    more = {
        "priority": draw(st.sampled_from((None, 0, 300, 1000))),
        "enabled": draw(st.sampled_from((True, True, False))),
        "timeout_ms": draw(st.sampled_from((None, None, 50, 1000))),
        "weight": draw(st.sampled_from((None, 0.0, 2.0))),
        "combine": draw(st.sampled_from(("sum", "sum", "mean", "greatest"))),
    }
    if draw(st.booleans()):
        return route(name, source, draw(st.sampled_from(("*", target))), **more)
    fields = st.sampled_from((*FIELDS[target], "estop"))
    return route(name, source, target, [draw(mappings(f)) for f in draw(st.lists(fields))], **more)


BLENDINGS = st.builds(
    Blending,
    mode=MODES,
    fields=st.dictionaries(st.sampled_from(("tracks.linear", "head.pan")), MODES),
    blend_time_ms=st.sampled_from((0, 50, 200, 5000)),
    source_timeout_ms=st.sampled_from((None, None, 60, 1000, {"rc": 80})),
    hysteresis_ms=st.sampled_from((0, 200, 2000)),
)


def kind_of(source: str) -> str:
    return source.partition(":")[0]


class Machine(RuleBasedStateMachine):
    """The router beside a plain model of what it must obey."""

    def __init__(self) -> None:
        super().__init__()
        self.rig = Rig()
        self.received: dict[str, float] = {}  # when the newest good sample of a source came
        self.lost: dict[str, float] = {}  # when a source said that it is lost
        self.newest: dict[str, dict[str, float]] = {}  # its newest values
        self.epochs = dict.fromkeys(SOURCES, 0)
        self.edited = -math.inf
        self.seen: dict[str, tuple[float, float]] = {}  # when, where a field was looked at
        self.still: dict[str, dict[str, float]] = {}  # inputs that have not moved since a reset
        self.claimed: set[tuple[str, str, str]] = set()  # route, source, field at that reset

    @initialize()
    def start(self) -> None:
        self.rig = Rig(*preset())

    # What may happen

    @rule(
        source=st.sampled_from(SOURCES),
        to=st.sampled_from(("", "tracks", "head", "arms.left")),
        values=st.dictionaries(st.sampled_from(INPUTS), st.one_of(st.floats(-2, 2), FLOATS)),
    )
    def sample(self, source: str, to: str, values: dict[str, float]) -> None:
        self.receive(source, "" if source in ("rc", "livelink:a") else to, values)

    @rule(source=st.sampled_from(SOURCES), linear=st.floats(-1.5, 1.5), times=st.integers(1, 30))
    def drive(self, source: str, linear: float, times: int) -> None:
        """Send from a steady source, which is likely to move something."""
        target = "tracks" if source.startswith(("web", "auto")) else ""
        values = {"linear": linear, "channel_2": linear, "channel_6": -1.0, "headYaw": linear}
        for _ in range(times):
            self.receive(source, target, values)
            self.fields_keep_their_rate()
            self.rig.wait(0.01)

    @rule(
        source=st.sampled_from(SOURCES),
        values=st.sampled_from(
            ({}, {"estop": 1.0}, {"channel_2": 0.0}, {"channel_2": 1.0, "channel_6": 1.0})
        ),
    )
    def fail(self, source: str, values: dict[str, float]) -> None:
        """Lose a signal: passthrough, e-stop, neutral, hold."""
        origin = f"origin {self.epochs[source]}"
        if self.rig.send(source, failsafe=True, origin=origin, **values):
            self.received.pop(source, None)
            self.lost[source] = self.rig.now
            if values == {"estop": 1.0} or source.startswith("safety"):
                assert self.rig.router.latch.active

    @rule(source=st.sampled_from(SOURCES), back=st.integers(0, 3), value=FLOATS)
    def repeat(self, source: str, back: int, value: float) -> None:
        """Repeat a sample or send it late: it is refused, and no source is live by it."""
        known = self.rig.router.sources.get(source)
        if known is None or known.sequence < 0:
            return
        sequence = max(known.sequence - back, 0)
        message = InputSample(source=source, sequence=sequence, names=("linear",), values=(value,))
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
        """Block the loop: timers come late, all at once."""
        self.rig.now += seconds
        self.rig.router.advance(self.rig.now)

    @rule(
        chosen=st.lists(routes(), max_size=5, unique_by=lambda route: route.id),
        blending=st.one_of(st.none(), BLENDINGS),
    )
    def edit(self, chosen: list[Route], blending: Blending | None) -> None:
        self.note_edit()
        self.rig.router.set_routes(chosen, self.rig.now, blending)

    @rule(blending=BLENDINGS)
    def use_default(self, blending: Blending) -> None:
        self.note_edit()
        self.rig.router.set_routes(preset(), self.rig.now, blending)

    @rule(
        panel=st.sampled_from(("tracks", "head", "*")),
        holder=st.sampled_from(SOURCES),
        timeout_s=st.sampled_from((0.2, 5.0)),
    )
    def take(self, panel: str, holder: str, timeout_s: float) -> None:
        try:
            self.rig.router.take_control(panel, holder, timeout_s, self.rig.now)
        except SaintError as err:
            assert "locked by" in err.message

    @rule(panel=st.sampled_from(("tracks", "head", "*")))
    def release(self, panel: str) -> None:
        self.rig.router.release_control(panel, "", self.rig.now, force=True)

    @rule()
    def press(self) -> None:
        self.rig.router.raise_estop("test", "pressed", self.rig.now)
        assert self.rig.router.latch.active

    @precondition(lambda self: self.rig.router.latch.active)
    @rule()
    def reset(self) -> None:
        router = self.rig.router
        try:
            self.rig.clear("test", self.rig.now)
        except SaintError:
            assert router.latch.active
            return
        self.still = {source: dict(values) for source, values in self.newest.items()}
        self.claimed = {(c.route, c.source, c.output.name) for c in router.claims}

    @rule()
    def restart_router(self) -> None:
        """Start a new process, which has the latch and the routes and nothing else."""
        old = self.rig
        router = old.router
        self.rig = Rig(*router.routes, latch=router.latch, **router.blending.model_dump())
        assert self.rig.router.latch == router.latch
        self.rig.now, self.rig.sequences = old.now, old.sequences
        self.received.clear()
        self.seen.clear()
        self.still.clear()
        self.claimed.clear()

    # The model

    def receive(self, source: str, target: str, values: dict[str, float]) -> None:
        origin = f"origin {self.epochs[source]}"
        before = self.rig.router.latch
        if not self.rig.send(source, target, origin=origin, **values):
            return
        self.received[source] = self.rig.now
        still = self.still.get(source)
        if still is not None and any(still.setdefault(n, v) != v for n, v in values.items()):
            del self.still[source]
        self.newest.setdefault(source, {}).update(values)
        if not before.active and self.requests_stop(source, values, target):
            assert self.rig.router.latch.active

    def note_edit(self) -> None:
        self.edited = self.rig.now

    def requests_stop(self, source: str, values: dict[str, float], target: str) -> bool:
        for each in self.rig.router.routes:
            if each.mapping == "passthrough" or not self.is_for(each, source):
                continue
            if target and each.output.target not in ("*", target):
                continue
            for mapping in each.mapping:
                if mapping.to == "estop" and mapping.from_ in values:
                    is_on = values[mapping.from_] >= mapping.threshold
                    if is_on is not mapping.inverted:
                        return True
        return False

    def is_for(self, each: Route, source: str) -> bool:
        return each.enabled and each.input.source == kind_of(source)

    def may_move(self, name: str) -> bool:
        """Return whether a source that some route lets drive this field was received in time."""
        now = self.rig.now
        if now - self.edited < RAMP_S:
            return True  # what was driven by the routes before is on its way to rest
        routes_to_it = [r for r in self.rig.router.routes if drives(r, name)]
        for source, at in self.lost.items():
            if now - at < RAMP_S and any(self.is_for(r, source) for r in routes_to_it):
                return True
        return any(
            now - at < self.limit_s(each, source) + RAMP_S
            for source, at in self.received.items()
            for each in routes_to_it
            if self.is_for(each, source)
        )

    def limit_s(self, each: Route, source: str) -> float:
        given, kind = self.rig.router.blending.source_timeout_ms, kind_of(source)
        own = given.get(kind) if isinstance(given, dict) else given
        return (each.timeout_ms or own or TIMEOUTS_S[kind] * 1000) / 1000

    # What must hold

    @invariant()
    def fields_are_within_their_limits(self) -> None:
        assert {output.name for output in self.rig.router.outputs} == set(BOUNDS)
        for output in self.rig.router.outputs:
            low, high, _ = BOUNDS[output.name]
            if output.value is not None:
                assert math.isfinite(output.value)
                assert low <= output.value <= high

    @invariant()
    def fields_keep_their_rate(self) -> None:
        """A velocity may fall to zero faster."""
        now = self.rig.now
        for output in self.rig.router.outputs:
            value, name = output.value, output.name
            if value is None:
                continue
            if name in self.seen:
                at, where = self.seen[name]
                room = BOUNDS[name][2] * (now - at + STEP_S)
                falls = name in VELOCITIES and (0 <= value <= where or where <= value <= 0)
                assert falls or abs(value - where) <= room or (name in VELOCITIES and value == 0)
            self.seen[name] = (now, value)

    @invariant()
    def no_velocity_without_a_live_authorised_source(self) -> None:
        for name in VELOCITIES:
            value = self.rig.value(name)
            assert value == 0.0 or self.may_move(name)

    @invariant()
    def estop_wins(self) -> None:
        if not self.rig.router.latch.active:
            return
        for output in self.rig.router.outputs:
            assert output.winner is None
            assert output.name not in VELOCITIES or output.value == 0.0
            assert output.name in VELOCITIES or not output.is_driven

    @invariant()
    def nobody_drives_after_a_reset_who_has_not_moved(self) -> None:
        for output in self.rig.router.outputs:
            for claim in output.drivers:
                if (claim.route, claim.source, output.name) in self.claimed:
                    assert claim.source not in self.still

    @invariant()
    def in_control_is_a_claim_that_may_drive(self) -> None:
        now = self.rig.now
        locks = {lock.target: lock.holder for lock in self.rig.router.locks.held.values()}
        for output in self.rig.router.outputs:
            winner = output.winner
            if winner is None:
                continue
            assert winner.is_armed
            holder = locks.get(output.target, winner.source)
            assert winner.source == holder or winner.priority >= 1000 or winner.is_safety
            if output.held_by is None and winner.steady_at <= now:
                steady = [c for c in output.claims if c.may_drive(now) and c.steady_at <= now]
                assert winner.priority >= max((c.priority for c in steady), default=0)

    @invariant()
    def status_can_be_encoded(self) -> None:
        text = self.rig.status().model_dump_json()
        assert "NaN" not in text
        assert "Infinity" not in text


def drives(each: Route, name: str) -> bool:
    target, _, field = name.rpartition(".")
    if each.output.target not in ("*", target):
        return False
    return each.mapping == "passthrough" or any(m.to == field for m in each.mapping)


Machine.TestCase.settings = settings(stateful_step_count=40, deadline=None)
test_machine = pytest.mark.timeout(240)(Machine.TestCase)  # thousands of steps
