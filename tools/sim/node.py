"""Runs one more simulated node for `saintctl sim node`, beside a robot of make run or alone on a
bus.

How machines and services run is in tools/launch.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.role_config.model import RoleName

from ..launch.launcher import Launcher
from ..launch.machines.machine import Folders, Plan
from ..launch.ownership import own
from ..launch.registry import Registry, Role
from ..launch.robot import NODE_TARGET, bus_environment, node_environment, write_settings
from ..launch.stop_signals import listen
from ..launch.summary import ROOT, Terminal
from ..launch.unit_files import units

_REPORT = "robot.json"
_SERVER = "server"
_ROLES = ", ".join(get_args(RoleName))
_LONGEST_BASE = 40  # of a name that is made of roles


def main() -> None:
    """Run the command line."""
    options = _parser().parse_args()
    terminal = Terminal()
    try:
        with _folder(options.root) as root:
            whole = _report(root)
            options.roles = _roles(options.role, options.instance)
            name = options.name or _free_name(root, options.roles)
            folders = Folders(name, root)
            if name in (_SERVER, *whole.get("machines", {})):
                raise SaintError(
                    Code.CONFLICT,
                    f"the robot in {root} already has a machine {name}",
                    fix="Choose another --name.",
                )
            domain = _domain(options.domain, whole)
            with own(folders.home):
                asyncio.run(_run(options, folders, domain, terminal))
    except SaintError as err:
        terminal.say(f"saintctl: {err}\n{err.fix}")
        sys.exit(err.exit_code)
    except KeyboardInterrupt:  # before the loop listens for it: nothing has started yet
        terminal.say()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="saintctl sim node", description=__doc__)
    add = parser.add_argument
    add("--role", action="append", default=[], type=_role, help="head, arms.left ...; several")
    add("--instance", default="", help="left or right, for --role arms")
    add("--name", default="", type=_token, help="of the node; its id is sim_NAME")
    add("--domain", type=int, help="ROS 2 domain; the running robot's if there is one")
    add("--root", type=Path, help="the running robot's folder, or one for this node")
    add("--until-eof", action="store_true", help="end when standard input ends (for programs)")
    return parser


def _role(text: str) -> Role:
    role, _, instance = text.partition(".")
    if role not in get_args(RoleName):
        raise argparse.ArgumentTypeError(f"{role!r} is no role; use {_ROLES}")
    return Role(role, instance)


def _roles(wanted: list[Role], instance: str) -> tuple[Role, ...]:
    """Return the roles; `instance` is that of the only one, several name theirs with a dot."""
    if not instance:
        return tuple(wanted)
    if len(wanted) != 1 or wanted[0].instance:
        raise SaintError(
            Code.CONFIG_INVALID,
            f"--instance {instance} does not say which role it is of",
            fix=f"Name each with its role: --role arms.{instance}.",
        )
    return (Role(wanted[0].role, instance),)


def _token(text: str) -> str:
    if text and not (text.isascii() and text.replace("_", "a").isalnum() and len(text) <= 48):
        raise argparse.ArgumentTypeError("use letters, digits and _, at most 48")
    return text


@contextmanager
def _folder(root: Path | None) -> Iterator[Path]:
    """Use `root`, or a temporary folder until the node has ended."""
    if root:
        yield root.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="saint-node-") as made:
        yield Path(made)


def _report(root: Path) -> dict[str, Any]:
    try:
        report: dict[str, Any] = json.loads((root / _REPORT).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return report


def _free_name(root: Path, roles: Sequence[Role]) -> str:
    """Return the first name without a folder, which another node would have used."""
    words = [word for role in roles for word in (role.role, role.instance) if word]
    base = "_".join(words)[:_LONGEST_BASE] or "node"
    return next(n for i in range(2, 1000) if not (root / (n := f"{base}_{i}")).exists())


def _domain(wanted: int | None, whole: dict[str, Any]) -> int:
    if wanted is None and "domain" not in whole:
        raise SaintError(
            Code.CONFIG_INVALID,
            "no robot runs here, and no ROS 2 domain is given",
            fix="Start one with make run, or name a ROS 2 domain with --domain.",
        )
    number = whole["domain"] if wanted is None else wanted
    if not 0 <= number <= 232:
        raise SaintError(Code.CONFIG_INVALID, f"ROS 2 domain {number} does not exist; use 0 to 232")
    return int(number)


async def _run(
    options: argparse.Namespace, folders: Folders, domain: int, terminal: Terminal
) -> None:
    stop_signals = listen(until_eof=options.until_eof)
    node_id = f"sim_{folders.machine}"
    write_settings(folders, options.roles, "" if Role("tracks") in options.roles else "tracks")
    environment = bus_environment(domain) | node_environment(folders, node_id)
    launcher = Launcher(units.load(ROOT / "systemd"), folders.home / _REPORT, on_news=terminal.news)
    try:
        launcher.add(Plan(folders, NODE_TARGET, environment))
        launcher.facts = {"domain": domain, "ready": False, "problems": []}
        terminal.say(f"Starting {node_id} on ROS 2 domain {domain} ...")
        launcher.start()
        await stop_signals.until(_join(options, folders, launcher, terminal))
        await stop_signals.to_stop.wait()
        terminal.say("Stopping ...")
        await stop_signals.stop(launcher)
    finally:
        launcher.close()


async def _join(
    options: argparse.Namespace, folders: Folders, launcher: Launcher, terminal: Terminal
) -> None:
    """Wait until the server knows the node and has assigned the requested roles."""
    node_id = f"sim_{folders.machine}"
    server = Folders(_SERVER, folders.root).run
    state, problem = "announces itself on the bus", ""
    if server.is_dir():
        state, problem = await _be_known(Registry(server), options, node_id)
    elif options.roles:
        problem = "no server runs in this folder; adopt it at the server of its bus"
    launcher.facts |= {"ready": not problem, "problems": [problem] if problem else []}
    launcher.write_report()
    if problem:
        terminal.news(f"{node_id} stays unadopted: {problem}")
    else:
        terminal.say(f"{node_id} is running: {state}. Ctrl-C ends it.")


async def _be_known(
    registry: Registry, options: argparse.Namespace, node_id: str
) -> tuple[str, str]:
    """Wait until the node is known, adopt it; return its state and the problem or ""."""
    found = await registry.wait_until_settled(node_id)
    if found.state == "active" or not options.roles:
        return found.state, ""
    name = node_id.removeprefix("sim_").replace("_", " ").capitalize()
    problem = await registry.adopt(node_id, options.roles, name)
    return "active", problem


if __name__ == "__main__":
    main()
