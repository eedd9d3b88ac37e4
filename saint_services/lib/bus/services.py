"""Both ends of a service call, shared by all backends: handlers run as tasks (bounded, with a time
limit, cancelled at close), and clients stay open for the next call. Not here: encoding, the wire.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Generic, Protocol, TypeVar

from ..errors import SaintError
from ..generated.errors import Code
from . import Service

_AT_ONCE = 16  # concurrent requests per service; more are refused
_LONGEST_S = 120.0


class ServiceHandlers:
    """The running handlers of one service. A handler that raises is a programming fault: it goes
    to the loop's exception handler, and the caller gets no answer.
    """

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


MOST = 64  # beyond it, the oldest idle client is closed


class ReusableClient(Protocol):
    """Interface of each backend's service client."""

    @property
    def is_busy(self) -> bool: ...

    def close(self) -> None: ...


C = TypeVar("C", bound=ReusableClient)


class ServiceClients(Generic[C]):
    """Open service clients by name and type of the service."""

    def __init__(self, make: Callable[[Service[Any, Any]], C]) -> None:
        self._make = make
        self._open: dict[tuple[str, str], C] = {}

    def of(self, service: Service[Any, Any]) -> C:
        """Return the client of a service; raises bus_unavailable if all are busy."""
        key = (service.name, service.type)
        if key not in self._open:
            self._make_room()
            self._open[key] = self._make(service)
        return self._open[key]

    def __iter__(self) -> Iterator[C]:
        return iter(self._open.values())

    def clear(self) -> None:
        """Forget all clients; the caller has closed them."""
        self._open.clear()

    def _make_room(self) -> None:
        if len(self._open) < MOST:
            return
        for key, client in self._open.items():
            if not client.is_busy:
                client.close()
                del self._open[key]
                return
        raise SaintError(Code.BUS_UNAVAILABLE, f"{MOST} services are being called at once")
