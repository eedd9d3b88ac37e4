"""The hardware of the tracks, as its manifest names it."""

import math

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.hbridge import HBridge
from saint_services.lib.hw.ports import Board
from saint_services.lib.hw.quadrature import Quadrature
from saint_services.lib.roles import PinSpec, RoleConfig, TrackGeometry


class Track:
    """One track: its motor, and its encoder when it has one."""

    def __init__(self, board: Board, config: RoleConfig, side: str) -> None:
        self.name = f"{side}_motor"
        self.side = side
        self.geometry = geometry_of(config)
        around_m = math.tau * self.geometry.wheel_radius_m
        self._count_m = around_m / self.geometry.ticks_per_turn
        self.motor = _motor(board, config, self.name)
        try:
            self.encoder = _encoder(board, config, f"{side}_encoder")
        except SaintError:
            self.motor.close()
            raise

    @property
    def way_m(self) -> float:
        """Counted way since the start; without an encoder it never changes."""
        return self.encoder.count * self._count_m if self.encoder else 0.0

    @property
    def current_a(self) -> float | None:
        """As measured; None where nothing measures it."""
        return None

    def close(self) -> None:
        """Stop, then give the pins back."""
        self.motor.close()
        if self.encoder:
            self.encoder.close()


def geometry_of(config: RoleConfig) -> TrackGeometry:
    """The manifest's geometry, which tracks cannot do without."""
    if config.geometry is None:
        raise SaintError(Code.CONFIG_INVALID, "the role tracks needs geometry")
    return config.geometry


def _pin(config: RoleConfig, name: str, kind: str) -> PinSpec:
    spec = config.gpio_mapping.get(name)
    if spec is None or spec.type != kind or spec.pin is None:
        raise SaintError(Code.CONFIG_INVALID, f"gpio_mapping.{name} is no {kind} with its pins")
    return spec


def _motor(board: Board, config: RoleConfig, name: str) -> HBridge:
    spec = _pin(config, name, "hbridge")
    if spec.pin is None or spec.direction_pin is None:
        raise SaintError(Code.CONFIG_INVALID, f"gpio_mapping.{name} needs pin and direction_pin")
    pwm = board.pwm(spec.pin, spec.frequency, name)
    try:
        direction = board.output(spec.direction_pin, name)
    except SaintError:
        pwm.off()
        pwm.close()
        raise
    return HBridge(pwm, direction, spec.reversed)


def _encoder(board: Board, config: RoleConfig, name: str) -> Quadrature | None:
    if name not in config.gpio_mapping:
        return None
    spec = _pin(config, name, "quadrature")
    if spec.pin is None or spec.pin_b is None:
        raise SaintError(Code.CONFIG_INVALID, f"gpio_mapping.{name} needs pin and pin_b")
    edges = board.edges((spec.pin, spec.pin_b), name)
    return Quadrature(edges, spec.pin, spec.pin_b, spec.reversed)
