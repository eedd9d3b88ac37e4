"""Wires the head: neck and face commands to servos, their positions back as state."""

import math

from saint_services.lib import clock
from saint_services.lib.daemon import Context
from saint_services.lib.generated.saint_msgs import (
    HeadCommand,
    HeadExpression,
    HeadSensors,
    HeadState,
)
from saint_services.lib.generated.topics import (
    HEAD_CMD,
    HEAD_EXPRESSION_CMD,
    HEAD_EXPRESSION_STATE,
    HEAD_SENSORS,
    HEAD_STATE,
)
from saint_services.lib.role import Host
from saint_services.lib.role.positions import PositionSession

from .config import Config

_STATE_S = 0.05
_SENSORS_S = 1.0


class Head(PositionSession):
    """The role."""

    role = "head"

    def start(self) -> None:
        """Topics in and out."""
        self._neck = [self.joint("cmd", path) for path in ("pan", "tilt", "roll")]
        face = ("jaw", "eye_pan", "eye_tilt")
        self._face = [self.joint("expression", path) for path in face]
        self.command(HEAD_CMD, self._on_command)
        self.command(HEAD_EXPRESSION_CMD, self._on_expression)
        self._publish_state = self.publisher(HEAD_STATE)
        self._publish_expression = self.publisher(HEAD_EXPRESSION_STATE)
        self._publish_sensors = self.publisher(HEAD_SENSORS)
        self.every(_STATE_S, self._tell_state)
        self.every(_SENSORS_S, self._tell_sensors)

    def _on_command(self, message: HeadCommand, now_s: float) -> bool:
        pan, tilt, roll = self._neck
        wanted = ((pan, message.pan), (tilt, message.tilt), (roll, message.roll))
        return self.move(wanted, now_s, message.speed)

    def _on_expression(self, message: HeadExpression, now_s: float) -> bool:
        jaw, eye_pan, eye_tilt = self._face
        wanted = ((jaw, message.jaw), (eye_pan, message.eye_pan), (eye_tilt, message.eye_tilt))
        return self.move(wanted, now_s)

    def _tell_state(self) -> None:
        pan, tilt, roll = (joint.axis.applied for joint in self._neck)
        self._publish_state(HeadState(pan, tilt, roll, camera_active=False))
        jaw, eye_pan, eye_tilt = (joint.axis.applied for joint in self._face)
        self._publish_expression(HeadExpression(jaw, eye_pan, eye_tilt))

    def _tell_sensors(self) -> None:
        # No sensor is in the manifest: "not a number" says so, as the message defines it.
        self._publish_sensors(HeadSensors(clock.stamp(), math.nan, math.nan, math.nan))


async def run(ctx: Context[Config]) -> None:
    """Serve assignments until asked to stop."""
    await Host(ctx, "head", Head).serve()
