"""Fetches the data of Debian's security tracker, at most once a day. What it says of an image is in
vulnerabilities.py.
"""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

import aiohttp

from saint_services.lib.errors import Code, SaintError

ADDRESS = "https://security-tracker.debian.org/tracker/data/json"
_FRESH_S = 24 * 3600.0
_MOST_BYTES = 512 << 20  # it was 60 MB for years
_CONNECT_S, _ALL_S = 10.0, 180.0


def load(cache: Path, address: str = ADDRESS) -> Any:
    """The data of today, of the cache where it is there. Raises not_found, with the reason."""
    path = cache / "security-tracker.json"
    if not path.is_file() or time.time() - path.stat().st_mtime > _FRESH_S:
        asyncio.run(_fetch(address, path))
    try:
        return json.loads(path.read_bytes())
    except ValueError as err:
        path.unlink()
        raise SaintError(Code.NOT_FOUND, f"{address} is not readable: {err}") from err


async def _fetch(address: str, path: Path) -> None:
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    limit = aiohttp.ClientTimeout(total=_ALL_S, sock_connect=_CONNECT_S)
    try:
        async with (
            aiohttp.ClientSession(timeout=limit, trust_env=True) as session,
            session.get(address) as reply,
        ):
            reply.raise_for_status()
            with aside.open("wb") as file:
                received = 0
                async for part in reply.content.iter_chunked(1 << 20):
                    received += file.write(part)
                    if received > _MOST_BYTES:
                        raise SaintError(Code.NOT_FOUND, f"{address} is larger than expected")
        aside.replace(path)
    except (aiohttp.ClientError, TimeoutError, OSError) as err:
        reason = str(err) or type(err).__name__
        raise SaintError(Code.NOT_FOUND, f"{address} is not reachable: {reason}") from err
    finally:
        aside.unlink(missing_ok=True)
