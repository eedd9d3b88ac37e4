"""Tells those that wait that something changed. Not here: what."""

import asyncio


class Bell:
    """Rings once for everybody who waits at that moment."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def ring(self) -> None:
        """Something changed."""
        waiting, self._waiting = self._waiting, set()
        for each in waiting:
            if not each.done():
                each.set_result(None)

    def wait_next(self) -> asyncio.Future[None]:
        """Done at the next ring; cancel it when nobody waits any more."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)
        return future
