"""The commands of `saintctl sim`: list and inspect simulated nodes, inject faults, press buttons,
start nodes.
"""

import os
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from saint_services.lib.errors import Code, SaintError
from saint_services.saintctl.connect import runtime_directory
from saint_services.saintctl.console import AsJson, fail, print_table

from . import breaking, view

app = typer.Typer(
    help="Inspect simulated nodes, inject faults, press buttons, start nodes.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Node = Annotated[str, typer.Argument(metavar="NODE", help="As `sim list` shows it: head, arm_left")]
Device = Annotated[str, typer.Argument(help="As the role's manifest names it, or supply")]
_NODE_PROGRAM = "tools.sim.node"


@app.callback()
def options(
    context: typer.Context,
    run: Annotated[str, typer.Option(help="The sockets of the simulated robot's server.")] = "",
) -> None:
    """Inspect simulated nodes, inject faults, press buttons, start nodes."""
    context.obj = run


@app.command("list")
def show_all(context: typer.Context, as_json: AsJson = False) -> None:
    """List the simulated nodes with their roles and faults."""
    try:
        nodes = view.nodes(_root(context.obj))
    except SaintError as err:
        raise fail(err, as_json) from None
    if as_json:
        print(view.to_json(nodes))
        return
    rows = [(n.name, n.node_id, n.role or "-", n.state, n.fault_text) for n in nodes]
    print_table(("node", "id", "role", "state", "faults"), rows, "No simulated node was found.")


@app.command("show")
def show_one(context: typer.Context, node: Node, as_json: AsJson = False) -> None:
    """Show the true state of a node's devices, and its display."""
    try:
        hw = _hw(context.obj, node)
        bodies, screen = view.bodies(hw), view.screen(hw)
    except SaintError as err:
        raise fail(err, as_json) from None
    if as_json:
        print(view.to_json(bodies))
        return
    rows = [(b.name, b.kind, b.asked, b.value, b.speed, b.current, b.fault) for b in bodies]
    columns = ("device", "kind", "command", "actual", "speed", "current", "fault")
    print_table(columns, rows, "Its pins drive no device.")
    for line in _framed(screen):
        print(line)


def _framed(screen: tuple[str, ...]) -> list[str]:
    """Draw a frame around the lines of a display."""
    if not screen:
        return []
    width = max(16, *(len(line) for line in screen))
    edge = f"+{'-' * (width + 2)}+"
    return ["", edge, *(f"| {line:<{width}} |" for line in screen), edge]


@app.command()
def fault(
    context: typer.Context,
    node: Node,
    device: Device,
    kind: Annotated[str, typer.Argument(metavar="FAULT", help="stall, unplug, nak, brown-out ...")],
    value: Annotated[
        float | None, typer.Option(help="Share of load or of lost edges, or volts of the supply")
    ] = None,
) -> None:
    """Inject a fault; the running daemon meets it at once, until it is cleared."""
    try:
        breaking.break_device(_hw(context.obj, node), device, kind, value)
    except SaintError as err:
        raise fail(err) from None
    print(
        f"{node}: {device} has the fault {kind}. Clear it with: saintctl sim clear {node} {device}"
    )


@app.command()
def clear(
    context: typer.Context,
    node: Annotated[str, typer.Argument(metavar="NODE", help="Default: all nodes")] = "",
    device: Annotated[str, typer.Argument(help="Default: all devices of the node")] = "",
) -> None:
    """Clear the faults of a device, a node, or all nodes."""
    try:
        names = [node] if node else [n.name for n in view.nodes(_root(context.obj)) if n.role]
        cleared = {name: breaking.clear(_hw(context.obj, name), device) for name in names}
    except SaintError as err:
        raise fail(err) from None
    parts = [f"{name}: {', '.join(devices)}" for name, devices in cleared.items() if devices]
    print(f"Cleared the faults of {'; '.join(parts)}" if parts else "There was no fault.")


@app.command()
def press(
    context: typer.Context,
    node: Node,
    button: Annotated[str, typer.Argument(help="As the role's manifest names it: button_a")],
    seconds: Annotated[float, typer.Option(min=0.05, max=60.0, help="How long")] = 0.2,
) -> None:
    """Press and release a button of a node."""
    try:
        with breaking.pressed(_hw(context.obj, node), button):
            time.sleep(seconds)
    except SaintError as err:
        raise fail(err) from None
    print(f"{node}: {button} was pressed for {seconds:g} s")


@app.command()
def node(
    context: typer.Context,
    role: Annotated[
        list[str] | None,
        typer.Option(help="Adopt it as head, arms.left, arms.right, tracks, console; repeatable"),
    ] = None,
    instance: Annotated[str, typer.Option(help="left or right, for --role arms")] = "",
    name: Annotated[str, typer.Option(help="Name of the node; its id is sim_NAME")] = "",
    domain: Annotated[
        int | None, typer.Option(help="ROS 2 domain, where no robot runs in this checkout")
    ] = None,
    root: Annotated[
        Path | None, typer.Option(help="Folder for its state; beside the running robot's")
    ] = None,
) -> None:
    """Start one more simulated node; it runs until Ctrl-C."""
    words = [f"--root={root}"] if root else _root_option(context.obj, domain)
    words += [f"--role={each}" for each in role or []]
    for option, given in (("instance", instance), ("name", name)):
        words += [f"--{option}={given}"] if given else []
    words += [f"--domain={domain}"] if domain is not None else []
    # Replaced by that program, so that Ctrl-C reaches it alone.
    os.execv(sys.executable, [sys.executable, "-m", _NODE_PROGRAM, *words])


def _root_option(run: str, domain: int | None) -> list[str]:
    """Name the running robot's folder; a node that is alone makes one for itself."""
    if domain is not None and not run:
        return []
    try:
        return [f"--root={_root(run)}"]
    except SaintError as err:
        raise fail(err) from None


def _root(run: str) -> Path:
    """Find the folder of a simulated robot by its server's sockets. Raises refused."""
    folder = runtime_directory(run).resolve()
    root = folder.parent.parent
    if not view.is_simulated(root):
        raise SaintError(
            Code.REFUSED,
            f"the robot of {folder} is not simulated",
            fix="Start a simulated one with make run, or name its server's sockets with --run.",
        )
    return root


def _hw(run: str, node: str) -> Path:
    """Find the folder of a node's simulated hardware. Raises not_found."""
    root = _root(run)
    hw = root / node.removeprefix("sim_") / "hw"
    if not hw.is_dir():
        known = ", ".join(found.name for found in view.nodes(root))
        message = f"no simulated node has the name {node}"
        raise SaintError(Code.NOT_FOUND, message, fix=f"Known nodes: {known}.")
    return hw
