"""Requests about routes, outputs and exclusive control: translates them into calls of the router
and stores edited routes. Not here: rules (routes/, fields/locks.py), presets
(routes/presets_api.py), the e-stop (estop/api.py).
"""

import asyncio
from collections.abc import Callable, Collection, Iterable

from ..lib.api import Done, routing
from ..lib.api.endpoint import Nothing
from ..lib.api.routing import (
    Blending,
    EStopInfo,
    FieldOutput,
    MappingCurve,
    OutputParams,
    PreviewCurve,
    PreviewRoute,
    ProposedMapping,
    ProposeMapping,
    ReleaseControl,
    ReplaceRoutes,
    Route,
    RouteEnabled,
    RouteFile,
    RouteInfo,
    RouteList,
    RouteParams,
    RoutePreview,
    RoutePriority,
    RouterStatus,
    SetBlending,
    SetRoute,
    TakeControl,
)
from ..lib.clock import monotonic_s
from ..lib.config.spelling import hint
from ..lib.errors import Code, SaintError
from ..lib.ipc import Api, Call
from ..lib.state import StateStore
from . import report
from .logic import Router
from .routes import stops
from .routes.checks import check, check_file
from .routes.preview import curve, preview, unmet
from .routes.proposal import propose
from .state import SavedRoutes


class RoutesApi:
    """Answers requests. `settle` acts on what a request changed in the router; `estop_info` returns
    the latch.
    """

    def __init__(
        self,
        router: Router,
        store: StateStore[SavedRoutes],
        parked: Iterable[Route],
        loaded: str,
        settle: Callable[[], None],
        estop_info: Callable[[], EStopInfo],
    ) -> None:
        self._router = router
        self._store = store
        self.loaded = loaded  # the name of the preset that the routes are
        self._parked = list(parked)  # saved routes that do not fit this robot: stored, not used
        self._settle = settle
        self._estop_info = estop_info
        self._editing = asyncio.Lock()

    def add_to(self, api: Api) -> Api:
        api.bind(routing.GET_STATUS, self.get_status)
        api.bind(routing.LIST_ROUTES, self.list_routes)
        api.bind(routing.REPLACE_ROUTES, self.replace_routes)
        api.bind(routing.CHECK_ROUTES, self.check_routes)
        api.bind(routing.SET_ROUTE, self.set_route)
        api.bind(routing.DELETE_ROUTE, self.delete_route)
        api.bind(routing.SET_ROUTE_ENABLED, self.set_route_enabled)
        api.bind(routing.SET_ROUTE_PRIORITY, self.set_route_priority)
        api.bind(routing.SET_BLENDING, self.set_blending)
        api.bind(routing.PREVIEW_ROUTE, self.preview_route)
        api.bind(routing.PREVIEW_CURVE, self.preview_curve)
        api.bind(routing.PROPOSE_MAPPING, self.propose_mapping)
        api.bind(routing.GET_OUTPUT, self.get_output)
        api.bind(routing.TAKE_CONTROL, self.take_control)
        api.bind(routing.RELEASE_CONTROL, self.release_control)
        return api

    async def get_status(self, _: Call[Nothing]) -> RouterStatus:
        return self._status()

    def _status(self) -> RouterStatus:
        return report.status(self._router, self._estop_info(), monotonic_s())

    async def list_routes(self, _: Call[Nothing]) -> RouteList:
        return self.listed()

    def listed(self) -> RouteList:
        """Return every route, the unused ones too."""
        routes = report.route_list(self._router, monotonic_s())
        routes += [
            RouteInfo(route=route, status="disabled", fault=self._fault(route))
            for route in self._parked
        ]
        return RouteList(routes=routes, blending=self._router.blending)

    def _fault(self, route: Route) -> str:
        """Return why a route is not used."""
        try:
            check(route, self._router.robot)
        except SaintError as err:
            return err.message
        return f"there are two routes {route.id!r}"

    async def replace_routes(self, call: Call[ReplaceRoutes]) -> RouteList:
        await self.replace_all(call.body.file, "", call.body.confirm)
        return self.listed()

    async def check_routes(self, call: Call[RouteFile]) -> Done:
        check_file(call.body, self._router.robot)
        return Done(message=f"{len(call.body.routes)} routes fit this robot")

    async def set_route(self, call: Call[SetRoute]) -> RouteInfo:
        route = call.body.route
        async with self._editing:
            routes = list(self._router.routes)
            at = next((i for i, each in enumerate(routes) if each.id == route.id), len(routes))
            routes[at : at + 1] = [route]
            parked = [each for each in self._parked if each.id != route.id]
            await self._apply(routes, parked, confirm=call.body.confirm)
        return self._info(route.id)

    async def delete_route(self, call: Call[RouteParams]) -> Done:
        name = call.body.route_id
        async with self._editing:
            self._check_known(name)
            routes = [route for route in self._router.routes if route.id != name]
            parked = [route for route in self._parked if route.id != name]
            await self._apply(routes, parked, confirm=call.body.confirm)
        return Done(message=f"route {name} is deleted")

    async def set_route_enabled(self, call: Call[RouteEnabled]) -> RouteInfo:
        return await self._change(call.body, {"enabled": call.body.enabled})

    async def set_route_priority(self, call: Call[RoutePriority]) -> RouteInfo:
        return await self._change(call.body, {"priority": call.body.priority})

    async def _change(self, request: RouteParams, change: dict[str, object]) -> RouteInfo:
        name = request.route_id
        async with self._editing:
            self._check_known(name)
            if any(route.id == name for route in self._parked):
                raise SaintError(
                    Code.REFUSED,
                    f"route {name} does not fit this robot and cannot be changed",
                    fix="Replace or delete it.",
                )
            routes = [
                route.model_copy(update=change) if route.id == name else route
                for route in self._router.routes
            ]
            await self._apply(routes, self._parked, confirm=request.confirm)
        return self._info(name)

    async def set_blending(self, call: Call[SetBlending]) -> Blending:
        async with self._editing:
            routes, parked = list(self._router.routes), self._parked
            await self._apply(routes, parked, call.body.blending, confirm=call.body.confirm)
        return self._router.blending

    async def replace_all(self, file: RouteFile, loaded: str, confirm: Collection[str]) -> None:
        """Replace all routes and their blending by those of a preset."""
        async with self._editing:
            await self._apply(file.routes, [], file.blending, loaded, confirm=confirm)

    def in_force(self) -> RouteFile:
        """Return the present routes and blending in the form of a preset."""
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
        """Check, store, then use the routes: after a restart they are the same. `confirm` names the
        stops that the change may remove.
        """
        blending = blending or self._router.blending
        file = RouteFile(routes=routes, blending=blending)
        check_file(file, self._router.robot)
        stops.change(self.in_force(), file).check(confirm)
        saved = SavedRoutes(routes=[*routes, *parked], blending=blending, loaded=loaded)
        await asyncio.to_thread(self._store.save, saved)
        self._parked, self.loaded = parked, loaded
        self._router.set_routes(routes, monotonic_s(), blending)
        self._settle()

    async def preview_route(self, call: Call[PreviewRoute]) -> RoutePreview:
        router, route = self._router, call.body.route
        found = preview(router.robot, route, call.body.values)
        now_unmet = unmet(route, router.sources.values(), monotonic_s())
        return found.model_copy(update={"unmet": now_unmet})

    async def preview_curve(self, call: Call[PreviewCurve]) -> MappingCurve:
        return curve(self._router.robot, call.body)

    async def propose_mapping(self, call: Call[ProposeMapping]) -> ProposedMapping:
        return propose(self._router.robot, call.body)

    async def get_output(self, call: Call[OutputParams]) -> FieldOutput:
        name = call.body.output
        outputs = {
            f"{output.target}.{output.field}": output
            for output in report.outputs(self._router, monotonic_s())
        }
        if name not in outputs:
            raise SaintError(Code.NOT_FOUND, f"there is no output {name!r}{hint(name, outputs)}")
        return outputs[name]

    async def take_control(self, call: Call[TakeControl]) -> RouterStatus:
        body = call.body
        self._router.take_control(
            *(body.target, body.holder, body.timeout_ms / 1000, monotonic_s()),
            takes_over=body.takeover,
        )
        self._settle()
        return self._status()

    async def release_control(self, call: Call[ReleaseControl]) -> RouterStatus:
        body = call.body
        self._router.release_control(body.target, body.holder, monotonic_s(), force=body.force)
        self._settle()
        return self._status()

    def _info(self, name: str) -> RouteInfo:
        infos = report.route_list(self._router, monotonic_s())
        return next(info for info in infos if info.route.id == name)

    def _check_known(self, name: str) -> None:
        known = [route.id for route in (*self._router.routes, *self._parked)]
        if name in known:
            return
        raise SaintError(Code.NOT_FOUND, f"there is no route {name!r}{hint(name, known)}")
