"""GET /metrics: asks every daemon at once, and tells Prometheus. One that does not answer costs its
own numbers, not the others'. Not here: names and units (robot_metrics.py).
"""

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel

from ...lib.access.levels import Level
from ...lib.api.endpoint import Nothing
from ...lib.clock import monotonic_s
from ...lib.errors import SaintError
from ...lib.health import HealthReport
from ...lib.ipc import Client
from ..accounts.gate import Gate
from ..robot.context import Robot
from . import robot_metrics
from .page import CONTENT_TYPE, Histogram, Page

M = TypeVar("M", bound=BaseModel)

ANSWER_LIMIT_S = 2.0
KEPT_S = 1.0  # however many ask, the daemons are asked once a second


@dataclass(frozen=True, slots=True)
class _Told:
    """What one daemon said."""

    daemon: str
    health: HealthReport | None
    answer: BaseModel | None


class Metrics:
    """What Prometheus fetches."""

    def __init__(
        self, gate: Gate, robot: Robot, clients: Callable[[], int], times: dict[str, Histogram]
    ) -> None:
        self._gate = gate
        self._robot = robot
        self._clients = clients
        self._times = times
        self._told: list[_Told] = []
        self._until_s = -math.inf
        self._asking = asyncio.Lock()

    def routes(self) -> Sequence[web.RouteDef]:
        """One."""
        return [web.get("/metrics", self.sent)]

    async def close(self) -> None:
        """Nothing stays open."""

    async def sent(self, request: web.Request) -> web.StreamResponse:
        """The page."""
        self._gate.admit(request, Level.VIEWER)
        async with self._asking:
            if monotonic_s() >= self._until_s:
                self._told = await self._ask_all()
                self._until_s = monotonic_s() + KEPT_S
        return web.Response(text=self._text(), headers={"Content-Type": CONTENT_TYPE})

    def _text(self) -> str:
        page = Page()
        robot_metrics.server(page, self._robot.newest, self._clients())
        for group, seen in sorted(self._times.items()):
            text = "Time that actions over HTTP took."
            page.histogram("web_action_duration_seconds", text, seen, group=group)
        for told in self._told:
            robot_metrics.health(page, told.daemon, told.health)
            if told.answer is not None:
                robot_metrics.QUESTIONS[told.daemon][1](page, told.answer)
        return page.text()

    async def _ask_all(self) -> list[_Told]:
        daemons = self._robot.daemons
        asked = (self._ask(name, getattr(daemons, name)) for name in robot_metrics.QUESTIONS)
        return await asyncio.gather(*asked)

    async def _ask(self, name: str, daemon: Client) -> _Told:
        row, _ = robot_metrics.QUESTIONS[name]
        health = await _answer(daemon.get("/health", HealthReport, timeout_s=ANSWER_LIMIT_S))
        answer = await _answer(daemon.request(row, Nothing(), timeout_s=ANSWER_LIMIT_S))
        return _Told(name, health, answer)


async def _answer(asked: Awaitable[M]) -> M | None:
    """None where there is none: it is told as daemon_up 0."""
    with contextlib.suppress(SaintError):
        return await asked
    return None
