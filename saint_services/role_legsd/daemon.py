"""Wires the legs: commands of the router to the mode machine, the machine to the walking controller
at 100 Hz, reports of the controller to messages. Not here: which mode is allowed (logic.py), bytes
(link.py), messages.
"""

from collections import Counter
from functools import partial
from math import isfinite, nan

from saint_services.lib import clock as clocks
from saint_services.lib.daemon import Context
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import LegsCommand
from saint_services.lib.generated.topics import (
    BATTERY,
    DIAGNOSTICS,
    LEGS_CMD,
    LEGS_IMU,
    LEGS_JOINT_STATES,
    LEGS_STATE,
)
from saint_services.lib.hw.ports import Board
from saint_services.lib.role.host import RoleHost
from saint_services.lib.role.motion.axis import Throttle
from saint_services.lib.role.session import RoleSession
from saint_services.lib.role.timers import Clock, Motion
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.walker import Walker
from saint_services.lib.walker.model import DEADMAN_S, WalkCommand, WalkMode, WalkState

from . import messages
from .config import Config
from .link import WalkerLink
from .logic import Times, WalkMachine

_PERIOD_S = 0.01  # of commands: a tenth of the controller's dead-man
_REST_S = 0.05  # of reports, while nothing is commanded
_DAMPING_S = 0.5  # damping is sent for so long: nothing confirms one datagram
_LAST = 2  # datagrams at the end
_JOINTS_S = 0.02
_SLOW_S = 1.0
_GRACE_S = 1.0  # for the first report after the start
_DEVICE = "walker"
_AXES = ("vx", "vy", "vyaw")


class LegsRole(RoleSession):
    """The role."""

    role = "legs"
    does_fault_stop_robot = True

    def __init__(
        self,
        settings: Config,
        config: RoleConfig,
        node_id: str,
        clock: Clock,
        counters: Counter[str],
    ) -> None:
        super().__init__(config, node_id, clock, counters)
        self._walker = walker_of(config)
        self._throttles = [self._throttle(name) for name in _AXES]
        self._times = Times(
            self._walker.stand_s, self._walker.settle_s, settings.report_timeout_ms / 1000
        )
        self._machine = WalkMachine(self._times)
        self._motion = Motion(clock, _PERIOD_S, self._tick)
        self._link: WalkerLink | None = None
        self._state: WalkState | None = None
        self._state_s = float("-inf")
        self._opened_s = self._damp_until_s = self._joints_s = clock.time()

    def open_devices(self, board: Board) -> None:
        """Open the way to the controller; nothing is commanded yet."""
        command_port, state_port = self._walker.ports
        port = board.datagrams(str(self._walker.host), command_port, state_port)
        self._link = WalkerLink(port, self._walker, self.counters)

    def start(self) -> None:
        """Obey commands, publish what the controller reports."""
        self._opened_s = self.clock.time()
        self.command(LEGS_CMD, self._on_command)
        self._publish_state = self.publisher(LEGS_STATE)
        self._publish_joints = self.publisher(LEGS_JOINT_STATES)
        self._publish_imu = self.publisher(LEGS_IMU)
        self._publish_battery = self.publisher(BATTERY)
        self._publish_diagnostics = self.publisher(DIAGNOSTICS)
        self.every(_REST_S, self._look)
        self.every(_SLOW_S, self._send_slowly)

    def stop_devices(self) -> None:
        """Damp: the robot sits down, or falls."""
        now_s = self.clock.time()
        is_stopped = self.gate.latched
        self._machine.stop("emergency stop" if is_stopped else "no operator commands", now_s)
        for throttle in self._throttles:
            throttle.stop()
        if self._link is None:
            return
        self._damp(now_s)
        if not self._is_closed and self._is_busy(now_s):
            self._motion.start(now_s)

    def close_devices(self) -> None:
        """Release the port. The last commands damp: nothing confirms that one of them arrived."""
        self._motion.close()
        if self._link:
            for _ in range(_LAST):
                self._damp(self.clock.time())
            self._link.close()
            self._link = None

    @property
    def are_devices_safe(self) -> bool:
        """True when damping was sent last, or the controller's own dead-man has passed."""
        link = self._link
        if link is None or link.sent is WalkMode.DAMP:
            return True
        return self.clock.time() - link.driven_s > DEADMAN_S

    def _throttle(self, name: str) -> Throttle:
        field = self.config.fields.get(name)
        if field is None or field.kind != "velocity":
            raise SaintError(Code.CONFIG_INVALID, f"the role legs needs the velocity {name}")
        return Throttle(field)

    def _on_command(self, message: LegsCommand, now_s: float) -> bool:
        wanted = message.vx, message.vy, message.vyaw
        if not all(map(isfinite, (message.mode, *wanted))):
            return False
        for throttle, speed in zip(self._throttles, wanted, strict=True):
            throttle.aim(speed)
        before = self._machine.mode
        self._machine.request(message.mode, now_s)
        if self._machine.mode < before:
            self._send(now_s)  # what lowers the mode does not wait for the clock
        if self._is_busy(now_s):
            self._motion.start(now_s)
        return True

    def _is_busy(self, now_s: float) -> bool:
        """True while commands are to be sent: the robot is not damped, or not for long, or its
        controller is to acknowledge a fault."""
        machine = self._machine
        is_damped = machine.mode is WalkMode.DAMP and not machine.fault
        return not is_damped or now_s < self._damp_until_s

    def _velocity(self, now_s: float) -> tuple[float, float, float]:
        """Return the velocity as applied now: it grows from zero when the robot begins to move."""
        for throttle in self._throttles:
            if self._machine.mode is WalkMode.MOVE:
                throttle.step(now_s)
            else:
                throttle.applied = 0.0
        vx, vy, vyaw = (throttle.applied for throttle in self._throttles)
        return vx, vy, vyaw

    def _tick(self, now_s: float) -> bool:
        """Read reports and send the newest command. True while there is more to send."""
        self._receive(now_s)
        if not self.may_move:  # the timer of the deadline may be late; this one decides too
            if self._machine.mode is not WalkMode.DAMP:
                self.stop()
            if now_s >= self._damp_until_s:
                return False
            self._damp(now_s)
            return True
        self._send(now_s)
        return self._is_busy(now_s)

    def _send(self, now_s: float) -> None:
        if self._is_late(now_s):
            return
        self._machine.velocity = self._velocity(now_s)
        command = self._machine.command(now_s)
        link = self._link
        if link is None:
            return
        if command.mode is WalkMode.DAMP:
            self.attempt(_DEVICE, partial(link.send, command, now_s))
        else:
            self._damp_until_s = now_s + _DAMPING_S
            self.drive(_DEVICE, partial(link.send, command, now_s))

    def _is_late(self, now_s: float) -> bool:
        """Damp when the controller's dead-man has passed between two commands: it has damped the
        robot, perhaps unseen between two reports, and must not be driven on from there."""
        link = self._link
        if link is None or link.sent is WalkMode.DAMP or now_s - link.driven_s <= DEADMAN_S:
            return False
        self.counters["walker_late"] += 1
        self._machine.stop(f"a command was {now_s - link.driven_s:.2f} s late", now_s)
        self._damp(now_s)
        return True

    def _damp(self, now_s: float) -> None:
        if self._link:
            command = WalkCommand(WalkMode.DAMP, is_emergency=self.gate.latched)
            self.attempt(_DEVICE, partial(self._link.send, command, now_s))

    def _look(self) -> None:
        """Read reports at rest too, and publish the state."""
        now_s = self.clock.time()
        if not self._motion.is_running:
            self._receive(now_s)
            self._machine.advance(now_s)
        if now_s - self._opened_s > _GRACE_S:
            self.notice(_DEVICE, self._machine.fault)
        if self._publish_state.has_readers:
            vx, vy, vyaw = (throttle.applied for throttle in self._throttles)
            age_s = now_s - self._state_s if self._state else nan
            state = messages.legs_state(
                clocks.stamp(), self._machine, (vx, vy, vyaw), self._walker.joint_names,
                self._state, age_s,
            )  # fmt: skip
            state.estop_active = self.gate.latched
            self._publish_state(state)

    def _receive(self, now_s: float) -> None:
        state = self._link.receive() if self._link else None
        if state is None:
            return
        self._state, self._state_s = state, now_s
        self._machine.report(state, now_s)
        if now_s - self._joints_s >= _JOINTS_S:
            self._joints_s = now_s
            self._send_joints(state)

    def _send_joints(self, state: WalkState) -> None:
        stamp = clocks.stamp()
        if state.joint_pos and self._publish_joints.has_readers:
            self._publish_joints(messages.joint_state(stamp, self._walker.joint_names, state))
        if self._publish_imu.has_readers:
            self._publish_imu(messages.imu(stamp, state))

    def _send_slowly(self) -> None:
        now_s = self.clock.time()
        is_fresh = now_s - self._state_s < _SLOW_S
        state = self._state if is_fresh else None
        if state and state.battery:
            self._publish_battery(messages.battery(clocks.stamp(), state.battery))
            self._judge_battery(state.battery.percent)
        if self._publish_diagnostics.has_readers:
            self._publish_diagnostics(
                messages.diagnostics(clocks.stamp(), self.node_id, self._machine, state)
            )

    def _judge_battery(self, percent: float) -> None:
        is_low = percent < self._walker.low_battery_percent
        text = f"the battery is at {percent:.0f} %; have the robot sit down" if is_low else ""
        self.notice("battery", text)


def walker_of(config: RoleConfig) -> Walker:
    """Return the controller of the configuration. Raises SaintError without one."""
    if config.walker is None:
        raise SaintError(Code.CONFIG_INVALID, "the role legs needs walker")
    return config.walker


async def run(ctx: Context[Config]) -> None:
    """Serve assignments until stopped."""
    await RoleHost(ctx, "legs", partial(LegsRole, ctx.config)).serve()
