"""Wiring: datagram -> decoder -> subject -> bus, all in the callback that reads the datagram."""

from collections import Counter

from ..lib import clock, log
from ..lib.api.livelink import SubjectDetail, SubjectList
from ..lib.bus import Bus
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.generated.saint_msgs import InputSample
from ..lib.generated.topics import INPUT_LIVELINK, LIVELINK_FRAME
from ..lib.ipc import Api, Call
from . import reports
from .adapters import Datagrams, open_udp
from .config import Config
from .logic import Registry, SenderLimit, Subject, bounded
from .protocols import Refused, decode_llf

TOO_FAST = Refused("its sender sends too fast")


async def run(context: Context[Config]) -> None:
    """Until asked to stop."""
    config = context.config
    daemon = Livelinkd(context, await context.open_bus())
    api = Api()
    api.get("/subjects", daemon.subjects)
    api.get("/subjects/{name}", daemon.subject)
    await context.serve_ipc(api)
    sockets = context.sockets.get("llf") or [open_udp(config.address, config.port)]
    readers = [Datagrams(sock, config.receive_buffer_bytes, daemon.take) for sock in sockets]
    context.ready("listening")
    await context.stopping.wait()
    for reader in readers:
        reader.close()


class Livelinkd:
    """All senders and their subjects."""

    def __init__(self, context: Context[Config], bus: Bus) -> None:
        self._log = log.get(context.name)
        self._registry = Registry()
        self._limit = SenderLimit(context.config.datagrams_per_second)
        self._refused: Counter[str] = Counter()
        self._samples = bus.publisher(INPUT_LIVELINK)
        self._frames = bus.publisher(LIVELINK_FRAME)

    def take(self, data: bytes, address: tuple[str, int]) -> None:
        """One datagram of the port for Live Link Face."""
        now_s = clock.monotonic_s()
        if not self._limit.allows(address[0], now_s):
            self._refuse(TOO_FAST)
            return
        frame = decode_llf(data)
        if isinstance(frame, Refused):
            self._refuse(frame)
            return
        subject = self._registry.take(frame, address, now_s)
        if isinstance(subject, Refused):
            self._refuse(subject)
            return
        if subject.frames == 1:
            self._log.info("subject connected", subject=frame.subject, sender=address[0])
        self._publish(subject, now_s)

    async def subjects(self, _: Call[None]) -> SubjectList:
        now_s, wall_s = clock.monotonic_s(), clock.wall_s()
        known = self._registry.subjects.values()
        sources = [reports.info(subject, now_s, wall_s) for subject in known]
        return SubjectList(sources=sources, refused=dict(self._refused))

    async def subject(self, call: Call[None]) -> SubjectDetail:
        name = call.path["name"]
        subject = self._registry.subjects.get(name)
        if subject is None:
            raise SaintError(Code.NOT_FOUND, f"subject {name!r} is not known")
        return reports.detail(subject, clock.monotonic_s(), clock.wall_s())

    def _refuse(self, refused: Refused) -> None:
        self._refused[refused.reason] += 1

    def _publish(self, subject: Subject, now_s: float) -> None:
        frame = subject.frame
        values = bounded(frame)
        self._samples.publish(
            InputSample(
                stamp=clock.stamp(),
                source=subject.source,
                sequence=subject.sequence,
                failsafe=not values,  # alive, but nothing is tracked
                names=frame.names,
                values=values,
            )
        )
        if subject.is_due(now_s):
            self._frames.publish(reports.message(subject, values, clock.wall_s()))
