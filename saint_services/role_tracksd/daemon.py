"""Wires the tracks: velocity commands to motors, encoders to odometry, currents and travel to the
stall detection. Not here: arithmetic (logic.py), what a stall is (stall.py), messages.
"""

from collections import Counter
from functools import partial
from math import isfinite

from saint_services.lib import clock as clocks
from saint_services.lib.bus import Sample
from saint_services.lib.daemon import Context
from saint_services.lib.generated.geometry_msgs import Twist
from saint_services.lib.generated.saint_msgs import MotorCurrent, TrackState
from saint_services.lib.generated.std_msgs import Bool
from saint_services.lib.generated.topics import (
    TRACKS_CMD_VEL,
    TRACKS_ESTOP,
    TRACKS_MOTOR_CURRENT,
    TRACKS_ODOM,
    TRACKS_STATE,
)
from saint_services.lib.hw.motors.drives import Drives
from saint_services.lib.hw.ports import Board
from saint_services.lib.role.host import RoleHost
from saint_services.lib.role.motion import odometry_messages as messages
from saint_services.lib.role.motion.axis import SLICE_S, throttle
from saint_services.lib.role.motion.odometry import Odometer
from saint_services.lib.role.motion.transform_publisher import transform_publisher
from saint_services.lib.role.session import RoleSession
from saint_services.lib.role.timers import Clock, Motion
from saint_services.lib.role_config.model import RoleConfig

from .adapters import Track, geometry_of
from .config import Config
from .logic import SpeedEstimate, current_a, duty_of, mix
from .stall import Retry, StallDetector, Verdict

_ODOMETRY_S = 0.02  # while a track turns; at rest with each state
_STATE_S = 0.05
_CURRENT_S = 0.2
_STALL = "stall"  # the part that a notice is about


class TracksRole(RoleSession):
    """The role."""

    role = "tracks"
    does_fault_stop_robot = True  # a motor that does not obey drives on

    def __init__(
        self,
        settings: Config,
        config: RoleConfig,
        node_id: str,
        clock: Clock,
        counters: Counter[str],
    ) -> None:
        super().__init__(config, node_id, clock, counters)
        self._settings = settings
        self._geometry = geometry_of(config)
        self._linear = throttle(config.fields, "linear", "tracks")
        self._angular = throttle(config.fields, "angular", "tracks")
        self._motion = Motion(clock, SLICE_S, self._advance)
        self._measuring = Motion(clock, _ODOMETRY_S, self._measure)
        self._tracks: list[Track] = []  # left, right
        self._ways = [0.0, 0.0]
        self._speeds = [0.0, 0.0]
        self._windows = (SpeedEstimate(), SpeedEstimate())
        self._commanded = (0.0, 0.0)
        self._odometer = Odometer(self._geometry.track_width_m, settings.odometry_error_m)
        self._detectors = [StallDetector(settings.stall_current_a) for _ in range(2)]
        self._retry = Retry()
        self._updated_s = clock.time()

    def open_devices(self, board: Board) -> None:
        """Open motors and encoders; motors stand afterwards."""
        drives = Drives(board, self.config)
        for side in ("left", "right"):
            self._tracks.append(Track(drives, self.config, side))

    def start(self) -> None:
        """Count encoders, obey commands and publish states."""
        for track in self._tracks:
            if track.encoder:
                track.encoder.listen()
        self._updated_s = self.clock.time()
        self.command(TRACKS_CMD_VEL, self._on_command)
        self.subscribe(TRACKS_ESTOP, self._on_estop_button)
        self._publish_odometry = self.publisher(TRACKS_ODOM)
        self._publish_transform = transform_publisher(self, is_wanted=self._settings.publish_tf)
        self._publish_state = self.publisher(TRACKS_STATE)
        self._publish_current = self.publisher(TRACKS_MOTOR_CURRENT)
        self.every(_STATE_S, self._send_state)
        self.every(_CURRENT_S, self._send_current)

    def stop_devices(self) -> None:
        """Switch both motors off."""
        self._linear.stop()
        self._angular.stop()
        self._motion.close()
        self._commanded = (0.0, 0.0)
        for track in self._tracks:
            if not self.attempt(track.name, track.motor.stop):
                self._motion.start(self.clock.time())  # again in the next slice

    def close_devices(self) -> None:
        """Release the pins."""
        self._motion.close()
        self._measuring.close()
        for track in self._tracks:
            self.attempt(track.name, track.close)
        self._tracks.clear()

    @property
    def are_devices_safe(self) -> bool:
        """True when both motors are off."""
        return all(track.motor.duty == 0.0 for track in self._tracks)

    def _on_command(self, message: Twist, now_s: float) -> bool:
        linear, angular = message.linear, message.angular
        # One NaN or infinity makes the sum one.
        if not isfinite(linear.x + linear.y + linear.z + angular.x + angular.y + angular.z):
            return False
        is_neutral = linear.x == 0.0 and angular.z == 0.0
        if self._retry.is_blocked:
            if not self._retry.may_drive(is_neutral, now_s):
                return True  # obeyed by standing still
            self.notice(_STALL, "")
        self._linear.aim(linear.x)
        self._angular.aim(angular.z)
        if self._advance(now_s):
            self._motion.start(now_s)
        return True

    def _advance(self, now_s: float) -> bool:
        """Take one step towards the command. True while there is more to do."""
        linear, angular = self._linear, self._angular
        linear.step(now_s)
        angular.step(now_s)
        geometry = self._geometry
        top = geometry.top_speed_mps
        speeds = mix(linear.applied, angular.applied, geometry.track_width_m, top)
        is_written = True
        for track, speed in zip(self._tracks, speeds, strict=True):
            duty = duty_of(speed, top, geometry.start_duty)
            # No torque moves nothing: the guard need not expect beats for it.
            write = self.drive if duty else self.attempt
            is_written &= write(track.name, partial(track.motor.set, duty))
        if any(speeds) and not self._measuring.is_running:  # until now the tracks stood
            self._measure(now_s)
            self._measuring.start(now_s)
        self._commanded = speeds
        return not (is_written and linear.is_there and angular.is_there)

    def _on_estop_button(self, sample: Sample[Bool]) -> None:
        if sample.message.data:
            self.trip(f"the tracks received {TRACKS_ESTOP.name}")

    def _measure(self, now_s: float) -> bool:
        """Measure both tracks, and stop one that stalls. True while a track turns or is driven."""
        elapsed_s, self._updated_s = now_s - self._updated_s, now_s
        travelled = [0.0, 0.0]
        for side, track in enumerate(self._tracks):
            if track.encoder:
                way_m = track.way_m
                self._speeds[side] = self._windows[side].update(way_m, now_s)
            else:
                self._speeds[side] = self._commanded[side]
                way_m = self._ways[side] + self._commanded[side] * elapsed_s
            travelled[side] = way_m - self._ways[side]
            self._ways[side] = way_m
        self._odometer.travel(*travelled)
        self._check_stall(now_s)
        self._send_odometry()
        return any(self._speeds) or not self.are_devices_safe

    def _check_stall(self, now_s: float) -> None:
        top = self._geometry.top_speed_mps
        for track, speed, detector in zip(self._tracks, self._speeds, self._detectors, strict=True):
            share = speed / top if track.encoder else None
            if detector.is_stalled(track.motor.duty, share, self._measured_a(track), now_s):
                self._stalled(track, now_s)
                return

    def _stalled(self, track: Track, now_s: float) -> None:
        """Stop before the motor burns, with a notice that says what to do."""
        text = f"{track.side} track is driven with {abs(track.motor.duty):.0%} and does not turn"
        verdict = self._retry.stalled(now_s)
        self.stop_devices()
        if verdict is Verdict.STOP_ROBOT:
            text += " for the third time in a minute; look at it, then clear the e-stop"
            self.trip(text)
        else:
            text += "; release the stick, then try again"
            self.publish_fault(text, stops_robot=False)
        self.notice(_STALL, text)

    def _send_state(self) -> None:
        if not self._measuring.is_running:
            now_s = self.clock.time()
            if self._measure(now_s):  # the robot is being pushed
                self._measuring.start(now_s)
        left, right = self._speeds
        if self._publish_state.has_readers:
            left_a, right_a = self._currents()
            is_latched = self.gate.latched
            is_stopped = is_latched or self.fault or self._retry.is_blocked
            is_enabled = not is_stopped and self.gate.is_alive(self.clock.time())
            self._publish_state(TrackState(left, right, left_a, right_a, is_latched, is_enabled))

    def _send_odometry(self) -> None:
        left, right = self._speeds
        stamp = clocks.stamp()
        turning = (right - left) / self._geometry.track_width_m
        self._publish_odometry(
            messages.odometry(stamp, self._odometer, (left + right) / 2.0, turning)
        )
        if self._publish_transform and self._publish_transform.has_readers:
            self._publish_transform(messages.transform(stamp, self._odometer))

    def _send_current(self) -> None:
        for track in self._tracks:
            self.notice(track.name, track.motor.problem)
        self._publish_current(MotorCurrent(clocks.stamp(), *self._currents()))

    def _measured_a(self, track: Track) -> float | None:
        own = track.motor.current_a
        return self.current_a(track.meter) if own is None else own

    def _currents(self) -> list[float]:
        """Return the currents of both motors: measured where there is a meter, else estimated."""
        settings, top = self._settings, self._geometry.top_speed_mps
        stall_a, idle_a = settings.stall_current_a, settings.idle_current_a
        return [
            current_a(track.motor.duty, speed, top, stall_a, idle_a)
            if (measured := self._measured_a(track)) is None
            else measured
            for track, speed in zip(self._tracks, self._speeds, strict=True)
        ]


async def run(ctx: Context[Config]) -> None:
    """Serve assignments until stopped."""
    await RoleHost(ctx, "tracks", partial(TracksRole, ctx.config)).serve()
