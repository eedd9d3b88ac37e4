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
    sent, looks = None, 0
    async for _ in every(LOOK_S):
        found, looks = read().model_copy(deep=True), looks + 1
        if found != sent or looks * LOOK_S >= request.hold_s:
            sent, looks = found, 0
            yield found
