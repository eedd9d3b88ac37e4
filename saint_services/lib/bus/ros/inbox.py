"""Passes items from rclpy's thread to the loop, bounded (the newest items win), and recognises our
own messages when they are received, where samples do not name their writer. Not here: what the
items are.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any


class Inbox:
    """The items of one subscription or service."""

    def __init__(self, hop: Callable[..., None], most: int, deliver: Callable[..., None]) -> None:
        self._hop = hop
        self._deliver = deliver
        self._items: deque[tuple[Any, ...]] = deque(maxlen=most)
        self._is_waking = False

    def put(self, *item: Any) -> None:
        """Add an item, on rclpy's thread."""
        self._items.append(item)
        if not self._is_waking:
            self._is_waking = True
            self._hop(self._drain)

    def _drain(self) -> None:
        """Deliver the items. A callback's exception goes to the loop's handler; the rest follows in
        the next turn.
        """
        self._is_waking = False
        try:
            while self._items:
                self._deliver(*self._items.popleft())
        finally:
            if self._items:
                asyncio.get_running_loop().call_soon(self._drain)


_LONGEST_S = 1.0  # a lost echo must not hide a later message
_MOST = 512


class Echoes:
    """The recently sent messages of one topic."""

    __slots__ = ("_sent",)

    def __init__(self) -> None:
        self._sent: deque[tuple[bytes, float]] = deque(maxlen=_MOST)

    def sent(self, data: bytes, now_s: float) -> None:
        self._sent.append((data, now_s))

    def is_own(self, data: bytes, now_s: float) -> bool:
        """Return True once for each message sent. An equal message of another writer may be matched
        instead, which makes no difference: the content is the same.
        """
        while self._sent and now_s - self._sent[0][1] > _LONGEST_S:
            self._sent.popleft()
        for index, (known, _sent_s) in enumerate(self._sent):
            if known == data:
                del self._sent[index]
                return True
        return False
