"""`saintctl node`: who is on this robot, in which role."""

import json
from typing import Annotated

import typer

from ...lib.api import adoption, firmware
from ...lib.api.adoption import AdoptReply, NodeInfo, NodeRoleInfo, NodeState, Peripheral
from ...lib.api.endpoint import Nothing
from ...lib.errors import SaintError
from ..connect import asked, do_or_error
from ..console import AsJson, dot, duration, print_facts, print_json, print_table, run
from ..firmware.view import machine_of, print_firmware
from ..names import NodeId
from . import hardware as node_hardware
from . import history as node_history
from . import orders as node_orders
from .calibrate import calibrate
from .hardware_view import is_silent

app = typer.Typer(
    help="Nodes: see them, adopt, replace, name, calibrate, update, reset.",
    no_args_is_help=True,
)
app.command()(calibrate)
app.command("gpio")(node_hardware.gpio)
app.command("check")(node_hardware.check)
app.command("update")(node_orders.update)
app.command("reboot")(node_orders.reboot)
app.command("new-key")(node_orders.new_key)
app.command("history")(node_history.history)


@app.command("list")
def show(context: typer.Context, as_json: AsJson = False) -> None:
    """Every node that the server knows."""
    reply = asked(context.obj, adoption.LIST_NODES, as_json)
    if as_json:
        print_json(reply)
        return
    columns = ("", "node", "name", "role", "state", "address", "seen", "note")
    print_table(columns, [_row(node) for node in reply.nodes], "No node was heard yet.")
    for stranger in reply.strangers:
        print(f"not offered: {stranger.name}: {stranger.reason}")


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
def show_one(context: typer.Context, node: NodeId, as_json: AsJson = False) -> None:
    """Everything about one node: role, health, hardware, release and how the last update ended."""
    info = asked(context.obj, adoption.GET_NODE_INFO, as_json, node_id=node)
    report = run(do_or_error(context.obj, firmware.STATUS, Nothing()), as_json)
    release = machine_of(report, node)
    if as_json:
        facts = release.model_dump(mode="json") if release else None
        print(json.dumps(info.model_dump(mode="json") | {"firmware": facts}, indent=2))
        return
    print_facts(_facts(info))
    problem = report if isinstance(report, SaintError) else None
    print_firmware(release, problem)


def _role_names(node: NodeInfo) -> list[str]:
    """A server of a release before tells the first one only."""
    roles = node.roles or (
        [NodeRoleInfo(role=node.role, instance=node.instance)] if node.role else []
    )
    return [f"{role.role} {role.instance}".strip() for role in roles]


def _role_facts(node: NodeInfo) -> list[tuple[str, str]]:
    """Each of several roles has its own line with what is only its own."""
    if len(node.roles) < 2:
        names = _role_names(node)
        return [("role", f"{names[0]} on {node.topic_prefix}" if names else "none")]
    lines = []
    for role in node.roles:
        name = f"{role.role} {role.instance}".strip()
        outputs = "safe" if role.outputs_safe else "live"
        ill = f", {role.reason}" if role.reason else ""
        text = f"{name} on {role.topic_prefix}: {role.state}, outputs {outputs}{ill}"
        lines.append(("role", text))
    return lines


def _facts(node: NodeInfo) -> list[tuple[str, str]]:
    """Label and value; what is not known is left out."""
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
        ("restarts", f"{node.role_restarts} of its role" if node.role_restarts else ""),
        ("seen", f"{duration(node.seen_age_s)} ago, up {duration(node.uptime_s)}"),
        ("load", load + (f", {node.cpu_temp:.0f} °C" if node.cpu_temp else "")),
        ("hardware", f"{node.hardware_model} {node.hardware_rev}".strip()),
        ("address", f"{node.address} {node.mac_address}".strip()),
        *(("found", _device(device)) for device in node.peripherals),
    ]
    return [(label, text) for label, text in rows if text]


def _owner(node: NodeInfo) -> str:
    """The code is for comparing: the node has the same in its log and its status."""
    if not node.server:
        return ""
    return f"{node.server}, code {node.code}" if node.is_ours else node.server


def _device(device: Peripheral) -> str:
    answer = ", does not answer" if is_silent(device) else ""
    return f"{device.type} {device.address}: {device.description}{answer}"


@app.command()
def adopt(
    context: typer.Context,
    node: NodeId,
    role: Annotated[str, typer.Argument(help="head, arms, tracks or console")],
    instance: Annotated[str, typer.Option(help="left or right, for arms")] = "",
    name: Annotated[str, typer.Option(help="What people call it")] = "",
    add: Annotated[bool, typer.Option("--add", help="Beside the roles that it has")] = False,
    as_json: AsJson = False,
) -> None:
    """Give an unadopted node its role, or with --add one more."""
    wanted = {"role": role, "instance": instance, "display_name": name, "add": add}
    reply = asked(context.obj, adoption.ADOPT_NODE, as_json, node_id=node, **wanted)
    if as_json:
        print_json(reply)
    else:
        print(f"{node} is now {reply.topic_prefix}")
        _print_code(reply, node)


def _print_code(reply: AdoptReply, node: str) -> None:
    if reply.code:
        print(f"code {reply.code}: the log of {node} shows the same, if nobody stands in between")


@app.command()
def replace(
    context: typer.Context,
    old: Annotated[str, typer.Argument(metavar="OLD", help="The node that is gone")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The node that takes its place")],
    name: Annotated[str, typer.Option(help="Else the old one's name")] = "",
    as_json: AsJson = False,
) -> None:
    """Give roles and name of a node that is gone to another one, in one step."""
    wanted = {"node_id": old, "by": new, "display_name": name}
    reply = asked(context.obj, adoption.REPLACE_NODE, as_json, **wanted)
    if as_json:
        print_json(reply)
    else:
        print(f"{new} is now {reply.topic_prefix}, in the place of {old}")
        _print_code(reply, new)


@app.command()
def rename(
    context: typer.Context,
    node: NodeId,
    name: Annotated[str, typer.Argument(help="What people call it")],
    as_json: AsJson = False,
) -> None:
    """Give a node another name."""
    row = adoption.SET_NODE_NAME
    reply = asked(context.obj, row, as_json, node_id=node, display_name=name)
    if as_json:
        print_json(reply)
    else:
        print(f"{node} is now called {reply.display_name}")


@app.command()
def ignore(context: typer.Context, node: NodeId, as_json: AsJson = False) -> None:
    """Do not offer this node any more."""
    _ignore(context, node, True, as_json)


@app.command()
def unignore(context: typer.Context, node: NodeId, as_json: AsJson = False) -> None:
    """Offer it again."""
    _ignore(context, node, False, as_json)


def _ignore(context: typer.Context, node: str, is_ignored: bool, as_json: bool) -> None:
    row = adoption.IGNORE_NODE
    reply = asked(context.obj, row, as_json, node_id=node, is_ignored=is_ignored)
    if as_json:
        print_json(reply)
    else:
        print(f"{node} is {'ignored' if is_ignored else 'offered again'}")


@app.command()
def reset(
    context: typer.Context,
    node: NodeId,
    factory: Annotated[bool, typer.Option("--factory", help="Also forget its name")] = False,
    role: Annotated[str, typer.Option(help="Only this one of several roles")] = "",
    instance: Annotated[str, typer.Option(help="left or right, for arms")] = "",
    as_json: AsJson = False,
) -> None:
    """Take a node's roles away; it stops and announces itself again."""
    wanted = {"factory_reset": factory, "role": role, "instance": instance}
    reply = asked(context.obj, adoption.RESET_NODE, as_json, node_id=node, **wanted)
    if as_json:
        print_json(reply)
    else:
        print(reply.message)
