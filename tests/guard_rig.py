"""The real guard beside a test's own loop: its socket, its wills, its thread."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from saint_services.guardd.config import Config
from saint_services.guardd.daemon import GuardService
from saint_services.lib.guard.will import WillFiles, wills_folder
from saint_services.lib.machine.service_manager import bind


@contextlib.contextmanager
def guarding(runtime: Path, config: Config | None = None) -> Iterator[GuardService]:
    """Run a guard that listens below `runtime` while the context is open."""
    listener = bind(runtime, "guardd")
    guard = GuardService(listener, WillFiles(wills_folder(str(runtime))), config or Config())
    thread = threading.Thread(target=guard.run, name="guard", daemon=True)
    thread.start()
    try:
        yield guard
    finally:
        guard.end()
        thread.join(5.0)
        listener.close()


@contextlib.asynccontextmanager
async def guarded(runtime: Path) -> AsyncIterator[GuardService]:
    """Run a guard as `guarding`, inside a loop that must not block."""
    context = guarding(runtime)
    guard = await asyncio.to_thread(context.__enter__)
    try:
        yield guard
    finally:
        await asyncio.to_thread(context.__exit__, None, None, None)
