"""Opens the lines with bus servos of a role; joints of one device share its line. Not here: what a
joint does with its servo (motion/bus_servo_output.py).
"""

from ..hw.bus_servos.dialects import dialect_of
from ..hw.bus_servos.line import ServoLine
from ..hw.bus_servos.port import BusServo
from ..hw.bus_servos.setup import ServoSettings, ServoSetup
from ..hw.ports import Board, ByteStream
from ..role_config.bus_servos import BUS_SERVO
from ..role_config.devices import SERVO_LINES
from ..role_config.model import FieldSpec, PinSpec, RoleConfig
from .motion.bus_servo_output import BusServoOutput
from .timers import Clock


class ServoLines:
    """The lines of one role by the names of its serial_devices."""

    def __init__(self, board: Board, config: RoleConfig, clock: Clock) -> None:
        self._board = board
        self._config = config
        self._clock = clock
        self._lines: dict[str, ServoLine] = {}

    def opened(self) -> dict[str, ServoLine]:
        """Open every line whose servos are read and not driven; close each once. Raises
        SaintError."""
        for name, device in self._config.serial_devices.items():
            if device.driver in SERVO_LINES and name not in self._lines:
                self._lines[name] = self._opened(name)
        return self._lines

    def output(self, field: FieldSpec, pin: PinSpec) -> BusServoOutput:
        """Return the servo of a joint. Opens its line with the first. Raises SaintError."""
        line = self._lines.get(pin.device)
        if line is None:
            line = self._lines[pin.device] = self._opened(pin.device)
        most = line.core.dialect.turn - 1
        return BusServoOutput(line, line.servo(pin.servo_id or 0), field, pin, most)

    def _opened(self, name: str) -> ServoLine:
        """Open a line and set its servos up. Blocks."""
        device = self._config.serial_devices[name]
        dialect = dialect_of(device.protocol)
        pins = {
            part: pin
            for part, pin in self._config.gpio_mapping.items()
            if pin.type == BUS_SERVO and pin.device == name
        }
        servos = {
            pin.servo_id or 0: BusServo(
                pin.servo_id or 0, part, pin.torque_limit, pin.max_temperature_c
            )
            for part, pin in pins.items()
        }

        def prepare(port: ByteStream) -> None:
            setup = ServoSetup(port, dialect, name)
            for pin in pins.values():
                settings = ServoSettings(
                    homing_offset=pin.homing_offset, max_temperature=pin.max_temperature_c
                )
                setup.configure(pin.servo_id or 0, settings)

        return ServoLine(
            lambda: self._board.serial(device.port, device.baud),
            servos,
            dialect,
            device.baud,
            name,
            self._clock,
            prepare,
        )
