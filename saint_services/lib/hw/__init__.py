"""Hardware: the only place that imports hardware libraries. `open_board` gives the ports of this
computer (or simulated ones), drivers sit on top of them, `make_safe` quiets what a dead process
left running. Simulated pins are looked at with hw.sim.observe: a real robot does not load it.
"""

from pathlib import Path

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
    for name, spec in config.gpio_mapping.items():
        field = config.fields.get(name)
        is_motor = spec.type == "hbridge" or (field is not None and field.kind == "velocity")
        if is_motor and spec.pin is not None:
            try:
                board.quiet(spec.pin)
            except (SaintError, OSError) as err:
                problem = problem or err
    if problem is not None:
        raise problem
