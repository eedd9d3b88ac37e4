"""Whatever happens to the wagon in whatever order, no frame commands a motion while it is disarmed,
stopped, in the pilot's hands or without a living source, and none arms it without a person. Each
frame is judged when it is sent, by what the test itself has done.
"""

import math
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import WagonRequest
from saint_services.lib.generated.topics import WAGON_CMD_VEL, WAGON_REQUEST
from saint_services.lib.wagon.can_frames import WagonArm, WagonDrive, WagonEstop
from saint_services.lib.wagon.meanings import WagonMode, WagonState
from tests.examples import examples
from tests.unit.role.role_rig import ROUTER, UNKNOWN
from tests.unit.role_wagond.wagon_rig import TICK_S, WagonRig

pytestmark = pytest.mark.timeout(120)
speeds = st.sampled_from([0.0, 0.5, -0.5, 1.0, 9.0, math.nan, math.inf])
origins = st.sampled_from([ROUTER, ROUTER, ROUTER, UNKNOWN, ""])


class WagonMachine(RuleBasedStateMachine):
    """Everything that can happen to the wagon."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.rig = WagonRig(Path(self.folder.name))
        self.beat_s = self.commanded_s = self.reported_s = -math.inf
        self.reported = (WagonState.DISARMED, WagonMode.RC)
        self.arm_requests = 0
        self.is_stopped = False
        self.generation = 0
        self.moved = 0
        line = self.rig.role._line
        assert line
        self._really_send = line.send
        line.send = self._judge  # type: ignore[method-assign]

    def _judge(self, message: object) -> None:
        now_s = self.rig.clock.now
        if self.is_stopped:
            assert isinstance(message, WagonEstop), message
        if isinstance(message, WagonDrive) and (message.speed or message.steer):
            self.moved += 1
            assert self.reported == (WagonState.ARMED, WagonMode.AUTONOMOUS)
            assert now_s - self.reported_s <= 0.2 + 1e-6
            assert now_s - self.commanded_s < 0.15 + 1e-6
            assert now_s - self.beat_s < 0.15 + 1e-6
            assert abs(message.speed) <= 500 and abs(message.steer) <= 600
        if isinstance(message, WagonArm) and message.arm:
            self.arm_requests -= 1
            assert self.arm_requests >= 0
        self._really_send(message)

    def _tick(self, *, beats: bool = True) -> None:
        rig, board = self.rig, self.rig.balance
        if beats:
            self._beat()
        for frame in rig.wire.receive():
            board.received(frame, rig.clock.now)
        if not rig.is_silent:
            rig.wire.send(board.attitude(rig.clock.now))
            rig.wire.send(board.power())
            self.reported_s = rig.clock.now
            self.reported = board.state, board.mode(rig.clock.now)
        rig.role.read()
        rig.clock.advance(TICK_S)

    def _beat(self) -> None:
        self.rig.generation = self.generation
        self.beat_s = self.rig.clock.now
        self.rig.beat(estop=self.is_stopped)

    @rule(ticks=st.integers(1, 60), linear=speeds, angular=speeds)
    def drive(self, ticks: int, linear: float, angular: float) -> None:
        for _ in range(ticks):
            self._tick()
            self._command(linear, angular, ROUTER)

    @rule(linear=speeds, angular=speeds, origin=origins)
    def command_once(self, linear: float, angular: float, origin: str) -> None:
        self._command(linear, angular, origin)

    def _command(self, linear: float, angular: float, origin: str) -> None:
        if origin == ROUTER and math.isfinite(linear + angular):
            self.commanded_s = self.rig.clock.now
        twist = Twist(Vector3(linear, 0.0, 0.0), Vector3(0.0, 0.0, angular))
        self.rig.send(WAGON_CMD_VEL, twist, origin)

    @rule(ticks=st.integers(1, 60), beats=st.booleans())
    def wait(self, ticks: int, beats: bool) -> None:
        for _ in range(ticks):
            self._tick(beats=beats)

    @rule()
    def stop(self) -> None:
        self.generation += 1
        self.is_stopped = True
        self.rig.estop(True, self.generation)

    @rule()
    def clear(self) -> None:
        self._beat()
        if self.is_stopped:
            self.generation += 1
            self.is_stopped = False
            self.rig.estop(False, self.generation)

    @rule(origin=origins, is_late=st.booleans())
    def arm(self, origin: str, is_late: bool) -> None:
        self.arm_requests += origin == ROUTER and not is_late and not self.is_stopped
        self._request("arm", origin, late_s=0.2 * is_late)

    @rule(origin=origins)
    def disarm(self, origin: str) -> None:
        self._request("disarm", origin)

    @rule(origin=origins, value=st.sampled_from([0.0, 1.0, -1.0, 200.0, math.nan]))
    def set_gains(self, origin: str, value: float) -> None:
        self._request("gains", origin, kp=value, ki=value, kd=value)

    def _request(self, action: str, origin: str, late_s: float = 0.0, **more: float) -> None:
        message = WagonRequest(id=next(self.rig._ids), action=action, **more)
        self.rig.bus.send(WAGON_REQUEST, message, origin, late_s)

    @rule(mode=st.sampled_from(list(WagonMode)), is_armed=st.booleans(), neutral=st.booleans())
    def pilot_switches(self, mode: WagonMode, is_armed: bool, neutral: bool) -> None:
        board = self.rig.balance
        board.switch_mode = WagonMode.RC if mode is WagonMode.ASSISTED else mode
        board.is_stick_neutral = neutral
        board.is_switch_armed = is_armed
        if not is_armed:
            board._disarm()

    @rule()
    def pilot_arms(self) -> None:
        self.rig.balance._arm()

    @rule(what=st.sampled_from(["rc", "tilt", "fault", "level", "silent", "restart"]))
    def meet(self, what: str) -> None:
        board = self.rig.balance
        if what == "rc":
            board.lose_rc()
        elif what == "tilt":
            board.tilt(30.0)
        elif what == "fault":
            board.fault_code = 1
            board._off(WagonState.FAULT)
        elif what == "level":
            board.pitch, board.fault_code = 0.0, 0
            board.find_rc()
        elif what == "silent":
            self.rig.is_silent = not self.rig.is_silent
        else:  # the board, as at power on
            board.state, board.host_s = WagonState.DISARMED, -math.inf

    @rule()
    def prepare(self) -> None:
        """Everything as a person and a pilot have it before they drive."""
        board, self.rig.is_silent = self.rig.balance, False
        board.pitch, board.fault_code, board.switch_mode = 0.0, 0, WagonMode.AUTONOMOUS
        board.is_stick_neutral = board.is_switch_armed = True
        board.find_rc()
        self.clear()
        self._request("disarm", ROUTER)
        self.wait(60, beats=True)
        self.arm(ROUTER, is_late=False)
        self.wait(10, beats=True)

    @invariant()
    def is_safe_means_rest(self) -> None:
        if self.rig.session.is_safe:
            assert self.rig.role.host.sent == (0, 0)

    def teardown(self) -> None:
        self.rig.close()
        self.folder.cleanup()


WagonMachine.TestCase.settings = settings(
    max_examples=examples(25), stateful_step_count=30, deadline=None
)
TestWagon: Any = WagonMachine.TestCase


def test_machine_can_drive() -> None:
    """Without it the machine would prove nothing."""
    machine = WagonMachine()
    machine.prepare()
    machine.drive(40, 0.5, 0.0)
    assert machine.moved > 10
    machine.teardown()
