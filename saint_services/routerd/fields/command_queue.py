"""Decides which commands leave in which turn of the loop: of many only a few, the newest first, so
that a stick never waits for what a face has requested. Pure. Not here: the content of a command.
"""

from collections.abc import Iterable

MOST_PER_TURN = 4


class CommandQueue:
    """Commands, by index, that are to be sent."""

    def __init__(self) -> None:
        self._waiting: dict[int, None] = {}  # the newest stands last

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def put(self, indexes: Iterable[int]) -> None:
        """Queue commands that have changed."""
        for index in indexes:
            self._waiting.pop(index, None)
            self._waiting[index] = None

    def put_behind(self, indexes: Iterable[int]) -> None:
        """Queue commands that are repeated, behind those that have changed."""
        self._waiting = {i: None for i in indexes if i not in self._waiting} | self._waiting

    def next_batch(self) -> list[int]:
        """Remove and return the commands of this turn. One is the command that waits longest, so
        that each has its turn.
        """
        waiting = self._waiting
        batch = [waiting.popitem()[0] for _ in range(min(len(waiting), MOST_PER_TURN - 1))]
        if waiting:
            oldest = next(iter(waiting))
            del waiting[oldest]
            batch.append(oldest)
        return batch

    def clear(self) -> None:
        self._waiting.clear()
