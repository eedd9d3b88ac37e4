"""Messages of the ROS 2 package saint_msgs.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..bus import cdr
from ..bus.message import MessageBase
from .builtin_interfaces import Time
from .geometry_msgs import Transform


class ArmCommand(MessageBase):
    """saint_msgs/msg/ArmCommand"""

    __slots__ = ("target_positions", "speed_factor", "immediate")
    TYPE: ClassVar[str] = "saint_msgs/msg/ArmCommand"
    HASH: ClassVar[str] = "RIHS01_ba8161b8bc221cd9250e86391a79fd1bc1621168677049ff8901f93c9fea6d5b"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("target_positions", cdr.Sequence("float32", 0)), ("speed_factor", "float32"), ("immediate", "bool"))

    def __init__(
        self,
        target_positions: Sequence[float] = (),  # degrees, joint_0 first; NaN leaves a joint as it is
        speed_factor: float = 0.0,  # 0.0 to 1.0 of the joints' top speed
        immediate: bool = False,  # override the current motion
    ) -> None:
        self.target_positions = target_positions
        self.speed_factor = speed_factor
        self.immediate = immediate


class ArmState(MessageBase):
    """saint_msgs/msg/ArmState"""

    __slots__ = ("joint_positions", "joint_velocities", "joint_efforts", "in_motion", "error_state", "error_message")
    TYPE: ClassVar[str] = "saint_msgs/msg/ArmState"
    HASH: ClassVar[str] = "RIHS01_d21945cae0f5b72e6a130b826ba263be4e15ebc66e5ba3f1a8c973cf673030e6"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("joint_positions", cdr.Sequence("float32", 0)), ("joint_velocities", cdr.Sequence("float32", 0)), ("joint_efforts", cdr.Sequence("float32", 0)), ("in_motion", "bool"), ("error_state", "bool"), ("error_message", "string"))

    def __init__(
        self,
        joint_positions: Sequence[float] = (),  # degrees
        joint_velocities: Sequence[float] = (),  # degrees per second
        joint_efforts: Sequence[float] = (),  # newton metres; empty when not measured
        in_motion: bool = False,
        error_state: bool = False,
        error_message: str = "",
    ) -> None:
        self.joint_positions = joint_positions
        self.joint_velocities = joint_velocities
        self.joint_efforts = joint_efforts
        self.in_motion = in_motion
        self.error_state = error_state
        self.error_message = error_message


class ConsoleAlert(MessageBase):
    """Topic /saint/console/alerts."""

    __slots__ = ("stamp", "severity", "code", "text")
    TYPE: ClassVar[str] = "saint_msgs/msg/ConsoleAlert"
    HASH: ClassVar[str] = "RIHS01_4e6258974d02bfc020e63fdbd7f04e8ceac3dfd607112bee3742204b115e70a0"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("severity", "string"), ("code", "string"), ("text", "string"))

    def __init__(
        self,
        stamp: Time | None = None,
        severity: str = "",  # "info", "warning", "error", "critical"
        code: str = "",  # from errors.yaml
        text: str = "",
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.severity = severity
        self.code = code
        self.text = text


class ConsoleDisplay(MessageBase):
    """What the console shows. Topic /saint/console/display."""

    __slots__ = ("lines", "duration_s")
    TYPE: ClassVar[str] = "saint_msgs/msg/ConsoleDisplay"
    HASH: ClassVar[str] = "RIHS01_4ce399e06d654b9cfafb9a586799d323a790172c91820cef125bd1d047f150e8"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("lines", cdr.Sequence("string", 0)), ("duration_s", "float32"))

    def __init__(
        self,
        lines: Sequence[str] = (),  # one per display row, at most 8
        duration_s: float = 0.0,  # back to the status page after this time; 0: stays
    ) -> None:
        self.lines = lines
        self.duration_s = duration_s


class ConsoleInput(MessageBase):
    """Something a person did at the console. Topic /saint/console/input."""

    __slots__ = ("stamp", "control", "event", "value")
    TYPE: ClassVar[str] = "saint_msgs/msg/ConsoleInput"
    HASH: ClassVar[str] = "RIHS01_6c6bcbae124e7e394500480ef5739e7a4ecc21e2bef07e4fa63dd18a1de52ed8"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("control", "string"), ("event", "string"), ("value", "float32"))

    def __init__(
        self,
        stamp: Time | None = None,
        control: str = "",  # "button_a", "encoder", ...
        event: str = "",  # "pressed", "released", "held", "turned"
        value: float = 0.0,  # steps turned, seconds held; else 0
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.control = control
        self.event = event
        self.value = value


class ConsoleOverride(MessageBase):
    """Manual override from the console. Topic /saint/console/override."""

    __slots__ = ("stamp", "target", "action", "generation")
    TYPE: ClassVar[str] = "saint_msgs/msg/ConsoleOverride"
    HASH: ClassVar[str] = "RIHS01_3831e31963a6659964c6d2d4ea95c855a3d688194f93c75eecb9a772ce96b9d2"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("target", "string"), ("action", "string"), ("generation", "uint64"))

    def __init__(
        self,
        stamp: Time | None = None,
        target: str = "",  # "head", "tracks", ...
        action: str = "",  # "stop", "clear", "home", "release"
        generation: int = 0,  # of "clear": the e-stop that the display showed, EStop.generation
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.target = target
        self.action = action
        self.generation = generation


class EStopPress(MessageBase):
    """One request to stop, kept in the latch until it is cleared."""

    __slots__ = ("source", "reason", "since")
    TYPE: ClassVar[str] = "saint_msgs/msg/EStopPress"
    HASH: ClassVar[str] = "RIHS01_165653744366e84ff28689c10a6d09f275774196c6c57605d2f4c3eff44c6193"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("source", "string"), ("reason", "string"), ("since", "string"))

    def __init__(
        self,
        source: str = "",  # source of the press
        reason: str = "",
        since: str = "",  # ISO 8601, UTC
    ) -> None:
        self.source = source
        self.reason = reason
        self.since = since


class EStop(MessageBase):
    """The e-stop latch. Topic /saint/estop, reliable and transient local, published by routerd alone."""

    __slots__ = ("stamp", "active", "source", "reason", "generation", "presses", "presses_left_out")
    TYPE: ClassVar[str] = "saint_msgs/msg/EStop"
    HASH: ClassVar[str] = "RIHS01_0554c14e5485ce4647a4a7e2143e4d737ca06cd3e931745888336dd93bceb5ee"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("active", "bool"), ("source", "string"), ("reason", "string"), ("generation", "uint64"), ("presses", cdr.Sequence(EStopPress, 0)), ("presses_left_out", "uint32"))

    def __init__(
        self,
        stamp: Time | None = None,
        active: bool = False,
        source: str = "",  # source of the first press, or of the clear
        reason: str = "",  # of the first press
        generation: int = 0,  # rises with every press and every clear
        presses: Sequence[EStopPress] = (),  # the first and the newest, oldest first; empty while not active
        presses_left_out: int = 0,  # presses omitted after the first
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.active = active
        self.source = source
        self.reason = reason
        self.generation = generation
        self.presses = presses
        self.presses_left_out = presses_left_out


class RivalStatus(MessageBase):
    """A contender: a route that requests a field but does not drive it."""

    __slots__ = ("route", "source", "value", "age_ms", "reason")
    TYPE: ClassVar[str] = "saint_msgs/msg/RivalStatus"
    HASH: ClassVar[str] = "RIHS01_8c4b1767ca285e62f56fb7b6447ec4b3dfcdb74675715327e4a3613494a49308"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("route", "string"), ("source", "string"), ("value", "float32"), ("age_ms", "uint32"), ("reason", "string"))

    def __init__(
        self,
        route: str = "",
        source: str = "",
        value: float = 0.0,  # in the unit of the field
        age_ms: int = 0,  # age of its newest sample; 4294967295: no valid sample; 4294967294: or more
        reason: str = "",  # "lower priority", "timed out", "panel locked by rc", "mixed in", ...
    ) -> None:
        self.route = route
        self.source = source
        self.value = value
        self.age_ms = age_ms
        self.reason = reason


class FieldStatus(MessageBase):
    """What the router commands for an output field, and why. The role's state has the actual value."""

    __slots__ = ("target", "field", "unit", "value", "winner", "source", "age_ms", "policy", "clamped", "changed_ms", "rivals")
    TYPE: ClassVar[str] = "saint_msgs/msg/FieldStatus"
    HASH: ClassVar[str] = "RIHS01_fd09586c4652602426850cbd63b69d6ef3507b7cbb267761786e32a09ca70338"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("target", "string"), ("field", "string"), ("unit", "string"), ("value", "float32"), ("winner", "string"), ("source", "string"), ("age_ms", "uint32"), ("policy", "string"), ("clamped", "bool"), ("changed_ms", "uint32"), ("rivals", cdr.Sequence(RivalStatus, 0)))

    def __init__(
        self,
        target: str = "",  # "head", "arms.left", "tracks"
        field: str = "",  # "pan", "linear"
        unit: str = "",  # "deg", "m/s"
        value: float = 0.0,  # commanded, in `unit`, not measured; NaN: a position without a command
        winner: str = "",  # route in control; empty: none, the loss policy is in force
        source: str = "",  # source of that route; empty: none
        age_ms: int = 0,  # age of the winner's newest sample; 4294967295: unknown; 4294967294: or more
        policy: str = "",
        clamped: bool = False,  # a limit or the slew rate changed the value, also that of a blend
        changed_ms: int = 0,  # time since the winner changed; 0: not since the router's start
        rivals: Sequence[RivalStatus] = (),
    ) -> None:
        self.target = target
        self.field = field
        self.unit = unit
        self.value = value
        self.winner = winner
        self.source = source
        self.age_ms = age_ms
        self.policy = policy
        self.clamped = clamped
        self.changed_ms = changed_ms
        self.rivals = rivals


class FirmwareStatus(MessageBase):
    """Release and update state of a machine. Topic /saint/nodes/<id>/firmware: latched, published on every change."""

    __slots__ = ("stamp", "node_id", "version", "slot", "spare_version", "state", "progress", "target_version", "attempt", "verdict", "reason", "log_excerpt", "blocked_by")
    TYPE: ClassVar[str] = "saint_msgs/msg/FirmwareStatus"
    HASH: ClassVar[str] = "RIHS01_4ca6458f14a4bb1566056e90b4edd79e19b5ed04705d7ee73cd191b3de1455d2"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("node_id", "string"), ("version", "string"), ("slot", "string"), ("spare_version", "string"), ("state", "string"), ("progress", "uint8"), ("target_version", "string"), ("attempt", "uint32"), ("verdict", "string"), ("reason", "string"), ("log_excerpt", "string"), ("blocked_by", "string"))

    def __init__(
        self,
        stamp: Time | None = None,
        node_id: str = "",
        version: str = "",  # running release
        slot: str = "",  # "A" or "B"; empty where there are no slots
        spare_version: str = "",  # release in the other slot; empty when there is none or it is unusable
        state: str = "",  # "idle", "installing", "restarting", "verifying"
        progress: int = 0,  # percent of the installation
        target_version: str = "",  # being installed, or installed last
        attempt: int = 0,  # number of attempts, from 1; 0 without an update
        verdict: str = "",  # of the last attempt: "", "healthy", "rolled_back", "failed", "refused"
        reason: str = "",  # why, when the verdict is not healthy
        log_excerpt: str = "",  # last log lines for the reason, at most 4 KiB
        blocked_by: str = "",  # why no update can start now, e.g. live outputs; empty if one can
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.node_id = node_id
        self.version = version
        self.slot = slot
        self.spare_version = spare_version
        self.state = state
        self.progress = progress
        self.target_version = target_version
        self.attempt = attempt
        self.verdict = verdict
        self.reason = reason
        self.log_excerpt = log_excerpt
        self.blocked_by = blocked_by


class GPIOPin(MessageBase):
    """One pin of the 40-pin header."""

    __slots__ = ("pin_number", "pin_name", "direction", "current_state", "in_use", "used_by")
    TYPE: ClassVar[str] = "saint_msgs/msg/GPIOPin"
    HASH: ClassVar[str] = "RIHS01_e183d5a21d563ac576f7f1797b8d1bd09e837a2f51e20a60365b8918f51218f8"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("pin_number", "uint8"), ("pin_name", "string"), ("direction", "string"), ("current_state", "string"), ("in_use", "bool"), ("used_by", "string"))

    def __init__(
        self,
        pin_number: int = 0,  # BCM number; 255: power or ground
        pin_name: str = "",  # BCM name, e.g. "GPIO17"; "3V3", "5V", "GND"
        direction: str = "",  # "input", "output", "pwm", "i2c", "spi", "uart", "power", "ground", "alternate"
        current_state: str = "",  # "high", "low", "pwm_50" (duty in percent), "unknown"
        in_use: bool = False,  # claimed by a driver
        used_by: str = "",  # name of that driver, empty when free
    ) -> None:
        self.pin_number = pin_number
        self.pin_name = pin_name
        self.direction = direction
        self.current_state = current_state
        self.in_use = in_use
        self.used_by = used_by


class GripperCommand(MessageBase):
    """saint_msgs/msg/GripperCommand"""

    __slots__ = ("position", "force")
    TYPE: ClassVar[str] = "saint_msgs/msg/GripperCommand"
    HASH: ClassVar[str] = "RIHS01_18f8daef2f3a64f0e95a2f8310e382c379dab47bd2fb5119f61938dc11038e46"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("position", "float32"), ("force", "float32"))

    def __init__(
        self,
        position: float = 0.0,  # 0.0 (closed) to 1.0 (open)
        force: float = 0.0,  # newtons, grip force limit; 0: the gripper's default
    ) -> None:
        self.position = position
        self.force = force


class GripperState(MessageBase):
    """saint_msgs/msg/GripperState"""

    __slots__ = ("position", "force", "moving", "holding")
    TYPE: ClassVar[str] = "saint_msgs/msg/GripperState"
    HASH: ClassVar[str] = "RIHS01_cccb99f4d1506ca33c7764e29f6bcfa6bfc99a2aa0972e611cf90f6166524b32"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("position", "float32"), ("force", "float32"), ("moving", "bool"), ("holding", "bool"))

    def __init__(
        self,
        position: float = 0.0,  # 0.0 (closed) to 1.0 (open)
        force: float = 0.0,  # newtons; not a number when not measured
        moving: bool = False,
        holding: bool = False,  # it stopped on an object
    ) -> None:
        self.position = position
        self.force = force
        self.moving = moving
        self.holding = holding


class HeadCommand(MessageBase):
    """saint_msgs/msg/HeadCommand"""

    __slots__ = ("pan", "tilt", "roll", "speed")
    TYPE: ClassVar[str] = "saint_msgs/msg/HeadCommand"
    HASH: ClassVar[str] = "RIHS01_be2a80e7fc5481a962dec8cbae5afa1bdae032700d42086556d2de3e72a5b679"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("pan", "float32"), ("tilt", "float32"), ("roll", "float32"), ("speed", "float32"))

    def __init__(
        self,
        pan: float = 0.0,  # degrees; NaN leaves the joint as it is
        tilt: float = 0.0,  # degrees; NaN likewise
        roll: float = 0.0,  # degrees; NaN likewise
        speed: float = 0.0,  # 0.0 to 1.0 of the joints' top speed
    ) -> None:
        self.pan = pan
        self.tilt = tilt
        self.roll = roll
        self.speed = speed


class HeadExpression(MessageBase):
    """Face actuators beside the neck. Topics /saint/head/expression/cmd and .../state. As a command NaN leaves a field as it is."""

    __slots__ = ("jaw", "eye_pan", "eye_tilt")
    TYPE: ClassVar[str] = "saint_msgs/msg/HeadExpression"
    HASH: ClassVar[str] = "RIHS01_b4fddcd5d66e027fc00fc22d3d66c03a66f0f90f47cc002589705c645ba8fe33"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("jaw", "float32"), ("eye_pan", "float32"), ("eye_tilt", "float32"))

    def __init__(
        self,
        jaw: float = 0.0,  # 0.0 (closed) to 1.0 (open)
        eye_pan: float = 0.0,  # degrees, left is positive
        eye_tilt: float = 0.0,  # degrees, up is positive
    ) -> None:
        self.jaw = jaw
        self.eye_pan = eye_pan
        self.eye_tilt = eye_tilt


class HeadSensors(MessageBase):
    """saint_msgs/msg/HeadSensors"""

    __slots__ = ("stamp", "proximity", "ambient_light", "temperature")
    TYPE: ClassVar[str] = "saint_msgs/msg/HeadSensors"
    HASH: ClassVar[str] = "RIHS01_3c7c970a0e4774efdd404555139307b2e27e93ae89bfc9d71f9da40f476fcf20"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("proximity", "float32"), ("ambient_light", "float32"), ("temperature", "float32"))

    def __init__(
        self,
        stamp: Time | None = None,
        proximity: float = 0.0,  # metres; not a number when there is no sensor
        ambient_light: float = 0.0,  # lux; not a number when there is no sensor
        temperature: float = 0.0,  # degrees Celsius; not a number when there is no sensor
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.proximity = proximity
        self.ambient_light = ambient_light
        self.temperature = temperature


class HeadState(MessageBase):
    """saint_msgs/msg/HeadState"""

    __slots__ = ("pan", "tilt", "roll", "camera_active")
    TYPE: ClassVar[str] = "saint_msgs/msg/HeadState"
    HASH: ClassVar[str] = "RIHS01_0899b9f9fecdccfc42d52c7ee3a4a54a101bed1381302db5ecdc1bfb2611c2fa"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("pan", "float32"), ("tilt", "float32"), ("roll", "float32"), ("camera_active", "bool"))

    def __init__(
        self,
        pan: float = 0.0,  # degrees, -180 to 180, left is positive
        tilt: float = 0.0,  # degrees, -90 to 90, up is positive
        roll: float = 0.0,  # degrees, -45 to 45, right ear down is positive
        camera_active: bool = False,
    ) -> None:
        self.pan = pan
        self.tilt = tilt
        self.roll = roll
        self.camera_active = camera_active


class InputSample(MessageBase):
    """One new reading of one input source. Topics /saint/input/<class>. A repeated sequence is a lost sample: freshness is judged by new samples only."""

    __slots__ = ("stamp", "source", "sequence", "failsafe", "target", "names", "values")
    TYPE: ClassVar[str] = "saint_msgs/msg/InputSample"
    HASH: ClassVar[str] = "RIHS01_76fc23c07c78fa32d12a02b7ea977f23621ea103d4ffd79b874f1028d8cdc32f"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("source", "string"), ("sequence", "uint64"), ("failsafe", "bool"), ("target", "string"), ("names", cdr.Sequence("string", 0)), ("values", cdr.Sequence("float32", 0)))

    def __init__(
        self,
        stamp: Time | None = None,  # when it was captured
        source: str = "",  # "rc", "livelink:<subject>", "websocket:<client>", "autonomous:<name>"
        sequence: int = 0,  # rises with every new sample of this source
        failsafe: bool = False,  # the source reports a lost signal
        target: str = "",  # for direct commands: their target; else empty
        names: Sequence[str] = (),  # "channel_1", "headYaw", or the target's field names
        values: Sequence[float] = (),  # as many as there are names, always finite
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.source = source
        self.sequence = sequence
        self.failsafe = failsafe
        self.target = target
        self.names = names
        self.values = values


class LegsAlert(MessageBase):
    """An alert that a walking controller reports, in /saint/legs/state. The words for it are in LegsState.alerts."""

    __slots__ = ("id", "severity", "value", "threshold")
    TYPE: ClassVar[str] = "saint_msgs/msg/LegsAlert"
    HASH: ClassVar[str] = "RIHS01_f6c606c61ab69884a4fc11e51effabe482cd6ac30b609e33a58e641beb4e2294"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("id", "uint32"), ("severity", "uint8"), ("value", "uint32"), ("threshold", "uint32"))

    def __init__(
        self,
        id: int = 0,
        severity: int = 0,  # 0 critical, 1 warning, 2 information
        value: int = 0,  # what was measured, in the unit of the alert
        threshold: int = 0,  # the limit that it passed
    ) -> None:
        self.id = id
        self.severity = severity
        self.value = value
        self.threshold = threshold


class LegsCommand(MessageBase):
    """What the router commands a walking robot. Topic /saint/legs/cmd. The mode is held: its end damps."""

    __slots__ = ("mode", "vx", "vy", "vyaw")
    TYPE: ClassVar[str] = "saint_msgs/msg/LegsCommand"
    HASH: ClassVar[str] = "RIHS01_233ce59af35ae61d3571f6dc2042bd718075e4d86660297ee5643ded4b7b404b"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("mode", "float64"), ("vx", "float64"), ("vy", "float64"), ("vyaw", "float64"))

    def __init__(
        self,
        mode: float = 0.0,  # 0 damp, 1 stand, 2 balance, 3 move
        vx: float = 0.0,  # metres per second, forward
        vy: float = 0.0,  # metres per second, to the left
        vyaw: float = 0.0,  # radians per second, counterclockwise
    ) -> None:
        self.mode = mode
        self.vx = vx
        self.vy = vy
        self.vyaw = vyaw


class LegsState(MessageBase):
    """A walking robot, 20 times a second. Topic /saint/legs/state."""

    __slots__ = ("stamp", "mode", "reported", "requested", "reason", "vx", "vy", "vyaw", "report_age", "gravity", "gait_phase", "battery_voltage", "battery_percent", "hottest_joint", "largest_current", "joints", "positions", "velocities", "currents", "temperatures", "angular_velocity", "orientation", "battery_current", "hottest_cell", "protection_flags", "alerts", "error_flags", "active_alerts", "estop_active")
    TYPE: ClassVar[str] = "saint_msgs/msg/LegsState"
    HASH: ClassVar[str] = "RIHS01_a3fbde39971c37d54addd6a010007355cf08b1f5a1aa3929502801f8db10f44e"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("mode", "string"), ("reported", "string"), ("requested", "string"), ("reason", "string"), ("vx", "float32"), ("vy", "float32"), ("vyaw", "float32"), ("report_age", "float32"), ("gravity", cdr.Array("float32", 3)), ("gait_phase", "float32"), ("battery_voltage", "float32"), ("battery_percent", "float32"), ("hottest_joint", "float32"), ("largest_current", "float32"), ("joints", cdr.Sequence("string", 0)), ("positions", cdr.Sequence("float32", 0)), ("velocities", cdr.Sequence("float32", 0)), ("currents", cdr.Sequence("float32", 0)), ("temperatures", cdr.Sequence("float32", 0)), ("angular_velocity", cdr.Array("float32", 3)), ("orientation", cdr.Sequence("float32", 0)), ("battery_current", "float32"), ("hottest_cell", "float32"), ("protection_flags", "uint32"), ("alerts", cdr.Sequence("string", 0)), ("error_flags", "uint32"), ("active_alerts", cdr.Sequence(LegsAlert, 0)), ("estop_active", "bool"))

    def __init__(
        self,
        stamp: Time | None = None,
        mode: str = "",  # "damp", "stand", "balance", "move", "fault": as commanded
        reported: str = "",  # the mode that the controller reports; empty without a report
        requested: str = "",  # by the operator
        reason: str = "",  # why the mode is not the requested one; empty when it is
        vx: float = 0.0,  # metres per second, as commanded
        vy: float = 0.0,  # metres per second, as commanded
        vyaw: float = 0.0,  # radians per second, as commanded
        report_age: float = 0.0,  # seconds since the controller's newest report; NaN: there was none
        gravity: Sequence[float] = (0.0,) * 3,  # unit vector in the body; upright is 0, 0, -1
        gait_phase: float = 0.0,  # 0 to 1
        battery_voltage: float = 0.0,  # volts; NaN: not reported
        battery_percent: float = 0.0,  # 0 to 100; NaN: not reported
        hottest_joint: float = 0.0,  # degrees Celsius; NaN: not reported
        largest_current: float = 0.0,  # amperes of one joint; NaN: not reported
        joints: Sequence[str] = (),  # names
        positions: Sequence[float] = (),  # radians
        velocities: Sequence[float] = (),  # radians per second, in the order of the joints; empty: not reported
        currents: Sequence[float] = (),  # amperes, in the order of the joints; empty: not reported
        temperatures: Sequence[float] = (),  # degrees Celsius, in the order of the joints; empty: not reported
        angular_velocity: Sequence[float] = (0.0,) * 3,  # radians per second of the body
        orientation: Sequence[float] = (),  # of the body, as a quaternion w, x, y, z; empty: not reported
        battery_current: float = 0.0,  # amperes, positive while it discharges; NaN: not reported
        hottest_cell: float = 0.0,  # degrees Celsius; NaN: not reported
        protection_flags: int = 0,  # of the battery's electronics
        alerts: Sequence[str] = (),  # in plain words, the worst first
        error_flags: int = 0,  # latched faults as the controller reports them
        active_alerts: Sequence[LegsAlert] = (),  # as the controller reports them
        estop_active: bool = False,
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.mode = mode
        self.reported = reported
        self.requested = requested
        self.reason = reason
        self.vx = vx
        self.vy = vy
        self.vyaw = vyaw
        self.report_age = report_age
        self.gravity = gravity
        self.gait_phase = gait_phase
        self.battery_voltage = battery_voltage
        self.battery_percent = battery_percent
        self.hottest_joint = hottest_joint
        self.largest_current = largest_current
        self.joints = joints
        self.positions = positions
        self.velocities = velocities
        self.currents = currents
        self.temperatures = temperatures
        self.angular_velocity = angular_velocity
        self.orientation = orientation
        self.battery_current = battery_current
        self.hottest_cell = hottest_cell
        self.protection_flags = protection_flags
        self.alerts = alerts
        self.error_flags = error_flags
        self.active_alerts = active_alerts
        self.estop_active = estop_active


class LiveLinkFrame(MessageBase):
    """One frame of one LiveLink subject. Topic /saint/livelink/frame."""

    __slots__ = ("subject_name", "subject_type", "frame_number", "timestamp", "property_names", "property_values", "transform")
    TYPE: ClassVar[str] = "saint_msgs/msg/LiveLinkFrame"
    HASH: ClassVar[str] = "RIHS01_76f9af06e9ad4673389d898d24a7ec1bb3bd272d5b662e920da0feeaeeeabedd"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("subject_name", "string"), ("subject_type", "string"), ("frame_number", "uint64"), ("timestamp", "float64"), ("property_names", cdr.Sequence("string", 0)), ("property_values", cdr.Sequence("float32", 0)), ("transform", Transform))

    def __init__(
        self,
        subject_name: str = "",  # e.g. "FaceCapture", "UE_Character"
        subject_type: str = "",  # "animation", "transform", "face", "camera"
        frame_number: int = 0,
        timestamp: float = 0.0,  # seconds since 1970, receive time at the server
        property_names: Sequence[str] = (),  # ARKit blend shape names (lowerCamelCase) or bone names
        property_values: Sequence[float] = (),  # as many as there are names
        transform: Transform | None = None,  # for transform subjects; metres, REP 103 axes
    ) -> None:
        self.subject_name = subject_name
        self.subject_type = subject_type
        self.frame_number = frame_number
        self.timestamp = timestamp
        self.property_names = property_names
        self.property_values = property_values
        self.transform = Transform() if transform is None else transform


class LiveLinkSubject(MessageBase):
    """State of a LiveLink subject."""

    __slots__ = ("subject_name", "subject_type", "source_address", "frame_rate", "last_frame", "lost", "tracked", "properties")
    TYPE: ClassVar[str] = "saint_msgs/msg/LiveLinkSubject"
    HASH: ClassVar[str] = "RIHS01_316e094a584aeeb7530d82857a40c111b3b01b0296768548db3bcbb080185159"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("subject_name", "string"), ("subject_type", "string"), ("source_address", "string"), ("frame_rate", "float32"), ("last_frame", "uint64"), ("lost", "uint64"), ("tracked", "bool"), ("properties", cdr.Sequence("string", 0)))

    def __init__(
        self,
        subject_name: str = "",
        subject_type: str = "",  # "animation", "transform", "face", "camera"
        source_address: str = "",  # "192.168.1.50:50000"
        frame_rate: float = 0.0,  # Hz, measured
        last_frame: int = 0,  # number of the last frame
        lost: int = 0,  # frames missing, by their numbers
        tracked: bool = False,  # false: connected, but no face detected
        properties: Sequence[str] = (),
    ) -> None:
        self.subject_name = subject_name
        self.subject_type = subject_type
        self.source_address = source_address
        self.frame_rate = frame_rate
        self.last_frame = last_frame
        self.lost = lost
        self.tracked = tracked
        self.properties = properties


class MotorCurrent(MessageBase):
    """saint_msgs/msg/MotorCurrent"""

    __slots__ = ("stamp", "left", "right")
    TYPE: ClassVar[str] = "saint_msgs/msg/MotorCurrent"
    HASH: ClassVar[str] = "RIHS01_831c2e1225e5b29514a5e57193211630cbbef7a05589a68d9dbb3424ea77670e"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("left", "float32"), ("right", "float32"))

    def __init__(
        self,
        stamp: Time | None = None,
        left: float = 0.0,  # amperes
        right: float = 0.0,  # amperes
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.left = left
        self.right = right


class PeripheralInfo(MessageBase):
    """One device found on a bus of a node."""

    __slots__ = ("type", "address", "description", "responsive")
    TYPE: ClassVar[str] = "saint_msgs/msg/PeripheralInfo"
    HASH: ClassVar[str] = "RIHS01_5c166f08852f8e14226fb617995e14257a360a52d53766988ea6d373a480e469"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("type", "string"), ("address", "string"), ("description", "string"), ("responsive", "bool"))

    def __init__(
        self,
        type: str = "",  # "i2c", "spi", "usb", "camera", "can", "serial"
        address: str = "",  # bus address or port, e.g. "1:0x68"
        description: str = "",  # assumed device, e.g. "MPU6050?"
        responsive: bool = False,  # responded to the last probe
    ) -> None:
        self.type = type
        self.address = address
        self.description = description
        self.responsive = responsive


class NodeAnnouncement(MessageBase):
    """A node without a role announces itself. Topic /saint/nodes/unadopted, 1 Hz."""

    __slots__ = ("stamp", "node_id", "mac_address", "display_name", "hardware_model", "hardware_rev", "firmware_version", "state", "reason", "role_lost", "server", "address", "cpu_temp", "cpu_usage", "memory_usage", "uptime_seconds", "peripherals")
    TYPE: ClassVar[str] = "saint_msgs/msg/NodeAnnouncement"
    HASH: ClassVar[str] = "RIHS01_2e4608a1940800722b32fa45eb8930fca48262ef3288321faa70e628cc79bda9"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("node_id", "string"), ("mac_address", "string"), ("display_name", "string"), ("hardware_model", "string"), ("hardware_rev", "string"), ("firmware_version", "string"), ("state", "string"), ("reason", "string"), ("role_lost", "bool"), ("server", "string"), ("address", "string"), ("cpu_temp", "float32"), ("cpu_usage", "float32"), ("memory_usage", "float32"), ("uptime_seconds", "uint32"), ("peripherals", cdr.Sequence(PeripheralInfo, 0)))

    def __init__(
        self,
        stamp: Time | None = None,
        node_id: str = "",  # a legal ROS token: letters, digits, underscore, no leading digit
        mac_address: str = "",
        display_name: str = "",  # empty until a user names the node
        hardware_model: str = "",  # e.g. "Raspberry Pi 4 Model B Rev 1.4"
        hardware_rev: str = "",
        firmware_version: str = "",
        state: str = "",  # "boot", "updating", "unadopted", "adopting"
        reason: str = "",  # why the last adoption failed; empty when there was none
        role_lost: bool = False,  # the role file is lost: the node requests its roles from its server
        server: str = "",  # id of the server it belongs to; empty when free
        address: str = "",  # IP address on the internal network
        cpu_temp: float = 0.0,  # degrees Celsius
        cpu_usage: float = 0.0,  # percent, 0 to 100
        memory_usage: float = 0.0,  # percent, 0 to 100
        uptime_seconds: int = 0,
        peripherals: Sequence[PeripheralInfo] = (),
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.node_id = node_id
        self.mac_address = mac_address
        self.display_name = display_name
        self.hardware_model = hardware_model
        self.hardware_rev = hardware_rev
        self.firmware_version = firmware_version
        self.state = state
        self.reason = reason
        self.role_lost = role_lost
        self.server = server
        self.address = address
        self.cpu_temp = cpu_temp
        self.cpu_usage = cpu_usage
        self.memory_usage = memory_usage
        self.uptime_seconds = uptime_seconds
        self.peripherals = peripherals


class NodeGPIOStatus(MessageBase):
    """What a node reports about its hardware."""

    __slots__ = ("node_id", "hardware_rev", "firmware_version", "pins", "peripherals", "cpu_temp", "cpu_usage", "memory_usage", "uptime_seconds")
    TYPE: ClassVar[str] = "saint_msgs/msg/NodeGPIOStatus"
    HASH: ClassVar[str] = "RIHS01_f4d8d8fbe4d9781e62a4d56e8300107180b55ca75e33ce2dbd30da50ec1afafb"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("node_id", "string"), ("hardware_rev", "string"), ("firmware_version", "string"), ("pins", cdr.Sequence(GPIOPin, 0)), ("peripherals", cdr.Sequence(PeripheralInfo, 0)), ("cpu_temp", "float32"), ("cpu_usage", "float32"), ("memory_usage", "float32"), ("uptime_seconds", "uint32"))

    def __init__(
        self,
        node_id: str = "",
        hardware_rev: str = "",
        firmware_version: str = "",
        pins: Sequence[GPIOPin] = (),  # all 40, in the order of the header: the first is pin 1
        peripherals: Sequence[PeripheralInfo] = (),
        cpu_temp: float = 0.0,  # degrees Celsius
        cpu_usage: float = 0.0,  # percent, 0 to 100
        memory_usage: float = 0.0,  # percent, 0 to 100
        uptime_seconds: int = 0,  # since boot
    ) -> None:
        self.node_id = node_id
        self.hardware_rev = hardware_rev
        self.firmware_version = firmware_version
        self.pins = pins
        self.peripherals = peripherals
        self.cpu_temp = cpu_temp
        self.cpu_usage = cpu_usage
        self.memory_usage = memory_usage
        self.uptime_seconds = uptime_seconds


class NodeRole(MessageBase):
    """One role of a node, as the node sees it."""

    __slots__ = ("role", "instance", "state", "config_version", "reason", "restarts", "alive", "outputs_safe")
    TYPE: ClassVar[str] = "saint_msgs/msg/NodeRole"
    HASH: ClassVar[str] = "RIHS01_fae10336261b9078be1be99b38cec19493d532d35d5a0485ef5b88acd259b3da"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("role", "string"), ("instance", "string"), ("state", "string"), ("config_version", "string"), ("reason", "string"), ("restarts", "uint32"), ("alive", "bool"), ("outputs_safe", "bool"))

    def __init__(
        self,
        role: str = "",  # its name, as "head" (manifests/daemons.yaml)
        instance: str = "",  # "left", "right" or empty
        state: str = "",  # "adopting", "active", "updating"
        config_version: str = "",  # of the role configuration in force: its version, and a digest of its text
        reason: str = "",  # why the role is not healthy; empty: healthy
        restarts: int = 0,  # restarts of the role's process
        alive: bool = False,  # the process responds and its devices are open
        outputs_safe: bool = False,  # the role is in its safe state
    ) -> None:
        self.role = role
        self.instance = instance
        self.state = state
        self.config_version = config_version
        self.reason = reason
        self.restarts = restarts
        self.alive = alive
        self.outputs_safe = outputs_safe


class NodeRoles(MessageBase):
    """Every role of a node. Topic /saint/nodes/<id>/roles, on every change, latched. NodeStatus has the first role only, for older subscribers."""

    __slots__ = ("stamp", "node_id", "firmware_version", "roles", "pwm_pins", "pwm_channels")
    TYPE: ClassVar[str] = "saint_msgs/msg/NodeRoles"
    HASH: ClassVar[str] = "RIHS01_389ee8219b1f5463fba6a83c3a00e5e48bc29dabdb0d4becfb5c9d7958af6c51"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("node_id", "string"), ("firmware_version", "string"), ("roles", cdr.Sequence(NodeRole, 0)), ("pwm_pins", cdr.Sequence("uint8", 0)), ("pwm_channels", cdr.Sequence("uint8", 0)))

    def __init__(
        self,
        stamp: Time | None = None,
        node_id: str = "",
        firmware_version: str = "",  # of the publishing release; empty in older releases
        roles: Sequence[NodeRole] = (),  # the first is the one of NodeStatus; none while the node is free
        pwm_pins: bytes = b"",  # BCM numbers of pins with hardware PWM; none: no two pins share a channel
        pwm_channels: bytes = b"",  # the channel of each; pins of one channel have the same pulse
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.node_id = node_id
        self.firmware_version = firmware_version
        self.roles = roles
        self.pwm_pins = pwm_pins
        self.pwm_channels = pwm_channels


class NodeStatus(MessageBase):
    """Heartbeat of an adopted node. Topic /saint/nodes/<id>/status, 1 Hz and on every change."""

    __slots__ = ("stamp", "node_id", "mac_address", "display_name", "hardware_model", "hardware_rev", "firmware_version", "state", "role", "instance", "config_version", "reason", "address", "cpu_temp", "cpu_usage", "memory_usage", "uptime_seconds", "role_restarts", "outputs_safe")
    TYPE: ClassVar[str] = "saint_msgs/msg/NodeStatus"
    HASH: ClassVar[str] = "RIHS01_d9dcf3b756aed3428c0351b2833fc50dc49ccc686a49b8a9f10f91e525af3141"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("node_id", "string"), ("mac_address", "string"), ("display_name", "string"), ("hardware_model", "string"), ("hardware_rev", "string"), ("firmware_version", "string"), ("state", "string"), ("role", "string"), ("instance", "string"), ("config_version", "string"), ("reason", "string"), ("address", "string"), ("cpu_temp", "float32"), ("cpu_usage", "float32"), ("memory_usage", "float32"), ("uptime_seconds", "uint32"), ("role_restarts", "uint32"), ("outputs_safe", "bool"))

    def __init__(
        self,
        stamp: Time | None = None,
        node_id: str = "",
        mac_address: str = "",
        display_name: str = "",
        hardware_model: str = "",
        hardware_rev: str = "",
        firmware_version: str = "",
        state: str = "",  # "adopting", "active", "updating"
        role: str = "",  # its name, as "head" (manifests/daemons.yaml)
        instance: str = "",  # "left", "right" or empty
        config_version: str = "",  # of the role configuration in force: its version, and a digest of its text
        reason: str = "",  # why the node is not healthy; empty: healthy
        address: str = "",
        cpu_temp: float = 0.0,  # degrees Celsius
        cpu_usage: float = 0.0,  # percent, 0 to 100
        memory_usage: float = 0.0,  # percent, 0 to 100
        uptime_seconds: int = 0,
        role_restarts: int = 0,  # restarts of the role's process
        outputs_safe: bool = False,  # the role is in its safe state
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.node_id = node_id
        self.mac_address = mac_address
        self.display_name = display_name
        self.hardware_model = hardware_model
        self.hardware_rev = hardware_rev
        self.firmware_version = firmware_version
        self.state = state
        self.role = role
        self.instance = instance
        self.config_version = config_version
        self.reason = reason
        self.address = address
        self.cpu_temp = cpu_temp
        self.cpu_usage = cpu_usage
        self.memory_usage = memory_usage
        self.uptime_seconds = uptime_seconds
        self.role_restarts = role_restarts
        self.outputs_safe = outputs_safe


class NodeTrust(MessageBase):
    """Which server a node belongs to. Topic /saint/nodes/<id>/trust, latched."""

    __slots__ = ("node_id", "node_key", "server", "server_key", "code")
    TYPE: ClassVar[str] = "saint_msgs/msg/NodeTrust"
    HASH: ClassVar[str] = "RIHS01_d4de6a6467731c60a0989c5b580bf56b401d45e8c7dfd0e0e4567958a3947ada"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("node_id", "string"), ("node_key", "string"), ("server", "string"), ("server_key", "string"), ("code", "string"))

    def __init__(
        self,
        node_id: str = "",
        node_key: str = "",  # Ed25519, hexadecimal
        server: str = "",  # name of its server; empty: none
        server_key: str = "",  # Ed25519, hexadecimal
        code: str = "",  # six digits that the server shows too; empty: no server
    ) -> None:
        self.node_id = node_id
        self.node_key = node_key
        self.server = server
        self.server_key = server_key
        self.code = code


class PartCommand(MessageBase):
    """Commands parts by their names. Topics /saint/parts/<instance>/cmd, and /saint/<role>/parts/cmd for parts beside a role's own fields."""

    __slots__ = ("names", "values")
    TYPE: ClassVar[str] = "saint_msgs/msg/PartCommand"
    HASH: ClassVar[str] = "RIHS01_3d8077cd0b547d9ce720bbd858f323f5eff24fa1b9f4f0be5e6691f2e4d3e308"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("names", cdr.Sequence("string", 0)), ("values", cdr.Sequence("float64", 0)))

    def __init__(
        self,
        names: Sequence[str] = (),  # of the role configuration's fields
        values: Sequence[float] = (),  # as many as there are names, each in its part's unit; NaN leaves a part as it is
    ) -> None:
        self.names = names
        self.values = values


class PartState(MessageBase):
    """The parts of a role, 20 times a second. Topics /saint/parts/<instance>/state, and /saint/<role>/parts/state for parts beside a role's own fields."""

    __slots__ = ("stamp", "names", "values", "units", "sensors", "readings", "reading_units")
    TYPE: ClassVar[str] = "saint_msgs/msg/PartState"
    HASH: ClassVar[str] = "RIHS01_b13de7e672499e9cbcb86e2c508488adcd3d052eb6869a50693f842f4cddf57b"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("names", cdr.Sequence("string", 0)), ("values", cdr.Sequence("float64", 0)), ("units", cdr.Sequence("string", 0)), ("sensors", cdr.Sequence("string", 0)), ("readings", cdr.Sequence("float64", 0)), ("reading_units", cdr.Sequence("string", 0)))

    def __init__(
        self,
        stamp: Time | None = None,
        names: Sequence[str] = (),  # of the outputs
        values: Sequence[float] = (),  # as applied; NaN: nothing was commanded yet
        units: Sequence[str] = (),  # in the words of the configuration
        sensors: Sequence[str] = (),  # "battery_voltage", "hatch"
        readings: Sequence[float] = (),  # NaN: there is no recent one
        reading_units: Sequence[str] = (),  # "V", "m"; "" for a button (0 or 1)
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.names = names
        self.values = values
        self.units = units
        self.sensors = sensors
        self.readings = readings
        self.reading_units = reading_units


class RCChannelState(MessageBase):
    """saint_msgs/msg/RCChannelState"""

    __slots__ = ("channel_number", "raw_value", "normalized", "failsafe", "last_update_ns")
    TYPE: ClassVar[str] = "saint_msgs/msg/RCChannelState"
    HASH: ClassVar[str] = "RIHS01_a549a003a2024ea6760e93f31b999b249ae199c660371e092da3aad75673f1ec"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("channel_number", "uint8"), ("raw_value", "uint16"), ("normalized", "float32"), ("failsafe", "bool"), ("last_update_ns", "uint64"))

    def __init__(
        self,
        channel_number: int = 0,  # 1 to 18
        raw_value: int = 0,  # in the protocol's own units
        normalized: float = 0.0,  # -1.0 to 1.0
        failsafe: bool = False,  # true: the signal is lost, the value is not live
        last_update_ns: int = 0,  # wall clock of the last valid value, nanoseconds since 1970
    ) -> None:
        self.channel_number = channel_number
        self.raw_value = raw_value
        self.normalized = normalized
        self.failsafe = failsafe
        self.last_update_ns = last_update_ns


class RCReceiverState(MessageBase):
    """Topic /saint/rc/state."""

    __slots__ = ("protocol", "connected", "failsafe", "channel_count", "channels", "rssi", "frame_rate_hz")
    TYPE: ClassVar[str] = "saint_msgs/msg/RCReceiverState"
    HASH: ClassVar[str] = "RIHS01_0ccd0bbedbecc11dac19e06a41985cf04d0a99e93188419375fca54fa2f93ca5"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("protocol", "string"), ("connected", "bool"), ("failsafe", "bool"), ("channel_count", "uint8"), ("channels", cdr.Sequence(RCChannelState, 0)), ("rssi", "float32"), ("frame_rate_hz", "uint32"))

    def __init__(
        self,
        protocol: str = "",  # "pwm", "ppm", "sbus", "ibus", "crsf"
        connected: bool = False,  # bytes arrive from the receiver
        failsafe: bool = False,  # the transmitter's signal is lost
        channel_count: int = 0,
        channels: Sequence[RCChannelState] = (),
        rssi: float = 0.0,  # dBm; 0 if the protocol does not report it
        frame_rate_hz: int = 0,
    ) -> None:
        self.protocol = protocol
        self.connected = connected
        self.failsafe = failsafe
        self.channel_count = channel_count
        self.channels = channels
        self.rssi = rssi
        self.frame_rate_hz = frame_rate_hz


class RoleCredential(MessageBase):
    """Proof that a role process belongs to a node. Topic /saint/roles/credential, latched."""

    __slots__ = ("node_id", "origin", "role", "signature")
    TYPE: ClassVar[str] = "saint_msgs/msg/RoleCredential"
    HASH: ClassVar[str] = "RIHS01_b9dc0e5188749c0226d8b1f7c13a159b3cbe8cdc94ed12c30cf20b81dbd90554"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("node_id", "string"), ("origin", "string"), ("role", "string"), ("signature", "string"))

    def __init__(
        self,
        node_id: str = "",
        origin: str = "",  # the participant that the role process writes with, 24 hexadecimal digits
        role: str = "",  # with its instance, e.g. console, arms.left
        signature: str = "",  # of the node's key, hexadecimal
    ) -> None:
        self.node_id = node_id
        self.origin = origin
        self.role = role
        self.signature = signature


class RoleFault(MessageBase):
    """A role became faulty. Topic /saint/roles/faults; once for each fault."""

    __slots__ = ("stamp", "node_id", "target", "stops_robot", "text")
    TYPE: ClassVar[str] = "saint_msgs/msg/RoleFault"
    HASH: ClassVar[str] = "RIHS01_3eb41ca2fc5b8e55ae5c58dbbc3c3251827fe059318a43741f24adcb73c6e5a3"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("node_id", "string"), ("target", "string"), ("stops_robot", "bool"), ("text", "string"))

    def __init__(
        self,
        stamp: Time | None = None,
        node_id: str = "",
        target: str = "",  # "head", "arms.left", ...
        stops_robot: bool = False,  # the router raises the e-stop
        text: str = "",  # which device, what happened, what to do
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.node_id = node_id
        self.target = target
        self.stops_robot = stops_robot
        self.text = text


class RouteStatus(MessageBase):
    """The router's outputs with their reasons. Topic /saint/router/status: 10 Hz while an input drives, at once (100 ms) when anything but an age changes, else every 0.4 s. Ages are those at `stamp`."""

    __slots__ = ("stamp", "state", "estop", "estop_source", "estop_reason", "stop_switches", "fields")
    TYPE: ClassVar[str] = "saint_msgs/msg/RouteStatus"
    HASH: ClassVar[str] = "RIHS01_63e11a413465c96b314607b56e01a7dc1513195ef914d5913f3851524101f4c6"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("state", "string"), ("estop", "bool"), ("estop_source", "string"), ("estop_reason", "string"), ("stop_switches", cdr.Sequence("string", 0)), ("fields", cdr.Sequence(FieldStatus, 0)))

    def __init__(
        self,
        stamp: Time | None = None,
        state: str = "",  # "idle", "routing", "blending", "estop"
        estop: bool = False,
        estop_source: str = "",
        estop_reason: str = "",
        stop_switches: Sequence[str] = (),  # switches and buttons that stop the robot; none: a warning stands
        fields: Sequence[FieldStatus] = (),  # last, because it is encoded in steps (lib/bus/cdr.encode_into)
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.state = state
        self.estop = estop
        self.estop_source = estop_source
        self.estop_reason = estop_reason
        self.stop_switches = stop_switches
        self.fields = fields


class RouterCredential(MessageBase):
    """Proof that a router belongs to a server. Topic /saint/router/credential, latched."""

    __slots__ = ("origin", "server_key", "term", "signature")
    TYPE: ClassVar[str] = "saint_msgs/msg/RouterCredential"
    HASH: ClassVar[str] = "RIHS01_6f4f2d55159eb3749916d6b1c89c9f478a37ad1d797d2f580de744e885efedba"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("origin", "string"), ("server_key", "string"), ("term", "uint64"), ("signature", "string"))

    def __init__(
        self,
        origin: str = "",  # the participant that the router writes with, 24 hexadecimal digits
        server_key: str = "",  # Ed25519, hexadecimal
        term: int = 0,  # rises with every start of a router of this server
        signature: str = "",  # of the server's key, hexadecimal
    ) -> None:
        self.origin = origin
        self.server_key = server_key
        self.term = term
        self.signature = signature


class RouterHeartbeat(MessageBase):
    """Heartbeat of the router. Topic /saint/router/heartbeat, 20 Hz."""

    __slots__ = ("stamp", "sequence", "estop", "estop_generation", "outputs")
    TYPE: ClassVar[str] = "saint_msgs/msg/RouterHeartbeat"
    HASH: ClassVar[str] = "RIHS01_b63b474c7df1e987a30c6acc24c5160f4eb7a417c920c734f84d1abdd35f3707"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("sequence", "uint64"), ("estop", "bool"), ("estop_generation", "uint64"), ("outputs", cdr.Sequence("uint32", 0)))

    def __init__(
        self,
        stamp: Time | None = None,
        sequence: int = 0,
        estop: bool = False,  # state of the latch
        estop_generation: int = 0,
        outputs: Sequence[int] = (),  # marks of the outputs that the router drives; none in older releases
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.sequence = sequence
        self.estop = estop
        self.estop_generation = estop_generation
        self.outputs = outputs


class RouterWriters(MessageBase):
    """Participants that write inputs for this robot only: its receiver, pages and face capture. Other robots on the same bus ignore their samples. Topic /saint/router/writers, latched."""

    __slots__ = ("origins",)
    TYPE: ClassVar[str] = "saint_msgs/msg/RouterWriters"
    HASH: ClassVar[str] = "RIHS01_ec72fa45c2f0c33be0d2cd5f98d07eb6ba58b3bc2f217d0b8c4d15497c1829ed"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("origins", cdr.Sequence("string", 0)),)

    def __init__(
        self,
        origins: Sequence[str] = (),  # 24 hexadecimal digits each
    ) -> None:
        self.origins = origins


class SoundState(MessageBase):
    """What the microphone and the loudspeaker of a role's node do. While a program reads this topic, the loudspeaker plays what comes on its own."""

    __slots__ = ("stamp", "has_microphone", "has_loudspeaker", "recording", "playing", "microphone_problem", "loudspeaker_problem", "dropped")
    TYPE: ClassVar[str] = "saint_msgs/msg/SoundState"
    HASH: ClassVar[str] = "RIHS01_3d1119ecb93c214f07ecf6d49d34364249070c53f1e6d6fde9934dec6b68455d"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("has_microphone", "bool"), ("has_loudspeaker", "bool"), ("recording", "bool"), ("playing", "bool"), ("microphone_problem", "string"), ("loudspeaker_problem", "string"), ("dropped", "uint32"))

    def __init__(
        self,
        stamp: Time | None = None,
        has_microphone: bool = False,  # the role's manifest names one
        has_loudspeaker: bool = False,  # the role's manifest names one
        recording: bool = False,  # sound of the microphone is published
        playing: bool = False,  # the loudspeaker sounds
        microphone_problem: str = "",  # empty: it works, or nobody listens
        loudspeaker_problem: str = "",  # empty: it works, or it was not needed yet
        dropped: int = 0,  # messages since the start of the assignment that could not be played
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.has_microphone = has_microphone
        self.has_loudspeaker = has_loudspeaker
        self.recording = recording
        self.playing = playing
        self.microphone_problem = microphone_problem
        self.loudspeaker_problem = loudspeaker_problem
        self.dropped = dropped


class StopOutcome(MessageBase):
    """What the newest stop did to one target."""

    __slots__ = ("target", "node_id", "state", "after_ms", "detail")
    TYPE: ClassVar[str] = "saint_msgs/msg/StopOutcome"
    HASH: ClassVar[str] = "RIHS01_1c9e32b2bcab82df9de57c02bff9f144e9e1de0a5a4ded8483c2605b0bfb3468"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("target", "string"), ("node_id", "string"), ("state", "string"), ("after_ms", "float32"), ("detail", "string"))

    def __init__(
        self,
        target: str = "",
        node_id: str = "",  # node that holds the role; empty: unknown
        state: str = "",  # stopped, guard, stopping, silent (no answer), absent (no node holds the role)
        after_ms: float = 0.0,  # from the press to the confirmation; NaN: not confirmed
        detail: str = "",
    ) -> None:
        self.target = target
        self.node_id = node_id
        self.state = state
        self.after_ms = after_ms
        self.detail = detail


class StopOutcomes(MessageBase):
    """Confirmations of the stop. Topic /saint/estop/outcome, reliable and transient local, published by routerd."""

    __slots__ = ("stamp", "active", "generation", "confirmed", "outcomes")
    TYPE: ClassVar[str] = "saint_msgs/msg/StopOutcomes"
    HASH: ClassVar[str] = "RIHS01_080043988380cad5a29dd488d945db198bb14aa78a485bc6150f82a8378a7815"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("active", "bool"), ("generation", "uint64"), ("confirmed", "bool"), ("outcomes", cdr.Sequence(StopOutcome, 0)))

    def __init__(
        self,
        stamp: Time | None = None,
        active: bool = False,  # the latch
        generation: int = 0,  # of the latch
        confirmed: bool = False,  # every expected target is stopped or made safe by the guard
        outcomes: Sequence[StopOutcome] = (),  # empty while the latch is not active
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.active = active
        self.generation = generation
        self.confirmed = confirmed
        self.outcomes = outcomes


class StopReport(MessageBase):
    """What a stop did to one role's outputs. Topic /saint/estop/reports; the role publishes it while it is stopped, its node when the guard made the outputs safe."""

    __slots__ = ("stamp", "node_id", "target", "generation", "is_known", "outcome", "detail")
    TYPE: ClassVar[str] = "saint_msgs/msg/StopReport"
    HASH: ClassVar[str] = "RIHS01_b153a3d44e178024e6f94ce4d67bb5029b3dea7bf9e35f121f5ecfa8551a7b87"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("node_id", "string"), ("target", "string"), ("generation", "uint64"), ("is_known", "bool"), ("outcome", "string"), ("detail", "string"))

    def __init__(
        self,
        stamp: Time | None = None,
        node_id: str = "",
        target: str = "",  # "head", "arms.left", ...
        generation: int = 0,  # of the latch of the role's router
        is_known: bool = False,  # false: stopped for a reason that the router may not know
        outcome: str = "",  # stopped (outputs at rest), stopping (an output may still move), guard (by the guard), unknown
        detail: str = "",
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.node_id = node_id
        self.target = target
        self.generation = generation
        self.is_known = is_known
        self.outcome = outcome
        self.detail = detail


class SystemStatus(MessageBase):
    """The robot in one message. Topic /saint/system/status, 1 Hz."""

    __slots__ = ("stamp", "server_name", "version", "uptime_seconds", "cpu_usage", "memory_usage", "cpu_temp", "nodes_active", "nodes_offline", "nodes_unadopted", "estop")
    TYPE: ClassVar[str] = "saint_msgs/msg/SystemStatus"
    HASH: ClassVar[str] = "RIHS01_dd662a1c915491033832e04a2a5def5dcadef3743aeb6d18ec602fc2ca35ad6d"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("server_name", "string"), ("version", "string"), ("uptime_seconds", "uint32"), ("cpu_usage", "float32"), ("memory_usage", "float32"), ("cpu_temp", "float32"), ("nodes_active", "uint16"), ("nodes_offline", "uint16"), ("nodes_unadopted", "uint16"), ("estop", "bool"))

    def __init__(
        self,
        stamp: Time | None = None,
        server_name: str = "",
        version: str = "",
        uptime_seconds: int = 0,
        cpu_usage: float = 0.0,  # percent, 0 to 100
        memory_usage: float = 0.0,  # percent, 0 to 100
        cpu_temp: float = 0.0,  # degrees Celsius
        nodes_active: int = 0,
        nodes_offline: int = 0,
        nodes_unadopted: int = 0,
        estop: bool = False,
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.server_name = server_name
        self.version = version
        self.uptime_seconds = uptime_seconds
        self.cpu_usage = cpu_usage
        self.memory_usage = memory_usage
        self.cpu_temp = cpu_temp
        self.nodes_active = nodes_active
        self.nodes_offline = nodes_offline
        self.nodes_unadopted = nodes_unadopted
        self.estop = estop


class TrackState(MessageBase):
    """saint_msgs/msg/TrackState"""

    __slots__ = ("left_velocity", "right_velocity", "left_current", "right_current", "estop_active", "motors_enabled")
    TYPE: ClassVar[str] = "saint_msgs/msg/TrackState"
    HASH: ClassVar[str] = "RIHS01_73d0f58366a1ef6297d60c4a838fe7ba9818f9ee28cac10929788261d500cfa7"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("left_velocity", "float32"), ("right_velocity", "float32"), ("left_current", "float32"), ("right_current", "float32"), ("estop_active", "bool"), ("motors_enabled", "bool"))

    def __init__(
        self,
        left_velocity: float = 0.0,  # metres per second
        right_velocity: float = 0.0,  # metres per second
        left_current: float = 0.0,  # amperes
        right_current: float = 0.0,  # amperes
        estop_active: bool = False,
        motors_enabled: bool = False,
    ) -> None:
        self.left_velocity = left_velocity
        self.right_velocity = right_velocity
        self.left_current = left_current
        self.right_current = right_current
        self.estop_active = estop_active
        self.motors_enabled = motors_enabled


class WagonReply(MessageBase):
    """What became of a request. Topic /saint/wagon/reply."""

    __slots__ = ("id", "is_done", "text")
    TYPE: ClassVar[str] = "saint_msgs/msg/WagonReply"
    HASH: ClassVar[str] = "RIHS01_3a8d4e1aa9258fd569a0b4cea87deb754b1123d7b2bd7246fe018ec57ff75c39"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("id", "uint32"), ("is_done", "bool"), ("text", "string"))

    def __init__(
        self,
        id: int = 0,  # of the request
        is_done: bool = False,
        text: str = "",  # what was done, or why not
    ) -> None:
        self.id = id
        self.is_done = is_done
        self.text = text


class WagonRequest(MessageBase):
    """What a person requests of the wagon, by the router. Topic /saint/wagon/request."""

    __slots__ = ("id", "action", "kp", "ki", "kd")
    TYPE: ClassVar[str] = "saint_msgs/msg/WagonRequest"
    HASH: ClassVar[str] = "RIHS01_39a4bb515ec399e8554778b9fd4e0ce2610004497cea26cb13ddecf4a8e64b21"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("id", "uint32"), ("action", "string"), ("kp", "float32"), ("ki", "float32"), ("kd", "float32"))

    def __init__(
        self,
        id: int = 0,  # of this request; each has another
        action: str = "",  # "arm", "disarm", "gains"
        kp: float = 0.0,  # gain of the deviation; for "gains"
        ki: float = 0.0,  # gain of its integral
        kd: float = 0.0,  # gain of its rate
    ) -> None:
        self.id = id
        self.action = action
        self.kp = kp
        self.ki = ki
        self.kd = kd


class WagonState(MessageBase):
    """A wagon and its BALANCE board, as its role sees them. Topic /saint/wagon/state. NaN: not known, or too old."""

    __slots__ = ("state", "mode", "why", "prevents", "pitch", "speed", "yaw_rate", "commanded_speed", "commanded_turn", "battery_voltage", "rssi", "fault_code", "fault", "receiver", "arm_switch", "must_cycle", "gains", "receiver_rssi", "motors", "motor_current", "motor_temperature", "controller_temperature", "bus", "bus_load", "bus_errors", "bus_lost", "bus_offs", "foreign_frames", "damaged_frames")
    TYPE: ClassVar[str] = "saint_msgs/msg/WagonState"
    HASH: ClassVar[str] = "RIHS01_e6b019f481568d4cb080b5ddad71a19151d2cad1ee1171241b3e4d6f8b444c17"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("state", "string"), ("mode", "string"), ("why", "string"), ("prevents", cdr.Sequence("string", 0)), ("pitch", "float32"), ("speed", "float32"), ("yaw_rate", "float32"), ("commanded_speed", "float32"), ("commanded_turn", "float32"), ("battery_voltage", "float32"), ("rssi", "float32"), ("fault_code", "uint8"), ("fault", "string"), ("receiver", "string"), ("arm_switch", "bool"), ("must_cycle", "bool"), ("gains", cdr.Sequence("float32", 0)), ("receiver_rssi", cdr.Sequence("float32", 0)), ("motors", cdr.Sequence("string", 0)), ("motor_current", cdr.Sequence("float32", 0)), ("motor_temperature", cdr.Sequence("float32", 0)), ("controller_temperature", cdr.Sequence("float32", 0)), ("bus", "string"), ("bus_load", "float32"), ("bus_errors", "uint32"), ("bus_lost", "uint32"), ("bus_offs", "uint32"), ("foreign_frames", "uint32"), ("damaged_frames", "uint32"))

    def __init__(
        self,
        state: str = "",  # "disarmed", "armed", "failsafe", "estop", "tilt", "fault"; "silent": the board does not report
        mode: str = "",  # who drives: "rc" (the pilot), "assisted", "autonomous"; empty: not known
        why: str = "",  # why commands of the computer do not count now; empty: they do
        prevents: Sequence[str] = (),  # what prevents arming, each "name: text"; empty: nothing
        pitch: float = 0.0,  # degrees, nose down is positive
        speed: float = 0.0,  # metres per second
        yaw_rate: float = 0.0,  # degrees per second, left is positive
        commanded_speed: float = 0.0,  # as sent to the board, m/s
        commanded_turn: float = 0.0,  # as sent to the board, rad/s
        battery_voltage: float = 0.0,  # volts
        rssi: float = 0.0,  # dBm
        fault_code: int = 0,
        fault: str = "",  # the fault or warning in words; empty: none
        receiver: str = "",  # "first" (Crossfire), "second" (ELRS), "none", empty: not known
        arm_switch: bool = False,  # of the pilot: at ARM
        must_cycle: bool = False,  # it must go to DISARM and back
        gains: Sequence[float] = (),  # kp, ki, kd as last set since this role's start; empty: not set
        receiver_rssi: Sequence[float] = (),  # dBm of the first and the second receiver, NaN: no signal; empty: not reported
        motors: Sequence[str] = (),  # motor controllers on the bus, by name
        motor_current: Sequence[float] = (),  # amperes, of each
        motor_temperature: Sequence[float] = (),  # degrees Celsius, of each; NaN: without a sensor
        controller_temperature: Sequence[float] = (),  # degrees Celsius, of each motor controller
        bus: str = "",  # the CAN bus: "active", "warning", "passive", "bus-off"; empty: not open
        bus_load: float = 0.0,  # share of its time that frames take, estimated
        bus_errors: int = 0,  # since the role's start, as all below
        bus_lost: int = 0,  # frames that this computer dropped
        bus_offs: int = 0,
        foreign_frames: int = 0,  # of no identifier that the wagon has
        damaged_frames: int = 0,  # of a wagon's identifier with another length or content
    ) -> None:
        self.state = state
        self.mode = mode
        self.why = why
        self.prevents = prevents
        self.pitch = pitch
        self.speed = speed
        self.yaw_rate = yaw_rate
        self.commanded_speed = commanded_speed
        self.commanded_turn = commanded_turn
        self.battery_voltage = battery_voltage
        self.rssi = rssi
        self.fault_code = fault_code
        self.fault = fault
        self.receiver = receiver
        self.arm_switch = arm_switch
        self.must_cycle = must_cycle
        self.gains = gains
        self.receiver_rssi = receiver_rssi
        self.motors = motors
        self.motor_current = motor_current
        self.motor_temperature = motor_temperature
        self.controller_temperature = controller_temperature
        self.bus = bus
        self.bus_load = bus_load
        self.bus_errors = bus_errors
        self.bus_lost = bus_lost
        self.bus_offs = bus_offs
        self.foreign_frames = foreign_frames
        self.damaged_frames = damaged_frames


class AdoptNode_Request(MessageBase):
    """/saint/nodes/adopt (server) and /saint/node/<id>/adopt (node)"""

    __slots__ = ("node_id", "role", "instance")
    TYPE: ClassVar[str] = "saint_msgs/srv/AdoptNode_Request"
    HASH: ClassVar[str] = "RIHS01_2d69b65e112e730093cba1a3d4cf9ac83bd973d65df594237e332839e6f3f088"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("node_id", "string"), ("role", "string"), ("instance", "string"))

    def __init__(
        self,
        node_id: str = "",
        role: str = "",  # its name, as "head" (manifests/daemons.yaml)
        instance: str = "",  # "left", "right" for arms; else empty
    ) -> None:
        self.node_id = node_id
        self.role = role
        self.instance = instance


class AdoptNode_Response(MessageBase):
    """saint_msgs/srv/AdoptNode_Response"""

    __slots__ = ("success", "message", "assigned_topic_prefix")
    TYPE: ClassVar[str] = "saint_msgs/srv/AdoptNode_Response"
    HASH: ClassVar[str] = "RIHS01_c25e0e9caeeb37d1b0fab6a8fc4023330fb565fcbbd479f5b6aaa2195ee0ad61"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("success", "bool"), ("message", "string"), ("assigned_topic_prefix", "string"))

    def __init__(
        self,
        success: bool = False,
        message: str = "",
        assigned_topic_prefix: str = "",  # e.g. "/saint/head" or "/saint/arms/left"
    ) -> None:
        self.success = success
        self.message = message
        self.assigned_topic_prefix = assigned_topic_prefix


class FirmwareCheck_Request(MessageBase):
    """/saint/firmware/check (server): with a server_key only that server replies, and signs its reply to exactly this request; without one any server does, unsigned."""

    __slots__ = ("node_id", "current_version", "server_key", "challenge")
    TYPE: ClassVar[str] = "saint_msgs/srv/FirmwareCheck_Request"
    HASH: ClassVar[str] = "RIHS01_4a84f715394d5050d3d723411dc98020d92f5483036d1d37b37e1279de2a37b5"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("node_id", "string"), ("current_version", "string"), ("server_key", "string"), ("challenge", "string"))

    def __init__(
        self,
        node_id: str = "",
        current_version: str = "",
        server_key: str = "",  # of the server that the node belongs to, hexadecimal; empty: none
        challenge: str = "",  # chosen by the node for this request only
    ) -> None:
        self.node_id = node_id
        self.current_version = current_version
        self.server_key = server_key
        self.challenge = challenge


class FirmwareCheck_Response(MessageBase):
    """saint_msgs/srv/FirmwareCheck_Response"""

    __slots__ = ("update_available", "version", "url", "checksum_sha256", "size_bytes", "changelog", "signature")
    TYPE: ClassVar[str] = "saint_msgs/srv/FirmwareCheck_Response"
    HASH: ClassVar[str] = "RIHS01_9df66f55bec121b5fc331e5fdec5939249fccf2777884f012c0b5dda895d9a0c"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("update_available", "bool"), ("version", "string"), ("url", "string"), ("checksum_sha256", "string"), ("size_bytes", "uint64"), ("changelog", "string"), ("signature", "string"))

    def __init__(
        self,
        update_available: bool = False,
        version: str = "",
        url: str = "",  # of the bundle; empty: no release is offered
        checksum_sha256: str = "",
        size_bytes: int = 0,
        changelog: str = "",
        signature: str = "",  # Ed25519, hexadecimal; empty without server_key
    ) -> None:
        self.update_available = update_available
        self.version = version
        self.url = url
        self.checksum_sha256 = checksum_sha256
        self.size_bytes = size_bytes
        self.changelog = changelog
        self.signature = signature


class FirmwareDownload_Request(MessageBase):
    """/saint/firmware/download (server): source of a release"""

    __slots__ = ("node_id", "version")
    TYPE: ClassVar[str] = "saint_msgs/srv/FirmwareDownload_Request"
    HASH: ClassVar[str] = "RIHS01_fbc19bd96044f3170ced08892f5de1f64928a3bbfcc98ffd994c12562d129cf5"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("node_id", "string"), ("version", "string"))

    def __init__(
        self,
        node_id: str = "",
        version: str = "",
    ) -> None:
        self.node_id = node_id
        self.version = version


class FirmwareDownload_Response(MessageBase):
    """saint_msgs/srv/FirmwareDownload_Response"""

    __slots__ = ("success", "message", "url", "checksum_sha256", "size_bytes")
    TYPE: ClassVar[str] = "saint_msgs/srv/FirmwareDownload_Response"
    HASH: ClassVar[str] = "RIHS01_8d7548615a4141c3d11a2e9d0f9b850f7373d2e6dd14bfaf93db4bc9290b2bb7"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("success", "bool"), ("message", "string"), ("url", "string"), ("checksum_sha256", "string"), ("size_bytes", "uint64"))

    def __init__(
        self,
        success: bool = False,
        message: str = "",
        url: str = "",
        checksum_sha256: str = "",
        size_bytes: int = 0,
    ) -> None:
        self.success = success
        self.message = message
        self.url = url
        self.checksum_sha256 = checksum_sha256
        self.size_bytes = size_bytes


class GPIOProbe_Request(MessageBase):
    """/saint/node/<id>/gpio_probe"""

    __slots__ = ("node_id",)
    TYPE: ClassVar[str] = "saint_msgs/srv/GPIOProbe_Request"
    HASH: ClassVar[str] = "RIHS01_92fff58a17b5c2ef149b2db91f50ac6e282ede8a554355678357c6c230aa0a08"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("node_id", "string"),)

    def __init__(
        self,
        node_id: str = "",
    ) -> None:
        self.node_id = node_id


class GPIOProbe_Response(MessageBase):
    """saint_msgs/srv/GPIOProbe_Response"""

    __slots__ = ("success", "message", "status")
    TYPE: ClassVar[str] = "saint_msgs/srv/GPIOProbe_Response"
    HASH: ClassVar[str] = "RIHS01_2d59fa61068ca6872e6cbbdd7271d989b5724e95df823a4d13e2fd8a6b011844"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("success", "bool"), ("message", "string"), ("status", NodeGPIOStatus))

    def __init__(
        self,
        success: bool = False,
        message: str = "",
        status: NodeGPIOStatus | None = None,
    ) -> None:
        self.success = success
        self.message = message
        self.status = NodeGPIOStatus() if status is None else status


class GetRoleConfig_Request(MessageBase):
    """/saint/nodes/config (server): a node requests the configuration of its role from the server that it belongs to. With an empty role: returns the roles of a node whose role file is lost."""

    __slots__ = ("node_id", "role", "instance", "known_version", "known_checksum", "challenge")
    TYPE: ClassVar[str] = "saint_msgs/srv/GetRoleConfig_Request"
    HASH: ClassVar[str] = "RIHS01_a3c0fb83ef4250f6fcdceef517cbfbb44cf6689820510514ba9be2fae1dbf257"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("node_id", "string"), ("role", "string"), ("instance", "string"), ("known_version", "string"), ("known_checksum", "string"), ("challenge", "string"))

    def __init__(
        self,
        node_id: str = "",
        role: str = "",
        instance: str = "",
        known_version: str = "",  # of the node's configuration; empty: none
        known_checksum: str = "",  # SHA-256 of the node's configuration, hexadecimal
        challenge: str = "",  # chosen by the node for this request only
    ) -> None:
        self.node_id = node_id
        self.role = role
        self.instance = instance
        self.known_version = known_version
        self.known_checksum = known_checksum
        self.challenge = challenge


class GetRoleConfig_Response(MessageBase):
    """saint_msgs/srv/GetRoleConfig_Response"""

    __slots__ = ("success", "message", "changed", "version", "checksum", "config_yaml", "held_roles", "display_name", "server", "server_address", "server_key", "signature")
    TYPE: ClassVar[str] = "saint_msgs/srv/GetRoleConfig_Response"
    HASH: ClassVar[str] = "RIHS01_43ce1efe56f419b61e5f913567b493e235a1e0fe62473488373ecc0d9ba8a8f9"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("success", "bool"), ("message", "string"), ("changed", "bool"), ("version", "string"), ("checksum", "string"), ("config_yaml", "string"), ("held_roles", cdr.Sequence("string", 0)), ("display_name", "string"), ("server", "string"), ("server_address", "string"), ("server_key", "string"), ("signature", "string"))

    def __init__(
        self,
        success: bool = False,
        message: str = "",
        changed: bool = False,  # false: the node is up to date, config_yaml is empty
        version: str = "",
        checksum: str = "",  # SHA-256 of config_yaml, hexadecimal
        config_yaml: str = "",
        held_roles: Sequence[str] = (),  # reply to an empty role: "head", "arms left"
        display_name: str = "",  # name given by a user; empty: none
        server: str = "",  # name of the robot whose server this is
        server_address: str = "",  # its IP address on the internal network
        server_key: str = "",  # Ed25519, hexadecimal
        signature: str = "",  # by that key, of this reply to exactly this request
    ) -> None:
        self.success = success
        self.message = message
        self.changed = changed
        self.version = version
        self.checksum = checksum
        self.config_yaml = config_yaml
        self.held_roles = held_roles
        self.display_name = display_name
        self.server = server
        self.server_address = server_address
        self.server_key = server_key
        self.signature = signature


class GetSystemStatus_Request(MessageBase):
    """/saint/system/status (server)"""

    __slots__ = ("structure_needs_at_least_one_member",)
    TYPE: ClassVar[str] = "saint_msgs/srv/GetSystemStatus_Request"
    HASH: ClassVar[str] = "RIHS01_4d40515fe416d191fa554ff9107a3059ef7e27d8a0f029e8c10e1ec00aded5c9"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("structure_needs_at_least_one_member", "uint8"),)

    def __init__(
        self,
        structure_needs_at_least_one_member: int = 0,
    ) -> None:
        self.structure_needs_at_least_one_member = structure_needs_at_least_one_member


class GetSystemStatus_Response(MessageBase):
    """saint_msgs/srv/GetSystemStatus_Response"""

    __slots__ = ("status", "nodes")
    TYPE: ClassVar[str] = "saint_msgs/srv/GetSystemStatus_Response"
    HASH: ClassVar[str] = "RIHS01_b981e1438c00151ff1d2f27510bc3478cab2adac79de1243a12512739151412f"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("status", SystemStatus), ("nodes", cdr.Sequence(NodeStatus, 0)))

    def __init__(
        self,
        status: SystemStatus | None = None,
        nodes: Sequence[NodeStatus] = (),
    ) -> None:
        self.status = SystemStatus() if status is None else status
        self.nodes = nodes


class ResetNode_Request(MessageBase):
    """/saint/nodes/reset (server) and /saint/node/<id>/reset (node)"""

    __slots__ = ("node_id", "factory_reset")
    TYPE: ClassVar[str] = "saint_msgs/srv/ResetNode_Request"
    HASH: ClassVar[str] = "RIHS01_d67916af79314a2397de1f84a66a69f9b30f4390288be4560f12e2d22d0f95a2"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("node_id", "string"), ("factory_reset", "bool"))

    def __init__(
        self,
        node_id: str = "",
        factory_reset: bool = False,  # also re-download the firmware
    ) -> None:
        self.node_id = node_id
        self.factory_reset = factory_reset


class ResetNode_Response(MessageBase):
    """saint_msgs/srv/ResetNode_Response"""

    __slots__ = ("success", "message")
    TYPE: ClassVar[str] = "saint_msgs/srv/ResetNode_Response"
    HASH: ClassVar[str] = "RIHS01_45c91ea63e35566ef64369f8b2c29fdcc56633fbe4dc1a1e00108558c57fe4ad"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("success", "bool"), ("message", "string"))

    def __init__(
        self,
        success: bool = False,
        message: str = "",
    ) -> None:
        self.success = success
        self.message = message


class SignedOrder_Request(MessageBase):
    """/saint/node/<id>/order (node): orders that a node accepts from its own server only. Formats of `body`: saint_services/lib/api/orders.py; what is signed: lib/crypto/signing.py."""

    __slots__ = ("node_id", "kind", "body", "challenge", "server_key", "signature")
    TYPE: ClassVar[str] = "saint_msgs/srv/SignedOrder_Request"
    HASH: ClassVar[str] = "RIHS01_5c3bf6c65daa0161f4f06c680db1e6ca5916118c97b970e4fc677c6f28d0b962"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("node_id", "string"), ("kind", "string"), ("body", "string"), ("challenge", "string"), ("server_key", "string"), ("signature", "string"))

    def __init__(
        self,
        node_id: str = "",
        kind: str = "",  # as OrderKind there
        body: str = "",  # JSON
        challenge: str = "",  # issued by the node, valid once
        server_key: str = "",  # Ed25519, hexadecimal
        signature: str = "",  # by that key, hexadecimal; empty for "challenge" and "meet"
    ) -> None:
        self.node_id = node_id
        self.kind = kind
        self.body = body
        self.challenge = challenge
        self.server_key = server_key
        self.signature = signature


class SignedOrder_Response(MessageBase):
    """saint_msgs/srv/SignedOrder_Response"""

    __slots__ = ("success", "message", "body", "node_key", "signature")
    TYPE: ClassVar[str] = "saint_msgs/srv/SignedOrder_Response"
    HASH: ClassVar[str] = "RIHS01_da5387793ef3122015ceb2c82ee5e62f0ebba20621ea6c395cbfbeb03f9c7403"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("success", "bool"), ("message", "string"), ("body", "string"), ("node_key", "string"), ("signature", "string"))

    def __init__(
        self,
        success: bool = False,
        message: str = "",
        body: str = "",  # JSON
        node_key: str = "",  # Ed25519, hexadecimal
        signature: str = "",  # by that key, of this reply to exactly this order
    ) -> None:
        self.success = success
        self.message = message
        self.body = body
        self.node_key = node_key
        self.signature = signature


class SystemCommand_Request(MessageBase):
    """/saint/system/shutdown (server): refused while outputs are live"""

    __slots__ = ("command", "node_id")
    TYPE: ClassVar[str] = "saint_msgs/srv/SystemCommand_Request"
    HASH: ClassVar[str] = "RIHS01_5940480aaf06f85b729ff173c9c00b79e1be666fd4c79e7e783310a33456f99b"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("command", "string"), ("node_id", "string"))

    def __init__(
        self,
        command: str = "",  # "shutdown", "reboot"
        node_id: str = "",  # empty: the whole robot; "server": its machine alone
    ) -> None:
        self.command = command
        self.node_id = node_id


class SystemCommand_Response(MessageBase):
    """saint_msgs/srv/SystemCommand_Response"""

    __slots__ = ("success", "message")
    TYPE: ClassVar[str] = "saint_msgs/srv/SystemCommand_Response"
    HASH: ClassVar[str] = "RIHS01_87d2c4cb7bf4b246bf5b611ceec31f7560d98ee7fb879aa4c812149d88a0c15c"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("success", "bool"), ("message", "string"))

    def __init__(
        self,
        success: bool = False,
        message: str = "",
    ) -> None:
        self.success = success
        self.message = message


class UpdateNode_Request(MessageBase):
    """/saint/node/<id>/update (node): install a release or roll back to the other slot. The reply says whether the update started; its progress is on /saint/nodes/<id>/firmware."""

    __slots__ = ("node_id", "action", "version", "url", "checksum_sha256", "size_bytes", "force")
    TYPE: ClassVar[str] = "saint_msgs/srv/UpdateNode_Request"
    HASH: ClassVar[str] = "RIHS01_1a403bd311ed6391446868c2c54e75ab3f6504bc6969d65b4e425e49ad6b23ef"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("node_id", "string"), ("action", "string"), ("version", "string"), ("url", "string"), ("checksum_sha256", "string"), ("size_bytes", "uint64"), ("force", "bool"))

    def __init__(
        self,
        node_id: str = "",
        action: str = "",  # "install", "rollback"
        version: str = "",  # release to install
        url: str = "",  # URL of the bundle
        checksum_sha256: str = "",
        size_bytes: int = 0,
        force: bool = False,  # also an older or the same release
    ) -> None:
        self.node_id = node_id
        self.action = action
        self.version = version
        self.url = url
        self.checksum_sha256 = checksum_sha256
        self.size_bytes = size_bytes
        self.force = force


class UpdateNode_Response(MessageBase):
    """saint_msgs/srv/UpdateNode_Response"""

    __slots__ = ("success", "message")
    TYPE: ClassVar[str] = "saint_msgs/srv/UpdateNode_Response"
    HASH: ClassVar[str] = "RIHS01_13864369fc57657a9eefe01479fb40cbe0efc477fec929a535bf9370b6f66aaa"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("success", "bool"), ("message", "string"))

    def __init__(
        self,
        success: bool = False,
        message: str = "",
    ) -> None:
        self.success = success
        self.message = message
