"""`saintctl node history`: a node's load and temperature of the last ten minutes."""

import typer

from ...lib.api import Reply
from ..action import perform
from ..console import AsJson, print_json, print_table, run
from ..names import NodeId
from ..system.machine import history_rows


class NodeHistory(Reply):
    """As webd tells it: one number a period, oldest first."""

    node_id: str
    period_s: float
    cpu: list[float | None]
    memory: list[float | None]
    temp: list[float | None]


def history(
    context: typer.Context,
    node: NodeId,
    as_json: AsJson = False,
) -> None:
    """Load and temperature of the last ten minutes."""
    wanted = perform(context.obj, "management", "get_node_history", NodeHistory, node_id=node)
    reply = run(wanted, as_json)
    if as_json:
        print_json(reply)
        return
    series = {"cpu %": reply.cpu, "memory %": reply.memory, "temperature C": reply.temp}
    print_table(("", "lowest", "mean", "highest", "now"), history_rows(series), "")
