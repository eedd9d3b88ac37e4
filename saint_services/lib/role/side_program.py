"""The frame of a program that runs beside a role: it gets an order as a line of its input, reports
by lines on its output, and ends with its input. Not here: the role's end (side_process.py).
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

from .. import log
from ..machine import realtime, service_manager
from ..strict import StrictModel
from .side_process import LONGEST_LINE, REPORT_S, SideReport

Order = TypeVar("Order", bound=StrictModel)
Say = Callable[[SideReport], None]


async def until_input_ends(report: Callable[[], None]) -> None:
    """Report regularly until the role has closed the input, or is gone."""
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), _on_input, ended)
    while not ended.is_set():
        report()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REPORT_S):
                await ended.wait()


def run(name: str, order: type[Order], work: Callable[[Order, Say], Awaitable[None]]) -> None:
    """Read the order and work. A role that is gone ends this by a broken pipe."""
    import uvloop

    realtime.give_way()
    log.setup(service_manager.process_name(name))
    given = order.model_validate_json(sys.stdin.buffer.readline(LONGEST_LINE))

    async def main() -> None:
        await work(given, _say)

    with contextlib.suppress(BrokenPipeError):
        uvloop.run(main())
    os._exit(0)  # the interpreter's own cleanup has nothing to do


def _on_input(ended: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), LONGEST_LINE):
        ended.set()


def _say(report: SideReport) -> None:
    sys.stdout.write(report.model_dump_json() + "\n")
    sys.stdout.flush()
