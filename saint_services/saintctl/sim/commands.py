"""`saintctl sim`: the simulated robot's inside: more nodes, what hangs on their pins, faults."""

import os
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from ...lib.errors import Code, SaintError
from ...lib.machine.service_manager import Directories
from ..connect import Place, runtime_directory
from ..console import AsJson, fail, print_table
from . import view as sim_view

app = typer.Typer(
    help="Simulated nodes: start one, look at its bodies, break and mend devices.",
    no_args_is_help=True,
)

Node = Annotated[str, typer.Argument(metavar="NODE", help="As `sim list` shows it: head, arm_left")]
Device = Annotated[str, typer.Argument(help="As the role's manifest names it, or supply")]
_PROGRAM = "tools.sim_node"


@app.command("list")
def show_all(context: typer.Context, as_json: AsJson = False) -> None:
    """Every simulated node with its role and what is broken."""
    try:
        nodes = sim_view.nodes(_root(context.obj))
    except SaintError as err:
        raise fail(err, as_json) from None
    if as_json:
        print(sim_view.to_json(nodes))
        return
    rows = [(n.name, n.node_id, n.role or "-", n.state, n.fault_text) for n in nodes]
    print_table(("node", "id", "role", "state", "broken"), rows, "No node is simulated here.")


@app.command("show")
def show_one(context: typer.Context, node: Node, as_json: AsJson = False) -> None:
    """Where a node's bodies really are, whatever its role believes, and what its display shows."""
    try:
        hw = _hw(context.obj, node)
        bodies, screen = sim_view.bodies(hw), sim_view.screen(hw)
    except SaintError as err:
        raise fail(err, as_json) from None
    if as_json:
        print(sim_view.to_json(bodies))
        return
    rows = [(b.name, b.kind, b.asked, b.value, b.speed, b.current, b.fault) for b in bodies]
    columns = ("device", "kind", "asked", "is", "speed", "current", "broken")
    print_table(columns, rows, "Nothing hangs on its pins.")
    for line in _framed(screen):
        print(line)


def _framed(screen: tuple[str, ...]) -> list[str]:
    """A display's lines as a picture of it."""
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
    """Break a device; the running daemon feels it at once, and until it is cleared."""
    from ...lib.hw.sim import breaking

    try:
        breaking.break_device(_hw(context.obj, node), device, kind, value)
    except SaintError as err:
        raise fail(err) from None
    print(
        f"{node}: {device} has the fault {kind}. Mend it with: saintctl sim clear {node} {device}"
    )


@app.command()
def clear(
    context: typer.Context,
    node: Annotated[str, typer.Argument(metavar="NODE", help="Nothing: all nodes")] = "",
    device: Annotated[str, typer.Argument(help="Nothing: all devices of the node")] = "",
) -> None:
    """Mend a device, a node, or everything."""
    from ...lib.hw.sim import breaking

    try:
        names = [node] if node else [n.name for n in sim_view.nodes(_root(context.obj)) if n.role]
        mended = {name: breaking.mend(_hw(context.obj, name), device) for name in names}
    except SaintError as err:
        raise fail(err) from None
    said = [f"{name}: {', '.join(devices)}" for name, devices in mended.items() if devices]
    print(f"Mended {'; '.join(said)}" if said else "Nothing was broken.")


@app.command()
def press(
    context: typer.Context,
    node: Node,
    button: Annotated[str, typer.Argument(help="As the role's manifest names it: button_a")],
    seconds: Annotated[float, typer.Option(min=0.05, max=60.0, help="How long")] = 0.2,
) -> None:
    """Press a button of a node and let it go."""
    from ...lib.hw.sim import breaking

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
    name: Annotated[str, typer.Option(help="Its name, which its id is made of")] = "",
    domain: Annotated[
        int | None, typer.Option(help="ROS 2 domain, where no robot runs in this checkout")
    ] = None,
    root: Annotated[
        Path | None, typer.Option(help="Folder for its state; beside the running robot's")
    ] = None,
) -> None:
    """Start one more simulated node; it runs until Ctrl-C."""
    share = Directories.from_environment().share
    if not (share / "tools" / "sim_node.py").is_file():
        err = SaintError(
            Code.REFUSED, f"{share} is no checkout of SAINT.OS: no node can be simulated here",
            fix="Use a computer with the sources; a real node is a Pi.",
        )  # fmt: skip
        raise fail(err)
    words = [f"--root={root}"] if root else _root_option(context.obj, domain)
    words += [f"--role={each}" for each in role or []]
    for option, given in (("instance", instance), ("name", name)):
        words += [f"--{option}={given}"] if given else []
    words += [f"--domain={domain}"] if domain is not None else []
    paths = str(share), os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    os.execv(sys.executable, [sys.executable, "-m", _PROGRAM, *words])  # Ctrl-C is its own


def _root_option(run: Place, domain: int | None) -> list[str]:
    """The running robot's folder; a node that is alone makes one for itself."""
    if domain is not None and not run:
        return []
    try:
        return [f"--root={_root(run)}"]
    except SaintError as err:
        raise fail(err) from None


def _root(run: Place) -> Path:
    """The folder of a simulated robot, by its server's sockets."""
    folder = runtime_directory(run).resolve()
    root = folder.parent.parent
    if not sim_view.is_simulated(root):
        raise SaintError(
            Code.REFUSED,
            f"the robot of {folder} is not simulated",
            fix="Start one with make run, or name the sockets of its server with --run.",
        )
    return root


def _hw(run: Place, node: str) -> Path:
    root = _root(run)
    hw = root / node.removeprefix("sim_") / "hw"
    if not hw.is_dir():
        known = ", ".join(found.name for found in sim_view.nodes(root))
        message = f"no simulated node is called {node}"
        raise SaintError(Code.NOT_FOUND, message, fix=f"There are: {known}.")
    return hw
