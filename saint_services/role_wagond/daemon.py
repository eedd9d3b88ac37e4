"""Wires the wagon: velocity commands, requests and stops to the BALANCE board, its reports to
odometry, attitude, battery and state. Not here: what is sent (logic.py), messages, the bus.
"""

from collections import Counter
from functools import partial
from math import isfinite, radians

from saint_services.lib import clock as clocks
from saint_services.lib import log
from saint_services.lib.bus import Sample
from saint_services.lib.daemon import Context
from saint_services.lib.generated.geometry_msgs import Twist
from saint_services.lib.generated.saint_msgs import WagonRequest, WagonState
from saint_services.lib.generated.topics import (
    BATTERY,
    DIAGNOSTICS,
    WAGON_CMD_VEL,
    WAGON_IMU,
    WAGON_ODOM,
    WAGON_REPLY,
    WAGON_REQUEST,
    WAGON_STATE,
)
from saint_services.lib.hw.ports import Board
from saint_services.lib.role.host import RoleHost
from saint_services.lib.role.motion import odometry_messages
from saint_services.lib.role.motion.axis import SLICE_S, throttle
from saint_services.lib.role.motion.odometry import Odometer
from saint_services.lib.role.motion.transform_publisher import transform_publisher
from saint_services.lib.role.session import RoleSession
from saint_services.lib.role.timers import Clock, Motion
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.wagon.can_frames import WagonArm, WagonAttitude, WagonDrive, WagonPower
from saint_services.lib.wagon.meanings import (
    FULL_SPEED_MPS,
    FULL_TURN_RADPS,
    WagonDriveFlag,
    WagonMode,
    fault_text,
)

from . import messages
from .adapters import BoardLine, device_of
from .board_view import SILENT_S
from .config import Config
from .diagnostics import diagnostics
from .logic import REPEAT_S, Message, WagonHost
from .motors import MotorView
from .requests import WagonRequests

_STATE_S = 0.05
_SLOW_S = 1.0
_BOARD = "board"  # the part that a notice is about
_log = log.get("role-wagond")


class WagonRole(RoleSession):
    """The role."""

    role = "wagon"
    does_fault_stop_robot = True  # a board that is not reached may drive on for half a second

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
        self._device = device_of(config)
        self._linear = throttle(config.fields, "linear", "wagon", FULL_SPEED_MPS)
        self._angular = throttle(config.fields, "angular", "wagon", FULL_TURN_RADPS)
        self._motion = Motion(clock, SLICE_S, self._advance)
        mode = WagonMode[settings.highest_mode.upper()]
        flags = WagonDriveFlag.BRAKE if settings.brake_at_rest else WagonDriveFlag(0)
        self.host = WagonHost(self._send, mode, flags)
        self._motors = MotorView(settings.motors)
        self._line: BoardLine | None = None
        self._odometer = Odometer(settings.track_width_m, settings.odometry_error_m)
        self._travelled_s = clock.time()
        self._was_armed = False

    def open_devices(self, board: Board) -> None:
        """Open the bus. Nothing is sent: a start neither arms nor stops."""
        self._line = BoardLine(board, self._device, self._motors)

    def start(self) -> None:
        """Obey commands and requests, follow the board, publish states."""
        assert self._line
        self._line.discard()
        self._line.listen(self.read)
        self.command(WAGON_CMD_VEL, self._on_command)
        self._publish_odometry = self.publisher(WAGON_ODOM)
        self._publish_transform = transform_publisher(self, is_wanted=self._settings.publish_tf)
        self._publish_imu = self.publisher(WAGON_IMU)
        self._publish_battery = self.publisher(BATTERY)
        self._publish_state = self.publisher(WAGON_STATE)
        self._publish_diagnostics = self.publisher(DIAGNOSTICS)
        self._requests = WagonRequests(
            self.host, self.gate, self.clock, self.publisher(WAGON_REPLY)
        )
        self.subscribe(WAGON_REQUEST, self._on_request)
        self.every(REPEAT_S, self._tick)
        self.every(_STATE_S, self._send_state)
        self.every(_SLOW_S, self._send_slowly)

    def stop_devices(self) -> None:
        """Stop the board for the e-stop; else bring it to rest. Never raises."""
        self._linear.stop()
        self._angular.stop()
        self._motion.close()
        if self._line is None:
            return
        now_s = self.clock.time()
        if self.gate.latched:
            self.host.stop(now_s)
        else:
            self.host.rest(now_s)

    def close_devices(self) -> None:
        """Disarm a board that is armed, and release the bus."""
        self._motion.close()
        line = self._line
        if line is None:
            return
        now_s = self.clock.time()
        if self.host.board.is_armed(now_s):  # nobody watches it any more
            self.host.disarm(now_s)
        self._line = None
        line.close()

    @property
    def are_devices_safe(self) -> bool:
        """True when nothing is commanded and the board is not armed, as far as it reports."""
        return self._line is None or self.host.is_at_rest(self.clock.time())

    def latch_changed(self, was_latched: bool) -> None:
        """Follow the e-stop: its end sends nothing and arms nothing."""
        super().latch_changed(was_latched)
        if was_latched and not self.gate.latched:
            self.host.clear()

    def read(self) -> None:
        """Follow what the board has reported."""
        if self._line is None or self.fault:
            return
        now_s = self.clock.time()
        try:
            reports = self._line.read(now_s)
        except OSError as err:
            self.fail(f"the CAN bus is lost ({err.strerror or err})")
            return
        for report in reports:
            self.host.received(report, now_s)
            if isinstance(report, WagonAttitude):
                self._travel(report, now_s)
            elif isinstance(report, WagonPower):
                self.notice("fault", fault_text(report.fault_code))
        if self.host.board.is_armed(now_s) is not self._was_armed:
            self._was_armed = not self._was_armed
            _log.info("the wagon is armed" if self._was_armed else "the wagon is not armed")
            self.changed.set()

    def _on_command(self, message: Twist, now_s: float) -> bool:
        linear, angular = message.linear, message.angular
        # One NaN or infinity makes the sum one.
        if not isfinite(linear.x + linear.y + linear.z + angular.x + angular.y + angular.z):
            return False
        self._linear.aim(linear.x)
        self._angular.aim(angular.z)
        self.host.renew(now_s, is_motion=bool(self._linear.target or self._angular.target))
        if self._advance(now_s):
            self._motion.start(now_s)
        return True

    def _advance(self, now_s: float) -> bool:
        """Take one step towards the command. True while there is more to do."""
        linear, angular = self._linear, self._angular
        if self.host.may_move(now_s):
            linear.step(now_s)
            angular.step(now_s)
        else:  # once the command counts, speed is gained from 0
            linear.applied = angular.applied = 0.0
        self.host.drive(linear.applied, angular.applied, now_s)
        return not (linear.is_there and angular.is_there)

    def _on_request(self, sample: Sample[WagonRequest]) -> None:
        if self._stalls.is_stalled(self.clock.time()):
            self.counters["refused_after_stall"] += 1
            return
        self._requests.receive(sample)

    def _send(self, message: Message) -> None:
        """Send a message; what may move the wagon only while a guard lives."""
        line = self._line
        if line is None:
            return
        is_motion = isinstance(message, WagonDrive) and (message.speed or message.steer)
        is_arm = isinstance(message, WagonArm) and message.arm
        write = self.drive if is_motion or is_arm else self.attempt
        write(self._device.port, partial(line.send, message))

    def _tick(self) -> None:
        self.read()
        now_s = self.clock.time()
        self.host.step(now_s)
        self._requests.look(now_s)

    def _travel(self, attitude: WagonAttitude, now_s: float) -> None:
        """Add the way since the last report; the time of a silence is no way."""
        elapsed_s = min(max(0.0, now_s - self._travelled_s), SILENT_S)
        self._travelled_s = now_s
        turn = radians(attitude.yaw_rate) * self._settings.track_width_m / 2.0
        left, right = attitude.speed - turn, attitude.speed + turn
        self._odometer.travel(left * elapsed_s, right * elapsed_s)
        stamp = clocks.stamp()
        turning = radians(attitude.yaw_rate)
        self._publish_odometry(
            odometry_messages.odometry(stamp, self._odometer, attitude.speed, turning)
        )
        if self._publish_transform and self._publish_transform.has_readers:
            self._publish_transform(odometry_messages.transform(stamp, self._odometer))
        if self._publish_imu.has_readers:
            self._publish_imu(messages.imu(stamp, attitude))

    def _send_state(self) -> None:
        assert self._line
        now_s = self.clock.time()
        is_silent = self.host.board.attitude(now_s) is None
        text = f"the BALANCE board does not report on {self._device.port}; it counts as disarmed"
        self.notice(_BOARD, self._line.problem or (text if is_silent else ""))
        if self._publish_state.has_readers:
            self._publish_state(self._state(self._line, now_s))

    def _state(self, line: BoardLine, now_s: float) -> WagonState:
        state = messages.state(self.host, now_s)
        messages.add_motors(state, self._motors.readings(now_s))
        messages.add_bus(state, line)
        return state

    def _send_slowly(self) -> None:
        assert self._line
        now_s = self.clock.time()
        self._line.measure(now_s)
        if self._publish_diagnostics.has_readers:
            state = self._state(self._line, now_s)
            self._publish_diagnostics(diagnostics(clocks.stamp(), self.node_id, state))
        if power := self.host.board.power(now_s):
            self._publish_battery(messages.battery(clocks.stamp(), power))


async def run(ctx: Context[Config]) -> None:
    """Serve assignments until stopped."""
    await RoleHost(ctx, "wagon", partial(WagonRole, ctx.config)).serve()
