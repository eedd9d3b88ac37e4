"""`saintctl estop`: stop all motion; release it again."""

from typing import Annotated

import typer

from ..lib.api.routing import EStopInfo, EStopRequest, RouterStatus
from .connect import Place, ask, tell
from .console import AsJson, print_json, run

app = typer.Typer(help="E-stop: show, set, clear.", no_args_is_help=True)

Reason = Annotated[str, typer.Option(help="Shown to everybody else.")]


@app.command("show")
def show(context: typer.Context, as_json: AsJson = False) -> None:
    """Whether the robot is stopped, by whom and why."""
    latch = run(ask(context.obj, "routerd", "/status", RouterStatus), as_json).estop
    if as_json:
        print_json(latch)
    elif not latch.active:
        print("E-stop is not active.")
    else:
        reason = f": {latch.reason}" if latch.reason else ""
        print(f"E-stop is active, by {latch.source or 'somebody unknown'}{reason}")
        print("Look at the robot, bring sticks to the middle, then: saintctl estop clear")


@app.command("set")
def press(context: typer.Context, reason: Reason = "", as_json: AsJson = False) -> None:
    """Stop all motion now. Stays until it is cleared."""
    _send(context.obj, "/estop", reason, as_json)


@app.command("clear")
def clear(context: typer.Context, reason: Reason = "", as_json: AsJson = False) -> None:
    """Release the e-stop; refused while a velocity input is not neutral."""
    _send(context.obj, "/estop/clear", reason, as_json)


def _send(given: Place, path: str, reason: str, as_json: bool) -> None:
    body = EStopRequest(source="saintctl", reason=reason)
    reply = run(tell(given, "routerd", path, body, EStopInfo), as_json)
    if as_json:
        print_json(reply)
    elif reply.active:
        print("E-stop is active: nothing moves until it is cleared.")
    else:
        print("E-stop is cleared: each input moves something again once it has been moved.")
