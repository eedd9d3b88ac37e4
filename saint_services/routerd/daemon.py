"""Starts routerd: reads the robot, the routes and the stored e-stop, and connects the parts. Not
here: samples and commands (wiring.py), any rule.
"""

import asyncio
from functools import partial
from pathlib import Path

from ..lib import log
from ..lib.api.routing import Blending, Route, RouteFile
from ..lib.bus.open import is_unproven_bus_accepted
from ..lib.clock import wall_s
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.ipc import Api, Client
from ..lib.robot.restart import restart_when_changed
from ..lib.robot.source import RobotPlaces
from . import adapters, state
from .api import RoutesApi
from .backup import RouterBackup
from .config import Config
from .credential import publish_credential
from .drill.api import DrillApi, drills_store
from .estop.api import EStopApi
from .estop.latch import Latch, raised, stamped
from .estop.latch_file import LatchFile
from .estop.latch_start import SOURCE, after_start, leave_marker
from .estop.latch_store import LatchStore
from .estop.proven_roles import ProvenRoles
from .faces.api import FacesApi
from .fields.masters_api import MastersApi
from .fields.targets import RobotTargets
from .inputs.neighbours import Neighbours, WriterAnnouncements
from .inputs.writers import InputWriters, WriterRegistration
from .logic import Router
from .routes.checks import check, check_file
from .routes.presets_api import PresetsApi
from .sequences.api import SequencesApi
from .sequences.backup import SequencesBackup
from .sequences.store import SequenceStore
from .status_publisher import StatusPublisher
from .wagon_api import WagonApi
from .wiring import Wiring, iso_now

_log = log.get("routerd")


async def run(context: Context[Config]) -> None:
    """Run the daemon until stopped."""
    share, folder = context.directories.share, context.directories.state
    places = RobotPlaces.of(context.directories, context.config.robot)
    robot, mark = await asyncio.to_thread(adapters.load_robot_in_force, places)
    preset = await asyncio.to_thread(adapters.load_start, share, context.config.preset, robot)
    try:
        check_file(preset, robot)
    except SaintError as err:
        raise SaintError(Code.CONFIG_INVALID, f"{context.config.preset}: {err.message}") from err
    routes_store = state.routes_store(folder)
    latch, store = await _begun_latch(context, folder)
    saved = await asyncio.to_thread(routes_store.load)
    if routes_store.problem:
        context.health.raise_issue(routes_store.problem.code, routes_store.problem.message)
    routes, parked = _fitting_routes(context, saved.routes, preset.routes, robot)
    blending = preset.blending if saved.routes is None else _fitting_blending(context, saved, robot)
    router = Router(robot, routes, latch, blending)
    bus = await context.open_bus()
    is_accepted = is_unproven_bus_accepted(bus.origin)
    writers = InputWriters(is_unnamed_accepted=is_accepted)
    adoptiond = Client(context.directories.runtime / "adoptiond.sock")
    proven = ProvenRoles(bus, adoptiond, is_unnamed_accepted=is_accepted)
    writers.is_role = proven.is_role
    neighbours = Neighbours(bus.origin)
    announcements = WriterAnnouncements(bus, neighbours)
    wiring = Wiring(bus, router, store, writers, proven, neighbours, adoptiond)
    wiring.confirmations.on_robot = restart_when_changed(context, places, mark)
    loaded = context.config.preset if saved.routes is None else saved.loaded
    control = RoutesApi(router, routes_store, parked, loaded, wiring.settle, wiring.estop_info)
    presets = adapters.PresetStore(share, folder)
    api = PresetsApi(control, presets, robot).add_to(control.add_to(Api()))
    FacesApi(router).add_to(api)
    WagonApi(bus, router, proven, wiring.stalls).add_to(api)
    MastersApi(router, wiring.stalls, wiring.settle).add_to(api)
    sequences = SequenceStore(folder)
    kept = (context.config.preset, SequencesBackup(sequences).section())
    RouterBackup(control, presets, robot, preset, *kept).backup().add_to(api)
    announce = partial(_writer_changed, announcements)
    WriterRegistration(writers, announce, bus.origin).add_to(api)
    EStopApi(router, store, wiring.clearing, wiring.confirmations, wiring.settle).add_to(api)
    played = SequencesApi(router, sequences, wiring.stalls, wiring.settle)
    played.add_to(api)
    stored = drills_store(folder)
    drills = DrillApi(router, wiring.confirmations, adoptiond, stored, context.health, iso_now)
    await drills.load()
    drills.add_to(api)
    await context.serve_ipc(api)
    context.spawn(proven.work(), "proven roles")
    context.spawn(wiring.confirmations.work(), "confirmations")
    context.spawn(publish_credential(bus, adoptiond, context.health), "credential")
    context.spawn(wiring.beat(), "heartbeat")
    context.spawn(StatusPublisher(bus, router).work(), "status")
    context.spawn(store.work(), "latch")
    context.spawn(played.work(), "sequences")
    context.spawn(wiring.console.work(), "console")
    context.ready(f"{len(routes)} routes")
    await context.stopping.wait()
    wiring.close()
    await store.save()


async def _begun_latch(context: Context[Config], folder: Path) -> tuple[Latch, LatchStore]:
    """Return the latch to begin with, and its store."""
    start = await asyncio.to_thread(after_start, folder, int(wall_s()))
    latch = stamped(start.latch, iso_now())
    if start.doubt:
        _log.warning("the stored e-stop is in doubt: the robot starts stopped", reason=start.doubt)
    store = LatchStore(context.health, LatchFile(folder), latch)
    if not await store.save():  # a robot that cannot remember a stop must not drive
        latch = stamped(raised(latch, SOURCE, store.problem, is_repeat=True), iso_now())
        store.put(latch)
    await asyncio.to_thread(leave_marker, folder, latch)
    return latch, store


def _writer_changed(
    announcements: WriterAnnouncements, daemon: str, origin: str, is_there: bool
) -> None:
    announcements.changed(origin, is_there)
    _log.info(
        "input writer registered" if is_there else "input writer left", daemon=daemon, origin=origin
    )


def _fitting_routes(
    context: Context[Config], saved: list[Route] | None, preset: list[Route], robot: RobotTargets
) -> tuple[list[Route], list[Route]]:
    """Return the routes to use, and saved ones that do not fit this robot and stay unused."""
    if saved is None:
        return preset, []
    sound: list[Route] = []
    parked: list[Route] = []
    for route in saved:
        try:
            if any(route.id == each.id for each in sound):
                raise SaintError(Code.CONFIG_INVALID, f"there are two routes {route.id!r}")
            check(route, robot)
            sound.append(route)
        except SaintError as err:
            parked.append(route)
            text = f"routes.yaml: {err.message}"
            context.health.raise_issue(Code.CONFIG_INVALID, text, f"route {route.id}")
    return sound, parked


def _fitting_blending(
    context: Context[Config], saved: state.SavedRoutes, robot: RobotTargets
) -> Blending:
    """Return the saved blending without fields that this robot does not have."""
    try:
        check_file(RouteFile(blending=saved.blending), robot)
    except SaintError as err:
        text = f"routes.yaml: {err.message}"
        context.health.raise_issue(Code.CONFIG_INVALID, text, "blending")
        return saved.blending.model_copy(update={"fields": {}})
    return saved.blending
