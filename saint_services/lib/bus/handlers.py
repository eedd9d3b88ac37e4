"""Runs the handlers of served services as tasks: bounded, with a time limit, cancelled at close.

Shared by all backends. A handler that raises is a programming fault: it goes to the loop's
exception handler, and the caller gets no answer. Not here: encoding, the wire.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

_AT_ONCE = 16  # requests of one service under way; more are refused
_LONGEST_S = 120.0


class Handlers:
    """The handlers of one service that are under way."""

    __slots__ = ("_tasks",)

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def is_full(self) -> bool:
        return len(self._tasks) >= _AT_ONCE

    def start(self, answer: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `answer`, which calls the handler and sends its reply."""
        task = asyncio.get_running_loop().create_task(self._limited(answer))
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _limited(self, answer: Callable[[], Coroutine[Any, Any, None]]) -> None:
        async with asyncio.timeout(_LONGEST_S):
            await answer()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            context = {"message": "a service's handler failed", "exception": error, "task": task}
            task.get_loop().call_exception_handler(context)
