"""`saintctl route curve`: what one mapping of a route makes of a range of inputs, as the plot of
the editor shows it.
"""

from typing import Annotated

import typer

from ...lib.api import routing
from ...lib.api.endpoint import Nothing
from ...lib.api.routing import Curve, PreviewCurve
from ..connect import do, wish
from ..console import AsJson, print_json, print_table, run
from .edit import named

_ROWS = 11


def curve(
    context: typer.Context,
    route: Annotated[str, typer.Argument(metavar="ROUTE", help="A route of the robot.")],
    mapping: Annotated[int, typer.Option(min=1, help="Which of its mappings.")] = 1,
    low: Annotated[float, typer.Option(help="Lowest input.")] = -1.0,
    high: Annotated[float, typer.Option(help="Highest input.")] = 1.0,
    as_json: AsJson = False,
) -> None:
    """What a mapping makes of inputs from LOW to HIGH. Nothing moves; --json has every bend."""

    async def work() -> Curve:
        listed = await do(context.obj, routing.LIST_ROUTES, Nothing())
        (wanted,) = named([info.route for info in listed.routes], route, "the robot")
        asked = {"route": wanted, "index": mapping - 1, "low": low, "high": high}
        params = wish(PreviewCurve, as_json, **asked, steps=64 if as_json else _ROWS)
        return await do(context.obj, routing.PREVIEW_CURVE, params)

    reply = run(work(), as_json)
    if as_json:
        print_json(reply)
        return
    print(f"{reply.target}.{reply.field}, {reply.limits[0]:g} to {reply.limits[1]:g} {reply.unit}")
    rows = [(f"{x:+.3f}", f"{y:+.3f} {reply.unit}".rstrip()) for x, y in reply.points]
    print_table(("input", "output"), rows, "This mapping drives nothing.")
