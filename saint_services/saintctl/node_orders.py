"""`saintctl node update` and `saintctl node reboot`: orders that one node carries out. Not here:
roll-outs to all machines (firmware.py).
"""

from typing import Annotated

import typer

from ..lib.api import Done
from ..lib.api.firmware import Plan, RolloutRequest
from ..lib.api.upkeep import Reboot
from .connect import tell
from .console import AsJson, print_json, run
from .names import NodeId


def update(
    context: typer.Context,
    node: NodeId,
    version: Annotated[str, typer.Option(help="Another release than the newest")] = "",
    as_json: AsJson = False,
) -> None:
    """Install the newest release on this node alone; `firmware watch` shows how it goes."""
    body = RolloutRequest(nodes=[node], version=version)
    plan = run(tell(context.obj, "otad", "/rollout", body, Plan), as_json)
    if as_json:
        print_json(plan)
    else:
        print(f"{node} is brought to release {plan.version}")


def reboot(
    context: typer.Context,
    node: NodeId,
    force: Annotated[bool, typer.Option("--force", help="Also while the robot is driven")] = False,
    as_json: AsJson = False,
) -> None:
    """Restart a node's computer; its role resumes by itself."""
    body = Reboot(node=node, force=force)
    reply = run(tell(context.obj, "webd", "/api/v1/system/reboot", body, Done), as_json)
    if as_json:
        print_json(reply)
    else:
        print(reply.message)
