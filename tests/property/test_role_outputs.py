"""Whatever arrives on the topics, outputs stay inside their limits, and velocity needs a living
router and a fresh command.
"""

import math
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import (
    ArmCommand,
    EStop,
    GripperCommand,
    RouterHeartbeat,
)
from saint_services.lib.generated.std_msgs import Bool
from saint_services.lib.generated.topics import (
    ARM_CMD,
    ESTOP,
    GRIPPER_CMD,
    ROUTER_HEARTBEAT,
    TRACKS_CMD_VEL,
    TRACKS_ESTOP,
)
from saint_services.lib.role.gate import CommandGate
from tests.unit.role.role_rig import Rig

pytestmark = pytest.mark.timeout(60)  # thousands of steps of a robot with a body
doubles = st.floats(width=64)
singles = st.floats(width=32)
origins = st.sampled_from(["0a" * 12, "0b" * 12, ""])
numbers = st.integers(0, 6)
pauses = st.sampled_from([0.0, 0.001, 0.01, 0.05, 0.149, 0.151, 1.0])


class TracksMachine(RuleBasedStateMachine):
    """Everything that can happen to the tracks."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.rig = Rig(Path(self.folder.name), "tracks")
        self.sequence = 0
        self.beat_s = -math.inf
        self.commanded_s = -math.inf

    @rule(origin=origins, is_estop=st.booleans(), generation=numbers, is_new=st.booleans())
    def beat(self, origin: str, is_estop: bool, generation: int, is_new: bool) -> None:
        self.sequence += is_new
        beat = RouterHeartbeat(sequence=self.sequence, estop=is_estop, estop_generation=generation)
        self.rig.bus.send(ROUTER_HEARTBEAT, beat, origin)
        self.beat_s = self.rig.clock.now

    @rule(origin=origins, active=st.booleans(), generation=numbers)
    def estop(self, origin: str, active: bool, generation: int) -> None:
        self.rig.bus.send(ESTOP, EStop(active=active, generation=generation), origin)

    @rule(origin=origins, pressed=st.booleans())
    def button(self, origin: str, pressed: bool) -> None:
        self.rig.bus.send(TRACKS_ESTOP, Bool(pressed), origin)
        if pressed:
            assert self.rig.duties() == (0.0, 0.0)

    @rule(origin=origins, linear=doubles, angular=doubles, other=st.just(0.0) | doubles)
    def drive(self, origin: str, linear: float, angular: float, other: float) -> None:
        twist = Twist(Vector3(linear, other, 0.0), Vector3(0.0, 0.0, angular))
        self.rig.bus.send(TRACKS_CMD_VEL, twist, origin)
        self.commanded_s = self.rig.clock.now

    @rule(pause_s=pauses)
    def wait(self, pause_s: float) -> None:
        self.rig.clock.advance(pause_s)
        self.rig.board.drive.advance()

    @invariant()
    def duties_are_duties(self) -> None:
        assert all(0.0 <= duty <= 1.0 for duty in self.rig.duties())

    @invariant()
    def estop_wins(self) -> None:
        if self.rig.session.gate.latched:
            assert self.rig.duties() == (0.0, 0.0)

    @invariant()
    def motion_needs_a_router_and_a_command(self) -> None:
        oldest_s = min(self.beat_s, self.commanded_s)
        if self.rig.clock.now - oldest_s >= 0.15 + 1e-9:
            assert self.rig.duties() == (0.0, 0.0)

    def teardown(self) -> None:
        self.rig.close()
        self.folder.cleanup()


TestTracks = TracksMachine.TestCase

commands = st.one_of(
    st.tuples(
        st.just(ARM_CMD.at(instance="left")),
        st.builds(ArmCommand, st.lists(singles, max_size=8), singles, st.booleans()),
    ),
    st.tuples(
        st.just(GRIPPER_CMD.at(instance="left")), st.builds(GripperCommand, singles, singles)
    ),
)


@given(st.lists(st.tuples(commands, pauses), max_size=12))
def test_arm_pulses_stay_inside_their_range(steps: list[tuple[tuple[Any, Any], float]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(Path(folder), "arms_left")
        for (topic, message), pause_s in steps:
            rig.beat()
            rig.send(topic, message)
            rig.clock.advance(pause_s)
            pulses = rig.channels()
            assert all(us == 0.0 or 497.0 <= us <= 2503.0 for us in pulses[:6])
            assert all(us == 0.0 or 995.0 <= us <= 2005.0 for us in (pulses[1], pulses[6]))
            assert pulses[7:] == [0.0] * 9
        rig.close()


events = st.one_of(
    st.tuples(st.just("beat"), origins, numbers, st.booleans(), numbers),
    st.tuples(st.just("estop"), origins, numbers, st.booleans(), numbers),
    st.tuples(st.just("trip"), origins, numbers, st.booleans(), numbers),
)


@given(st.lists(st.tuples(events, pauses), max_size=40))
def test_latch_is_only_released_by_a_higher_generation(steps: list[Any]) -> None:
    gate, now_s, highest = CommandGate(150), 0.0, -1
    gate.prove("0a" * 12, 1)
    for (kind, origin, sequence, is_active, generation), pause_s in steps:
        now_s += pause_s
        was_latched = gate.latched
        known = gate._generation
        if kind == "beat":
            gate.heartbeat(origin, sequence, is_active, generation, now_s)
        elif kind == "estop":
            gate.estop(is_active, generation, origin)
        else:
            gate.trip()
            assert gate.latched
        if was_latched and not gate.latched:
            assert not is_active
            assert generation > known
        if kind != "beat" and is_active and generation > highest:
            assert gate.latched
        highest = max(highest, generation)
