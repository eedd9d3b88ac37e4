"""`saintctl log activity`: what happened to the robot, as the page's activity list shows it. Not
here: log lines of programs (commands.py), who did what (audit.py).
"""

import time
from typing import Annotated

import typer

from ...lib.api.webd.nodes import GET_ACTIVITY_LOG
from ..connect import run_request
from ..console import AsJson, print_json, print_table

Level = Annotated[str, typer.Option(help="Lowest level: debug, info, warning or error.")]


def activity(
    context: typer.Context,
    level: Level = "info",
    about: Annotated[str, typer.Option(help="A node: what it did and what was done to it.")] = "",
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=500, help="Number of entries.")
    ] = 50,
    as_json: AsJson = False,
) -> None:
    """Show nodes that come and go, stops and changes, newest last."""
    fields = {"level": level.upper(), "about": about or None, "limit": limit}
    reply = run_request(context.obj, GET_ACTIVITY_LOG, as_json, **fields)
    if as_json:
        print_json(reply)
        return
    rows = [
        (time.strftime("%m-%d %H:%M:%S", time.localtime(each.time)), each.level.lower(),
         each.source, each.text)
        for each in reversed(reply.entries)
    ]  # fmt: skip
    print_table(("time", "level", "source", ""), rows, "Nothing has happened yet.")
