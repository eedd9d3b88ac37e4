"""Passes items from rclpy's thread to the loop, bounded: the newest items win."""

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
