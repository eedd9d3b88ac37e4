"""Rate of a client's messages. Only numbers, no clock."""

RATE_WINDOW_S = 1.0


class MessageRate:
    """Counts messages; the rate is that of the last whole window."""

    __slots__ = ("_began_s", "_count", "_per_s")

    def __init__(self, now_s: float) -> None:
        self._began_s = now_s
        self._count = 0
        self._per_s = 0.0

    def count(self, now_s: float) -> None:
        """Count one message."""
        self._roll(now_s)
        self._count += 1

    def per_s(self, now_s: float) -> float:
        """Return the messages per second."""
        self._roll(now_s)
        return round(self._per_s, 1)

    def _roll(self, now_s: float) -> None:
        passed_s = now_s - self._began_s
        if passed_s >= RATE_WINDOW_S:
            self._per_s = self._count / passed_s
            self._began_s, self._count = now_s, 0
