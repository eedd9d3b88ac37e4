"""`saintctl node update`, `reboot` and `new-key`. Not here: roll-outs to all machines
(firmware/commands.py).
"""

from typing import Annotated

import typer

from ...lib.api import Done, firmware, keys
from ...lib.api.webd.system import REBOOT
from ..connect import run_request
from ..console import AsJson, print_json, sentence
from ..names import NodeId
from ..row_command import row_command


def add_to(app: typer.Typer) -> None:
    """Add the commands to `saintctl node`."""
    app.command("update")(update)
    app.command("new-key")(new_key)
    # Without a node webd would restart the server.
    row_command(app, "reboot", REBOOT, defaults={"node": ...}, node=NodeId)(print_rebooted)


def update(
    context: typer.Context,
    node: NodeId,
    version: Annotated[str, typer.Option(help="Another release than the newest.")] = "",
    as_json: AsJson = False,
) -> None:
    """Install the newest release on this node alone; `firmware watch` shows the progress."""
    plan = run_request(context.obj, firmware.ROLLOUT, as_json, nodes=[node], version=version)
    if as_json:
        print_json(plan)
    else:
        print(f"{node} is being updated to release {plan.version}")


def new_key(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a new key for a server whose key is lost. Every node must be reset by its button."""
    if not yes:
        print("Every node must then be reset by its button and adopted again.")
        print("A backup that holds the key makes this unnecessary: saintctl backup restore FILE")
        typer.confirm("Make a new key?", abort=True)
    reply = run_request(context.obj, keys.RENEW, as_json)
    print_json(reply) if as_json else print(sentence(reply.message))


def print_rebooted(reply: Done) -> None:
    """Restart a node's computer; its role resumes by itself."""
    print(reply.message)
