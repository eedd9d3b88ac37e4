"""Hardware: the only place that imports hardware libraries. `open_board` gives the ports of this
computer (or simulated ones), drivers sit on top of them, `make_safe` quiets what a dead process
left running. Simulated pins are looked at with hw.sim.observe: a real robot does not load it.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ..devices import MOTORS, SerialDevice
from ..errors import Code, SaintError
from ..roles import RoleConfig
from .ports import Board

__all__ = ["Board", "make_safe", "open_board"]


def open_board(spec: str) -> Board:
    """The board of SAINT_HW: "real" or "sim:<directory>". Reads files: call it in a thread."""
    kind, _, place = spec.partition(":")
    if kind == "sim" and place:
        from .sim.board import SimBoard

        return SimBoard(Path(place))
    if spec == "real":
        from .pi_board import PiBoard

        return PiBoard()
    raise SaintError(
        Code.CONFIG_INVALID,
        f"SAINT_HW is '{spec}'",
        fix="Use 'real' or 'sim:<directory>'.",
    )


def make_safe(board: Board, config: RoleConfig) -> None:
    """Stop what moves by itself, whoever left it moving: motors, and servos that run as motors.

    Position outputs keep their last pulse: a limp neck or arm would fall. One output that cannot
    be stopped does not keep the others running; its error is raised in the end.
    """
    problem: SaintError | OSError | None = None
    for quiet in _quieting(board, config):
        try:
            quiet()
        except (SaintError, OSError) as err:
            problem = problem or err
    if problem is not None:
        raise problem


def _quieting(board: Board, config: RoleConfig) -> Iterator[Callable[[], None]]:
    """Pins first: a controller on a serial line may keep us waiting for a moment."""
    for name, spec in config.gpio_mapping.items():
        field = config.fields.get(name)
        if spec.type in MOTORS or (field is not None and field.kind == "velocity"):
            for pin in spec.pwm_pins:
                yield partial(board.quiet, pin)
    for device in config.serial_devices.values():
        yield partial(_stop_controller, board, device)


def _stop_controller(board: Board, device: SerialDevice) -> None:
    """It stops by its own time-out as well, a little later."""
    from .roboclaw import duties

    port = board.serial(device.port, device.baud)
    try:
        port.write(duties(device.address, 0.0, 0.0))
    finally:
        port.close()
