"""The participant that all parts of one bus share, and the match events that services wait for."""

import asyncio
import ctypes
from dataclasses import dataclass, field
from itertools import count

from ..refused_samples import RefusedSamples
from .entities import SampleBatch
from .library import Library
from .remote_endpoints import WriterOrigins, guid_of
from .waiter import Waiter

_PUBLICATION_MATCHED, _SUBSCRIPTION_MATCHED = 1 << 11, 1 << 12


@dataclass(slots=True)
class ParticipantLink:
    """One participant with its thread."""

    library: Library
    participant: int
    waiter: Waiter
    batch: SampleBatch
    origins: WriterOrigins
    refusals: RefusedSamples
    _ids: "count[int]" = field(default_factory=lambda: count(1))

    def next_id(self) -> str:
        """Return a new id for a service's or client's user data, in the form of rmw_cyclonedds."""
        raw = guid_of(self.library, self.participant)[:12] + next(self._ids).to_bytes(4, "big")
        return ".".join(f"{byte:x}" for byte in raw)


class EndpointMatches:
    """Reports when our endpoints gain or lose a matched endpoint."""

    def __init__(self, link: ParticipantLink, reader: int, writer: int) -> None:
        self._library = link.library
        self._waiter = link.waiter
        self._masks = {reader: _SUBSCRIPTION_MATCHED, writer: _PUBLICATION_MATCHED}
        self._waiting: list[asyncio.Future[None]] = []
        for entity, mask in self._masks.items():
            link.library.check(link.library.dds_set_status_mask(entity, mask), "status")
            link.waiter.attach(entity, self)

    async def change(self) -> None:
        """Wait for the next change; the caller sets the time limit."""
        changed = asyncio.get_running_loop().create_future()
        self._waiting.append(changed)
        await changed

    def drain(self, _woke_s: float) -> bool:
        status = ctypes.c_uint32()
        for entity, mask in self._masks.items():
            self._library.dds_take_status(entity, ctypes.byref(status), mask)
        for changed in self._waiting:
            if not changed.done():
                changed.set_result(None)
        self._waiting.clear()
        return False

    def close(self) -> None:
        self._waiter.detach(self)
