"""Hardware: the only place that imports hardware libraries. `open_board` opens the ports of this
computer (or simulated ones), drivers use them, `will_of` returns the writes that make a role's
outputs safe.
"""

from collections.abc import Iterator

from ..errors import Code, SaintError
from ..guard.will import MOST_BYTES, Will, Write, WriteKind
from ..role_config.devices import MOTORS, SERVO_LINES, SerialDevice
from ..role_config.model import CanDevice, I2cDevice, RoleConfig
from ..simulation import load_simulation, simulated_directory
from .can.frame import CanFrame
from .ports import Board

_MOST_LIMP = 16  # servos of one write of a will, which has 64 bytes
_DATAGRAMS = 3  # of one kind: nothing confirms that one arrived
_ON_CHIP = ("pca9685", "switch", "dimmer")  # outputs that may be channels of a PCA9685

__all__ = ["Board", "line_descriptors", "open_board", "will_of"]


def open_board(spec: str) -> Board:
    """Open the board of SAINT_HW: "real" or "sim:<directory>". Blocks: call it in a thread."""
    if directory := simulated_directory(spec):
        return load_simulation().open_board(directory)
    if spec == "real":
        from .pi_board import PiBoard

        return PiBoard()
    raise SaintError(
        Code.CONFIG_INVALID,
        f"SAINT_HW is '{spec}'",
        fix="Use 'real' or 'sim:<directory>'.",
    )


def will_of(board: Board, config: RoleConfig, process: str) -> Will:
    """Return the writes that stop motors, and servos that run as motors, and open switches.

    Position outputs keep their last pulse: a limp neck or arm would fall. Bus servos hold their
    goal, which is at most one slice ahead; those with `on_stop: limp` lose their torque. Pins come
    first: a controller on a serial line or a bus may take a moment. Raises SaintError.
    """
    writes = (*dict.fromkeys(_pins(board, config)), *_chips(board, config))
    return Will(process, config.target, writes)


def line_descriptors(board: Board, will: Will) -> list[int]:
    """Return the descriptors of the lines that a will sets, in its order. Raises SaintError."""
    lines = [write.place for write in will.writes if write.kind is WriteKind.LINE]
    found = [board.line_descriptor(line) for line in lines]
    if None in found:
        raise SaintError(Code.HARDWARE_FAULT, "a line of the will is not held by this process")
    return [descriptor for descriptor in found if descriptor is not None]


def _pins(board: Board, config: RoleConfig) -> Iterator[Write]:
    """Yield the writes of pins: pulses end before the enable lines of a bridge fall.

    A stepper makes no step without its process: its line rests, and its driver (EN low) holds it.
    """
    enables: list[int] = []
    for name, spec in config.gpio_mapping.items():
        if spec.type == "switch" and spec.pin is not None and _rests_at_zero(config, name):
            yield board.will_high(spec.pin) if spec.active_low else board.will_low(spec.pin)
        elif spec.type in MOTORS or _rests_at_zero(config, name):
            yield from (board.will_quiet(pin) for pin in spec.pwm_pins)
            enables += spec.enable_pins
        elif spec.type == "stepper" and spec.pin is not None:
            yield from (board.will_low(pin) for pin in (spec.pin, *spec.enable_pins))
    yield from (board.will_low(pin) for pin in enables)


def _rests_at_zero(config: RoleConfig, name: str) -> bool:
    """Return whether an output must not be left as it is: a velocity, a switch."""
    field = config.fields.get(name)
    return field is not None and field.rests_at_zero


def _chips(board: Board, config: RoleConfig) -> Iterator[Write]:
    for name, chip in config.i2c_devices.items():
        yield from _channels(board, config, name, chip)
    for name, device in config.serial_devices.items():
        if device.driver in SERVO_LINES:
            yield from _limp_servos(board, config, name, device)
            continue
        from .motors.roboclaw import duties

        stop = duties(device.address, 0.0, 0.0)
        yield board.will_serial(device.port, device.baud, stop)
    for node in config.can_devices.values():
        yield board.will_can(node.port, _rest(node))
    if config.walker:
        from ..walker.damping import damping

        host, (port, _) = str(config.walker.host), config.walker.ports
        for _ in range(_DATAGRAMS):
            yield board.will_datagram(host, port, damping(config.walker.protocol))


def _rest(node: CanDevice) -> CanFrame:
    """Return the frame that brings a device on CAN to rest."""
    if node.driver == "wagon":
        from ..wagon import can_frames

        return can_frames.encode(can_frames.WagonEstop())
    from .vesc.messages import encode
    from .vesc.opening import settings_of

    return encode(settings_of(node).rest)


def _limp_servos(
    board: Board, config: RoleConfig, name: str, device: SerialDevice
) -> Iterator[Write]:
    """Yield the writes that switch torque off. Answers that servos still send to a process that has
    just ended destroy what is sent meanwhile, so each packet is sent again after their time, which
    zeros fill: no servo reads them.
    """
    servos = [s for s in config.gpio_mapping.values() if s.device == name]
    limp = [s.servo_id for s in servos if s.servo_id is not None and s.on_stop == "limp"]
    if not limp:
        return
    from .bus_servos.dialects import dialect_of
    from .bus_servos.port import answer_bytes

    dialect = dialect_of(device.protocol)
    pause = [bytes(MOST_BYTES)] * (len(servos) * answer_bytes(dialect) // MOST_BYTES + 1)
    for first in range(0, len(limp), _MOST_LIMP):
        packet = dialect.release(limp[first : first + _MOST_LIMP]).encoded()
        for data in (packet, *pause, packet):
            yield board.will_serial(device.port, device.baud, data)


def _channels(board: Board, config: RoleConfig, name: str, chip: I2cDevice) -> Iterator[Write]:
    """Yield the writes of one servo chip; its multiplexer has no open channel afterwards, so that
    what the role had half written reaches nothing.
    """
    ends = [
        (spec.channel or 0, spec.active_low)
        for output, spec in config.gpio_mapping.items()
        if spec.device == name and spec.type in _ON_CHIP and _rests_at_zero(config, output)
    ]
    if not ends:
        return
    from .buses.multiplexer import CLOSED, opening
    from .pwm.pca9685 import channel_off, channel_on

    if chip.mux:
        yield board.will_i2c(chip.bus, chip.mux.address, opening(chip.mux))
    for channel, is_active_low in ends:
        data = channel_on(channel) if is_active_low else channel_off(channel)
        yield board.will_i2c(chip.bus, chip.address, data)
    if chip.mux:
        yield board.will_i2c(chip.bus, chip.mux.address, CLOSED)
