"""`saintctl node`: the robot's nodes, their roles and names. Not here: hardware (hardware.py),
calibration (calibrate.py), restart and update (orders.py).
"""

import json

import typer

from ...lib.api import Done, adoption, firmware
from ...lib.api.adoption import (
    AdoptNode,
    AdoptReply,
    IgnoreNode,
    NameNode,
    NodeInfo,
    NodeList,
    NodeRoleInfo,
    NodeState,
    Peripheral,
    ReplaceNode,
    ScanReport,
)
from ...lib.api.endpoint import Nothing
from ...lib.errors import SaintError
from ..connect import request_or_error, run_request
from ..console import AsJson, dot, duration, print_facts, print_table, run
from ..firmware.view import machine_of, print_firmware
from ..names import NodeId
from ..row_command import row_command
from . import hardware, history, orders
from .calibrate import calibrate
from .hardware_view import does_not_answer

app = typer.Typer(
    help="Nodes: list, adopt, replace, rename, calibrate, update, reset.",
    no_args_is_help=True,
)


@row_command(app, "list", adoption.LIST_NODES)
def print_nodes(reply: NodeList) -> None:
    """List every node that the server knows."""
    columns = ("", "node", "name", "role", "state", "address", "seen", "note")
    print_table(columns, [_row(node) for node in reply.nodes], "No node was seen yet.")
    for other in reply.strangers:
        print(f"not offered: {other.name}: {other.reason}")


@row_command(app, "scan", adoption.SCAN)
def print_scan(reply: ScanReport) -> None:
    """Listen for 3 s and list the nodes that reported, and those that are silent."""
    print_nodes(reply)
    print(f"new: {', '.join(reply.new) or 'none'}")
    print(f"silent for {reply.listened_s:.0f} s: {', '.join(reply.silent) or 'none'}")


def _row(node: NodeInfo) -> tuple[str, ...]:
    role = " + ".join(_role_names(node)) or "-"
    note = node.reason or node.not_offered
    good = node.state in (NodeState.ACTIVE, NodeState.UNADOPTED) and not note
    return (
        dot(good),
        node.node_id,
        node.display_name or "-",
        role,
        str(node.state),
        node.address or "-",
        f"{duration(node.seen_age_s)} ago",
        note,
    )


@app.command("show")
def show(context: typer.Context, node: NodeId, as_json: AsJson = False) -> None:
    """Show a node's role, health, hardware, release and how its last update ended."""
    info = run_request(context.obj, adoption.GET_NODE_INFO, as_json, node_id=node)
    report = run(request_or_error(context.obj, firmware.STATUS, Nothing()), as_json)
    release = machine_of(report, node)
    if as_json:
        facts = release.model_dump(mode="json") if release else None
        print(json.dumps(info.model_dump(mode="json") | {"firmware": facts}, indent=2))
        return
    print_facts(_facts(info))
    problem = report if isinstance(report, SaintError) else None
    print_firmware(release, problem)


def _role_names(node: NodeInfo) -> list[str]:
    """Return the names of all roles; a server of an older release sends only the first one."""
    roles = node.roles or (
        [NodeRoleInfo(role=node.role, instance=node.instance)] if node.role else []
    )
    return [f"{role.role} {role.instance}".strip() for role in roles]


def _role_facts(node: NodeInfo) -> list[tuple[str, str]]:
    """Return one line for each of several roles, with what differs between them."""
    if len(node.roles) < 2:
        names = _role_names(node)
        return [("role", f"{names[0]} on {node.topic_prefix}" if names else "none")]
    lines = []
    for role in node.roles:
        name = f"{role.role} {role.instance}".strip()
        outputs = "safe" if role.outputs_safe else "live"
        fault = f", {role.reason}" if role.reason else ""
        text = f"{name} on {role.topic_prefix}: {role.state}, outputs {outputs}{fault}"
        lines.append(("role", text))
    return lines


def _facts(node: NodeInfo) -> list[tuple[str, str]]:
    """Return labels and values; unknown values are left out."""
    load = f"CPU {node.cpu_usage:.0f} %, memory {node.memory_usage:.0f} %"
    rows = [
        ("node", node.node_id),
        ("name", node.display_name),
        ("state", f"{node.state}{f': {node.reason}' if node.reason else ''}"),
        *_role_facts(node),
        ("settings", node.config_version),
        ("belongs to", _owner(node)),
        ("not offered", node.not_offered),
        ("outputs", "safe" if node.outputs_safe else "live"),
        ("restarts", f"{node.role_restarts} of the role's process" if node.role_restarts else ""),
        ("seen", f"{duration(node.seen_age_s)} ago, up {duration(node.uptime_s)}"),
        ("load", load + (f", {node.cpu_temp:.0f} °C" if node.cpu_temp else "")),
        ("hardware", f"{node.hardware_model} {node.hardware_rev}".strip()),
        ("address", f"{node.address} {node.mac_address}".strip()),
        *(("found", _device(device)) for device in node.peripherals),
    ]
    return [(label, text) for label, text in rows if text]


def _owner(node: NodeInfo) -> str:
    """Return the node's server, and the code to compare with the node's log or status."""
    if not node.server:
        return ""
    return f"{node.server}, code {node.code}" if node.is_ours else node.server


def _device(device: Peripheral) -> str:
    answer = ", does not answer" if does_not_answer(device) else ""
    return f"{device.type} {device.address}: {device.description}{answer}"


@row_command(
    app, "adopt", adoption.ADOPT_NODE, role=typer.Argument(), display_name=typer.Option("--name")
)
def print_adopted(reply: AdoptReply, params: AdoptNode) -> None:
    """Give an unadopted node its role, or with --add one more."""
    print(f"{params.node_id} is now {reply.topic_prefix}")
    _print_code(reply, params.node_id)


def _print_code(reply: AdoptReply, node: str) -> None:
    if reply.code:
        print(f"code {reply.code}: the log of {node} must show the same code; if it does not, "
              "another machine has intercepted the exchange")  # fmt: skip


@row_command(
    app,
    "replace",
    adoption.REPLACE_NODE,
    node_id=typer.Argument(metavar="OLD", help="The node that is gone."),
    by=typer.Argument(metavar="NEW"),
    display_name=typer.Option("--name"),
)
def print_replaced(reply: AdoptReply, params: ReplaceNode) -> None:
    """Give the roles and the name of a node that is gone to another node."""
    print(f"{params.by} is now {reply.topic_prefix} and replaces {params.node_id}")
    _print_code(reply, params.by)


@row_command(app, "rename", adoption.SET_NODE_NAME, display_name=typer.Argument(metavar="NAME"))
def print_renamed(reply: NodeInfo, params: NameNode) -> None:
    """Change the display name of a node."""
    print(f"{params.node_id} is now called {reply.display_name}")


@row_command(app, "ignore", adoption.IGNORE_NODE, fixed={"is_ignored": True})
def print_ignored(_: NodeInfo, params: IgnoreNode) -> None:
    """Stop offering a node for adoption."""
    print(f"{params.node_id} is ignored")


@row_command(app, "unignore", adoption.IGNORE_NODE, fixed={"is_ignored": False})
def print_offered(_: NodeInfo, params: IgnoreNode) -> None:
    """Offer an ignored node for adoption again."""
    print(f"{params.node_id} is offered again")


@row_command(app, "reset", adoption.RESET_NODE, factory_reset=typer.Option("--factory"))
def print_reset(reply: Done) -> None:
    """Remove a node's roles; it stops and announces itself as unadopted."""
    print(reply.message)


app.command("calibrate")(calibrate)
hardware.add_to(app)
orders.add_to(app)
history.add_to(app)
