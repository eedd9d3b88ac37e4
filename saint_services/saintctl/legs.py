"""`saintctl legs`: has a walking robot stand, balance and walk as long as the command runs. Its
end, and a lost connection, damp the robot. Not here: routes (`saintctl route why legs.mode`), and
which mode the robot enters (role_legsd).
"""

import asyncio
import time
from typing import Annotated, Any

import typer

from ..lib.api.endpoint import Endpoint
from ..lib.api.routing import CommandReply
from ..lib.api.webd.legs import BALANCE, DAMP, MOVE, STAND
from .connect import RobotAddress, checked_params, request
from .console import AsJson, print_json, run
from .motion import REPEAT_S

app = typer.Typer(
    help="Legs of a walking robot: stand, balance, move, damp. What ends, damps: it sits or falls.",
    no_args_is_help=True,
)
Seconds = Annotated[
    float, typer.Option(min=0.1, max=600.0, help="Hold it so long; then the robot is damped.")
]
Step = tuple[Endpoint[Any, CommandReply], float, dict[str, float]]  # row, seconds, velocity
_STAND_S = 3.0  # to stand up, steady
_BALANCE_S = 1.0
# Not requested here: it would make a robot fall that another input holds upright.
_WHY = "saintctl legs damp (after a stop or a fall), then again; saintctl route why legs.mode."


@app.command("stand")
def stand(context: typer.Context, seconds: Seconds = 10.0, as_json: AsJson = False) -> None:
    """Stand up and stand. The robot sits down, or falls, when the command ends."""
    _run(context, [(STAND, seconds, {})], f"Stood for {seconds:g} s, then damped.", as_json)


@app.command("balance")
def balance(context: typer.Context, seconds: Seconds = 5.0, as_json: AsJson = False) -> None:
    """Stand up, then balance in place. The robot is damped when the command ends."""
    steps: list[Step] = [(STAND, _STAND_S, {}), (BALANCE, seconds, {})]
    _run(context, steps, f"Balanced for {seconds:g} s, then damped.", as_json)


@app.command("move")
def move(
    context: typer.Context,
    vx: Annotated[float, typer.Argument(help="m/s, forward; negative ones after --")],
    vy: Annotated[float, typer.Argument(help="m/s, to the left")] = 0.0,
    vyaw: Annotated[float, typer.Argument(help="rad/s, counterclockwise")] = 0.0,
    seconds: Seconds = 2.0,
    as_json: AsJson = False,
) -> None:
    """Stand up, balance, then walk. The robot is damped when the command ends."""
    velocity = {"vx": vx, "vy": vy, "vyaw": vyaw}
    steps: list[Step] = [
        (STAND, _STAND_S, {}),
        (BALANCE, _BALANCE_S, {}),
        (MOVE, seconds, velocity),
    ]
    _run(context, steps, f"Walked for {seconds:g} s, then damped.", as_json)


@app.command("damp")
def damp(context: typer.Context, as_json: AsJson = False) -> None:
    """Damp the legs, as one input among others: the robot sits down or falls. To stop everything:
    saintctl estop set."""
    _run(context, [], "Damped. To stop everything: saintctl estop set.", as_json)


def _run(context: typer.Context, steps: list[Step], text: str, as_json: bool) -> None:
    reply = run(_held(context.obj, steps), as_json)
    if as_json:
        print_json(reply)
        return
    for each in reply.limited:
        print(f"{each.text}.")
    print(f"{text} If nothing moved: {_WHY}")


async def _held(robot: RobotAddress, steps: list[Step]) -> CommandReply:
    reply = CommandReply()
    try:
        for row, seconds, values in steps:
            end_s = time.monotonic() + seconds
            while time.monotonic() < end_s:
                reply = await request(robot, row, checked_params(row.params, False, **values))
                await asyncio.sleep(REPEAT_S)
    finally:
        await request(robot, DAMP, checked_params(DAMP.params, False))
    return reply
