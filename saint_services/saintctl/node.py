"""`saintctl node`: who is on this robot, in which role."""

from typing import Annotated

import typer

from ..lib.api import Done
from ..lib.api.adoption import (
    AdoptReply,
    AdoptRequest,
    NodeInfo,
    NodeList,
    NodeState,
    ResetRequest,
)
from .connect import ask, tell
from .console import AsJson, dot, duration, print_json, print_table, run

app = typer.Typer(help="Nodes: list, adopt, reset.", no_args_is_help=True)

NodeId = Annotated[str, typer.Argument(metavar="NODE", help="Node id, as `node list` shows it.")]


@app.command("list")
def show(context: typer.Context, as_json: AsJson = False) -> None:
    """Every node that the server knows."""
    reply = run(ask(context.obj, "adoptiond", "/nodes", NodeList), as_json)
    if as_json:
        print_json(reply)
        return
    columns = ("", "node", "name", "role", "state", "address", "seen", "note")
    print_table(columns, [_row(node) for node in reply.nodes], "No node was heard yet.")


def _row(node: NodeInfo) -> tuple[str, ...]:
    role = f"{node.role} {node.instance}".strip() or "-"
    good = node.state in (NodeState.ACTIVE, NodeState.UNADOPTED) and not node.reason
    return (
        dot(good),
        node.node_id,
        node.display_name or "-",
        role,
        str(node.state),
        node.address or "-",
        f"{duration(node.seen_age_s)} ago",
        node.reason,
    )


@app.command()
def adopt(
    context: typer.Context,
    node: NodeId,
    role: Annotated[str, typer.Argument(help="head, arms, tracks or console")],
    instance: Annotated[str, typer.Option(help="left or right, for arms")] = "",
    name: Annotated[str, typer.Option(help="What people call it")] = "",
    as_json: AsJson = False,
) -> None:
    """Give an unadopted node its role."""
    body = AdoptRequest(role=role, instance=instance, display_name=name)
    reply = run(tell(context.obj, "adoptiond", f"/nodes/{node}/adopt", body, AdoptReply), as_json)
    if as_json:
        print_json(reply)
    else:
        print(f"{node} is now {reply.topic_prefix}")


@app.command()
def reset(
    context: typer.Context,
    node: NodeId,
    factory: Annotated[bool, typer.Option("--factory", help="Also forget its name")] = False,
    as_json: AsJson = False,
) -> None:
    """Take a node's role away; it stops and announces itself again."""
    body = ResetRequest(factory_reset=factory)
    reply = run(tell(context.obj, "adoptiond", f"/nodes/{node}/reset", body, Done), as_json)
    if as_json:
        print_json(reply)
    else:
        print(reply.message)
