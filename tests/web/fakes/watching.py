"""Serves a watch of a fake daemon, whose state tests set directly: what has changed is found by
comparing.
"""

from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from pydantic import BaseModel

from saint_services.lib.api.endpoint import WatchRequest
from tests.waiting import every

R = TypeVar("R", bound=BaseModel)
LOOK_S = 0.05


async def compared(read: Callable[[], R], request: WatchRequest) -> AsyncIterator[R]:
    """Yield the state now, when it is another one, and after the hold time."""
    sent, looks = "", 0
    async for _ in every(LOOK_S):
        found, looks = read(), looks + 1
        text = found.model_dump_json()
        if text != sent or looks * LOOK_S >= request.hold_s:
            sent, looks = text, 0
            yield found
