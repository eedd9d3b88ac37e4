"""routerd's socket: routes, exclusive control. Translates requests into calls of the
router and keeps edited routes on disk. No rules: those are in routes.py and locks.py.
Not here: presets (preset_api.py), the e-stop (estop_api.py).
"""

import asyncio
from collections.abc import Callable, Collection, Iterable
from typing import Any

from ..lib.api import Done
from ..lib.api.routing import (
    Blending,
    Curve,
    CurveRequest,
    EStopInfo,
    FieldOutput,
    Preview,
    PreviewRequest,
    ReleaseControl,
    Route,
    RouteFile,
    RouteInfo,
    RouteList,
    RouterStatus,
    SetEnabled,
    SetPriority,
    TakeControl,
)
from ..lib.clock import monotonic_s
from ..lib.errors import Code, SaintError
from ..lib.ipc import Api, Call
from ..lib.spelling import hint
from ..lib.state import Store
from . import report, stops
from .logic import Router
from .preview import curve, preview
from .routes import check, check_file
from .state import SavedRoutes

CONFIRM = "confirm"  # the query with names that stops.Change gave, separated by commas


def confirmed(call: Call[Any]) -> Collection[str]:
    """What the request says may stop the robot no longer."""
    return [name for name in call.query.get(CONFIRM, "").split(",") if name]


class Control:
    """Answers requests. `settle` makes the daemon act on what a request changed; `estop_info`
    returns the latch.
    """

    def __init__(
        self,
        router: Router,
        store: Store[SavedRoutes],
        parked: Iterable[Route],
        loaded: str,
        settle: Callable[[], None],
        estop_info: Callable[[], EStopInfo],
    ) -> None:
        self._router = router
        self._store = store
        self.loaded = loaded  # the preset that the routes are
        self._parked = list(parked)  # saved routes that do not fit this robot: kept, not used
        self._settle = settle
        self._estop_info = estop_info
        self._editing = asyncio.Lock()

    def add_to(self, api: Api) -> Api:
        """All paths."""
        api.get("/status", self._status)
        api.get("/routes", self._list)
        api.put("/routes", self._replace, RouteFile)
        api.post("/routes/check", self._check, RouteFile)
        api.put("/routes/{id}", self._put, Route)
        api.delete("/routes/{id}", self._delete)
        api.post("/routes/{id}/enabled", self._enable, SetEnabled)
        api.post("/routes/{id}/priority", self._set_priority, SetPriority)
        api.put("/blending", self._set_blending, Blending)
        api.post("/preview", self._preview, PreviewRequest)
        api.post("/preview/curve", self._curve, CurveRequest)
        api.get("/outputs/{name}", self._why)
        api.post("/control/take", self._take, TakeControl)
        api.post("/control/release", self._release, ReleaseControl)
        return api

    async def _status(self, _: Call[None]) -> RouterStatus:
        return report.status(self._router, self._estop_info(), monotonic_s())

    async def _list(self, _: Call[None]) -> RouteList:
        return self.listed()

    def listed(self) -> RouteList:
        """Every route, the unused ones too."""
        routes = report.route_list(self._router, monotonic_s())
        routes += [
            RouteInfo(route=route, status="disabled", fault=self._fault(route))
            for route in self._parked
        ]
        return RouteList(routes=routes, blending=self._router.blending)

    def _fault(self, route: Route) -> str:
        """Why a route is not used."""
        try:
            check(route, self._router.robot)
        except SaintError as err:
            return err.message
        return f"there are two routes {route.id!r}"

    async def _replace(self, call: Call[RouteFile]) -> RouteList:
        await self.replace_all(call.body, "", confirmed(call))
        return self.listed()

    async def _check(self, call: Call[RouteFile]) -> Done:
        check_file(call.body, self._router.robot)
        return Done(message=f"{len(call.body.routes)} routes fit this robot")

    async def _put(self, call: Call[Route]) -> RouteInfo:
        route = call.body
        if route.id != call.path["id"]:
            message = f"the path names route {call.path['id']!r}, the body {route.id!r}"
            raise SaintError(Code.REQUEST_INVALID, message)
        async with self._editing:
            routes = list(self._router.routes)
            at = next((i for i, each in enumerate(routes) if each.id == route.id), len(routes))
            routes[at : at + 1] = [route]
            parked = [each for each in self._parked if each.id != route.id]
            await self._apply(routes, parked, confirm=confirmed(call))
        return self._info(route.id)

    async def _delete(self, call: Call[None]) -> Done:
        name = call.path["id"]
        async with self._editing:
            self._known(name)
            routes = [route for route in self._router.routes if route.id != name]
            parked = [route for route in self._parked if route.id != name]
            await self._apply(routes, parked, confirm=confirmed(call))
        return Done(message=f"route {name} is deleted")

    async def _enable(self, call: Call[SetEnabled]) -> RouteInfo:
        change: dict[str, object] = {"enabled": call.body.enabled}
        return await self._change(call.path["id"], change, confirmed(call))

    async def _set_priority(self, call: Call[SetPriority]) -> RouteInfo:
        change: dict[str, object] = {"priority": call.body.priority}
        return await self._change(call.path["id"], change, confirmed(call))

    async def _change(
        self, name: str, change: dict[str, object], confirm: Collection[str]
    ) -> RouteInfo:
        async with self._editing:
            self._known(name)
            if any(route.id == name for route in self._parked):
                message = f"route {name} does not fit this robot; replace or delete it"
                raise SaintError(Code.REFUSED, message)
            routes = [
                route.model_copy(update=change) if route.id == name else route
                for route in self._router.routes
            ]
            await self._apply(routes, self._parked, confirm=confirm)
        return self._info(name)

    async def _set_blending(self, call: Call[Blending]) -> RouteList:
        async with self._editing:
            routes, parked = list(self._router.routes), self._parked
            await self._apply(routes, parked, call.body, confirm=confirmed(call))
        return self.listed()

    async def replace_all(self, file: RouteFile, loaded: str, confirm: Collection[str]) -> None:
        """Replace all routes and their blending by those of a preset."""
        async with self._editing:
            await self._apply(file.routes, [], file.blending, loaded, confirm=confirm)

    def in_force(self) -> RouteFile:
        """What a preset of the present routes would hold."""
        return RouteFile(routes=list(self._router.routes), blending=self._router.blending)

    async def _apply(
        self,
        routes: list[Route],
        parked: list[Route],
        blending: Blending | None = None,
        loaded: str = "",
        *,
        confirm: Collection[str],
    ) -> None:
        """Check, save, then use: what runs is what is still there after a restart. `confirm` names
        what may stop the robot no longer."""
        blending = blending or self._router.blending
        file = RouteFile(routes=routes, blending=blending)
        check_file(file, self._router.robot)
        stops.change(self.in_force(), file).check(confirm)
        saved = SavedRoutes(routes=[*routes, *parked], blending=blending, loaded=loaded)
        await asyncio.to_thread(self._store.save, saved)
        self._parked, self.loaded = parked, loaded
        self._router.set_routes(routes, monotonic_s(), blending)
        self._settle()

    async def _preview(self, call: Call[PreviewRequest]) -> Preview:
        return preview(self._router.robot, call.body.route, call.body.values)

    async def _curve(self, call: Call[CurveRequest]) -> Curve:
        return curve(self._router.robot, call.body)

    async def _why(self, call: Call[None]) -> FieldOutput:
        name = call.path["name"]
        outputs = {
            f"{output.target}.{output.field}": output
            for output in report.outputs(self._router, monotonic_s())
        }
        if name not in outputs:
            raise SaintError(Code.NOT_FOUND, f"there is no output {name!r}{hint(name, outputs)}")
        return outputs[name]

    async def _take(self, call: Call[TakeControl]) -> RouterStatus:
        body = call.body
        self._router.take_control(body.target, body.holder, body.timeout_ms / 1000, monotonic_s())
        self._settle()
        return report.status(self._router, self._estop_info(), monotonic_s())

    async def _release(self, call: Call[ReleaseControl]) -> RouterStatus:
        body = call.body
        self._router.release_control(body.target, body.holder, monotonic_s(), force=body.force)
        self._settle()
        return report.status(self._router, self._estop_info(), monotonic_s())

    def _info(self, name: str) -> RouteInfo:
        infos = report.route_list(self._router, monotonic_s())
        return next(info for info in infos if info.route.id == name)

    def _known(self, name: str) -> None:
        known = [route.id for route in (*self._router.routes, *self._parked)]
        if name in known:
            return
        raise SaintError(Code.NOT_FOUND, f"there is no route {name!r}{hint(name, known)}")
