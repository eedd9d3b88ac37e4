"""Names that a robot has, as arguments: what the help says of them, and what the Tab key offers.
Whoever presses Tab waits: a robot that does not answer soon offers nothing, and tells no fault.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Annotated, Any

import typer

from ..lib.api import livelink, presets, routing
from ..lib.api.adoption import LIST_NODES
from ..lib.api.endpoint import Nothing
from ..lib.errors import SaintError
from .connect import Place, do
from .server import Server

PATIENCE_S = 2.0

Offer = tuple[str, str]  # a name, and what a shell shows beside it
Asking = Callable[[Place], Coroutine[Any, Any, Iterable[Offer]]]


def offers(asking: Asking) -> Callable[[typer.Context, str], list[Offer]]:
    """For `autocompletion`."""

    def offer(context: typer.Context, incomplete: str) -> list[Offer]:
        given = context.find_root().params
        try:
            found = asyncio.run(asyncio.wait_for(asking(_place(given)), PATIENCE_S))
        except (SaintError, TimeoutError):
            return []
        return [each for each in found if each[0].startswith(incomplete)]

    return offer


def _place(given: dict[str, Any]) -> Place:
    """What the options say: while a shell completes, nothing else of the program has run."""
    server, token, ca = (given.get(name) or "" for name in ("server", "token", "ca"))
    return Server.at(server, token, ca) if server else given.get("run") or ""


async def _nodes(place: Place) -> list[Offer]:
    reply = await do(place, LIST_NODES, Nothing())
    return [(node.node_id, node.display_name or str(node.state)) for node in reply.nodes]


async def _routes(place: Place) -> list[Offer]:
    reply = await do(place, routing.LIST_ROUTES, Nothing())
    return [(info.route.id, f"{info.route.input.source} to {info.route.output.target}")
            for info in reply.routes]  # fmt: skip


async def _presets(place: Place) -> list[Offer]:
    reply = await do(place, presets.LIST_PRESETS, Nothing())
    return [(each.name, f"{each.routes} routes") for each in reply.presets]


async def _outputs(place: Place) -> list[Offer]:
    reply = await do(place, routing.GET_STATUS, Nothing())
    return [(f"{each.target}.{each.field}", each.unit) for each in reply.outputs]


async def _subjects(place: Place) -> list[Offer]:
    reply = await do(place, livelink.LIST_SOURCES, Nothing())
    return [(each.subject_name, each.subject_type) for each in reply.sources]


NodeId = Annotated[
    str,
    typer.Argument(
        metavar="NODE", help="Node id, as `node list` shows it.", autocompletion=offers(_nodes)
    ),
]
RouteId = Annotated[
    str, typer.Argument(metavar="ROUTE", help="The route's id.", autocompletion=offers(_routes))
]
PresetName = Annotated[
    str, typer.Argument(metavar="PRESET", help="Its name.", autocompletion=offers(_presets))
]
Output = Annotated[
    str, typer.Argument(help="For example tracks.linear.", autocompletion=offers(_outputs))
]
Subject = Annotated[
    str,
    typer.Argument(metavar="SUBJECT", help="As `list` shows it.", autocompletion=offers(_subjects)),
]
