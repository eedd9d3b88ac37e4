"""Finds the figure of a robot: the owner's, a shipped one, or one that is generated of the parts.
A stored figure that is damaged, or fits the robot no more, is replaced by its last good copy or by
a generated one; `problem` says so. Not here: how one is made (generated.py) or stored (store.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ...errors import Code, SaintError
from ...role_config.model import RoleConfig
from .. import urdf
from ..shipped_files import below
from ..urdf import UrdfModel
from .bindings import ShownRobot, check_joints
from .builder import Joints
from .generated import generate
from .store import FigureStore, StoredFigure

if TYPE_CHECKING:
    from .archive import FigureFiles

FigureKind = Literal["generated", "own", "shipped"]
FILE = "figure.urdf"  # of a figure that no shipped file holds


@dataclass(frozen=True, slots=True)
class Figure:
    """The model that page, ROS and kinematics show, parsed once."""

    kind: FigureKind
    text: str  # URDF
    model: UrdfModel
    joints: Joints  # which joint shows which part
    path: Path | None = None  # of a shipped one
    digest: str = ""  # of the owner's
    problem: str = ""  # why it is not the one that the robot names

    @property
    def is_generated(self) -> bool:
        """Whether its sizes are invented: nothing is kept clear by it, no hand moved by it."""
        return self.kind == "generated"

    @property
    def file(self) -> str:
        """Its file's name, as pages request it."""
        return self.path.name if self.path else FILE


def figure_of(
    manifests: Path,
    manifest: ShownRobot,
    roles: Mapping[str, RoleConfig],
    figures: FigureStore | None = None,
    *,
    may_stand_in: bool = False,
    given: "FigureFiles | None" = None,
) -> Figure:
    """Return the figure of a robot. One that is wrong raises config_invalid or config_missing, or
    is replaced. Blocks.
    """
    if manifest.urdf:
        return _shipped(manifests, manifest, roles)
    if not manifest.figure:
        return generated_figure(manifest, roles)
    try:
        return _own(manifest, roles, _stored(manifest.figure, figures, given))
    except SaintError as err:
        if not may_stand_in:
            raise
        problem = f"{err.message}. A figure made of the parts is shown instead"
        return replace(generated_figure(manifest, roles), problem=problem)


def generated_figure(manifest: ShownRobot, roles: Mapping[str, RoleConfig]) -> Figure:
    """Return the figure that is made of a robot's parts."""
    made = generate(manifest.name, roles)
    model = urdf.parse(made.text.encode(), FILE)
    return Figure("generated", made.text, model, made.joints)


def _shipped(manifests: Path, manifest: ShownRobot, roles: Mapping[str, RoleConfig]) -> Figure:
    path = below(manifests, manifest.urdf)
    data = urdf.read(path)
    model = urdf.parse(data, str(path))
    check_joints(manifest, roles, model, str(path))
    return Figure("shipped", data.decode(), model, _named(manifest), path=path)


def _stored(digest: str, figures: FigureStore | None, given: "FigureFiles | None") -> StoredFigure:
    if given and given.digest == digest:
        return StoredFigure(given)
    if figures is None:
        raise SaintError(Code.CONFIG_MISSING, f"figure {digest} is not stored on this robot")
    return figures.read(digest)


def _own(manifest: ShownRobot, roles: Mapping[str, RoleConfig], found: StoredFigure) -> Figure:
    name = f"figure {manifest.figure}"
    model = urdf.parse(found.files.urdf, name)
    check_joints(manifest, roles, model, name, may_narrow=True)
    text, joints = found.files.urdf.decode(), _named(manifest)
    return Figure("own", text, model, joints, digest=manifest.figure, problem=found.problem)


def _named(manifest: ShownRobot) -> Joints:
    return {entry.target: dict(entry.joints) for entry in manifest.roles if entry.joints}
