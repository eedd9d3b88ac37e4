"""Counts refused samples by topic and logs the first of each topic. Shared by all backends."""

from collections import Counter

from .. import log

_TOPICS = 1000  # senders choose the names, so their number is limited
_OTHERS = "(other topics)"
_log = log.get("bus")


class RefusedSamples:
    """The counts of one bus. `by_topic` is Bus.refused."""

    __slots__ = ("by_topic",)

    def __init__(self) -> None:
        self.by_topic: Counter[str] = Counter()

    def add(self, topic: str, reason: object) -> None:
        """Count a refused sample; log the first of its topic."""
        counts = self.by_topic
        if topic not in counts:
            if len(counts) >= _TOPICS:
                topic = _OTHERS
            if topic not in counts:
                _log.warning("sample refused", topic=topic, reason=reason)
        counts[topic] += 1
