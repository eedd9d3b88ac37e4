"""Command-line arguments that name something of the robot, with completion by the Tab key. A robot
that does not answer within two seconds completes nothing and reports no error.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Annotated, Any, Final

import typer

from ..lib.api import livelink, presets, routing
from ..lib.api.adoption import LIST_NODES
from ..lib.api.endpoint import Nothing
from ..lib.errors import SaintError
from .connect import RobotAddress, request
from .remote import RemoteRobot

COMPLETION_LIMIT_S = 2.0

Completion = tuple[str, str]  # a name, and the text that a shell shows beside it
NameQuery = Callable[[RobotAddress], Coroutine[Any, Any, Iterable[Completion]]]


def completes(query: NameQuery) -> Callable[[typer.Context, str], list[Completion]]:
    """Return the `autocompletion` of an argument whose names come from `query`."""

    def complete(context: typer.Context, incomplete: str) -> list[Completion]:
        options = context.find_root().params
        try:
            found = asyncio.run(asyncio.wait_for(query(_address(options)), COMPLETION_LIMIT_S))
        except (SaintError, TimeoutError):
            return []
        return [each for each in found if each[0].startswith(incomplete)]

    return complete


def _address(options: dict[str, Any]) -> RobotAddress:
    """Read the robot's address from the options: a shell's completion does not run app.options."""
    server, token, ca = (options.get(name) or "" for name in ("server", "token", "ca"))
    return RemoteRobot.at(server, token, ca) if server else options.get("run") or ""


async def _nodes(robot: RobotAddress) -> list[Completion]:
    reply = await request(robot, LIST_NODES, Nothing())
    return [(node.node_id, node.display_name or str(node.state)) for node in reply.nodes]


async def _routes(robot: RobotAddress) -> list[Completion]:
    reply = await request(robot, routing.LIST_ROUTES, Nothing())
    return [(info.route.id, f"{info.route.input.source} to {info.route.output.target}")
            for info in reply.routes]  # fmt: skip


async def _presets(robot: RobotAddress) -> list[Completion]:
    reply = await request(robot, presets.LIST_PRESETS, Nothing())
    return [(each.name, f"{each.routes} routes") for each in reply.presets]


async def _outputs(robot: RobotAddress) -> list[Completion]:
    reply = await request(robot, routing.GET_STATUS, Nothing())
    return [(f"{each.target}.{each.field}", each.unit) for each in reply.outputs]


async def _subjects(robot: RobotAddress) -> list[Completion]:
    reply = await request(robot, livelink.LIST_SOURCES, Nothing())
    return [(each.subject_name, each.subject_type) for each in reply.sources]


NodeId = Annotated[
    str,
    typer.Argument(
        metavar="NODE", help="Node id, see `node list`.", autocompletion=completes(_nodes)
    ),
]
RouteId = Annotated[
    str,
    typer.Argument(
        metavar="ROUTE", help="Route id, see `route list`.", autocompletion=completes(_routes)
    ),
]
PresetName = Annotated[
    str,
    typer.Argument(
        metavar="PRESET", help="See `route preset list`.", autocompletion=completes(_presets)
    ),
]
Output = Annotated[
    str, typer.Argument(help="For example tracks.linear.", autocompletion=completes(_outputs))
]
Subject = Annotated[
    str,
    typer.Argument(
        metavar="SUBJECT", help="See `livelink list`.", autocompletion=completes(_subjects)
    ),
]

# The fields of lib/api that a command line gives as such an argument.
ARGUMENTS: Final[Mapping[str, Any]] = {
    "node_id": NodeId,
    "route_id": RouteId,
    "preset_name": PresetName,
    "output": Output,
    "subject_name": Subject,
}
