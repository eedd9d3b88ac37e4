"""Motors and encoders of the tracks, as the manifest names them."""

import math

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.motors.drives import Drives
from saint_services.lib.role_config.model import RoleConfig, TrackGeometry


class Track:
    """One track: its motor, and its encoder when it has one."""

    def __init__(self, drives: Drives, config: RoleConfig, side: str) -> None:
        self.name = f"{side}_motor"
        self.side = side
        self.geometry = geometry_of(config)
        around_m = math.tau * self.geometry.wheel_radius_m
        self._count_m = around_m / self.geometry.ticks_per_turn
        self.motor = drives.motor(self.name)
        self.meter = config.gpio_mapping[self.name].current_device
        try:
            self.encoder = drives.encoder(f"{side}_encoder")
        except SaintError:
            self.motor.close()
            raise

    @property
    def way_m(self) -> float:
        """The counted travel since the start; without an encoder 0."""
        return self.encoder.count * self._count_m if self.encoder else 0.0

    def close(self) -> None:
        """Stop, then release the pins."""
        self.motor.close()
        if self.encoder:
            self.encoder.close()


def geometry_of(config: RoleConfig) -> TrackGeometry:
    """Return the manifest's geometry. Raises SaintError without one."""
    if config.geometry is None:
        raise SaintError(Code.CONFIG_INVALID, "the role tracks needs geometry")
    return config.geometry
