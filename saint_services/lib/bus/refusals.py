"""Counts what was refused on the bus, by topic, and says so in the log once per topic.

Shared by all backends. Not here: who refuses, and why.
"""

from collections import Counter

from .. import log

_TOPICS = 1000  # names come from outside: a flood of them must not fill the memory
_OTHERS = "(other topics)"
_log = log.get("bus")


class Refusals:
    """One per bus. `by_topic` is what Bus.refused shows."""

    __slots__ = ("by_topic",)

    def __init__(self) -> None:
        self.by_topic: Counter[str] = Counter()

    def add(self, topic: str, reason: object) -> None:
        """Count a refused sample; the first one of a topic is logged."""
        counts = self.by_topic
        if topic not in counts:
            if len(counts) >= _TOPICS:
                topic = _OTHERS
            if topic not in counts:
                _log.warning("sample refused", topic=topic, reason=reason)
        counts[topic] += 1
