"""The next release, for recordings of an update: built as any other, served to the machine.

Not here: what the machine does with it (scenarios.py).
"""

import asyncio
import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from ..image.names import Names

_ROOT = Path(__file__).resolve().parents[2]
_BUILD_S = 3600
HOST_SEEN_FROM_GUEST = "10.0.2.2"  # QEMU's user network


@dataclass(frozen=True)
class Release:
    """A built release."""

    version: str
    bundle: Path
    slot: Path

    def checksum(self) -> str:
        with self.bundle.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def next_release(folder: Path, version: str) -> Release:
    """Build it where it is missing."""
    names = Names.read(_ROOT / "pi-gen.conf")
    stem = f"{names.image}-{version}"
    release = Release(version, folder / f"{stem}.raucb", folder / f"{stem}.rootfs.img")
    if not release.bundle.exists():
        print(f"building release {version} for the update", flush=True)
        subprocess.run(
            [sys.executable, "-m", "tools.image", "bundle", "--version", version],
            cwd=_ROOT,
            env={**os.environ, "SAINT_IMAGE_OUT": str(folder)},
            check=True,
            timeout=_BUILD_S,
        )
    return release


@contextmanager
def served(release: Release) -> Iterator[str]:
    """Serve the bundle, parts of it too; gives the address that a virtual machine uses."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="bundle-server", daemon=True)
    thread.start()
    started = asyncio.run_coroutine_threadsafe(_serve(release.bundle), loop)
    runner, port = started.result(timeout=10)
    try:
        yield f"http://{HOST_SEEN_FROM_GUEST}:{port}/{release.bundle.name}"
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(timeout=10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)


async def _serve(bundle: Path) -> tuple[web.AppRunner, int]:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.FileResponse(bundle)

    app = web.Application()
    app.router.add_get(f"/{bundle.name}", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port: int = runner.addresses[0][1]
    return runner, port
