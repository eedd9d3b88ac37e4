"""Reads what the router has to know from manifests/: the robot's roles and the route presets."""

from pathlib import Path

from ..lib import config
from ..lib.api.routing import RouteFile
from ..lib.errors import Code, SaintError
from ..lib.roles import RobotManifest, RoleConfig
from ..lib.validation import nearest
from .targets import Robot


def load_robot(share: Path, name: str) -> Robot:
    """The robot's targets; raises SaintError config_* with the file that is at fault."""
    manifests = share / "manifests"
    manifest = config.load(RobotManifest, _named(manifests / "robots", name), required=True)
    roles = [
        config.load(RoleConfig, manifests / role.config, required=True) for role in manifest.roles
    ]
    return Robot.of(roles)


def load_preset(share: Path, name: str) -> RouteFile:
    """A route preset by name."""
    path = _named(share / "manifests" / "routes", name)
    return config.load(RouteFile, path, required=True)


def _named(folder: Path, name: str) -> Path:
    path = folder / f"{name}.yaml"
    if path.exists():
        return path
    known = sorted(each.stem for each in folder.glob("*.yaml"))
    meant = nearest(name, known)
    hint = f"did you mean {meant!r}?" if meant else f"known: {', '.join(known)}"
    raise SaintError(Code.CONFIG_INVALID, f"there is no {name!r} in {folder}; {hint}")
