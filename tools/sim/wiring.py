"""Stores the role manifests by which a simulated board is wired, one file per role, for other
processes. Not here: the bodies of the role (bodies/plant.py).
"""

from collections.abc import Iterator
from pathlib import Path

from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.resources import conflict

_NAME = "role.{}.json"


def store(directory: Path, config: RoleConfig) -> None:
    """Wire the board for this role, in place of roles that need the same pins."""
    for other in roles(directory):
        if conflict([other], config):
            _path(directory, other.target).unlink(missing_ok=True)
    path, text = _path(directory, config.target), config.model_dump_json()
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    aside = path.with_suffix(".new")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


def roles(directory: Path) -> list[RoleConfig]:
    """List the roles of this board, by name."""
    return [config for path in _files(directory, "") if (config := read(path))]


def find(directory: Path, role: str) -> Path | None:
    """Find the file of a role ("arms.left"), of an instance ("arms"), or of any ("")."""
    exact = _path(directory, role)
    return exact if role and exact.is_file() else next(_files(directory, role), None)


def read(path: Path) -> RoleConfig | None:
    """Read a role; None when its file is missing."""
    try:
        return RoleConfig.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None


def _files(directory: Path, role: str) -> Iterator[Path]:
    yield from sorted(directory.glob(_NAME.format(f"{role}.*" if role else "*")))


def _path(directory: Path, target: str) -> Path:
    return directory / _NAME.format(target)
