"""Reads the robot that is in force: the owner's robot.yaml on the data partition, or the shipped
template that the settings name while the owner has none. adoptiond writes that file; every daemon
of the server reads it here. Not here: its versions and changes (adoptiond/robots).
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .. import config as settings
from ..api.robot import LONGEST_TEXT
from ..errors import Code, SaintError
from ..generated import topics
from ..machine.service_manager import Directories
from ..role_config.model import RoleConfig
from ..role_config.reading import load_role_config
from ..role_config.resources import clash
from ..state import last_good
from .figure.figure import figure_of
from .figure.store import FigureStore
from .manifest import RobotDescription, RobotManifest, load, read_role
from .placing import misplaced

if TYPE_CHECKING:
    from .figure.archive import FigureFiles

FILE = "robot.yaml"
FOLDER = "robot"  # beside the daemons' own folders of state; adoptiond alone may write there
LARGEST_BYTES = LONGEST_TEXT  # of robot.yaml
_OWN_CONFIG = "    "  # a role's configuration inside of the list of roles


@dataclass(frozen=True, slots=True)
class RobotPlaces:
    """Where robots lie: shipped ones below `manifests`, the owner's in `own`; `template` is the
    shipped one that is in force without an owner's."""

    manifests: Path
    own: Path
    template: str

    @classmethod
    def of(cls, directories: Directories, template: str) -> "RobotPlaces":
        return cls(directories.share / "manifests", directories.state.parent / FOLDER, template)

    @property
    def file(self) -> Path:
        return self.own / FILE

    @property
    def figures(self) -> FigureStore:
        """The owner's figures."""
        return FigureStore(self.own / "figures")

    @property
    def shipped(self) -> tuple[str, ...]:
        """The names of the templates."""
        return tuple(sorted(path.stem for path in (self.manifests / "robots").glob("*.yaml")))


@dataclass(frozen=True, slots=True)
class LoadedRobot:
    """The robot in force, with the text that describes it."""

    description: RobotDescription
    text: str
    is_own: bool
    problem: str = ""  # why its last good copy is in force

    @property
    def mark(self) -> str:
        return mark_of(self.description)

    @property
    def edition(self) -> str:
        """A text that changes with everything, pins and comments included."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


def load_robot(places: RobotPlaces) -> LoadedRobot:
    """Load the robot in force. A damaged or missing file of the owner's is replaced by its last
    good copy; without a copy nothing may guess which robot this is. Raises SaintError. Blocks.
    """
    copy = last_good(places.file)
    if _is_missing(places.file) and _is_missing(copy):
        name = places.template
        text = template_text(places.manifests, name)
        return LoadedRobot(load(places.manifests, name), text, is_own=False)
    try:
        return _own(places, places.file)
    except SaintError as err:
        try:
            found = _own(places, copy)
        except SaintError:
            raise err from None
        problem = f"{err.message}. The last good copy is in force"
        return LoadedRobot(found.description, found.text, is_own=True, problem=problem)


def _is_missing(path: Path) -> bool:
    """Return whether there is no such file; one that cannot be looked at may well be there."""
    try:
        path.stat()
    except FileNotFoundError:
        return True
    except OSError as err:
        text = f"{path} cannot be read: {err.strerror}"
        fix = "Check the permissions of its folder."
        raise SaintError(Code.CONFIG_INVALID, text, fix=fix) from err
    return False


def _own(places: RobotPlaces, path: Path) -> LoadedRobot:
    text = settings.read_text(path)
    robot = checked(places.manifests, text, str(path), places.figures, is_stored=True)
    return LoadedRobot(robot, text, is_own=True)


def checked(
    manifests: Path,
    text: str,
    name: str,
    figures: FigureStore | None = None,
    *,
    is_stored: bool = False,
    given: "FigureFiles | None" = None,
) -> RobotDescription:
    """Parse and check a robot's text with everything that it names: roles, figure, hardware that
    two parts want. `name` stands in errors, with the line. A robot that is stored does not fail
    for its figure alone: another one is shown and says why. `given` is a figure that comes with the
    text and is not stored yet. Raises config_invalid. Blocks.
    """
    if len(text.encode()) > LARGEST_BYTES:
        raise SaintError(Code.CONFIG_INVALID, f"{name} is longer than {LARGEST_BYTES // 1024} KiB")
    manifest = settings.parse(RobotManifest, text, name)
    roles: dict[str, RoleConfig] = {}
    for entry in manifest.roles:
        if entry.target in roles:
            raise SaintError(Code.CONFIG_INVALID, f"{name} names {entry.target} twice")
        roles[entry.target] = read_role(manifests, entry)[0]
        role = roles[entry.target]
        if problem := clash(role) or _unknown_command(role) or _not_the_owners(role):
            raise SaintError(Code.CONFIG_INVALID, f"{name}: {problem}")
    figure = figure_of(manifests, manifest, roles, figures, may_stand_in=is_stored, given=given)
    robot = RobotDescription(manifest, roles, figure)
    for targets in manifest.nodes.values():
        if problem := misplaced(robot, text, name, targets):
            raise SaintError(Code.CONFIG_INVALID, problem)
    return robot


def _not_the_owners(role: RoleConfig) -> str:
    """Return which key a robot's text must not have, as the server adds it; empty without one."""
    found = [key for key in _BY_SERVER if key in role.model_fields_set]
    return f"{found[0]} of {role.target} is added by the server; remove it" if found else ""


def _unknown_command(role: RoleConfig) -> str:
    """Return which command the router could not send; empty when it can send all."""
    for key, command in role.commands.items():
        if command.type not in topics.BY_TYPE:
            return f"commands.{key}.type of {role.target} is {command.type!r}, no message type"
    return ""


def template_text(manifests: Path, name: str) -> str:
    """Return a shipped robot with its roles' configurations inside, comments included, as the
    owner's file would begin. Raises config_invalid or config_missing. Blocks.
    """
    path = manifests / "robots" / f"{name}.yaml"
    manifest = settings.load(RobotManifest, path, required=True)
    text = settings.read_text(path)
    for entry in manifest.roles:
        if isinstance(entry.config, str):
            # The file's own text, for its comments; a form of the specification's is converted.
            _, inside = load_role_config(manifests / entry.config)
            lines = [f"{_OWN_CONFIG}  {line}" if line else "" for line in inside.splitlines()]
            text = text.replace(
                f"config: {entry.config}\n", "config:\n" + "\n".join(lines) + "\n", 1
            )
    return text


def mark_of(robot: RobotDescription) -> str:
    """Return a text that changes when something changes that routerd, webd and pages know of a
    robot: roles, fields, commands, model, names. Pins and chips are no part of it.
    """
    known: list[object] = [robot.manifest.model_dump(mode="json", exclude={"roles", "nodes"})]
    known.append([robot.figure.text, robot.figure.joints])
    for entry in robot.manifest.roles:
        role = robot.roles[entry.target]
        known.append(role.model_dump(mode="json", exclude=_HARDWARE))
        known.append(entry.model_dump(mode="json", exclude={"config", "i2c_addresses"}))
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]


_BY_SERVER = ("body", "outputs_mark")  # of a role's configuration
_HARDWARE = {
    *("gpio_mapping", "i2c_devices", "spi_devices", "serial_devices", "can_devices", "version"),
    *_BY_SERVER,
}
