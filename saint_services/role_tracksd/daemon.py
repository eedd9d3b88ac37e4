"""Wires the tracks: velocity commands to motors, encoders to odometry."""

from collections import Counter
from functools import partial
from math import isfinite

from saint_services.lib import clock as clocks
from saint_services.lib.bus import Sample
from saint_services.lib.daemon import Context
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.geometry_msgs import (
    Point,
    Pose,
    PoseWithCovariance,
    Quaternion,
    Twist,
    TwistWithCovariance,
    Vector3,
)
from saint_services.lib.generated.nav_msgs import Odometry
from saint_services.lib.generated.saint_msgs import MotorCurrent, TrackState
from saint_services.lib.generated.std_msgs import Bool, Header
from saint_services.lib.generated.topics import (
    TRACKS_CMD_VEL,
    TRACKS_ESTOP,
    TRACKS_MOTOR_CURRENT,
    TRACKS_ODOM,
    TRACKS_STATE,
)
from saint_services.lib.hw.ports import Board
from saint_services.lib.role import Host, Session, Throttle
from saint_services.lib.role.axis import SLICE_S
from saint_services.lib.role.timers import Clock, Motion
from saint_services.lib.roles import RoleConfig

from .adapters import Track, geometry_of
from .config import Config
from .logic import Odometer, Speed, current_a, mix

_ODOMETRY_S = 0.02
_STATE_S = 0.05
_CURRENT_S = 0.2
# Variances of x, y, z, roll, pitch, yaw: what a vehicle on the ground cannot do is unknown.
_VARIANCES = (1e-3, 1e-3, 1e6, 1e6, 1e6, 1e-2)
_COVARIANCE = tuple(
    _VARIANCES[row] if row == column else 0.0 for row in range(6) for column in range(6)
)


class Tracks(Session):
    """The role."""

    role = "tracks"

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
        self._linear = self._throttle("linear")
        self._angular = self._throttle("angular")
        self._motion = Motion(clock, SLICE_S, self._advance)
        self._tracks: list[Track] = []  # left, right
        self._ways = [0.0, 0.0]
        self._speeds = [0.0, 0.0]
        self._windows = (Speed(), Speed())
        self._commanded = (0.0, 0.0)
        self._odometer = Odometer(self._geometry.track_width_m)
        self._updated_s = clock.time()

    def open_drivers(self, board: Board) -> None:
        """Motors stand afterwards."""
        for side in ("left", "right"):
            self._tracks.append(Track(board, self.config, side))

    def start(self) -> None:
        """Topics in and out."""
        for track in self._tracks:
            if track.encoder:
                track.encoder.listen()
        self._updated_s = self.clock.time()
        self.command(TRACKS_CMD_VEL, self._on_command)
        self.subscribe(TRACKS_ESTOP, self._on_estop_button)
        self._publish_odometry = self.publisher(TRACKS_ODOM)
        self._publish_state = self.publisher(TRACKS_STATE)
        self._publish_current = self.publisher(TRACKS_MOTOR_CURRENT)
        self.every(_ODOMETRY_S, self._measure)
        self.every(_STATE_S, self._tell_state)
        self.every(_CURRENT_S, self._tell_current)

    def stop(self) -> None:
        """Both motors off, now."""
        self._linear.stop()
        self._angular.stop()
        self._motion.close()
        self._commanded = (0.0, 0.0)
        for track in self._tracks:
            if not self.attempt(track.name, track.motor.stop):
                self._motion.start(self.clock.time())  # again in the next slice

    def close_drivers(self) -> None:
        """Give the pins back."""
        self._motion.close()
        for track in self._tracks:
            self.attempt(track.name, track.close)
        self._tracks.clear()

    @property
    def is_safe(self) -> bool:
        """Both motors are off."""
        return all(track.motor.duty == 0.0 for track in self._tracks)

    def _throttle(self, name: str) -> Throttle:
        field = self.config.fields.get(name)
        if field is None or field.kind != "velocity":
            raise SaintError(Code.CONFIG_INVALID, f"the role tracks needs the velocity {name}")
        return Throttle(field)

    def _on_command(self, message: Twist, now_s: float) -> bool:
        linear, angular = message.linear, message.angular
        # One NaN or infinity makes the sum one.
        if not isfinite(linear.x + linear.y + linear.z + angular.x + angular.y + angular.z):
            return False
        self._linear.aim(linear.x)
        self._angular.aim(angular.z)
        if self._advance(now_s):
            self._motion.start(now_s)
        return True

    def _advance(self, now_s: float) -> bool:
        """One step towards the command; True while there is more to do."""
        linear, angular = self._linear, self._angular
        linear.step(now_s)
        angular.step(now_s)
        geometry = self._geometry
        top = geometry.top_speed_mps
        speeds = mix(linear.applied, angular.applied, geometry.track_width_m, top)
        self._commanded = speeds
        is_written = True
        for track, speed in zip(self._tracks, speeds, strict=True):
            is_written &= self.attempt(track.name, partial(track.motor.set, speed / top))
        return not (is_written and linear.is_there and angular.is_there)

    def _on_estop_button(self, sample: Sample[Bool]) -> None:
        if sample.message.data:
            self.trip()

    def _measure(self) -> None:
        now_s = self.clock.time()
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

    def _tell_state(self) -> None:
        left, right = self._speeds
        left_a, right_a = self._currents()
        is_latched = self.gate.latched
        is_enabled = not is_latched and not self.fault and self.gate.is_alive(self.clock.time())
        self._publish_state(TrackState(left, right, left_a, right_a, is_latched, is_enabled))
        self._publish_odometry(self._odometry())

    def _tell_current(self) -> None:
        self._publish_current(MotorCurrent(clocks.stamp(), *self._currents()))

    def _currents(self) -> list[float]:
        settings, top = self._settings, self._geometry.top_speed_mps
        return [
            current_a(
                track.motor.duty, speed, top, settings.stall_current_a, settings.idle_current_a
            )
            for track, speed in zip(self._tracks, self._speeds, strict=True)
        ]

    def _odometry(self) -> Odometry:
        left, right = self._speeds
        z, w = self._odometer.quaternion_zw()
        pose = Pose(Point(self._odometer.x_m, self._odometer.y_m, 0.0), Quaternion(0.0, 0.0, z, w))
        turning = (right - left) / self._geometry.track_width_m
        twist = Twist(Vector3((left + right) / 2.0, 0.0, 0.0), Vector3(0.0, 0.0, turning))
        return Odometry(
            header=Header(stamp=clocks.stamp(), frame_id="odom"),
            child_frame_id="base_link",
            pose=PoseWithCovariance(pose, _COVARIANCE),
            twist=TwistWithCovariance(twist, _COVARIANCE),
        )


async def run(ctx: Context[Config]) -> None:
    """Serve assignments until asked to stop."""
    await Host(ctx, "tracks", partial(Tracks, ctx.config)).serve()
