"""The routes of the fake robot: routerd's own answers about routes and presets, on a router that no
sample reaches. Not here: outputs and their sources (robot.py simulates them), the e-stop.
"""

from pathlib import Path

from saint_services.lib.api.routing import EStopInfo, Route
from saint_services.lib.clock import monotonic_s
from saint_services.lib.ipc import Api
from saint_services.lib.stall import StallWatch
from saint_services.routerd.adapters import PresetStore, load_robot, load_start
from saint_services.routerd.api import RoutesApi
from saint_services.routerd.faces.api import FacesApi
from saint_services.routerd.fields.masters_api import MastersApi
from saint_services.routerd.logic import Router
from saint_services.routerd.report import estop_info
from saint_services.routerd.routes.presets_api import PresetsApi
from saint_services.routerd.sequences.api import SequencesApi
from saint_services.routerd.sequences.store import SequenceStore
from saint_services.routerd.state import routes_store


class FakeRouter:
    """Begins with the shipped routes; keeps what is saved in `folder`. Making one blocks."""

    def __init__(self, share: Path, folder: Path, template: str = "saint") -> None:
        robot = load_robot(share, template)
        file = load_start(share, "default", robot)
        self._router = Router(robot, file.routes, blending=file.blending)
        store = routes_store(folder)
        store.load()
        self._control = RoutesApi(self._router, store, [], "default", lambda: None, self._estop)
        self.sequences = SequencesApi(
            self._router, SequenceStore(folder), StallWatch(1.0), lambda: None
        )
        self._presets = PresetsApi(self._control, PresetStore(share, folder), robot)

    def _estop(self) -> EStopInfo:
        return estop_info(self._router.latch, "")

    def add_to(self, api: Api) -> Api:
        """After the fake's own paths, which come first."""
        FacesApi(self._router).add_to(api)
        MastersApi(self._router, StallWatch(1.0), lambda: None).add_to(api)
        self.sequences.add_to(api)
        return self._presets.add_to(self._control.add_to(api))

    @property
    def real(self) -> Router:
        """The router itself."""
        return self._router

    def route(self, name: str) -> Route | None:
        """As it is in force."""
        return next((each for each in self._router.routes if each.id == name), None)

    def names(self) -> list[str]:
        """The routes in force."""
        return [each.id for each in self._router.routes]

    def holders(self) -> dict[str, str]:
        """Who has exclusive control, by target."""
        return {target: lock.holder for target, lock in self._router.locks.held.items()}

    def take(self, target: str, holder: str) -> None:
        """Give a source exclusive control."""
        self._router.take_control(target, holder, 60.0, monotonic_s())
