"""What `make run` says to a person. Not here: when."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .robot import Node, Ports

ROOT = Path(__file__).resolve().parents[2]


class Terminal:
    """Lines for a person: coloured on a terminal, plain elsewhere."""

    def __init__(self) -> None:
        self._has_colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ

    def say(self, text: str = "") -> None:
        print(text, flush=True)

    def news(self, text: str) -> None:
        """Something happened that a person should know."""
        self.say(f"  {self._paint('33', '!')} {text}")

    def log(self, line: str) -> None:
        """A daemon's line, with -v."""
        self.say(self._paint("2", line))

    def ready(self, facts: Sequence[tuple[str, str]], took_s: float) -> None:
        """The robot is up: where to look and how to go on."""
        self.say()
        self.say(f"  {self._paint('1;32', 'SAINT.OS is running')} · ready in {took_s:.1f} s")
        self.say()
        for label, value in facts:
            self.say(f"  {self._paint('2', f'{label:10}')} {value}")
        self.say()

    def _paint(self, colour: str, text: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._has_colours else text


def address(ports: Ports) -> str:
    """The page."""
    return f"http://localhost:{ports.http}"


def facts(
    root: Path, domain: int, ports: Ports, nodes: Sequence[Node], feed: str
) -> list[tuple[str, str]]:
    """Labels and what belongs to them."""
    here = _short(root)
    saintctl = _saintctl(root, "status")
    release = ".venv/bin/python -m tools.fake_rauc roll-out 0.2.0"
    if root != ROOT / ".run":
        release += f" --root {here}"
    names = ", ".join(node.display_name.lower() for node in nodes if node.roles)
    return [
        ("Open", address(ports)),
        ("Nodes", f"{names}, and one spare to adopt"),
        ("Input", f"playing: {feed}" if feed else "none; ARGS='--feed demo' makes it move"),
        ("Faces", f"UDP 127.0.0.1:{ports.face}, Live Link Face"),
        ("Receiver", f"{here}/server/rc_tty, CRSF"),
        ("WebSocket", f"ws://localhost:{ports.saint}/saint"),
        ("ROS 2", f"ROS_DOMAIN_ID={domain} ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST"),
        # Fast DDS, the default of ROS 2, announces no loopback address by itself.
        ("", "FASTRTPS_DEFAULT_PROFILES_FILE=$PWD/tools/ros/fastdds-loopback.xml"),
        ("Terminal", saintctl),
        ("Inside", f"{saintctl.removesuffix('status')}sim show {nodes[0].name}"),
        ("Release", release),
        ("Logs", f"{here}/log"),
        ("Stop", "Ctrl-C"),
    ]


def claim_fact(root: Path) -> tuple[str, str]:
    """How the code is found that claims a robot whose pages require a sign-in."""
    return ("Claim", f"{_saintctl(root, 'user claim-code')} shows the code that the page requests")


def _saintctl(root: Path, command: str) -> str:
    text = f".venv/bin/saintctl {command}"
    return text if root == ROOT / ".run" else f"SAINT_RUN={_short(root)}/current {text}"


def open_browser(url: str) -> None:
    """Where there is a desktop; in a session of its own, so that it outlives us."""
    has_desktop = sys.platform == "darwin" or any(
        name in os.environ for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    opener = shutil.which("open" if sys.platform == "darwin" else "xdg-open")
    if opener and has_desktop and "CI" not in os.environ:
        subprocess.Popen(
            [opener, url],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def _short(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
