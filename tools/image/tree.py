"""A Debian tree in which the tools of the build run. How it is made is in tools_tree.py."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

_ENTER = Path(__file__).with_name("enter.sh")
_SHOWN_LINES = 25


@dataclass(frozen=True, slots=True)
class Tree:
    """`folders` are visible inside at their own paths."""

    path: Path
    folders: tuple[Path, ...]

    def run(
        self,
        command: Sequence[str | Path],
        *,
        timeout_s: float = 120,
        log: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> bytes:
        """Run it to its end and return what it printed; a failure becomes a sentence."""
        words = [str(word) for word in command]
        inside = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
        entered = [str(_ENTER), str(self.path), ":".join(str(folder) for folder in self.folders)]
        env = {**_network_settings(), **inside, **(variables or {})}
        with ExitStack() as files:
            written = files.enter_context(log.open("wb")) if log else subprocess.PIPE
            try:
                done = subprocess.run(
                    [*entered, *words],
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=written,
                    stderr=subprocess.STDOUT if log else subprocess.PIPE,
                    timeout=timeout_s,
                    check=False,
                )
            except subprocess.TimeoutExpired as err:
                problem = f"{words[0]} did not end within {timeout_s:.0f} s"
                raise SaintError(Code.INTERNAL, problem, fix="Try again.") from err
        if done.returncode:
            said = log.read_bytes() if log else (done.stderr or b"")
            raise _failed(words, done.returncode, said, log)
        return done.stdout or b""


def _network_settings() -> dict[str, str]:
    """Proxies of the building machine."""
    return {key: value for key, value in os.environ.items() if key.lower().endswith("_proxy")}


def _failed(words: list[str], status: int, said: bytes, log: Path | None) -> SaintError:
    lines = said.decode(errors="replace").strip().splitlines()[-_SHOWN_LINES:]
    shown = "\n".join(line[:300] for line in lines)
    where = f"The whole log is {log}" if log else "Correct what it names and build again."
    short = " ".join(words)[:200]
    return SaintError(Code.INTERNAL, f"{short} ended with {status}:\n{shown}", fix=where)
