"""Builds the messages of the head's sensors. Not here: reading them (lib/hw/sensors.py)."""

import math
import time
from collections.abc import Iterable

from saint_services.lib.bus.names import frame
from saint_services.lib.clock import stamp, stamp_at
from saint_services.lib.generated.geometry_msgs import Quaternion, Vector3
from saint_services.lib.generated.saint_msgs import HeadSensors
from saint_services.lib.generated.sensor_msgs import Imu
from saint_services.lib.generated.std_msgs import Header
from saint_services.lib.hw.ports import (
    DistanceSample,
    ImuSample,
    LightSample,
    PressureSample,
    Sample,
)

IMU_FRAME = frame("head_imu")
# sensor_msgs/Imu: -1 means no orientation. Noise by InvenSense's data sheet of the
# MPU-6050 (rev. 3.4, 6.1 and 6.2) at 100 Hz, with a margin for how the servos shake it.
_NO_ORIENTATION = (-1.0, *(0.0,) * 8)
_GYRO_VARIANCE, _UNCALIBRATED = 1e-4, 0.12  # (rad/s)^2; without its bias taken off: 20 deg/s
_ACCEL_VARIANCE = 4e-3  # (m/s^2)^2


def imu(sample: ImuSample, age_s: float = 0.0) -> Imu:
    """Build a measurement of turning and acceleration that was read `age_s` ago."""
    gyro = _GYRO_VARIANCE if sample.is_calibrated else _UNCALIBRATED
    return Imu(
        header=Header(stamp=stamp_at(time.time_ns() - round(age_s * 1e9)), frame_id=IMU_FRAME),
        orientation=Quaternion(0.0, 0.0, 0.0, 1.0),
        orientation_covariance=_NO_ORIENTATION,
        angular_velocity=Vector3(*sample.gyro_rads),
        angular_velocity_covariance=_diagonal(gyro),
        linear_acceleration=Vector3(*sample.accel_mps2),
        linear_acceleration_covariance=_diagonal(_ACCEL_VARIANCE),
    )


def sensors(samples: Iterable[Sample]) -> HeadSensors:
    """Build distance, light and temperature, NaN without a sensor."""
    message = HeadSensors(stamp(), math.nan, math.nan, math.nan)
    for sample in samples:
        if isinstance(sample, DistanceSample):
            message.proximity = sample.distance_m
        elif isinstance(sample, LightSample):
            message.ambient_light = sample.lux
        elif isinstance(sample, PressureSample):
            message.temperature = sample.temperature_c
    return message


def _diagonal(variance: float) -> tuple[float, ...]:
    return (variance, 0.0, 0.0, 0.0, variance, 0.0, 0.0, 0.0, variance)
