"""Computers of a test: network namespaces, with cables between them. Needs root."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAMS = "/usr/sbin:/usr/bin:/sbin:/bin"


def missing(*programs: str) -> str:
    """Why this computer cannot do it; empty when it can."""
    lacking = [name for name in programs if not shutil.which(name, path=PROGRAMS)]
    if lacking:
        return f"needs {', '.join(lacking)}"
    if os.geteuid():
        return "needs root"
    made = subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False, timeout=10)
    return "" if made.returncode == 0 else "needs network namespaces"


@dataclass(frozen=True)
class Space:
    """One computer: a namespace, and how to run something there."""

    name: str

    def argv(self, *command: str) -> list[str]:
        return ["ip", "netns", "exec", self.name, *command]

    def run(self, *command: str, check: bool = True) -> str:
        done = subprocess.run(
            self.argv(*command), capture_output=True, text=True, timeout=30, check=False, cwd=ROOT
        )
        assert not check or done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    @contextmanager
    def running(self, *command: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
        process = subprocess.Popen(
            self.argv(*command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, **environment},
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate(timeout=10)


def cable(one: Space, name: str, other: Space, other_name: str) -> None:
    """Two Ethernet ports, connected and up."""
    one.run("ip", "link", "add", name, "type", "veth", "peer", other_name, "netns", other.name)
    for space, card in ((one, name), (other, other_name)):
        space.run("ip", "link", "set", card, "up")
        space.run("ip", "link", "set", "lo", "up")
