"""What the fake robot's topics say while it plays: sticks, a face, and what follows from them.
Not here: the daemons' sockets (robot.py).
"""

import math
from typing import TYPE_CHECKING

from saint_services.lib.clock import stamp
from saint_services.lib.generated import topics
from saint_services.lib.generated.nav_msgs import Odometry
from saint_services.lib.generated.saint_msgs import (
    ArmState,
    FieldStatus,
    GripperState,
    HeadExpression,
    HeadState,
    InputSample,
    RCChannelState,
    RCReceiverState,
    RivalStatus,
    RouteStatus,
    SystemStatus,
    TrackState,
)

if TYPE_CHECKING:
    from tests.web.fakes.robot import FakeRobot

FACE = ("headYaw", "headPitch", "headRoll", "jawOpen", "eyeBlinkLeft", "eyeBlinkRight",
        "browInnerUp", "mouthSmileLeft", "mouthSmileRight", "eyeLookUpLeft")  # fmt: skip
FIELDS = (
    ("head", "pan", "deg", 180), ("head", "tilt", "deg", 90), ("head", "roll", "deg", 45),
    ("head", "jaw", "ratio", 1), ("head", "eye_pan", "deg", 35), ("head", "eye_tilt", "deg", 25),
    ("tracks", "linear", "m/s", 1.5), ("tracks", "angular", "rad/s", 3.0),
    ("arms.left", "gripper", "ratio", 1),
)  # fmt: skip
CONTENDER = RivalStatus("websocket_direct", "websocket:desk", 0.2, 80, "lower priority")


class Wave:
    """Publishes all topics from one phase."""

    def __init__(self, robot: "FakeRobot") -> None:
        self._robot = robot
        names = ("INPUT_RC", "INPUT_LIVELINK", "RC_STATE", "ROUTER_STATUS", "HEAD_STATE",
                 "HEAD_EXPRESSION_STATE", "TRACKS_STATE", "TRACKS_ODOM",
                 "SYSTEM_STATUS", "WAGON_STATE")  # fmt: skip
        self._to = {name: robot.bus.publisher(getattr(topics, name)) for name in names}
        self._arms = [
            robot.bus.publisher(topics.ARM_STATE.at(instance=i)) for i in ("left", "right")
        ]
        self._grip = robot.bus.publisher(topics.GRIPPER_STATE.at(instance="left"))

    def step(self) -> None:
        """One fiftieth of a second."""
        robot = self._robot
        robot.frame += 1
        t = 0.0 if robot.is_still else robot.frame * 0.02
        stick, face = math.sin(t * 0.9), math.sin(t * 0.6 + 1.0)
        if robot.is_rc_live:
            self._rc(t, stick)
        if robot.is_face_live:
            self._face(face, t)
        self._states(face, 0.0 if robot.estop.active else stick)
        if robot.wagon.is_live and robot.frame % 2 == 0:
            self._to["WAGON_STATE"].publish(robot.wagon.state)
        if robot.frame % 5 == 0:
            self._slow(face, stick)

    def _rc(self, t: float, stick: float) -> None:
        names = tuple(f"channel_{n}" for n in range(1, 17))
        values = [0.0] * 16
        values[:6] = [math.sin(t * 0.5) * 0.4, stick, 0.02, -0.01, -1.0, -1.0]
        frame = self._robot.frame
        self._to["INPUT_RC"].publish(InputSample(stamp(), "rc", frame, False, "", names, values))

    def _face(self, face: float, t: float) -> None:
        values = [math.sin(t * (0.4 + 0.15 * i) + i) * (0.6 if i < 3 else 0.5) for i in range(10)]
        values = [v if i < 3 else abs(v) for i, v in enumerate(values)]
        values[0], values[3] = face * 0.6, abs(face)
        more = range(self._robot.more_values)
        names = (*FACE, *(f"value_{n}" for n in more))
        values += [0.5 + 0.5 * math.sin(t * 2 + n) for n in more]
        sample = InputSample(
            stamp(), "livelink:FaceCapture", self._robot.frame, False, "", names, values
        )
        self._to["INPUT_LIVELINK"].publish(sample)

    def _states(self, face: float, stick: float) -> None:
        has_picture = self._robot.is_camera_on
        self._to["HEAD_STATE"].publish(HeadState(face * 60, face * -20, face * 5, has_picture))
        self._to["HEAD_EXPRESSION_STATE"].publish(HeadExpression(abs(face), face * 20, face * 8))
        if self._robot.is_tracks_live:
            speed = stick if self._robot.is_speed_known else math.nan
            self._to["TRACKS_STATE"].publish(TrackState(speed, speed * 0.8, 1.2, 1.1, False, True))
            self._to["TRACKS_ODOM"].publish(Odometry())
        for publisher in self._arms:
            publisher.publish(ArmState((10.0, 20.0, -30.0, 0.0, 5.0, 0.0), (0.0,) * 6))
        self._grip.publish(GripperState(0.5, float("nan"), False, False))

    def _slow(self, face: float, stick: float) -> None:
        robot = self._robot
        channels = tuple(RCChannelState(n, 992, 0.0, False, 0) for n in range(1, 17))
        receiver = RCReceiverState("crsf", robot.is_rc_live, False, 16, channels, -61.0, 50)
        self._to["RC_STATE"].publish(receiver)
        stopped = robot.estop.active
        state = "estop" if stopped else "routing"
        fields = [self._field(i, row, face, stick, stopped) for i, row in enumerate(FIELDS)]
        self._to["ROUTER_STATUS"].publish(
            RouteStatus(
                stamp(),
                state,
                stopped,
                robot.estop.source,
                robot.estop.reason,
                robot.stop_switches,
                fields,
            )
        )
        if robot.frame % 50 == 0:
            self._to["SYSTEM_STATUS"].publish(
                SystemStatus(
                    stamp(), "saint-server", "0.1.0", 273_600, 23.0, 45.0, 51.0, 4, 1, 1, stopped
                )
            )

    def _field(
        self, index: int, row: tuple[str, str, str, float], face: float, stick: float, stopped: bool
    ) -> FieldStatus:
        target, name, unit, most = row
        policy, source, winner = "live", "livelink:FaceCapture", "facecap_to_head"
        contenders: tuple[RivalStatus, ...] = ()
        value = most * face * (0.35 + 0.05 * index)
        if unit == "ratio":
            value = abs(face)
        if target == "tracks":
            source, winner, value = (
                self._robot.driver,
                "rc_drive",
                most * stick * (0.6 if name == "linear" else 0.3),
            )
            contenders = (self._robot.contender,) if name == "linear" else ()
        if target == "arms.left":
            policy, source, winner, value = "hold", "", "", 0.5
        if stopped:
            policy, source, winner, contenders = "estop", "", "", ()
            value = 0.0 if target == "tracks" else value
        return FieldStatus(target, name, unit, value, winner, source, 12, policy,
                           name == "tilt", 61_000, contenders)  # fmt: skip
