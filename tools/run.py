"""`make run`: a whole simulated robot on this computer, from the units in systemd/.

Starts, reports, waits, ends. How machines and services run is in tools/launch.
"""

import argparse
import asyncio
import re
import sys
import time
from pathlib import Path

from saint_services.lib.errors import SaintError

from .launch import domain
from .launch import roster as rosters
from .launch.follower import SecondRobot
from .launch.launcher import Launcher
from .launch.machines import updates
from .launch.machines.machine import Folders, Plan
from .launch.machines.updates import Updates
from .launch.ownership import own
from .launch.robot import Ports, Robot, Roster
from .launch.services import realtime
from .launch.stop_signals import listen
from .launch.summary import ROOT, Terminal, address, claim_fact, facts, open_browser
from .launch.unit_files import units
from .launch.unit_files.units import ServiceUnit, UnitFolder

# What the simulation of a role talks to: name and program, which takes the folder of the board.
_MACHINES = {
    "legs": ("walker", "tools.sim.walker", "--board"),
    "wagon": ("boards", "tools.sim.wagon_boards"),
}
_SLOW_S = 20.0
_FEEDS = ("demo", "recording", "sweep")


def main() -> None:
    """Command line."""
    parser = _parser()
    options = parser.parse_args()
    if options.follower and options.auth:
        parser.error("--follower links the two robots without a token: leave --auth out")
    options.root = options.root.absolute()
    terminal = Terminal()
    try:
        with own(options.root, options.fresh):
            asyncio.run(_run(options, terminal))
    except SaintError as err:
        terminal.say(f"make run: {err}\n{err.fix}")
        sys.exit(err.exit_code)
    except KeyboardInterrupt:  # before the loop listens for it: nothing has started yet
        terminal.say()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="make run",
        description="Run a whole simulated robot: a server and its nodes as real processes.",
        epilog='With make: make run ARGS="--feed demo -v"',
    )
    add = parser.add_argument
    add("--robot", default="saint", type=_name, help="another file below manifests/robots")
    add("--feed", choices=_FEEDS, help="also play input into it (python -m tools.feed --help)")
    add(
        "--follower",
        type=_name,
        metavar="ROBOT",
        help="also run this robot, with a server of its own; its arms follow over the network",
    )
    add("--release", metavar="VERSION", help="make this release and roll it out on all machines")
    add("--breaks", default="", help="how it fails (python -m tools.fake_rauc roll-out --help)")
    add("--auth", action="store_true", help="require a sign-in: the page claims the robot first")
    add("--fresh", action="store_true", help="forget roles, settings and logs of former runs")
    add("--no-browser", action="store_true", help="do not open the page")
    add("--port", type=int, default=8080, help="first port to try for the page (0: any)")
    add("--saint-port", type=int, default=9090, help="the same for the robot's WebSocket")
    add("--face-port", type=int, default=11111, help="the same for face capture")
    add("--domain", type=int, help="ROS 2 domain (ROS_DOMAIN_ID; else a free one)")
    add(
        "--beside",
        type=_name,
        metavar="PREFIX",
        help="share the --domain of another"
        " simulated robot; ids of this one's nodes begin with PREFIX",
    )
    add("--root", type=Path, default=ROOT / ".run", help="where state and logs are kept")
    add("-v", "--verbose", action="store_true", help="show what the daemons log")
    add("--until-eof", action="store_true", help="end when standard input ends (for programs)")
    add("--no-machines", action="store_true", help="without what roles talk to: a wagon's boards")
    return parser


def _name(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", text):
        raise argparse.ArgumentTypeError("use small letters, digits, - and _")
    return text


async def _run(options: argparse.Namespace, terminal: Terminal) -> None:
    began_s = time.monotonic()
    realtime.stand_for_the_manager()
    stop_signals = listen(until_eof=options.until_eof)
    if options.beside and options.domain is not None:
        chosen = domain.join(options.domain)
    else:
        chosen = domain.choose(options.domain)
    ports = Ports(options.port, options.saint_port, options.face_port)
    launcher = Launcher(
        units.load(ROOT / "systemd"),
        options.root / "robot.json",
        on_news=terminal.news,
        show=terminal.log if options.verbose else None,
    )
    roster = rosters.choose(options.robot, options.root, options.beside)
    robot: Robot | None = None
    boards = _updates(options, launcher, terminal)
    try:
        robot = Robot(
            launcher, options.root, chosen.number, ports, roster, boards, is_locked=options.auth
        )
        _show_ports(ports, robot.ports, terminal)
        launcher.facts = _facts(chosen.number, robot.ports) | {"robot": options.robot}
        terminal.say(f"Starting a server and {len(roster.nodes)} nodes ...")
        launcher.start()
        if not options.no_machines:
            _machines(launcher, options.root, roster)
        if boards:
            await boards.serve()
        if await stop_signals.until(_become_whole(robot, launcher, terminal)):
            if options.feed:
                _feed(launcher, options)
            took_s = time.monotonic() - began_s
            words = options.root, chosen.number, robot.ports, roster.nodes, options.feed or ""
            claim = [claim_fact(options.root)] if options.auth else []
            terminal.ready(facts(*words) + claim, took_s)
            second = options.follower and SecondRobot(options.follower, options.root)
            following = second and asyncio.create_task(
                _second(options, launcher, second, robot.ports, roster, terminal)
            )
            if options.release and boards:
                _release(launcher, options)
            if not options.no_browser:
                open_browser(address(robot.ports))
            await stop_signals.to_stop.wait()
            if following:
                following.cancel()
                await second.leave(robot.ports.http)
        terminal.say("Stopping ...")
        if boards:
            await boards.close()
        await stop_signals.stop(launcher)
    finally:
        launcher.close()
        if robot:
            robot.close()
        chosen.lock.close()


def _updates(options: argparse.Namespace, launcher: Launcher, terminal: Terminal) -> Updates | None:
    absent = updates.missing()
    if absent:
        terminal.news(
            f"no updates in this simulation: {' and '.join(absent)} not installed"
            " (Debian: apt-get install dbus-daemon openssl)"
        )
        return None
    return Updates(options.root, launcher, terminal.news, is_watched=not options.until_eof)


async def _become_whole(robot: Robot, launcher: Launcher, terminal: Terminal) -> None:
    hint = asyncio.get_running_loop().call_later(
        _SLOW_S, terminal.news, "this takes long; see the logs, or start again with -v"
    )
    problems = await robot.become_whole()
    hint.cancel()
    for problem in problems:
        terminal.news(problem)
    launcher.facts |= {"ready": not problems, "problems": problems}
    launcher.write_report()


def _show_ports(wanted: Ports, got: Ports, terminal: Terminal) -> None:
    for what, first, port in (
        ("The page", wanted.http, got.http),
        ("The robot's WebSocket", wanted.saint, got.saint),
        ("Face capture", wanted.face, got.face),
    ):
        if first not in (0, port):
            terminal.news(f"{what} is on port {port}: {first} is in use")


def _feed(launcher: Launcher, options: argparse.Namespace) -> None:
    command = (sys.executable, "-m", "tools.feed", options.feed, "--root", str(options.root))
    _add_program(launcher, Folders("input", options.root), "feed", command, restarts=True)


def _machines(launcher: Launcher, root: Path, roster: Roster) -> None:
    """Start what a node's role only talks to: a walking controller, the boards of a wagon."""
    for node in roster.nodes:
        for role in node.roles:
            if role.role not in _MACHINES:
                continue
            name, *program = _MACHINES[role.role]
            command = (sys.executable, "-m", *program, str(Folders(node.name, root).hw))
            folders = Folders(f"{node.name}_{name}", root)
            _add_program(launcher, folders, name, command, restarts=True)


async def _second(
    options: argparse.Namespace,
    launcher: Launcher,
    second: SecondRobot,
    ports: Ports,
    roster: Roster,
    terminal: Terminal,
) -> None:
    """Start the second robot once this one is ready, and let it follow."""
    command = second.command(ports.http, is_fresh=options.fresh)
    _add_program(launcher, Folders("second", options.root), "second", command, restarts=False)
    await second.follow(ports.http, roster, terminal)


def _release(launcher: Launcher, options: argparse.Namespace) -> None:
    command = [sys.executable, "-m", "tools.fake_rauc", "roll-out", options.release]
    command += ["--root", str(options.root)]
    command += ["--breaks", options.breaks] if options.breaks else []
    _add_program(
        launcher, Folders("maker", options.root), "release", tuple(command), restarts=False
    )


def _add_program(
    launcher: Launcher, folders: Folders, name: str, command: tuple[str, ...], *, restarts: bool
) -> None:
    """One more process under the launcher's care."""
    target = f"{name}.target"
    service = ServiceUnit(
        f"saint-{name}.service", command, restarts=restarts, wanted_by=(target,),
        environment={"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    folder = UnitFolder({service.name: service}, {}, frozenset({target}))
    launcher.add(Plan(folders, target), folder).start()


def _facts(number: int, ports: Ports) -> dict[str, object]:
    return {
        "domain": number,
        "ports": {"http": ports.http, "saint": ports.saint, "llf": ports.face},
        "ready": False,
        "problems": [],
    }


if __name__ == "__main__":
    main()
