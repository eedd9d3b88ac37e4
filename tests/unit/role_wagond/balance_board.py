"""A small BALANCE board by the table of lib/wagon, without dynamics: what the host of the wagon
meets in tests. Not here: the boards' own firmware and its simulation.
"""

from dataclasses import dataclass, field
from typing import Any

from saint_services.lib.binary_layout import LayoutError
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.wagon import can_frames
from saint_services.lib.wagon.can_frames import (
    WagonArm,
    WagonAttitude,
    WagonDrive,
    WagonEstop,
    WagonGains,
    WagonPower,
)
from saint_services.lib.wagon.meanings import WagonFlag, WagonMode, WagonState, is_grave

_STOPPED = (WagonState.ESTOP, WagonState.TILT, WagonState.FAILSAFE, WagonState.FAULT)


@dataclass
class BalanceBoard:
    """One board and its pilot. Attributes may be set at will; `frames` is what it received."""

    state: WagonState = WagonState.DISARMED
    switch_mode: WagonMode = WagonMode.AUTONOMOUS
    is_rc_alive: bool = True
    is_failover: bool = False
    is_stick_neutral: bool = True
    is_switch_armed: bool = True
    must_cycle: bool = False
    pitch: float = 0.0
    yaw_rate: float = 0.0
    battery_mv: int = 38_000
    fault_code: int = 0
    rssi: int = -60
    refuses_to_arm: bool = False
    frames: list[Any] = field(default_factory=list)
    host_mode: WagonMode = WagonMode.RC
    host_s: float = -1e9
    speed: int = 0  # in force
    steer: int = 0

    def received(self, frame: CanFrame, now_s: float) -> None:
        """Obey a frame of the host; ignore what is none, as the boards do."""
        row = can_frames.BY_ID.get(frame.id)
        if row is None or row.is_telemetry or frame.is_extended:
            return
        try:
            message = can_frames.decode(frame)
        except LayoutError:
            return
        self.frames.append(message)
        if isinstance(message, WagonEstop):
            self._off(WagonState.ESTOP)
        elif isinstance(message, WagonArm):
            self._arm() if message.arm else self._disarm()
        elif isinstance(message, WagonDrive):
            self.host_s, self.host_mode = now_s, WagonMode(message.mode)
            drives = self.state is WagonState.ARMED and self.mode(now_s) is not WagonMode.RC
            self.speed, self.steer = (message.speed, message.steer) if drives else (0, 0)

    def lose_rc(self) -> None:
        """Lose both receivers for longer than the limit."""
        self.is_rc_alive, self.must_cycle = False, True
        self._off(WagonState.FAILSAFE)

    def find_rc(self) -> None:
        """Receive the pilot again, who cycles the arm switch."""
        self.is_rc_alive, self.must_cycle = True, False

    def tilt(self, degrees: float) -> None:
        """Tilt the board."""
        self.pitch = degrees
        if abs(degrees) > 25.0:
            self._off(WagonState.TILT)

    def mode(self, now_s: float) -> WagonMode:
        """Return the mode in force."""
        is_alive = now_s - self.host_s <= 0.5
        return min(self.switch_mode, self.host_mode) if is_alive else WagonMode.RC

    def attitude(self, now_s: float) -> CanFrame:
        """Return 0x400."""
        if now_s - self.host_s > 0.5:
            self.speed = self.steer = 0
        bits = {
            WagonFlag.RC_ALIVE: self.is_rc_alive,
            WagonFlag.RC_FAILOVER: self.is_failover,
            WagonFlag.HOST_ALIVE: now_s - self.host_s <= 0.5,
            WagonFlag.STICK_NEUTRAL: self.is_stick_neutral,
            WagonFlag.ARM_SWITCH: self.is_switch_armed,
            WagonFlag.CYCLE_SWITCH: self.must_cycle,
        }
        flags = sum(int(flag) for flag, is_set in bits.items() if is_set) | self.mode(now_s)
        speed = self.speed * 2.0 / 1000.0
        return can_frames.encode(
            WagonAttitude(self.pitch, speed, self.yaw_rate, int(self.state), flags)
        )

    def power(self) -> CanFrame:
        """Return 0x401."""
        return can_frames.encode(WagonPower(self.battery_mv, self.fault_code, self.rssi))

    @property
    def gains(self) -> WagonGains | None:
        """The newest gains received."""
        found = [each for each in self.frames if isinstance(each, WagonGains)]
        return found[-1] if found else None

    def _arm(self) -> None:
        if (
            self.state is WagonState.DISARMED
            and self.is_rc_alive
            and self.is_switch_armed
            and not self.must_cycle
            and self.is_stick_neutral
            and abs(self.pitch) <= 25.0
            and not is_grave(self.fault_code)
            and not self.refuses_to_arm
        ):
            self.state = WagonState.ARMED

    def _disarm(self) -> None:
        self.speed = self.steer = 0
        if self.state is WagonState.ARMED or self.state in _STOPPED:
            self.state = WagonState.DISARMED

    def _off(self, state: WagonState) -> None:
        self.state, self.speed, self.steer = state, 0, 0
