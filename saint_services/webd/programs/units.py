"""Reads from systemd how the units of programs are: any user may. Not here: starting and stopping
(lib/programs/folders.py).
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...lib.api.programs import ProgramState
from ...lib.programs.folders import UNIT

_LIMIT_S = 5.0
_PROPERTIES = "Id,ActiveState,NRestarts,MemoryCurrent"
_STATES: dict[str, ProgramState] = {
    "active": "running",
    "reloading": "running",
    "activating": "waiting",
    "deactivating": "stopped",
    "inactive": "stopped",
    "failed": "stopped",
}


@dataclass(frozen=True, slots=True)
class UnitState:
    """One unit."""

    state: ProgramState = "unknown"
    restarts: int = 0
    memory_bytes: int | None = None


def parse(text: str) -> dict[str, UnitState]:
    """Return the units by the program's name, from what `systemctl show` prints."""
    found = {}
    for block in text.split("\n\n"):
        facts = dict(re.findall(r"^(\w+)=(.*)$", block, re.MULTILINE))
        name = facts.get("Id", "").removeprefix("saint-program@").removesuffix(".service")
        memory = facts.get("MemoryCurrent", "")
        is_known = memory.isdigit() and int(memory) < 1 << 63
        restarts = facts.get("NRestarts", "")
        found[name] = UnitState(
            _STATES.get(facts.get("ActiveState", ""), "unknown"),
            int(restarts) if restarts.isdigit() else 0,
            int(memory) if is_known else None,
        )
    return found


async def states(names: Sequence[str]) -> dict[str, UnitState]:
    """Return the units of these programs; empty where systemd does not answer."""
    if not names:
        return {}
    command = ["systemctl", "show", f"--property={_PROPERTIES}", "--no-pager"]
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            *(UNIT.format(name) for name in names),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            stdin=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return {}
    try:
        async with asyncio.timeout(_LIMIT_S):
            out, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        return {}
    return parse(out.decode(errors="replace")) if process.returncode == 0 else {}
