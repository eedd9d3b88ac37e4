"""The audit log's end of a daemon under test: collects what the daemon sends."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

from saint_services.lib.access.audit import AuditRecord
from saint_services.webd.audit.audit_socket import AuditSocket, listening


@contextlib.asynccontextmanager
async def collected(runtime: Path) -> AsyncIterator[list[AuditRecord]]:
    """Entries of the daemons of this folder, as they come."""
    await asyncio.to_thread(runtime.mkdir, parents=True, exist_ok=True)
    found: list[AuditRecord] = []
    bound = await asyncio.to_thread(listening, runtime)
    log = AuditSocket(bound, Counter(), found.append)
    log.open()
    try:
        yield found
    finally:
        log.close()
