"""What the person at the terminal wants: go on, an orderly end, or an end at once. Not here: what a
program does until then.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Coroutine
from typing import Any

from .launcher import Launcher


class StopSignals:
    """Set once for an orderly end; a second Ctrl-C is for an end at once."""

    def __init__(self) -> None:
        self.to_stop = asyncio.Event()
        self.to_kill = asyncio.Event()

    def interrupt(self) -> None:
        """Ctrl-C."""
        (self.to_kill if self.to_stop.is_set() else self.to_stop).set()

    async def until(self, steps: Coroutine[Any, Any, None]) -> bool:
        """Whether the work was done before the person wanted an end."""
        work = asyncio.create_task(steps)
        stopping = asyncio.create_task(self.to_stop.wait())
        await asyncio.wait({work, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not work.done():
            work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await work
            return False
        work.result()
        return True

    async def stop(self, launcher: Launcher) -> None:
        """End everything, patiently or not."""

        async def kill_on_second_signal() -> None:
            await self.to_kill.wait()
            launcher.kill()

        impatience = asyncio.create_task(kill_on_second_signal())
        await launcher.stop()
        impatience.cancel()


def listen(*, until_eof: bool) -> StopSignals:
    """Ctrl-C, signals and, where a program has started us, the end of its pipe."""
    loop, signals = asyncio.get_running_loop(), StopSignals()
    loop.add_signal_handler(signal.SIGINT, signals.interrupt)
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, signals.to_stop.set)
    if until_eof:
        stdin = sys.stdin.fileno()

        def read() -> None:
            if not os.read(stdin, 1024):
                loop.remove_reader(stdin)
                signals.to_stop.set()

        loop.add_reader(stdin, read)
    return signals
