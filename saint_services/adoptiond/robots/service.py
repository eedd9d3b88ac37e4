"""Puts robots in force: checks a text whole, compares it with the robot that is in force, stores it
as a version, serves it to the nodes. Not here: the files (versions.py), requests (api.py).
"""

import asyncio
import base64
import binascii
import contextlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Protocol

from ...lib import log
from ...lib.api.robot import (
    ChangeRobot,
    RobotApplied,
    RobotDocument,
    RobotReview,
    RobotTemplate,
    RobotTemplates,
    RobotVersion,
    RobotVersions,
    UndoRobot,
)
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.health import Health
from ...lib.ipc import ChangeSignal
from ...lib.robot.changes import changed_roles, changes, news
from ...lib.robot.figure.archive import FigureFiles, received
from ...lib.robot.figure.robot_archive import opened_robot
from ...lib.robot.figure.store import named_figures
from ...lib.robot.manifest import RobotDescription
from ...lib.robot.placing import misplaced
from ...lib.robot.source import (
    FILE,
    LoadedRobot,
    RobotPlaces,
    checked,
    load_robot,
    mark_of,
    template_text,
)
from ...lib.role_config.full_version import full_version
from ...lib.role_config.power_on import switched_on
from ...lib.role_config.supply import overload
from ..adapters import catalog_of
from ..calibration_store import CalibrationStore
from ..registry import Catalog, Node, Registry, RoleKey
from .versions import SavedRobot, SavedVersion, VersionStore

_REST_S = 3.0  # a part that has just been released returns to its centre, and reports it
FIGURE = "figure"  # the subject of its health issues
_FROM_TEMPLATE = "template "
_log = log.get("adoptiond")


def from_template(name: str) -> str:
    """Return the note of a version that is a template."""
    return f"{_FROM_TEMPLATE}{name}"


class RoleHolders(Protocol):
    """The nodes of the robot, as the registry knows them."""

    registry: Registry
    changed: ChangeSignal  # of their reports

    @property
    def nodes(self) -> tuple[Node, ...]: ...

    async def refresh_role(self, key: RoleKey) -> str: ...

    def robot_changed(self) -> None: ...


class RobotService:
    """The robot in force and its versions."""

    def __init__(self, places: RobotPlaces, health: Health) -> None:
        self.places = places
        self._versions = VersionStore(places)
        self._health = health
        self._changing = asyncio.Lock()
        self._number = 0
        self._mark = ""
        self.loaded: LoadedRobot
        self._nodes: RoleHolders
        self._calibrations: CalibrationStore

    @property
    def robot(self) -> RobotDescription:
        return self.loaded.description

    def mark(self) -> str:
        """Return the mark of the robot in force (see mark_of)."""
        return self._mark

    def edition(self) -> str:
        """Return the edition of the robot in force (see LoadedRobot)."""
        return self.loaded.edition

    async def load(self) -> Catalog:
        """Load the robot in force; return its catalog. Raises config_invalid, config_missing."""
        self.loaded = await asyncio.to_thread(self._load)
        self._mark = self.loaded.mark
        if self.loaded.problem:
            self._health.raise_issue(Code.CONFIG_INVALID, self.loaded.problem, FILE)
        self._report_figure()
        return await asyncio.to_thread(catalog_of, self.places.manifests, self.robot)

    def _load(self) -> LoadedRobot:
        loaded = load_robot(self.places)
        if loaded.is_own:
            self._versions.open()
            if not loaded.problem:
                self._versions.keep_copy(loaded.text)
            self._number = self._number_of(loaded.text)
        return loaded

    def _number_of(self, text: str) -> int:
        found = (each.number for each in self._versions.all() if each.saved.text == text)
        return next(found, 0)

    def _report_figure(self) -> None:
        if problem := self.robot.figure.problem:
            self._health.raise_issue(Code.CONFIG_INVALID, problem, FIGURE)
        else:
            self._health.clear(Code.CONFIG_INVALID, FIGURE)

    def own_figure(self) -> FigureFiles | None:
        """Return the owner's figure in force; None for any other. Blocks."""
        digest = self.robot.figure.digest
        return self.places.figures.read(digest).files if digest else None

    def named_figures(self) -> set[str]:
        """Return the figures of all stored versions. Blocks."""
        texts = [each.saved.text for each in self._versions.all()]
        return {found for text in (*texts, self.loaded.text) for found in named_figures(text)}

    def attach(self, nodes: RoleHolders, calibrations: CalibrationStore) -> None:
        """Set who is notified of a change."""
        self._nodes, self._calibrations = nodes, calibrations

    def document(self) -> RobotDocument:
        """Return the robot in force."""
        loaded = self.loaded
        return self._shown(loaded.description, loaded.text, self._number, is_own=loaded.is_own)

    def _shown(
        self, robot: RobotDescription, text: str, number: int, *, is_own: bool
    ) -> RobotDocument:
        return RobotDocument(
            name=robot.manifest.name,
            text=text,
            version=number,
            is_own=is_own,
            template=self.places.template,
            problem=" ".join(filter(None, (self.loaded.problem, self.robot.figure.problem))),
        )

    async def template(self, name: str) -> RobotDocument:
        """Return a shipped robot. Raises not_found."""
        shipped = await asyncio.to_thread(lambda: self.places.shipped)
        if name not in shipped:
            known = ", ".join(shipped)
            raise SaintError(
                Code.NOT_FOUND, f"there is no template {name!r}", fix=f"There are {known}."
            )
        text = await asyncio.to_thread(template_text, self.places.manifests, name)
        return self._shown(await self._checked(text), text, 0, is_own=False)

    async def templates(
        self, shown: Callable[[str, str, RobotDescription], RobotTemplate]
    ) -> RobotTemplates:
        """Return every shipped robot."""
        names = await asyncio.to_thread(lambda: self.places.shipped)
        found = {name: (await self.template(name)).text for name in names}
        origin, before = await asyncio.to_thread(self._origin)
        views = []
        for name, text in found.items():
            robot = await self._checked(text)
            view = shown(name, text, robot)
            if name == origin and text != before:
                with contextlib.suppress(SaintError):  # it was of a release with other settings
                    gained = news(await self._checked(before), robot, self.robot)
                    view = view.model_copy(update={"news": gained})
            views.append(view)
        return RobotTemplates(templates=views)

    def _origin(self) -> tuple[str, str]:
        """Return the template that the owner's robot began with, and its text at that time; empty
        where that is not stored any more."""
        for each in self._versions.all() if self.loaded.is_own else ():
            if each.number <= self._number and each.saved.note.startswith(_FROM_TEMPLATE):
                return each.saved.note.removeprefix(_FROM_TEMPLATE), each.saved.text
        return "", ""

    def holders(self) -> dict[str, str]:
        """Return the node of each role that one holds."""
        return {_target(key): node.node_id for node in self._nodes.nodes for key in node.keys}

    def configurations(self) -> dict[str, str]:
        """Return the version of each role's configuration, as the role's node reports it."""
        served = self._calibrations.catalog.roles.values()
        return {each.config.target: full_version(each.config.version, each.text) for each in served}

    async def version(self, number: int) -> RobotDocument:
        """Return a stored version. Raises not_found."""
        found = await asyncio.to_thread(self._versions.read, number)
        return self._shown(
            await self._checked(found.saved.text), found.saved.text, number, is_own=True
        )

    async def versions(self) -> RobotVersions:
        """Return the stored versions, newest first."""
        stored = await asyncio.to_thread(self._versions.all)
        return RobotVersions(
            versions=[
                RobotVersion(
                    number=each.number,
                    note=each.saved.note,
                    person=each.saved.person,
                    saved=each.saved.saved,
                    is_in_force=each.number == self._number,
                )
                for each in stored
            ]
        )

    async def review_archive(self, archive: str) -> RobotReview:
        """Return what a robot's zip would change, in Base64; its figure is not stored."""
        try:
            text, figure = await asyncio.to_thread(_opened, archive)
        except SaintError as err:
            return RobotReview(changes=[], problem=err.message)
        return await self.review(text, figure)

    async def review(self, text: str, given: FigureFiles | None = None) -> RobotReview:
        """Return what a text would change, and what speaks against it. `given`: a figure that
        comes with it."""
        try:
            robot = await self._checked(text, given)
        except SaintError as err:
            return RobotReview(changes=[], problem=err.message)
        return RobotReview(
            changes=changes(self.robot, robot),
            refusal=self._refusal(robot, text),
            notes=self._notes(robot),
            warnings=self._warnings(robot),
        )

    async def change(
        self, wanted: ChangeRobot, person: str, edit: Callable[[LoadedRobot], str], note: str = ""
    ) -> RobotApplied:
        """Put the text that `edit` returns in force. Raises conflict when another version is in
        force than the one that was changed, config_invalid, refused; then nothing has changed.
        """
        async with self._changing:
            if wanted.base is not None and wanted.base != self._number:
                what = f"version {self._number} of the robot is in force, not {wanted.base}"
                raise SaintError(Code.CONFLICT, what, fix="Load the robot again, then repeat.")
            text = await asyncio.to_thread(edit, self.loaded)
            return await self._put_in_force(text, wanted.note or note, person)

    async def undo(self, wanted: UndoRobot, person: str) -> RobotApplied:
        """Return to an earlier version. Raises not_found without one."""
        number = wanted.number or await asyncio.to_thread(self._number_before)
        found = await asyncio.to_thread(self._versions.read, number)
        return await self.change(
            wanted, person, lambda _: found.saved.text, f"as version {number}: {found.saved.note}"
        )

    def _number_before(self) -> int:
        earlier = [number for number in self._versions.numbers() if number < self._number]
        if not earlier:
            text = "there is no earlier version of the robot"
            raise SaintError(Code.NOT_FOUND, text, fix="`saintctl robot versions` lists them.")
        return earlier[-1]

    def saved(self) -> SavedRobot:
        """Return the owner's robot for a backup. Blocks."""
        if not self.loaded.is_own:
            return SavedRobot()
        figure = self.own_figure()
        packed = base64.b64encode(figure.packed()).decode() if figure else ""
        return SavedRobot(text=self.loaded.text, figure=packed)

    async def unfit(self, saved: SavedRobot) -> list[str]:
        """Return what of a backup's robot would be skipped: nothing. Raises what is wrong with
        it."""
        if not saved.text:
            await self._refuse_template_while_live()
            return []
        files = await asyncio.to_thread(_figure_in, saved)
        robot = await self._checked(saved.text, files)
        await self._refuse_unless_possible(robot, saved.text)
        return []

    async def restore(self, saved: SavedRobot) -> None:
        """Put the robot of a backup in force; an empty one is the template."""
        async with self._changing:
            if files := await asyncio.to_thread(_figure_in, saved):
                await asyncio.to_thread(self.places.figures.add, files)
            if saved.text:
                await self._put_in_force(saved.text, "restored from a backup", "")
            elif self.loaded.is_own:
                await self._return_to_template()

    async def _return_to_template(self) -> None:
        """Forget the owner's robot, as a factory reset does. Raises refused."""
        await self._refuse_template_while_live()
        before = self.robot
        await asyncio.to_thread(self._versions.forget)
        self._calibrations.use_catalog(await self.load())
        await self._notify(changed_roles(before, self.robot))
        self._nodes.robot_changed()

    async def _refuse_template_while_live(self) -> None:
        if not self.loaded.is_own:
            return
        text = await asyncio.to_thread(template_text, self.places.manifests, self.places.template)
        await self._refuse_while_live(await self._checked(text))

    async def _put_in_force(self, text: str, note: str, person: str) -> RobotApplied:
        before, robot = self.robot, await self._checked(text)
        differences = changes(before, robot)
        if text == self.loaded.text:
            return RobotApplied(version=self._number, message="nothing has changed", changes=[])
        await self._refuse_unless_possible(robot, text)
        catalog = await asyncio.to_thread(catalog_of, self.places.manifests, robot)
        number = await asyncio.to_thread(self._store, text, note[:200], person)
        self.loaded, self._number = LoadedRobot(robot, text, is_own=True), number
        self._health.clear(Code.CONFIG_INVALID, FILE)
        self._report_figure()
        self._calibrations.use_catalog(catalog)
        _log.info("robot changed", version=number, note=note, changes=len(differences))
        message = await self._notify(changed_roles(before, robot))
        self._mark = self.loaded.mark
        self._nodes.robot_changed()  # last: webd, which passes the reply on, may start again
        known = self._warnings(before)
        return RobotApplied(
            version=number,
            message=message,
            changes=differences,
            warnings=[each for each in self._warnings(robot) if each not in known],
        )

    def _store(self, text: str, note: str, person: str) -> int:
        """Store a version and put it in force; the first one keeps what was there before."""
        self._versions.open()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        if not self._versions.numbers():
            is_own = self.loaded.is_own
            first = "as found on the disk" if is_own else from_template(self.places.template)
            self._versions.add(SavedVersion(note=first, saved=now, text=self.loaded.text))
        saved = SavedVersion(note=note, person=person, saved=now, text=text)
        number = self._versions.add(saved)
        self._versions.put_in_force(text)
        return number

    async def _notify(self, targets: set[str]) -> str:
        """Have the nodes of changed roles fetch their configuration."""
        said = []
        for target in sorted(targets & self.robot.roles.keys()):
            role = self.robot.roles[target]
            said.append(f"{target}: {await self._nodes.refresh_role(_key(role.target))}")
        return "; ".join(said) or "saved; no role has changed"

    async def _checked(self, text: str, given: FigureFiles | None = None) -> RobotDescription:
        return await asyncio.to_thread(
            checked, self.places.manifests, text, FILE, self.places.figures, given=given
        )

    async def _refuse_unless_possible(self, robot: RobotDescription, text: str) -> None:
        """Raise refused unless this robot can be put in force now, or within seconds."""
        if problem := self._misfit(robot, text):
            raise SaintError(Code.REFUSED, problem)
        await self._refuse_while_live(robot)

    async def _refuse_while_live(self, robot: RobotDescription) -> None:
        """Raise refused while outputs are live; wait for a moment until they rest."""
        end_s = monotonic_s() + _REST_S
        while problem := self._unrest(robot):
            left_s = end_s - monotonic_s()
            if left_s <= 0 or not any(map(_is_live, self._nodes.nodes)):
                raise SaintError(Code.REFUSED, problem)
            change = self._nodes.changed.next_change()
            await asyncio.wait({change}, timeout=left_s)
            change.cancel()

    def _refusal(self, robot: RobotDescription, text: str) -> str:
        """Return why this robot cannot be put in force now; empty when it can."""
        return self._misfit(robot, text) or self._unrest(robot)

    def _misfit(self, robot: RobotDescription, text: str) -> str:
        """Return why a node could not follow; empty when all could."""
        found = [_unfit(node, robot, text) for node in self._nodes.nodes]
        for node_id, wanted in self._nodes.registry.pending.items():
            if _target(wanted.key) not in robot.roles:
                what = f"{node_id} is just being adopted as {wanted.key}"
                found.append(f"{what}, which the robot would not have any more; repeat in a moment")
        return next(filter(None, found), "")

    def _unrest(self, robot: RobotDescription) -> str:
        """Return why a change of roles or outputs has to wait; empty when it need not."""
        if mark_of(robot) == self._mark:
            return ""
        if lost := [node.title for node in self._nodes.nodes if _is_lost_live(node)]:
            return (
                f"{', '.join(lost)} went offline while outputs were live, so nobody knows whether "
                "they rest; switch it on again, or forget it (saintctl node reset), then repeat"
            )
        if live := [node.title for node in self._nodes.nodes if _is_live(node)]:
            return (
                f"outputs of {', '.join(live)} are live, and a change of roles or outputs restarts "
                "the router; stop driving first, then repeat"
            )
        return ""

    def _warnings(self, robot: RobotDescription) -> list[str]:
        """Return what the owner should know: what each computer feeds, its roles by node, else by
        `nodes` of the robot, else each for itself; switches that are on without a role."""
        held = [list(_targets(node)) for node in self._nodes.nodes]
        groups = [*held, *robot.manifest.nodes.values()]
        placed = {target for group in groups for target in group}
        groups += [[target] for target in robot.roles if target not in placed]
        loads = (
            overload(robot.roles[target] for target in group if target in robot.roles)
            for group in groups
        )
        switches = (each for role in robot.roles.values() for each in switched_on(role))
        return list(dict.fromkeys(each for each in (*loads, *switches) if each))

    def _notes(self, robot: RobotDescription) -> list[str]:
        notes = [
            f"{target} opens its drivers again when its outputs are safe."
            for target in sorted(changed_roles(self.robot, robot) & robot.roles.keys())
            if target in self.robot.roles
        ]
        if mark_of(robot) != self._mark:
            notes.append("The router and the pages start again: nothing moves for a second or two.")
        return notes


def _opened(archive: str) -> tuple[str, FigureFiles | None]:
    """Return text and figure of a robot's zip. Raises config_invalid, too_large. Blocks."""
    try:
        text, figure = opened_robot(base64.b64decode(archive, validate=True))
    except binascii.Error as err:
        raise SaintError(Code.REQUEST_INVALID, "the archive is not Base64") from err
    return text, received(figure) if figure else None


def _figure_in(saved: SavedRobot) -> FigureFiles | None:
    """Return the figure of a backup, checked. Raises config_invalid."""
    if not saved.figure:
        return None
    try:
        return received(base64.b64decode(saved.figure, validate=True))
    except binascii.Error as err:
        raise SaintError(Code.CONFIG_INVALID, "the figure in the backup is not Base64") from err


def _key(target: str) -> RoleKey:
    role, _, instance = target.partition(".")
    return RoleKey(role, instance)


def _is_live(node: Node) -> bool:
    return node.is_online(monotonic_s()) and not node.outputs_safe


def _is_lost_live(node: Node) -> bool:
    """Return whether outputs were live in the last report of a node that is offline."""
    is_lost = node.seen_s is not None and not node.is_online(monotonic_s())
    return is_lost and not node.outputs_safe


def _targets(node: Node) -> Iterator[str]:
    return map(_target, node.keys)


def _target(key: RoleKey) -> str:
    return f"{key.role}.{key.instance}".strip(".")


def _unfit(node: Node, robot: RobotDescription, text: str) -> str:
    """Return why a node could not hold its roles any more; empty when it could."""
    held = {str(key): _target(key) for key in node.keys}
    for key, target in held.items():
        if target not in robot.roles:
            return (
                f"{node.title} holds {key}, which the robot would not have any more; "
                "release the role first"
            )
    problem = misplaced(robot, text, FILE, held.values(), node.pwm_channels)
    return f"{node.title} could not drive this robot: {problem}" if problem else ""
