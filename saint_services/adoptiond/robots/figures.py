"""Serves the robot's figure: stores an uploaded one, shows which joint shows or might show which
part, puts one in force as a version of the robot, and packs robot and figure into one file. Not
here: the robot's versions (service.py).
"""

import asyncio
import base64
import binascii
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from ...lib.api.robot import RobotApplied
from ...lib.api.robot_figure import (
    FigureJoint,
    FigureShows,
    OpenedArchive,
    RemoveFigure,
    RobotArchive,
    RobotFigure,
    SetFigure,
)
from ...lib.errors import Code, SaintError
from ...lib.robot import urdf
from ...lib.robot.figure.archive import FigureFiles, check_figure, received
from ...lib.robot.figure.bindings import bindable, misfit, narrowing, proposed
from ...lib.robot.figure.builder import Joints
from ...lib.robot.figure.figure import FILE
from ...lib.robot.figure.robot_archive import opened_robot, packed_robot
from ...lib.robot.urdf import UrdfModel
from ...lib.role_config.model import RoleConfig
from .figure_edits import with_figure, without_figure
from .service import RobotService

MODEL_PATH = "/api/robot/model/"  # served by webd
MOST_WAITING = 4  # uploaded figures that no version names: the newest
T = TypeVar("T")


class FigureService:
    """The figures of the robot."""

    def __init__(self, robots: RobotService) -> None:
        self._robots = robots
        self._store = robots.places.figures
        self._adding = asyncio.Lock()

    async def show(self, digest: str) -> RobotFigure:
        """Return a stored figure, or the one in force. Raises config_missing, config_invalid."""
        figure = self._robots.robot.figure
        if digest and digest != figure.digest:
            return await _off_loop(lambda: self._uploaded(digest))
        return await _off_loop(self._in_force)

    async def add(self, archive: str) -> RobotFigure:
        """Check and store a figure. Raises config_invalid or too_large, and stores nothing."""
        files = await _off_loop(lambda: received(_decoded(archive)))
        async with self._adding:
            digest = await _off_loop(lambda: self._store.add(files))
            await _off_loop(lambda: self._tidy(digest))
        return await self.show(digest)

    async def put_in_force(self, wanted: SetFigure, person: str) -> RobotApplied:
        """Put a stored figure in force. Raises what `RobotService.change` raises."""
        files = (await _off_loop(lambda: self._store.read(wanted.digest))).files
        model = urdf.parse(files.urdf, files.name)
        robot = self._robots.robot
        joints = wanted.joints if wanted.joints is not None else self._likely(model)
        return await self._robots.change(
            wanted,
            person,
            lambda loaded: with_figure(loaded.text, robot, wanted.digest, model, joints),
            f"figure {files.name}",
        )

    async def remove(self, wanted: RemoveFigure, person: str) -> RobotApplied:
        """Return to the figure that is made of the parts."""
        return await self._robots.change(
            wanted,
            person,
            lambda loaded: without_figure(loaded.text, loaded.description),
            "figure made of the parts",
        )

    async def archive(self) -> RobotArchive:
        """Return the robot with its figure as one file."""
        loaded = self._robots.loaded
        raw = await _off_loop(lambda: packed_robot(loaded.text, self._robots.own_figure()))
        name = loaded.description.manifest.name
        return RobotArchive(name=name, archive=base64.b64encode(raw).decode())

    async def open_archive(self, archive: str) -> OpenedArchive:
        """Store the figure of a robot's file, and return its text."""
        text, figure = await _off_loop(lambda: opened_robot(_decoded(archive)))
        if not figure:
            return OpenedArchive(text=text)
        added = await self.add(base64.b64encode(figure).decode())
        return OpenedArchive(text=text, digest=added.digest)

    def _tidy(self, digest: str) -> None:
        """Forget figures that no version names, but for the newest."""
        kept = {*self._robots.named_figures(), digest}
        waiting = [each for each in self._store.digests() if each not in kept]
        for each in waiting[: max(0, len(waiting) - MOST_WAITING + 1)]:
            self._store.forget(each)

    def _in_force(self) -> RobotFigure:
        robot = self._robots.robot
        figure = robot.figure
        files = self._robots.own_figure() if figure.digest else None
        return RobotFigure(
            kind=figure.kind,
            digest=figure.digest,
            is_in_force=True,
            model=_path_of(figure.digest) if files else f"{MODEL_PATH}{figure.file}",
            name=files.name if files else figure.file,
            links=len(figure.model.links),
            triangles=_triangles(files),
            bytes=len(files.packed()) if files else len(figure.text),
            shapes=_shapes(figure.model),
            problem=figure.problem,
            joints=_joints(figure.model),
            parts=list(_shown(robot.roles, figure.model, figure.joints)),
        )

    def _uploaded(self, digest: str) -> RobotFigure:
        files = self._store.read(digest).files
        model = urdf.parse(files.urdf, files.name)
        return RobotFigure(
            kind="own",
            digest=digest,
            is_in_force=False,
            model=_path_of(digest),
            name=files.name,
            links=len(model.links),
            triangles=_triangles(files),
            bytes=len(files.packed()),
            shapes=_shapes(model),
            joints=_joints(model),
            parts=list(_shown(self._robots.robot.roles, model, self._likely(model))),
        )

    def _likely(self, model: UrdfModel) -> Joints:
        """Return the joints that the robot names and the model has, else those of like names."""
        robot = self._robots.robot
        found = proposed(model, robot.roles)
        for target, joints in robot.figure.joints.items():
            for name, joint in joints.items():
                role = robot.roles[target]
                if not misfit(role, name, joint, model, "", may_narrow=True):
                    _take(found, target, name, joint)
        return found


def _path_of(digest: str) -> str:
    """Return the path of an owner's figure: the same before and after it is in force."""
    return f"{MODEL_PATH}figures/{digest}/{FILE}"


def _take(joints: Joints, target: str, name: str, joint: str) -> None:
    """Have a joint show a part, and no other."""
    for shown in joints.values():
        for each in [each for each, given in shown.items() if given == joint]:
            del shown[each]
    joints.setdefault(target, {})[name] = joint


def _shown(
    roles: Mapping[str, RoleConfig], model: UrdfModel, joints: Joints
) -> Iterator[FigureShows]:
    for part in bindable(roles):
        joint = joints.get(part.target, {}).get(part.name, "")
        yield FigureShows(
            target=part.target,
            name=part.name,
            unit=part.spec.unit if part.spec else "",
            limits=list(part.spec.limits) if part.spec else [],
            joint=joint,
            note=narrowing(part.spec, model.joints[joint]) if part.spec and joint else "",
        )


def _joints(model: UrdfModel) -> list[FigureJoint]:
    return [
        FigureJoint(name=each.name, kind=each.kind, lower=each.lower, upper=each.upper)
        for each in model.joints.values()
        if each.kind != "fixed" and not each.mimics
    ]


def _triangles(files: FigureFiles | None) -> int:
    return check_figure(files) if files else 0


def _shapes(model: UrdfModel) -> int:
    return sum(shape.kind != "mesh" for shapes in model.shapes.values() for shape in shapes)


def _decoded(archive: str) -> bytes:
    try:
        return base64.b64decode(archive, validate=True)
    except (binascii.Error, ValueError) as err:
        raise SaintError(Code.REQUEST_INVALID, "the archive is not Base64") from err


async def _off_loop(work: Callable[[], T]) -> T:
    return await asyncio.to_thread(work)
