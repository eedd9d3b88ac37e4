"""A line or bus that is held open: read by the loop when something arrives, shared by its users,
opened again after growing pauses. Not here: what is sent, and when to open it again.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

from ..errors import SaintError

PAUSES_S: Final = (0.1, 0.2, 0.5, 1.0, 2.0)  # between attempts to open; the last one repeats


class HeldPort(Protocol):
    """What is held open."""

    def fileno(self) -> int: ...

    def close(self) -> None: ...


P = TypeVar("P", bound=HeldPort)


class HeldLine(Generic[P]):
    """One port, or none while it is lost. `on_readable` runs in the loop."""

    def __init__(self, port: P | None, on_readable: Callable[[], None]) -> None:
        self.port = port
        self.loop: asyncio.AbstractEventLoop | None = None  # that reads it; None: none yet
        self._on_readable = on_readable
        self._users = 0
        self.failures = 0

    def use(self) -> None:
        """Register a user."""
        self._users += 1

    def is_unused(self) -> bool:
        """Remove a user; return whether it was the last one."""
        self._users -= 1
        return self._users <= 0

    def hold(self, port: P) -> None:
        """Hold this port, which was opened; `attach` has it read."""
        self.port = port

    def attach(self) -> bool:
        """Have the running loop read the port from now on; return False where no loop runs."""
        with contextlib.suppress(RuntimeError):
            self.loop = asyncio.get_running_loop()
        if self.loop is None:
            return False
        if self.port is not None:
            self.loop.add_reader(self.port.fileno(), self._on_readable)
        return True

    def detach(self) -> None:
        """Read the port no longer; it stays open."""
        if self.loop is not None and self.port is not None:
            self.loop.remove_reader(self.port.fileno())

    def release(self) -> None:
        """Close the port."""
        self.detach()
        port, self.port = self.port, None
        if port is not None:
            with contextlib.suppress(SaintError):  # what was unplugged needs no farewell
                port.close()

    def failed(self) -> None:
        """Note an attempt to open, or a port that was lost before it was of use."""
        self.failures += 1

    def works(self) -> None:
        """Begin with the shortest pause again."""
        self.failures = 0

    @property
    def pause_s(self) -> float:
        """Return how long to wait before the port is opened again."""
        return PAUSES_S[min(self.failures, len(PAUSES_S) - 1)]
