"""Requests about remote operation as a page sends them."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import aiohttp

from tests.integration.robot import Robot
from tests.teleop_peer import Request


@contextlib.asynccontextmanager
async def teleop_requests(robot: Robot) -> AsyncIterator[Request]:
    """Yield what sends a request and returns its reply; a refusal fails the test."""
    async with aiohttp.ClientSession(robot.http_url) as session:

        async def send(action: str, **params: Any) -> dict[str, Any]:
            path = f"/api/v1/teleop/{action}"
            async with session.post(path, json=params) as response:
                reply: dict[str, Any] = await response.json()
                assert response.status == 200, reply
                return reply

        yield send
