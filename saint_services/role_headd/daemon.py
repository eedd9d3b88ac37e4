"""Wires the head: neck and face commands to servos; positions and sensors to topics; the camera's
switch to its process.
"""

import math
import os
from collections import Counter
from functools import partial

from saint_services.lib.bus import Sample
from saint_services.lib.daemon import Context
from saint_services.lib.generated.saint_msgs import (
    HeadCommand,
    HeadExpression,
    HeadState,
)
from saint_services.lib.generated.std_msgs import Bool
from saint_services.lib.generated.topics import (
    HEAD_CAMERA_CMD,
    HEAD_CMD,
    HEAD_EXPRESSION_CMD,
    HEAD_EXPRESSION_STATE,
    HEAD_IMU,
    HEAD_JOINT_STATES,
    HEAD_SENSORS,
    HEAD_STATE,
)
from saint_services.lib.hw.ports import ImuSample
from saint_services.lib.hw.sensors.mpu6050 import RATE_HZ as IMU_HZ
from saint_services.lib.role.host import RoleHost
from saint_services.lib.role.motion.positions import PositionSession
from saint_services.lib.role.timers import Clock
from saint_services.lib.role_config.model import RoleConfig

from . import sensor_messages
from .camera import HeadCamera
from .camera_process import CameraProcess
from .camera_wire import CameraOrder
from .config import Config

_STATE_S = 0.05
_SENSORS_S = 0.2
_FACE, _FACE_PATHS = "expression", ("jaw", "eye_pan", "eye_tilt")  # a head may lack any of them


class HeadRole(PositionSession):
    """The role."""

    role = "head"

    def __init__(
        self, hardware: str, config: RoleConfig, node_id: str, clock: Clock, counters: Counter[str]
    ) -> None:
        super().__init__(config, node_id, clock, counters)
        self._hardware = hardware
        self._camera: HeadCamera | None = None

    def start(self) -> None:
        """Obey commands; publish states and what sensors measure."""
        self._neck = [self.joint("cmd", path) for path in ("pan", "tilt", "roll")]
        moved = {field.path for field in self.config.fields.values() if field.command == _FACE}
        self._face = [self.joint(_FACE, path) if path in moved else None for path in _FACE_PATHS]
        self.command(HEAD_CMD, self._on_command)
        if moved:
            self.command(HEAD_EXPRESSION_CMD, self._on_expression)
        self._publish_state = self.publisher(HEAD_STATE)
        self._publish_expression = self.publisher(HEAD_EXPRESSION_STATE)
        self._publish_sensors = self.publisher(HEAD_SENSORS)
        self.every(_STATE_S, self._send_state)
        self._imus = self.sensors.of("mpu6050") if self.sensors else []
        self._air_sensors = [
            name
            for kind in ("vl53l0x", "tsl2561", "bmp280")
            if self.sensors
            for name in self.sensors.of(kind)
        ]
        self.every(_SENSORS_S, self._send_sensors)
        if self._imus:
            self._publish_imu = self.publisher(HEAD_IMU)
            self._imu_s = 0.0
            device = self.config.i2c_devices[self._imus[0]]
            self.every(1.0 / (device.rate_hz or IMU_HZ), self._send_imu)
        self.publish_joints(HEAD_JOINT_STATES)
        self.see_others()
        self.go_home()
        if self.config.camera.enabled:
            name = "".join(c if c.isascii() and c.isalnum() else "_" for c in self.node_id)
            order = CameraOrder(
                hardware=self._hardware,
                node_name=f"role_headd_{name}_camera",
                settings=self.config.camera,
            )
            self._camera = HeadCamera(
                partial(CameraProcess, order),
                self.clock.call_soon_threadsafe,
                partial(self.notice, "camera"),
                self.counters,
            )
        self.subscribe(HEAD_CAMERA_CMD, self._on_camera)

    def close_devices(self) -> None:
        """Close the camera."""
        if self._camera:
            self._camera.switch(False)

    def _on_command(self, message: HeadCommand, now_s: float) -> bool:
        pan, tilt, roll = self._neck
        wanted = ((pan, message.pan), (tilt, message.tilt), (roll, message.roll))
        return self.move(wanted, now_s, message.speed)

    def _on_expression(self, message: HeadExpression, now_s: float) -> bool:
        values = (message.jaw, message.eye_pan, message.eye_tilt)
        parts = zip(self._face, values, strict=True)
        return self.move([(joint, value) for joint, value in parts if joint], now_s)

    def _on_camera(self, sample: Sample[Bool]) -> None:
        if self._camera:
            self._camera.switch(sample.message.data)
        else:
            self.counters["camera_refused"] += 1  # the manifest has none

    def _send_state(self) -> None:
        if self._publish_state.has_readers:
            pan, tilt, roll = (joint.place for joint in self._neck)
            is_active = self._camera is not None and self._camera.has_pictures
            self._publish_state(HeadState(pan, tilt, roll, camera_active=is_active))
        if any(self._face) and self._publish_expression.has_readers:
            applied = [joint.place if joint else math.nan for joint in self._face]
            self._publish_expression(HeadExpression(*applied))

    def _send_sensors(self) -> None:
        assert self.sensors
        readings = [self.sensors.newest(name) for name in self._air_sensors]
        self._publish_sensors(sensor_messages.sensors(each.value for each in readings if each))

    def _send_imu(self) -> None:
        assert self.sensors
        reading = self.sensors.newest(self._imus[0])
        if reading is None or reading.stamp_s == self._imu_s:
            return
        self._imu_s = reading.stamp_s
        if isinstance(reading.value, ImuSample):
            age_s = max(0.0, self.sensors.now_s() - reading.stamp_s)
            self._publish_imu(sensor_messages.imu(reading.value, age_s))


async def run(ctx: Context[Config]) -> None:
    """Serve assignments until stopped."""
    hardware = os.environ.get("SAINT_HW", "real")
    await RoleHost(ctx, "head", partial(HeadRole, hardware)).serve()
