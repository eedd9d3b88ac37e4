"""A second whole robot, with a server of its own, whose arms follow this one's over the network:
`make run ARGS="--robot so101_pair --follower so101"`. Not here: how a link works (webd/remote).
"""

import asyncio
import contextlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saint_services.lib.errors import SaintError

from . import requests
from . import roster as rosters
from .robot import Roster
from .summary import Terminal

_FOLDER = "follower"
_ARMS = ("parts", "arms")
_LINK = "follower"
_POLL_S = 0.2
_START_S = 120.0
_ANSWER_S = 10.0


@dataclass(frozen=True)
class SecondRobot:
    """`root` is the first robot's folder; the second one has its own in it."""

    robot: str
    root: Path

    @property
    def folder(self) -> Path:
        return self.root / _FOLDER

    def command(self, first_port: int, *, is_fresh: bool) -> tuple[str, ...]:
        """Return its own `make run`, on free ports and a ROS 2 domain of its own."""
        ports = ("--port", str(first_port + 1), "--saint-port", "0", "--face-port", "0")
        words = ("--robot", self.robot, "--root", str(self.folder), "--no-browser", *ports)
        return (sys.executable, "-m", "tools.run", *words, *(("--fresh",) if is_fresh else ()))

    async def follow(self, http_port: int, roster: Roster, terminal: Terminal) -> None:
        """Link and engage each arm that both robots have, as a person does on the page; a stop
        disengages them as always.
        """
        try:
            async with asyncio.timeout(_START_S):
                report = await self._ready()
                there = int(report["ports"]["http"])
                targets = arms(roster) & arms(await asyncio.to_thread(rosters.read, self.robot))
                for target in sorted(targets):
                    await _link(http_port, there, target)
        except (OSError, TimeoutError, SaintError) as err:
            why = str(err) or "it was not ready in time"
            terminal.news(f"the second robot does not follow: {why}")
            return
        names = " and ".join(sorted(targets)) or "no arm, as both robots have none in common"
        terminal.say(f"  Follower   http://localhost:{there} ({self.robot}) follows: {names}")

    async def leave(self, http_port: int) -> None:
        """Remove the links again, for later runs without a second robot."""
        with contextlib.suppress(OSError, TimeoutError, SaintError):
            for each in (await _act(http_port, "link", "list"))["links"]:
                if each["name"].startswith(f"{_LINK}-"):
                    await _act(http_port, "link", "remove", link=each["name"])

    async def _ready(self) -> dict[str, Any]:
        while True:
            report = await asyncio.to_thread(self._report)
            if report.get("ready"):
                return report
            await asyncio.sleep(_POLL_S)

    def _report(self) -> dict[str, Any]:
        try:
            report: dict[str, Any] = json.loads((self.folder / "robot.json").read_bytes())
        except FileNotFoundError:
            return {}
        return report


def arms(roster: Roster) -> set[str]:
    """Return the targets of a robot that may be linked."""
    roles = [role for node in roster.nodes for role in node.roles if role.role in _ARMS]
    return {f"{role.role}.{role.instance}" if role.instance else role.role for role in roles}


async def _link(port: int, there: int, target: str) -> None:
    link = f"{_LINK}-{target.replace('.', '-')}"
    url = f"ws://127.0.0.1:{there}"
    await _act(port, "link", "add", link=link, kind="slave", url=url, target=target)
    while True:
        links = (await _act(port, "link", "list"))["links"]
        if any(each["name"] == link and each["is_connected"] for each in links):
            break
        await asyncio.sleep(_POLL_S)
    await _act(port, "link", "engage", link=link)


async def _act(port: int, group: str, action: str, **params: object) -> dict[str, Any]:
    request = f"POST /api/v1/{group}/{action}"
    reply: dict[str, Any] = await requests.over_tcp(port, request, params, timeout_s=_ANSWER_S)
    return reply
