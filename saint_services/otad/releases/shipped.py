"""Takes the release that this card was flashed with: a fresh server has the release that it runs
for its nodes, without an upload. Not here: what is offered (rollout/requests.py), how the bundle
came onto the card (tools/image/disk.py).
"""

import asyncio
from collections.abc import Collection
from pathlib import Path

from ...lib import log
from ...lib.errors import Code, SaintError
from .ingest import ReleaseIngest

_ENDING = ".raucb"
_FIRST_PAUSE_S = 5.0  # the installer, which checks the signature, starts late on a busy Pi
_LONGEST_PAUSE_S = 80.0
_MOST_TRIES = 6
_log = log.get("otad")


def bundle_in(folder: Path) -> Path | None:
    """Return the bundle of the card; None where there is none. Blocks."""
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix == _ENDING)
    except OSError:
        return None
    return found[-1] if found else None


async def take(folder: Path, known: Collection[str], ingest: ReleaseIngest) -> None:
    """Store the bundle of the card, unless there is any release already."""
    path = await asyncio.to_thread(bundle_in, folder)
    if path is None or known:
        return
    pause_s = _FIRST_PAUSE_S
    for number in range(1, _MOST_TRIES + 1):
        try:
            await ingest.add_shipped(path)
        except SaintError as err:
            if err.code is not Code.DAEMON_UNREACHABLE or number == _MOST_TRIES:
                _log.warning("the card's release is not taken", file=path.name, reason=err.message)
                return
        else:
            return
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
