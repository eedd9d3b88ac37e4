"""`saintctl node history`: a node's load and temperature of the last ten minutes."""

import typer

from ...lib.api.webd.nodes import GET_NODE_HISTORY, NodeHistory
from ..console import print_table
from ..row_command import row_command
from ..system.machine import history_rows


def add_to(app: typer.Typer) -> None:
    """Add the command to `saintctl node`."""
    row_command(app, "history", GET_NODE_HISTORY)(print_history)


def print_history(reply: NodeHistory) -> None:
    series = {"cpu %": reply.cpu, "memory %": reply.memory, "temperature C": reply.temp}
    print_table(("", "lowest", "mean", "highest", "now"), history_rows(series), "")
