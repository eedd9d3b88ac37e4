"""Which commands leave in which turn of the loop: of many only a few, those asked for last first,
so that a stick never waits for what a face has asked for. Pure. Not here: what is in a command.
"""

from collections.abc import Iterable

MOST_PER_TURN = 4


class CommandQueue:
    """Commands, by index, that are to be sent."""

    def __init__(self, count: int) -> None:
        self._all = range(count)
        self._waiting: dict[int, None] = {}  # the one asked for last stands last

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def ask(self, indexes: Iterable[int]) -> None:
        """These have something new."""
        for index in indexes:
            self._waiting.pop(index, None)
            self._waiting[index] = None

    def repeat(self) -> None:
        """All go out again, after those that have something new."""
        self._waiting = {i: None for i in self._all if i not in self._waiting} | self._waiting

    def take(self) -> list[int]:
        """Those of this turn. One is the one that waits longest, so that all have their turn."""
        waiting = self._waiting
        taken = [waiting.popitem()[0] for _ in range(min(len(waiting), MOST_PER_TURN - 1))]
        if waiting:
            oldest = next(iter(waiting))
            del waiting[oldest]
            taken.append(oldest)
        return taken

    def clear(self) -> None:
        """Nothing is sent any more."""
        self._waiting.clear()
