"""By which role manifests a simulated board is wired: one file for each role that works on it, for
those who look from outside. Not here: what hangs on the pins then (plant.py).
"""

from collections.abc import Iterator
from pathlib import Path

from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.resources import conflict

_NAME = "role.{}.json"


def keep(directory: Path, config: RoleConfig) -> None:
    """The board is wired for this role; one that needs the same is not on it any more."""
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
    """All that work on this board, by name."""
    return [config for path in _files(directory, "") if (config := read(path))]


def find(directory: Path, role: str) -> Path | None:
    """The file of a role: of this one ("arms.left"), of one of its instances ("arms"), of any."""
    exact = _path(directory, role)
    return exact if role and exact.is_file() else next(_files(directory, role), None)


def read(path: Path) -> RoleConfig | None:
    """None when it is gone."""
    try:
        return RoleConfig.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None


def _files(directory: Path, role: str) -> Iterator[Path]:
    yield from sorted(directory.glob(_NAME.format(f"{role}.*" if role else "*")))


def _path(directory: Path, target: str) -> Path:
    return directory / _NAME.format(target)
