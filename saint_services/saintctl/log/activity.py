"""`saintctl log activity`: what happened to the robot, as the page's list of activity tells it. Not
here: the lines of its programs (log.py), who did what (audit.py).
"""

import time
from typing import Annotated

import typer

from ...lib.api import Reply
from ...lib.api.states import LogEntry
from ..action import perform
from ..console import AsJson, print_json, print_table, run


class Activity(Reply):
    """As webd tells it, newest first."""

    entries: list[LogEntry]


def activity(
    context: typer.Context,
    level: Annotated[
        str, typer.Option(help="This and worse: debug, info, warning, error.")
    ] = "info",
    about: Annotated[str, typer.Option(help="A node: what it did and what was done to it.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=500)] = 50,
    as_json: AsJson = False,
) -> None:
    """Nodes that come and go, stops, changes; newest last."""
    wanted = {"level": level.upper(), "about": about or None, "limit": limit}
    reply = run(perform(context.obj, "management", "get_activity_log", Activity, **wanted), as_json)
    if as_json:
        print_json(reply)
        return
    rows = [
        (time.strftime("%m-%d %H:%M:%S", time.localtime(each.time)), each.level.lower(),
         each.source, each.text)
        for each in reversed(reply.entries)
    ]  # fmt: skip
    print_table(("time", "level", "source", ""), rows, "Nothing has happened yet.")
