"""The body and the firmware of a simulated walking robot: modes with their times, dead-man, limits
of the velocity, gait, falls, battery, alerts. Pure: stepped by time. Not here: bytes and sockets
(process.py).

No dynamics: it stands while its firmware is commanded as a real one must be, and falls when it is
commanded nonsense.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

from saint_services.lib.walker.alerts import BATTERY_LOW, FALL, flags_of, usual_severity
from saint_services.lib.walker.model import (
    DEADMAN_S,
    STAND_S,
    CanCount,
    Severity,
    WalkAlert,
    WalkBattery,
    WalkCommand,
    WalkMode,
    WalkState,
)

SPEEDS: Final = (1.0, 0.3, 1.0)  # m/s, m/s, rad/s: what the firmware accepts, either way
_NONSENSE: Final = 3.0  # times as much: the robot loses its balance
_STEP_HZ: Final = 1.4
_SIT_S: Final = 0.8  # to sit down when it is damped
_FULL_V, _EMPTY_V = 54.6, 42.0
_WALK_A, _STAND_A, _REST_A = 12.0, 6.0, 0.8
_CAPACITY_AH: Final = 10.0
_LOW_PERCENT: Final = 15.0
# Of one leg, in rad: hip pitch, roll, yaw, knee, ankle A, B; standing, and folded on the floor.
_STANDING: Final = (-0.25, 0.0, 0.0, 0.5, -0.25, -0.25)
_FOLDED: Final = (-1.2, 0.1, 0.0, 2.1, -0.9, -0.9)
_SWING: Final = (0.35, 0.05, 0.0, 0.45, 0.2, 0.2)


@dataclass(frozen=True, slots=True)
class Body:
    """How the robot stands: 0 folded, 1 upright; and where it is."""

    height: float = 0.0
    is_fallen: bool = False
    phase: float = 0.0
    x_m: float = 0.0
    y_m: float = 0.0
    heading_rad: float = 0.0


class WalkerPlant:
    """One robot. `refused` counts commands that the firmware did not accept."""

    def __init__(
        self, joints: int = 12, charge: float = 1.0, epoch: int = 1, stand_s: float = STAND_S
    ) -> None:
        self.mode = WalkMode.DAMP
        self.body = Body()
        self.raised: set[int] = set()  # alerts that a test raises
        self.deadmen = 0
        self.falls = 0
        self.refused = 0
        self.joints = joints
        self._stand_s = stand_s
        self._charge = charge
        self._epoch = epoch
        self._command = WalkCommand(WalkMode.DAMP)
        self._commanded_s = -math.inf
        self._now_s = -math.inf
        self._since_s = -math.inf
        self._sequence = 0
        self._commanded_sequence = -1
        self._is_latched = False
        self._commands = 0
        self._joint_pos = self._pose()
        self._joint_vel = (0.0,) * joints

    def command(self, command: WalkCommand, now_s: float) -> None:
        """Obey a command; an old one is dropped, except one to damp."""
        self.step(now_s)
        self._commands += 1
        is_damping = command.mode is WalkMode.DAMP or command.is_emergency
        is_old = 0 < command.sequence <= self._commanded_sequence
        if is_old and command.sequence > self._commanded_sequence - _WINDOW and not is_damping:
            self.refused += 1
            return
        self._commanded_sequence = (
            max(command.sequence, self._commanded_sequence)
            if is_old
            else (command.sequence or self._commanded_sequence)
        )
        self._commanded_s = now_s
        if is_damping:
            self._is_latched = False  # acknowledged
            self._command = replace(command, mode=WalkMode.DAMP)
            self._enter(WalkMode.DAMP)
        elif self._is_latched or self.mode is WalkMode.FAULT:
            self.refused += 1
        else:
            self._obey(command)

    def step(self, now_s: float) -> None:
        """Let time pass."""
        elapsed_s = 0.0 if self._now_s == -math.inf else max(0.0, now_s - self._now_s)
        if self._now_s == -math.inf:
            self._since_s = now_s
        self._now_s = now_s
        if (
            self.mode not in (WalkMode.DAMP, WalkMode.FAULT)
            and now_s - self._commanded_s > DEADMAN_S
        ):
            self.deadmen += 1
            self._enter(WalkMode.DAMP)
        if any(each.severity is Severity.CRITICAL for each in self._alerts()):
            self._fault()
        self._move(elapsed_s)

    def state(self) -> WalkState:
        """Return what the firmware reports now."""
        self._sequence += 1
        body, alerts = self.body, self._alerts()
        lean = 1.3 if body.is_fallen else 0.03 * math.sin(math.tau * body.phase) * body.height
        moving = self.mode is WalkMode.MOVE
        current_a = self._current_a() / self.joints
        return WalkState(
            self.mode,
            timestamp_us=max(0, int(self._now_s * 1e6)),
            sequence=self._sequence,
            joint_pos=self._joint_pos,
            joint_vel=self._joint_vel,
            joint_current_a=(current_a,) * self.joints,
            joint_temp_c=(25.0 + 2.0 * current_a,) * self.joints,
            ang_vel_rads=(0.0, 0.0, self._speeds()[2] if moving else 0.0),
            gravity=(math.sin(lean), 0.0, -math.cos(lean)),
            quaternion=(math.cos(body.heading_rad / 2), 0.0, 0.0, math.sin(body.heading_rad / 2)),
            error_flags=flags_of(alerts) if self._is_latched else 0,
            command_sequence=max(0, self._commanded_sequence),
            alerts=alerts,
            battery=WalkBattery(self._voltage_v(), 100.0 * self._charge, self._current_a(), 30.0),
            gait_phase=body.phase,
            is_enabled=self.mode not in (WalkMode.DAMP, WalkMode.FAULT),
            is_emergency=self._command.is_emergency,
            epoch=self._epoch,
            cycle_us=800,
            jitter_us=30,
            can=(CanCount(self._commands * 12, self._commands * 12),) * 2,
        )

    def _obey(self, command: WalkCommand) -> None:
        self._command = command
        is_walking = command.mode in (WalkMode.BALANCE, WalkMode.MOVE)
        if is_walking and self.body.height < 1.0:
            self._fall()  # the policy assumes that the robot stands
        elif command.mode is WalkMode.MOVE and self._is_nonsense(command):
            self._fall()
        else:
            self._enter(command.mode)

    def _is_nonsense(self, command: WalkCommand) -> bool:
        speeds = command.vx, command.vy, command.vyaw
        return any(abs(v) > _NONSENSE * most for v, most in zip(speeds, SPEEDS, strict=True))

    def _enter(self, mode: WalkMode) -> None:
        if mode is not self.mode:
            self.mode, self._since_s = mode, self._now_s

    def _fall(self) -> None:
        self.falls += 1
        self.body = replace(self.body, is_fallen=True)
        self._fault()

    def _fault(self) -> None:
        self._is_latched = True
        self._enter(WalkMode.FAULT)

    def _alerts(self) -> tuple[WalkAlert, ...]:
        found = {*self.raised}
        if self.body.is_fallen and self._is_latched:
            found.add(FALL)
        if 100.0 * self._charge < _LOW_PERCENT:
            found.add(BATTERY_LOW)
        return tuple(WalkAlert(each, usual_severity(each)) for each in sorted(found))

    def _move(self, elapsed_s: float) -> None:
        body = self.body
        is_up = self.mode in (WalkMode.STAND, WalkMode.BALANCE, WalkMode.MOVE)
        rate = 1.0 / self._stand_s if is_up else -1.0 / _SIT_S
        height = min(1.0, max(0.0, body.height + rate * elapsed_s))
        is_fallen = body.is_fallen and not (is_up and height >= 1.0)  # it has stood up again
        body = replace(body, height=height, is_fallen=is_fallen)
        if self.mode is WalkMode.MOVE:
            body = self._walked(body, elapsed_s)
        self.body = body
        self._charge = max(0.0, self._charge - self._current_a() * elapsed_s / 3600 / _CAPACITY_AH)
        before, self._joint_pos = self._joint_pos, self._pose()
        if elapsed_s > 0.0:
            self._joint_vel = tuple(
                (now - then) / elapsed_s for now, then in zip(self._joint_pos, before, strict=True)
            )

    def _walked(self, body: Body, elapsed_s: float) -> Body:
        vx, vy, vyaw = self._speeds()
        heading = body.heading_rad
        is_stepping = bool(vx or vy or vyaw)
        return replace(
            body,
            phase=(body.phase + _STEP_HZ * elapsed_s) % 1.0 if is_stepping else 0.0,
            x_m=body.x_m + (vx * math.cos(heading) - vy * math.sin(heading)) * elapsed_s,
            y_m=body.y_m + (vx * math.sin(heading) + vy * math.cos(heading)) * elapsed_s,
            heading_rad=math.remainder(heading + vyaw * elapsed_s, math.tau),
        )

    def _speeds(self) -> tuple[float, float, float]:
        """Return the velocity within the firmware's limits."""
        wanted = self._command.vx, self._command.vy, self._command.vyaw
        vx, vy, vyaw = (max(-most, min(most, v)) for v, most in zip(wanted, SPEEDS, strict=True))
        return max(-0.5, vx), vy, vyaw

    def _pose(self) -> tuple[float, ...]:
        found: list[float] = []
        for side in (0.0, 0.5):
            swing = math.sin(math.tau * (self.body.phase + side)) if self.body.phase else 0.0
            found += [
                folded + (standing - folded) * self.body.height + wide * swing
                for standing, folded, wide in zip(_STANDING, _FOLDED, _SWING, strict=True)
            ]
        return tuple((found + [0.0] * 13)[: self.joints])

    def _current_a(self) -> float:
        if self.mode is WalkMode.MOVE:
            return _WALK_A
        return _STAND_A if self.mode in (WalkMode.STAND, WalkMode.BALANCE) else _REST_A

    def _voltage_v(self) -> float:
        return _EMPTY_V + (_FULL_V - _EMPTY_V) * self._charge - 0.05 * self._current_a()


_WINDOW: Final = 10_000  # sequence numbers; further behind is a commander that has started again
