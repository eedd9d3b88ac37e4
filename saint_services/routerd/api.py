"""routerd's socket: translates requests into calls of the router and keeps edited routes on disk.
No rules: those are in routes.py and estop.py.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable

from ..lib.api import Done
from ..lib.api.routing import (
    Blending,
    EStopInfo,
    EStopRequest,
    Route,
    RouteInfo,
    RouteList,
    RouterStatus,
    SetEnabled,
)
from ..lib.clock import monotonic_s
from ..lib.errors import Code, SaintError
from ..lib.ipc import Api, Call
from ..lib.state import Store
from ..lib.validation import nearest
from . import report
from .logic import Router
from .routes import check_all
from .state import SavedRoutes

_DISK_S = 2.0


class Control:
    """Answers requests. `settle` makes the daemon act on what a request changed."""

    def __init__(
        self,
        router: Router,
        store: Store[SavedRoutes],
        blending: Blending,
        parked: Iterable[Route],
        settle: Callable[[], None],
        since: Callable[[], str],
        saved: Callable[[], Awaitable[object]],
    ) -> None:
        self._router = router
        self._store = store
        self._blending = blending
        self._parked = list(parked)  # saved routes that do not fit this robot: kept, not used
        self._settle = settle
        self._since = since
        self._saved = saved
        self._editing = asyncio.Lock()

    def api(self) -> Api:
        """All paths."""
        api = Api()
        api.get("/status", self._status)
        api.get("/routes", self._list)
        api.put("/routes/{id}", self._put, Route)
        api.delete("/routes/{id}", self._delete)
        api.post("/routes/{id}/enabled", self._enable, SetEnabled)
        api.post("/estop", self._raise_estop, EStopRequest)
        api.post("/estop/clear", self._clear_estop, EStopRequest)
        return api

    async def _status(self, _: Call[None]) -> RouterStatus:
        return report.status(self._router, self._since(), monotonic_s())

    async def _list(self, _: Call[None]) -> RouteList:
        routes = report.route_list(self._router, monotonic_s())
        routes += [RouteInfo(route=route, status="disabled") for route in self._parked]
        return RouteList(routes=routes, blending=self._blending)

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
            await self._apply(routes, parked)
        return self._info(route.id)

    async def _delete(self, call: Call[None]) -> Done:
        name = call.path["id"]
        async with self._editing:
            self._known(name)
            routes = [route for route in self._router.routes if route.id != name]
            await self._apply(routes, [route for route in self._parked if route.id != name])
        return Done(message=f"route {name} is deleted")

    async def _enable(self, call: Call[SetEnabled]) -> RouteInfo:
        name = call.path["id"]
        async with self._editing:
            self._known(name)
            if any(route.id == name for route in self._parked):
                message = f"route {name} does not fit this robot; replace or delete it"
                raise SaintError(Code.REFUSED, message)
            routes = [
                route.model_copy(update={"enabled": call.body.enabled})
                if route.id == name
                else route
                for route in self._router.routes
            ]
            await self._apply(routes, self._parked)
        return self._info(name)

    async def _apply(self, routes: list[Route], parked: list[Route]) -> None:
        """Check, save, then use: what runs is what is still there after a restart."""
        check_all(routes, self._router.robot)
        saved = SavedRoutes(routes=[*routes, *parked], blending=self._blending)
        await asyncio.to_thread(self._store.save, saved)
        self._parked = parked
        self._router.set_routes(routes, monotonic_s())
        self._settle()

    async def _raise_estop(self, call: Call[EStopRequest]) -> EStopInfo:
        self._router.raise_estop(call.body.source, call.body.reason, monotonic_s())
        self._settle()
        await self._on_disk()
        return report.estop_info(self._router, self._since())

    async def _clear_estop(self, call: Call[EStopRequest]) -> EStopInfo:
        self._router.clear_estop(call.body.source, monotonic_s())
        self._settle()
        await self._on_disk()
        return report.estop_info(self._router, self._since())

    async def _on_disk(self) -> None:
        """What was answered is still so after a power cut. The stop itself has not waited; a disk
        that hangs does not keep the answer for ever.
        """
        saving = asyncio.ensure_future(self._saved())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(saving), _DISK_S)

    def _info(self, name: str) -> RouteInfo:
        infos = report.route_list(self._router, monotonic_s())
        return next(info for info in infos if info.route.id == name)

    def _known(self, name: str) -> None:
        known = [route.id for route in (*self._router.routes, *self._parked)]
        if name in known:
            return
        meant = nearest(name, known)
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise SaintError(Code.NOT_FOUND, f"there is no route {name!r}{hint}")
