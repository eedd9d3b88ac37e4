"""Decides whether a command of a remote master is newer than those before it, and recent. Only
numbers, no clock. One for each connection.
"""

from ..reading_age import ReadingAge
from .messages import RemoteMessageError, Sequence, Timestamp, is_fine, time_of


class CommandOrder:
    """The newest command of a connection."""

    __slots__ = ("_age", "_sequence", "_time_s")

    def __init__(self) -> None:
        self._age = ReadingAge()
        self._sequence: int | None = None
        self._time_s: float | None = None

    def check(
        self, sequence: "Sequence | None", timestamp: "Timestamp | None", now_s: float
    ) -> None:
        """Accept a command that arrived at `now_s`. Raises RemoteMessageError for one that is older
        than another one, that repeats it, or that was held back on its way.
        """
        time_s = time_of(timestamp)
        if timestamp is not None and time_s is None:
            raise RemoteMessageError("invalid", "the time stamp is neither ISO 8601 nor a number")
        if sequence is not None:
            if self._sequence is not None and sequence <= self._sequence:
                text = f"command {sequence} came after command {self._sequence}"
                raise RemoteMessageError("old", text)
        elif time_s is not None and self._time_s is not None and time_s < self._time_s:
            raise RemoteMessageError("old", "the command is older than one that came before it")
        if time_s is not None and is_fine(timestamp) and self._age.is_stale(time_s, now_s):
            raise RemoteMessageError("late", "the command was held back on its way by over 0.2 s")
        self._sequence = self._sequence if sequence is None else sequence
        self._time_s = self._time_s if time_s is None else time_s
