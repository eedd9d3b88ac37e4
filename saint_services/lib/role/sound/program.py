"""The sound process of a role: a node of its own on the bus, which runs while programs listen or
may speak (role_sound.py).
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from functools import partial

from ...bus import Bus
from ...bus.open import open_bus
from ...hw.sound.opening import open_loudspeaker, open_microphone
from ...hw.sound.port import BUS_RATE_HZ
from ...hw.sound.speech import DROPPED
from ...hw.sound.stream import DAMAGED, FOREIGN, LATE
from .. import side_program
from .node_sound import NodeLoudspeaker, NodeMicrophone
from .wire import SoundOrder, SoundProcessReport

LOOK_S = 0.1
_CLOSE_S = 2.0


class SoundWork:
    """The sound of one role at work."""

    def __init__(
        self, bus: Bus, order: SoundOrder, report: Callable[[SoundProcessReport], None]
    ) -> None:
        self._report = report
        self._reported = SoundProcessReport()
        self._counters: Counter[str] = Counter()
        named, hardware = order.settings, order.hardware
        self._microphone: NodeMicrophone | None = None
        self._loudspeaker: NodeLoudspeaker | None = None
        if named.loudspeaker:
            speaker = open_loudspeaker(hardware, named.loudspeaker, BUS_RATE_HZ)
            self._loudspeaker = NodeLoudspeaker(bus, order.target, speaker, self._counters)
        if named.microphone:
            microphone = partial(open_microphone, hardware, named.microphone, BUS_RATE_HZ)
            self._microphone = NodeMicrophone(
                bus, order.target, microphone, self._is_playing, self._counters
            )

    def look(self) -> None:
        """Follow who listens; report what has changed."""
        if self._microphone:
            self._microphone.look()
        if self._now() != self._reported:
            self.report()

    def report(self) -> None:
        """Report now."""
        self._reported = self._now()
        self._report(self._reported)

    def close(self) -> None:
        """Record and play nothing more."""
        if self._microphone:
            self._microphone.close()
        if self._loudspeaker:
            self._loudspeaker.close()

    def join(self) -> bool:
        """Wait until the microphone is released. Blocks."""
        return self._microphone is None or self._microphone.join()

    def _is_playing(self) -> bool:
        return self._loudspeaker is not None and self._loudspeaker.is_playing

    def _now(self) -> SoundProcessReport:
        microphone, counts = self._microphone, self._counters
        return SoundProcessReport(
            microphone_problem=microphone.problem if microphone else "",
            loudspeaker_problem=self._loudspeaker.problem if self._loudspeaker else "",
            recording=microphone is not None and microphone.is_recording,
            playing=self._is_playing(),
            damaged=counts[DAMAGED],
            foreign=counts[FOREIGN],
            late=counts[LATE] + counts[DROPPED],
        )


async def work(order: SoundOrder, report: Callable[[SoundProcessReport], None]) -> None:
    """Record and play until the input ends."""
    bus = await open_bus(order.node_name)
    working = SoundWork(bus, order, report)
    looking = asyncio.ensure_future(_look(working))
    await side_program.until_input_ends(working.report)
    looking.cancel()
    working.close()
    await asyncio.to_thread(working.join)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_CLOSE_S):
            await bus.close()


async def _look(working: SoundWork) -> None:
    while True:
        working.look()
        await asyncio.sleep(LOOK_S)


if __name__ == "__main__":
    side_program.run("role-sound", SoundOrder, work)
