"""POST /api/v1/<group>/<action>: every action of the table over HTTP, JSON in and out, and the list
of them. What is allowed is the same as on the WebSocket. Not here: params (http_form.py).
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import orjson
from aiohttp import web
from pydantic import BaseModel

from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ..accounts.access import Identity
from ..accounts.gate import Gate, address_of
from ..actions import Quick
from ..actions.caller import Caller
from ..metrics.page import Histogram
from ..robot.context import Robot
from ..server import bodies
from ..server.connections import is_old
from . import admission, http_form, stopping
from .messages import LARGEST_BYTES

MOST_WAITING = 64  # requests of all clients that wait for other daemons
_LIMITS_S = (0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0)  # for how long actions take
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_.-]")
_LONGEST_NAME = 32


class Commands:
    """The table of actions as HTTP requests."""

    def __init__(self, gate: Gate, robot: Robot) -> None:
        self._gate = gate
        self._robot = robot
        self._waiting = 0
        self.times: defaultdict[str, Histogram] = defaultdict(lambda: Histogram(_LIMITS_S))

    def routes(self) -> Sequence[web.RouteDef]:
        """The list, and one form for all actions."""
        path = http_form.ROOT + "{group}/{action}"
        return [
            web.get(http_form.ROOT, self.list_all),
            web.get(path, self.ask, allow_head=False),
            web.post(path, self.ask),
        ]

    async def close(self) -> None:
        """Nothing stays open."""

    async def list_all(self, _: web.Request) -> web.StreamResponse:
        """What can be asked for. It tells nothing about this robot, so anyone may read it."""
        actions = [
            {
                "path": each.path,
                "methods": each.methods,
                "needs": each.entry.needs.word,
                "text": each.text,
            }
            for each in http_form.every()
        ]
        return _json({"actions": actions, "document": "/api/openapi.json"})

    async def ask(self, request: web.Request) -> web.StreamResponse:
        """Answers with the action's data."""
        named = http_form.find(request.match_info["group"], request.match_info["action"])
        if request.method not in named.methods:
            raise web.HTTPMethodNotAllowed(request.method, named.methods)
        identity = self._gate.admit(request, named.entry.needs, is_action=True)
        params = await _params(request, named)
        caller, waited = _caller(identity, request), is_old(request)
        admission.check(self._robot, caller, named.group, named.action, params)
        admission.check_moving(self._robot, named.group, named.action, params, waited)
        self._robot.newest.counters["http_commands"] += 1
        begun_s = monotonic_s()
        with admission.noted(self._robot, caller, named.group, named.action, params):
            data = await self._perform(named, caller, params)
        self.times[named.group].observe(monotonic_s() - begun_s)
        return _json(data)

    async def _perform(
        self, named: http_form.Named, caller: Caller, params: BaseModel
    ) -> dict[str, Any]:
        entry = named.entry
        if isinstance(entry, Quick):
            return entry.handler(self._robot, caller, params)
        if self._waiting >= MOST_WAITING and named.action != "estop":
            text = f"{MOST_WAITING} requests are not answered yet"
            raise SaintError(Code.REFUSED, text, fix="Try again when they are.")
        self._waiting += 1
        try:
            return await entry.handler(self._robot, caller, params)
        finally:
            self._waiting -= 1


async def _params(request: web.Request, named: http_form.Named) -> BaseModel:
    model = named.entry.params
    if request.method == "GET":
        return http_form.from_query(model, request.query)
    if named.action != stopping.ACTION:
        return http_form.from_body(model, await bodies.whole(request, LARGEST_BYTES))
    try:
        raw = await bodies.whole(request, LARGEST_BYTES, bodies.STOP_LIMIT_S)
        return http_form.from_body(model, raw)
    except SaintError:
        return stopping.of_unsound(None)  # in doubt the robot stops


def _caller(identity: Identity, request: web.Request) -> Caller:
    """As the rest of the robot sees it; a name that no WebSocket client gets by itself."""
    name = _NOT_A_NAME.sub("_", identity.name)[:_LONGEST_NAME]
    return Caller(f"http-{name}", identity, address_of(request))


def _json(data: object) -> web.Response:
    return web.Response(body=orjson.dumps(data), content_type="application/json")
