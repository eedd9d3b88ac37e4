"""Opens the motors and encoders of a role manifest by their drivers; motors of one controller share
its line. Not here: how they are driven (role daemons), making them safe (guardd).
"""

from contextlib import ExitStack
from typing import TYPE_CHECKING

from ...errors import Code, SaintError
from ...role_config.devices import MOTORS, PinSpec
from ...role_config.model import RoleConfig
from ..ports import Board, DigitalOut, Encoder, Motor
from .hbridge import DirectionPair, HBridge, SharedEnable, TwinPwmBridge
from .quadrature import Quadrature

if TYPE_CHECKING:
    from ..vesc.opening import VescOpener
    from ..vesc.vesc_bus import VescMeter
    from .roboclaw_line import RoboClawLine

_ENCODERS = ("quadrature", "roboclaw_encoder", "vesc_encoder")


class Drives:
    """Opens the motors and encoders of one role; the caller closes them."""

    def __init__(self, board: Board, config: RoleConfig) -> None:
        self._board = board
        self._config = config
        self._enables: dict[int, SharedEnable] = {}
        self._lines: dict[str, RoboClawLine] = {}
        self._vesc_opener: VescOpener | None = None

    def motor(self, name: str) -> Motor:
        """Open the motor of gpio_mapping.<name>, at rest. Raises SaintError."""
        spec = self._spec(name, MOTORS, "motor")
        if spec.type == "roboclaw":
            from .roboclaw_line import RoboClawMotor  # loaded only where there is one

            return RoboClawMotor(self._line(spec), spec.channel or 1, spec.reversed)
        if spec.type == "vesc":
            return self._vescs.motor(spec)
        with ExitStack() as undo:
            motor = self._bridge(name, spec, undo)
            undo.pop_all()
        return motor

    def encoder(self, name: str) -> Encoder | None:
        """Open the encoder of gpio_mapping.<name>; None when the manifest has none."""
        if name not in self._config.gpio_mapping:
            return None
        spec = self._spec(name, _ENCODERS, "encoder")
        if spec.type == "roboclaw_encoder":
            from .roboclaw_line import RoboClawEncoder

            return RoboClawEncoder(self._line(spec), spec.channel or 1, spec.reversed)
        if spec.type == "vesc_encoder":
            return self._vescs.encoder(spec)
        if spec.pin is None or spec.pin_b is None:
            raise SaintError(Code.CONFIG_INVALID, f"gpio_mapping.{name} needs pin and pin_b")
        edges = self._board.edges((spec.pin, spec.pin_b), name)
        return Quadrature(edges, spec.pin, spec.pin_b, spec.reversed)

    def meters(self) -> "dict[str, VescMeter]":
        """Open what the motor controllers of can_devices measure. Raises SaintError."""
        found: dict[str, VescMeter] = {}
        with ExitStack() as undo:
            for name, device in self._config.can_devices.items():
                if device.driver != "vesc":
                    continue
                found[name] = self._vescs.meter(name)
                undo.callback(found[name].close)
            undo.pop_all()
        return found

    def _bridge(self, name: str, spec: PinSpec, undo: ExitStack) -> HBridge | TwinPwmBridge:
        if spec.pin is None or (spec.type == "hbridge" and spec.direction_pin is None):
            raise SaintError(
                Code.CONFIG_INVALID, f"gpio_mapping.{name} needs pin and direction_pin"
            )
        pulses = []
        for pin in spec.pwm_pins:
            pwm = self._board.pwm(pin, spec.frequency, name)
            undo.callback(pwm.close)
            undo.callback(pwm.off)
            pulses.append(pwm)
        direction: DigitalOut | None = None
        if spec.direction_pin is not None:
            direction = self._output(spec.direction_pin, name, undo)
        elif spec.direction_pins is not None:
            ahead, back = (self._output(pin, name, undo) for pin in spec.direction_pins)
            direction = DirectionPair(ahead, back)
        enables = [self._enable(pin, name, undo) for pin in spec.enable_pins]
        if direction is not None:
            return HBridge(pulses[0], direction, spec.reversed, enables)
        return TwinPwmBridge(pulses[0], pulses[1], spec.reversed, enables)

    def _enable(self, pin: int, name: str, undo: ExitStack) -> SharedEnable:
        enable = self._enables.get(pin)
        if enable is None or enable.users == 0:
            enable = self._enables[pin] = SharedEnable(self._board.output(pin, name))
        enable.users += 1
        undo.callback(enable.close)
        return enable

    def _output(self, pin: int, name: str, undo: ExitStack) -> DigitalOut:
        output = self._board.output(pin, name)
        undo.callback(output.close)
        return output

    @property
    def _vescs(self) -> "VescOpener":
        from ..vesc.opening import VescOpener  # loaded only where there is one

        if self._vesc_opener is None:
            self._vesc_opener = VescOpener(self._board, self._config.can_devices)
        return self._vesc_opener

    def _line(self, spec: PinSpec) -> "RoboClawLine":
        from .roboclaw_line import RoboClawLine

        if spec.device not in self._lines:
            device = self._config.serial_devices[spec.device]
            port = self._board.serial(device.port, device.baud)
            self._lines[spec.device] = RoboClawLine(port, device, spec.device)
        return self._lines[spec.device]

    def _spec(self, name: str, types: tuple[str, ...], what: str) -> PinSpec:
        spec = self._config.gpio_mapping.get(name)
        if spec is None or spec.type not in types:
            message = f"gpio_mapping.{name} is no {what}; drivers are {', '.join(types)}"
            raise SaintError(Code.CONFIG_INVALID, message)
        return spec
