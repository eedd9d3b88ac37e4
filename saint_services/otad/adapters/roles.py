"""Loads the roles' configurations for download by nodes. Not here: which node holds which role."""

import hashlib
from pathlib import Path

from ...lib.errors import Code, SaintError
from ...lib.role_config.reading import read_role_config
from ..views import RoleFile

_LARGEST_BYTES = 1 << 18


def load_roles(manifests: Path) -> list[RoleFile]:
    """Load manifests/roles/*.yaml, by name. Raises config_invalid. Blocks."""
    return [_role(path) for path in sorted((manifests / "roles").glob("*.yaml"))]


def _role(path: Path) -> RoleFile:
    try:
        with path.open("rb") as file:
            body = file.read(_LARGEST_BYTES)
        config, text = read_role_config(body.decode(), str(path))
    except (OSError, UnicodeDecodeError) as err:
        raise SaintError(Code.CONFIG_INVALID, f"{path} cannot be read: {err}") from err
    body = text.encode()  # as adoptiond gives it to nodes
    return RoleFile(path.stem, config.version, hashlib.sha256(body).hexdigest(), body)
