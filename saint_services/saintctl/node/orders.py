"""`saintctl node update` and `saintctl node reboot`: orders that one node carries out. Not here:
roll-outs to all machines (firmware.py).
"""

from typing import Annotated

import typer

from ...lib.api import Done, firmware, keys
from ...lib.api.machine import Reboot
from ..connect import asked, tell
from ..console import AsJson, print_json, run
from ..names import NodeId


def update(
    context: typer.Context,
    node: NodeId,
    version: Annotated[str, typer.Option(help="Another release than the newest")] = "",
    as_json: AsJson = False,
) -> None:
    """Install the newest release on this node alone; `firmware watch` shows how it goes."""
    plan = asked(context.obj, firmware.ROLLOUT, as_json, nodes=[node], version=version)
    if as_json:
        print_json(plan)
    else:
        print(f"{node} is brought to release {plan.version}")


def new_key(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a new key for a server whose key is lost. Every node must be reset by its button."""
    if not yes:
        print("Every node must then be reset by its button and adopted again.")
        print("A backup that holds the key saves that: saintctl backup restore FILE")
        typer.confirm("Make a new key?", abort=True)
    reply = asked(context.obj, keys.RENEW, as_json)
    if as_json:
        print_json(reply)
    else:
        print(f"{reply.message[:1].upper()}{reply.message[1:]}.")


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
