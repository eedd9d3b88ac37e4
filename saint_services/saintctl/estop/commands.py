"""`saintctl estop`: stops all motion, shows every press, clears the presses that were shown."""

from typing import Annotated

import typer

from ...lib.api import routing
from ...lib.api.routing import EStopInfo, PressInfo
from ..connect import RobotAddress, run_request
from ..console import AsJson, print_json
from ..row_command import help_of
from .outcomes import ACTIVE, EXIT_UNCONFIRMED, sentences

app = typer.Typer(help="E-stop: show, set, clear.", no_args_is_help=True)

SOURCE = "saintctl"
Reason = Annotated[str, typer.Option(help=help_of(routing.EStopRequest, "reason"))]
Seen = Annotated[
    int | None,
    typer.Option(
        "--generation",
        help="Clear only this generation (see estop show --json). Default: show the presses and "
        "clear them.",
    ),
]


@app.command("show")
def show(context: typer.Context, as_json: AsJson = False) -> None:
    """Show whether the robot is stopped: every press, its source, reason and time."""
    latch = _latch(context.obj, as_json)
    if as_json:
        print_json(latch)
    elif not latch.active:
        print("E-stop is not active.")
    else:
        _print_presses(latch)
        _print_outcomes(latch)
        print("Check the robot, center the sticks, then: saintctl estop clear")


@app.command("set")
def press(context: typer.Context, reason: Reason = "", as_json: AsJson = False) -> None:
    """Stop all motion now, until the e-stop is cleared. Prints which roles have confirmed the stop.
    Exit code 0: all of them have; 7: one has not within 0.3 s."""
    reply = run_request(context.obj, routing.ESTOP, as_json, source=SOURCE, reason=reason)
    if as_json:
        print_json(reply)
    else:
        print(ACTIVE)
        _print_outcomes(reply)
        _print_problem(reply)
    if not reply.confirmed:
        raise typer.Exit(EXIT_UNCONFIRMED)


@app.command("clear")
def clear(context: typer.Context, generation: Seen = None, as_json: AsJson = False) -> None:
    """Show the presses and clear them. Refused when another press comes meanwhile, and while a
    velocity input is not neutral.
    """
    if generation is None:
        seen = _latch(context.obj, as_json)
        if seen.active and not as_json:
            _print_presses(seen)
        generation = seen.generation
    fields = {"source": SOURCE, "generation": generation}
    reply = run_request(context.obj, routing.CLEAR_ESTOP, as_json, **fields)
    if as_json:
        print_json(reply)
        return
    print("E-stop is cleared: each input drives again once it has been moved.")
    _print_problem(reply)


def _latch(robot: RobotAddress, as_json: bool) -> EStopInfo:
    return run_request(robot, routing.GET_STATUS, as_json).estop


def _print_presses(latch: EStopInfo) -> None:
    first, *others = latch.presses or [PressInfo(source=latch.source, reason=latch.reason)]
    print(f"E-stop is active, by {_line(first)}")
    if latch.more:
        print(f"  and {latch.more} more presses that are not listed")
    for each in others:
        print(f"  and by {_line(each)}")
    _print_problem(latch)


def _print_outcomes(latch: EStopInfo) -> None:
    for line in sentences([each.model_dump() for each in latch.outcomes]):
        print(line)


def _line(press: PressInfo) -> str:
    reason = f": {press.reason}" if press.reason else ""
    since = f" (since {press.since})" if press.since else ""
    return f"{press.source or 'unknown'}{reason}{since}"


def _print_problem(latch: EStopInfo) -> None:
    if latch.stored:
        return
    print(f"The e-stop could not be stored: {latch.problem}.")
    print("Check the disk or the card of the server; until then keep the robot switched off.")
