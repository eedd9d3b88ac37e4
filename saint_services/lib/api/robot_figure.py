"""The robot's figure: the owner's URDF with its meshes, which of its joints shows which part, and
the robot with its figure as one file. Files travel in Base64. Not here: the robot (robot.py).
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ..access.levels import Level
from . import Reply, Request
from .endpoint import Nothing
from .robot import ROWS, Archive, ChangeRobot, RobotApplied, Target

Digest = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{16})?$")]
Joint = Annotated[str, StringConstraints(max_length=200)]
_SET_S = 20.0  # nodes are notified one after the other


class FigureJoint(Reply):
    """A joint of a model that may show a part."""

    name: str
    kind: str  # "revolute", "continuous", "prismatic"
    lower: float  # rad or m; both 0 without limits
    upper: float


class FigureShows(Reply):
    """A part that a joint may show."""

    target: str
    name: str
    unit: str  # empty: a motor
    limits: list[float]
    joint: str  # in force, or proposed by likeness of the names; empty: none
    note: str = ""  # how the joint narrows the part


class RobotFigure(Reply):
    """A figure: the one in force, or one that was uploaded."""

    kind: Literal["generated", "own", "shipped"]
    digest: str = ""  # of the owner's, by which the robot's text names it
    is_in_force: bool
    model: str  # path of its URDF for pages
    name: str  # of the URDF
    links: int
    triangles: int
    bytes: int
    shapes: int  # simple collision shapes; without them nothing is kept clear
    problem: str = ""  # why it is not the one that the robot names
    joints: list[FigureJoint]
    parts: list[FigureShows]


class FigureParams(Request):
    """A figure."""

    digest: Digest = Field(default="", description="Its checksum. Default: the one in force.")


class AddFigure(Request):
    """A figure to store."""

    archive: Archive = Field(description="A URDF, or a zip of a URDF and its meshes, in Base64.")


class SetFigure(ChangeRobot):
    """A stored figure to put in force."""

    digest: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")] = Field(
        description="Its checksum, as `add_figure` replies it."
    )
    joints: dict[Target, dict[str, Joint]] | None = Field(
        default=None,
        description="Which joint shows which part: role, part, joint. Default: by their names.",
    )


class RemoveFigure(ChangeRobot):
    """Return to the figure that is made of the parts."""


class RobotArchive(Reply):
    """The robot and its figure in one zip."""

    name: str
    archive: str  # Base64


class OpenArchive(Request):
    """A zip of a robot and its figure, as `robot export` writes it."""

    archive: Archive = Field(description="The zip in Base64.")


class OpenedArchive(Reply):
    """What a zip of a robot holds. Its figure is stored, its text is not in force."""

    text: str
    digest: str = ""  # of its figure


# fmt: off
GET_FIGURE = ROWS.row(
    "figure", "GET", "/robot/figure", FigureParams, RobotFigure,
    "Get the robot's figure: its joints, and which part each shows or might show.",
)
ADD_FIGURE = ROWS.row(
    "add_figure", "POST", "/robot/figures", AddFigure, RobotFigure,
    "Check and store a figure, which is not in force yet.",
    level=Level.ADMIN, limit_s=_SET_S,
    log=lambda _, reply: f"Figure {reply.digest} was uploaded",
)
SET_FIGURE = ROWS.row(
    "set_figure", "PUT", "/robot/figure", SetFigure, RobotApplied,
    "Put a stored figure in force, as a new version of the robot.",
    level=Level.ADMIN, limit_s=_SET_S, log="Robot's figure set to {digest}",
)
REMOVE_FIGURE = ROWS.row(
    "remove_figure", "DELETE", "/robot/figure", RemoveFigure, RobotApplied,
    "Return to the figure that is made of the parts, as a new version of the robot.",
    level=Level.ADMIN, limit_s=_SET_S, log="Robot's figure was removed",
)
EXPORT_ARCHIVE = ROWS.row(
    "archive", "GET", "/robot/archive", Nothing, RobotArchive,
    "Get the robot in force with its figure as one zip.",
)
OPEN_ARCHIVE = ROWS.row(
    "open_archive", "POST", "/robot/archive", OpenArchive, OpenedArchive,
    "Store the figure of a robot's zip, and return its text, which is not in force yet.",
    level=Level.ADMIN, limit_s=_SET_S, log="A robot's zip was opened",
)
