"""The owner's robot: its roles, parts, pins and limits as one text that is checked whole, kept in
versions and put in force by adoptiond.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ..access.levels import Level
from . import Reply, Request
from .endpoint import Nothing, Rows
from .hardware import PinUse

MOST_PARTS = 300
LONGEST_TEXT = 48 * 1024  # as many parts; fits into a message of webd's WebSocket
Target = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+)?$")]
PartName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,47}$")]
Note = Annotated[str, StringConstraints(max_length=120, strip_whitespace=True)]
Value = bool | int | float | str | list[int | float | str] | None


class RobotDocument(Reply):
    """A robot as text (YAML), and where it comes from."""

    name: str
    text: str
    version: int  # 0: a shipped template, or a text that was edited on the disk
    is_own: bool  # False: the shipped template that the settings name
    template: str  # that template
    problem: str = ""  # why the last good copy is in force instead of the file


class RobotText(Request):
    """A robot's text."""

    text: str = Field(max_length=LONGEST_TEXT, description="The whole robot in YAML.")


MOST_BASE64 = 880_000  # of an archive: leaves room in the 1 MiB of a request
Archive = Annotated[str, StringConstraints(max_length=MOST_BASE64)]


class CheckRobot(Request):
    """A robot to check: its text, or a zip of it and its figure."""

    text: str = Field(default="", max_length=LONGEST_TEXT, description="The robot in YAML.")
    archive: Archive = Field(
        default="", description="Instead of the text: a zip as `robot export` writes it, in Base64."
    )


class ChangeRobot(Request):
    """A change of the robot."""

    note: Note = Field(default="", description="What the change is for, for the list of versions.")
    base: int | None = Field(
        default=None,
        description="The version that was changed; refused when another one is in force by now.",
    )


class ApplyRobot(ChangeRobot, RobotText):
    """A text to put in force."""


class RobotReview(Reply):
    """What a text would change, in words, and what speaks against it."""

    changes: list[str]
    problem: str = ""  # the fault with file, line and key; empty for a sound text
    refusal: str = ""  # why a sound text cannot be put in force now
    notes: list[str] = []  # what follows: a restart of the router, roles that open again
    warnings: list[str] = []  # what may not work, but is the owner's to judge


class RobotApplied(Reply):
    """A robot that is in force; nodes follow when their outputs are safe."""

    version: int
    message: str
    changes: list[str]
    warnings: list[str] = []  # those of a review that are new with this change


class RobotVersion(Reply):
    """A stored version of the robot."""

    number: int
    note: str
    person: str
    saved: str  # ISO 8601, UTC
    is_in_force: bool


class RobotVersions(Reply):
    """The stored versions, newest first."""

    versions: list[RobotVersion]


class VersionParams(Request):
    """A stored version."""

    number: int = Field(ge=1, description="Number of the version.")


class UndoRobot(ChangeRobot):
    """Return to an earlier version."""

    number: int = Field(
        default=0, ge=0, description="Version to return to. Default: the one before."
    )


class RobotTemplate(Reply):
    """A robot that is shipped with the release."""

    name: str
    about: str  # its first comment
    roles: list[str]  # targets
    parts: int
    news: list[str] = []  # what it has gained since the robot in force began with it


class RobotTemplates(Reply):
    """The shipped robots."""

    templates: list[RobotTemplate]


class TemplateParams(Request):
    """A shipped robot."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$", description="Name of the template.")


class UseTemplate(ChangeRobot, TemplateParams):
    """Start from a shipped robot."""


class RobotPart(Reply):
    """An output or a device of a role, with the place it is connected to."""

    target: str  # role, as in routes: "head", "parts.face"
    name: str
    kind: str  # type in gpio_mapping, or driver of a device
    place: str  # "GPIO12", "channel 3 of face (0x40 on I2C 1)"
    node_id: str = ""  # the node that holds the role; empty: none
    unit: str = ""
    limits: list[float] = []  # empty for what nothing drives
    output: dict[str, Value | dict[str, float]] = {}  # its entry in `fields`
    hardware: dict[str, Value] = {}  # its entry in `gpio_mapping` or a list of devices
    pins: list[PinUse] = []  # of the header, those of its bus included


class PartSetting(Reply):
    """A setting of a part, with its range."""

    name: str
    form: Literal["number", "whole", "switch", "choice", "text", "list"]
    unit: str = ""  # empty: none, or that of the output
    least: float | None = None
    most: float | None = None
    is_above: bool = False  # above `least`, which itself is too small
    is_below: bool = False  # below `most`
    choices: list[str] = []
    usual: Value = None  # without the setting
    is_needed: bool = False


class PartKind(Reply):
    """A kind of hardware that a part may be."""

    kind: str  # type in gpio_mapping, or driver of a device
    title: str
    group: Literal[
        "gpio_mapping", "i2c_devices", "spi_devices", "serial_devices", "can_devices", "sound"
    ]
    drives: str = ""  # kind of its output; empty: none
    settings: list[PartSetting]
    output: dict[str, Value] = {}  # what its output begins with


class HeaderPlace(Reply):
    """One of the 40 pins."""

    number: int
    name: str  # "3V3", "GND", "GPIO17"
    bcm: int | None
    function: Literal["power", "ground", "gpio"]
    alternates: list[str]  # other functions: "PWM0", "I2C1 SDA"


class RobotCatalog(Reply):
    """What a robot is made of: kinds of parts, settings of outputs, the header."""

    kinds: list[PartKind]
    output: list[PartSetting]
    header: list[HeaderPlace]


class RobotParts(Reply):
    """All parts of the robot. A role follows a change when its outputs are safe: then its node
    reports the version that is in `configurations`.
    """

    version: int
    parts: list[RobotPart]
    configurations: dict[str, str] = {}  # of each role: the version as its node reports it


class PartParams(Request):
    """A part of a role."""

    target: Target = Field(description="Role as in routes, e.g. head or parts.face.")
    name: PartName = Field(description="Name of the part, e.g. brow_left.")


class PartEdit(PartParams):
    """A part to add or to change: only the named settings change, an empty one is removed."""

    output: dict[str, Value] = Field(
        default={}, description="Settings of its output: unit, limits, max_rate, on_loss, ..."
    )
    hardware: dict[str, Value] = Field(
        default={},
        description="Settings of its hardware: type, pin, device, channel, ...",
    )
    rename: str = Field(default="", max_length=48, description="New name of the part.")

    @property
    def full_name(self) -> str:
        """Return role and part: "head.pan"."""
        return f"{self.target}.{self.name}"


class SetPart(ChangeRobot, PartEdit):
    """Add a part or change it."""


class SetParts(ChangeRobot):
    """Add or change several parts; whole, or not at all."""

    parts: list[PartEdit] = Field(
        min_length=1, max_length=MOST_PARTS, description="The parts, each once."
    )

    @property
    def names(self) -> str:
        """Return the parts in a sentence: "Parts head.pan, head.tilt were"."""
        names = ", ".join(each.full_name for each in self.parts)
        return f"Part {names} was" if len(self.parts) == 1 else f"Parts {names} were"


class RemovePart(ChangeRobot, PartParams):
    """Remove a part of a role."""


def _noted(params: ChangeRobot) -> str:
    return f": {params.note}" if params.note else ""


ROWS = Rows("robot", "adoptiond")
_row = ROWS.row
_PART = "/robot/parts/{target}/{name}"
_CHANGE_S = 20.0  # nodes are notified one after the other, 3 s each at most

# fmt: off
GET_ROBOT = _row(
    "get", "GET", "/robot", Nothing, RobotDocument, "Get the robot in force as text.",
)
CHECK_ROBOT = _row(
    "check", "POST", "/robot/check", CheckRobot, RobotReview,
    "Check a robot's text, or its zip, and list what it would change; nothing is stored.",
)
APPLY_ROBOT = _row(
    "apply", "PUT", "/robot", ApplyRobot, RobotApplied,
    "Put a robot's text in force; nodes follow when their outputs are safe.",
    level=Level.ADMIN, limit_s=_CHANGE_S,
    log=lambda params, reply: f"Robot changed to version {reply.version}{_noted(params)}",
)
LIST_VERSIONS = _row(
    "versions", "GET", "/robot/versions", Nothing, RobotVersions, "List the stored versions.",
)
GET_VERSION = _row(
    "version", "GET", "/robot/versions/{number}", VersionParams, RobotDocument,
    "Get a stored version as text.",
)
UNDO_ROBOT = _row(
    "undo", "POST", "/robot/undo", UndoRobot, RobotApplied,
    "Return to an earlier version, as a new one.",
    level=Level.ADMIN, limit_s=_CHANGE_S,
    log=lambda params, reply: f"Robot returned to an earlier version, now {reply.version}",
)
LIST_TEMPLATES = _row(
    "templates", "GET", "/robot/templates", Nothing, RobotTemplates,
    "List the robots that are shipped with the release.",
)
GET_TEMPLATE = _row(
    "template", "GET", "/robot/templates/{name}", TemplateParams, RobotDocument,
    "Get a shipped robot as text.",
)
USE_TEMPLATE = _row(
    "use_template", "POST", "/robot/template", UseTemplate, RobotApplied,
    "Start from a shipped robot.",
    level=Level.ADMIN, limit_s=_CHANGE_S, log="Robot set to the template {name}",
)
LIST_PARTS = _row(
    "parts", "GET", "/robot/parts", Nothing, RobotParts,
    "List the robot's parts with their places.",
)
GET_CATALOG = _row(
    "catalog", "GET", "/robot/catalog", Nothing, RobotCatalog,
    "List the kinds of parts with their settings and ranges, and the pins of the header.",
)
SET_PART = _row(
    "set_part", "PUT", _PART, SetPart, RobotApplied, "Add a part of a role, or change it.",
    level=Level.ADMIN, limit_s=_CHANGE_S,
    log=lambda params, reply: f"Part {params.target}.{params.name} was set{_noted(params)}",
)
SET_PARTS = _row(
    "set_parts", "PUT", "/robot/parts", SetParts, RobotApplied,
    "Add or change several parts at once: all of them, or none.",
    level=Level.ADMIN, limit_s=_CHANGE_S,
    log=lambda params, reply: f"{params.names} set{_noted(params)}",
)
REMOVE_PART = _row(
    "remove_part", "DELETE", _PART, RemovePart, RobotApplied,
    "Remove a part of a role.",
    level=Level.ADMIN, limit_s=_CHANGE_S,
    log="Part {target}.{name} was removed",
)
