"""GET /metrics: requests the reports of all daemons at once and answers Prometheus. A daemon that
does not answer costs its own numbers, not the others'. Not here: names and units
(robot_metrics.py).
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
from ...lib.api.teleop import RemoteSessionList
from ...lib.clock import monotonic_s
from ...lib.errors import SaintError
from ...lib.health import HealthReport
from ...lib.histogram import Histogram
from ...lib.ipc import Client
from ..accounts.gate import Gate
from ..robot.context import RobotContext
from ..server.handlers import RequestHandlers
from . import robot_metrics, wagon_metrics
from .page import CONTENT_TYPE, MetricsPage

M = TypeVar("M", bound=BaseModel)

ANSWER_LIMIT_S = 2.0
CACHE_S = 1.0  # the daemons get one request a second, however many clients scrape


@dataclass(frozen=True, slots=True)
class _Report:
    """Reply of one daemon."""

    daemon: str
    health: HealthReport | None
    answer: BaseModel | None


class Metrics(RequestHandlers):
    """The page that Prometheus fetches."""

    def __init__(
        self,
        gate: Gate,
        robot: RobotContext,
        clients: Callable[[], int],
        times: dict[str, Histogram],
    ) -> None:
        self._gate = gate
        self._robot = robot
        self._clients = clients
        self._times = times
        self._reports: list[_Report] = []
        self._until_s = -math.inf
        self._fetching = asyncio.Lock()

    def routes(self) -> Sequence[web.RouteDef]:
        return [web.get("/metrics", self.sent)]

    async def sent(self, request: web.Request) -> web.StreamResponse:
        """Send the page."""
        self._gate.admit(request, Level.VIEWER)
        async with self._fetching:
            if monotonic_s() >= self._until_s:
                self._reports = await self._fetch_all()
                self._until_s = monotonic_s() + CACHE_S
        return web.Response(text=self._text(), headers={"Content-Type": CONTENT_TYPE})

    def _text(self) -> str:
        page = MetricsPage()
        robot_metrics.server(page, self._robot.newest, self._clients())
        wagon_metrics.wagon(page, self._robot.newest)
        for group, seen in sorted(self._times.items()):
            text = "Duration of actions over HTTP."
            page.histogram("web_action_duration_seconds", text, seen, group=group)
        for report in self._reports:
            robot_metrics.health(page, report.daemon, report.health)
            if report.answer is not None:
                robot_metrics.REPORTS[report.daemon][1](page, report.answer)
        return page.text()

    async def _fetch_all(self) -> list[_Report]:
        daemons = self._robot.daemons
        names = [name for name in robot_metrics.REPORTS if daemons.may_query(name)]
        requests = (self._fetch(name, daemons.of(name)) for name in names)
        return await asyncio.gather(*requests)

    async def _fetch(self, name: str, daemon: Client) -> _Report:
        row, _ = robot_metrics.REPORTS[name]
        health = await _answer(daemon.get("/health", HealthReport, timeout_s=ANSWER_LIMIT_S))
        answer = await _answer(daemon.request(row, Nothing(), timeout_s=ANSWER_LIMIT_S))
        if isinstance(answer, RemoteSessionList) and answer.room.state in ("joining", "joined"):
            self._robot.daemons.note_room()
        return _Report(name, health, answer)


async def _answer(request: Awaitable[M]) -> M | None:
    """Return a reply; None, shown as daemon_up 0, where there is none."""
    with contextlib.suppress(SaintError):
        return await request
    return None
