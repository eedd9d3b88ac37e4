"""Reads roles and shipped presets from manifests/, and stores the operators' presets."""

from pathlib import Path

from ..lib import config
from ..lib.api.routing import RouteFile
from ..lib.config.spelling import hint, hint_or_all
from ..lib.errors import Code, SaintError
from ..lib.robot.manifest import RobotManifest, read_role
from ..lib.robot.source import RobotPlaces
from ..lib.robot.source import load_robot as read_robot
from ..lib.role_config.reading import load_role_config
from .fields.targets import RobotTargets
from .routes.checks import fitting, missing_targets
from .state import SavedPreset, preset_store

MOST_PRESETS = 64


def load_robot(share: Path, name: str) -> RobotTargets:
    """Read the targets of a shipped robot; raise SaintError config_* with the file that is at
    fault."""
    manifests = share / "manifests"
    manifest = config.load(RobotManifest, _named(manifests / "robots", name), required=True)
    return RobotTargets.of([read_role(manifests, entry)[0] for entry in manifest.roles])


def load_robot_in_force(places: RobotPlaces) -> tuple[RobotTargets, str]:
    """Read the targets of the robot in force, and its mark. Raises SaintError config_*."""
    if not places.file.exists():
        _named(places.manifests / "robots", places.template)
    found = read_robot(places)
    return RobotTargets.of(found.description.roles.values()), found.mark


def load_roles(folder: Path) -> RobotTargets:
    """Read the targets of all role manifests in a folder."""
    paths = sorted(path for path in folder.glob("*.y*ml") if path.suffix in (".yaml", ".yml"))
    if not paths:
        raise SaintError(Code.CONFIG_MISSING, f"{folder} has no role manifests (*.yaml)")
    roles = [load_role_config(path)[0] for path in paths]
    targets = [role.target for role in roles]
    for path, target in zip(paths, targets, strict=True):
        if targets.count(target) > 1:
            raise SaintError(Code.CONFIG_INVALID, f"{path}: there are two roles {target}")
    return RobotTargets.of(roles)


def load_preset(share: Path, name: str) -> RouteFile:
    """Read a shipped preset by name."""
    path = _named(share / "manifests" / "routes", name)
    return config.load(RouteFile, path, required=True)


def load_start(share: Path, name: str, robot: RobotTargets) -> RouteFile:
    """Read the preset to begin with, without routes for roles that this robot does not have."""
    file = load_preset(share, name)
    if not missing_targets(file, robot):
        return file
    roles = sorted((share / "manifests" / "roles").glob("*.yaml"))
    known = {load_role_config(path)[0].target for path in roles}
    return fitting(file, robot, known)


class PresetStore:
    """Presets by name: the shipped ones, which are read-only, and the operators'. Calls block."""

    def __init__(self, share: Path, state: Path) -> None:
        self._share, self._state = share, state

    def names(self) -> list[tuple[str, bool]]:
        """Return every name, and whether it is shipped."""
        shipped = {path.stem for path in (self._share / "manifests" / "routes").glob("*.yaml")}
        own = {path.stem for path in (self._state / "presets").glob("*.yaml")} - shipped
        return [*((name, True) for name in sorted(shipped)), *((name, False) for name in own)]

    def read(self, name: str) -> RouteFile:
        """Read a preset; raise SaintError not_found, or what is wrong with its file."""
        if self._is_shipped(name):
            return load_preset(self._share, name)
        store = preset_store(self._state, name)
        self._check_exists(name, store.path)
        saved = store.load()
        if store.problem:
            raise store.problem
        return RouteFile(routes=saved.routes, blending=saved.blending)

    def write(self, name: str, file: RouteFile) -> None:
        """Store a preset; raise SaintError refused for a shipped name or too many presets."""
        self._check_own(name)
        store = preset_store(self._state, name)
        if not store.path.exists() and len(self.names()) >= MOST_PRESETS:
            raise SaintError(
                Code.REFUSED,
                f"there are {MOST_PRESETS} presets already, the most that can be stored",
                fix="Delete a preset that is not needed any more.",
            )
        store.save(SavedPreset(routes=file.routes, blending=file.blending))

    def delete(self, name: str) -> None:
        """Delete a preset; raise SaintError refused for a shipped one, not_found without one."""
        self._check_own(name)
        store = preset_store(self._state, name)
        self._check_exists(name, store.path)
        store.forget()

    def _check_own(self, name: str) -> None:
        if self._is_shipped(name):
            raise SaintError(
                Code.REFUSED,
                f"the preset {name!r} is shipped with the release",
                fix="Choose another name.",
            )

    def _is_shipped(self, name: str) -> bool:
        return (self._share / "manifests" / "routes" / f"{name}.yaml").exists()

    def _check_exists(self, name: str, path: Path) -> None:
        if path.exists():
            return
        meant = hint(name, [known for known, _ in self.names()])
        raise SaintError(Code.NOT_FOUND, f"there is no preset {name!r}{meant}")


def _named(folder: Path, name: str) -> Path:
    path = folder / f"{name}.yaml"
    if path.exists():
        return path
    known = sorted(each.stem for each in folder.glob("*.yaml"))
    raise SaintError(
        Code.CONFIG_INVALID, f"there is no {name!r} in {folder}{hint_or_all(name, known)}"
    )
