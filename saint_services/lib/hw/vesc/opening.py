"""Opens the VESCs of a role manifest: those of one bus share it."""

from collections.abc import Mapping

from ...errors import SaintError
from ...role_config.devices import CanDevice, PinSpec
from ..ports import Board
from .controller import VescController, VescSettings
from .vesc_bus import VescBus, VescEncoder, VescMeter, VescMotor


def settings_of(device: CanDevice) -> VescSettings:
    """Return what a manifest says of a VESC."""
    return VescSettings(
        device.id,
        device.pole_pairs,
        device.gear,
        device.brake_current_a,
        device.hottest_fet_c,
        device.hottest_motor_c,
        device.least_v,
    )


class VescOpener:
    """Opens motors and encoders by the names of their devices."""

    def __init__(self, board: Board, devices: Mapping[str, CanDevice]) -> None:
        self._board = board
        self._devices = devices
        self._buses: dict[str, VescBus] = {}

    def motor(self, spec: PinSpec) -> VescMotor:
        """Open the motor, at rest. Raises SaintError."""
        bus, controller = self._opened(spec.device)
        return VescMotor(bus, controller, spec.reversed)

    def encoder(self, spec: PinSpec) -> VescEncoder:
        """Open the tachometer. Raises SaintError."""
        bus, controller = self._opened(spec.device)
        return VescEncoder(bus, controller, spec.reversed)

    def meter(self, name: str) -> VescMeter:
        """Open the measurements of a device. Raises SaintError."""
        return VescMeter(*self._opened(name))

    def _opened(self, name: str) -> tuple[VescBus, VescController]:
        device = self._devices[name]
        bus = self._buses.get(device.port)
        if bus is None or bus.is_closed:
            bus = VescBus(self._board.can(device.port, device.bit_rate), device.port)
            self._buses[device.port] = bus
        try:
            return bus, bus.add(settings_of(device), name)
        except SaintError:
            bus.close_unused()
            raise
