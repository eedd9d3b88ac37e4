"""Every action over HTTP: POST /api/v1/<group>/<action>, JSON in and out, and the list of actions.
The same is allowed as on the WebSocket.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import orjson
from aiohttp import web
from pydantic import BaseModel

from ...lib.access.levels import Level
from ...lib.api.webd import ROOT
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.histogram import Histogram
from .. import logic
from ..accounts.access import Identity
from ..accounts.gate import Gate, address_of
from ..actions import table
from ..actions.act import Act, Caller, data_of
from ..robot.context import RobotContext
from ..server import bodies
from ..server.connections import is_old
from ..server.handlers import RequestHandlers
from . import admission, stopping
from .messages import LARGEST_BYTES

MOST_WAITING = 64  # requests of all clients that wait for other daemons
_LIMITS_S = (0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0)  # of the durations of actions
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_.-]")
_LONGEST_NAME = 32


class Commands(RequestHandlers):
    """The table of actions as HTTP requests."""

    def __init__(self, gate: Gate, robot: RobotContext) -> None:
        self._gate = gate
        self._robot = robot
        self._waiting = 0
        self.times: defaultdict[str, Histogram] = defaultdict(lambda: Histogram(_LIMITS_S))

    def routes(self) -> Sequence[web.RouteDef]:
        path = ROOT + "{group}/{action}"
        return [
            web.get(ROOT, self.list_all),
            web.get(path, self.answer, allow_head=False),
            web.post(path, self.answer),
        ]

    async def list_all(self, _: web.Request) -> web.StreamResponse:
        """List all actions, for anyone: the list says nothing about this robot."""
        actions = [
            {
                "path": act.path,
                "methods": act.methods,
                "needs": act.level.word,
                "text": act.row.text,
            }
            for act in table.every()
        ]
        return _json({"actions": actions, "document": "/api/openapi.json"})

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Carry an action out and answer with its data."""
        act = table.find(request.match_info["group"], request.match_info["action"])
        if request.method not in act.methods:
            raise web.HTTPMethodNotAllowed(request.method, act.methods)
        robot, identity = self._robot, self._gate.admit(request, Level.VIEWER)
        caller = _caller(identity, request)
        admission.check_role(robot, caller, act)
        params = await _params(request, act)
        with admission.admitted(robot, caller, act, params, is_old=is_old(request)) as outcome:
            robot.newest.counters["http_commands"] += 1
            begun_s = monotonic_s()
            outcome.reply = await self._perform(act, caller, params)
        self.times[act.group].observe(monotonic_s() - begun_s)
        return _json(data_of(outcome.reply))

    async def _perform(self, act: Act, caller: Caller, params: BaseModel) -> Any:
        if act.is_quick:
            return act.handler(self._robot, caller, params)
        if self._waiting >= MOST_WAITING and act.action != stopping.ACTION:
            text = f"{MOST_WAITING} requests are waiting for their replies"
            raise SaintError(Code.REFUSED, text, fix="Try again when they are answered.")
        self._waiting += 1
        try:
            return await act.handler(self._robot, caller, params)
        finally:
            self._waiting -= 1


async def _params(request: web.Request, act: Act) -> BaseModel:
    if request.method == "GET":
        return logic.from_query(act.params, request.query)
    if act.action != stopping.ACTION:
        return logic.from_body(act.params, await bodies.whole(request, LARGEST_BYTES))
    try:
        raw = await bodies.whole(request, LARGEST_BYTES, bodies.STOP_LIMIT_S)
        return logic.from_body(act.params, raw)
    except SaintError:
        return stopping.of_unsound(None)  # in doubt the robot stops


def _caller(identity: Identity, request: web.Request) -> Caller:
    """Return the sender as a client, with a name that no WebSocket client gets by itself."""
    name = _NOT_A_NAME.sub("_", identity.name)[:_LONGEST_NAME]
    return Caller(f"http-{name}", identity, address_of(request))


def _json(data: object) -> web.Response:
    return web.Response(body=orjson.dumps(data), content_type="application/json")
