"""Finds files that a shipped robot names, which lie below manifests/."""

from pathlib import Path

from ..errors import Code, SaintError


def below(manifests: Path, name: str) -> Path:
    """Return a path below manifests/. Raises config_invalid."""
    path = (manifests / name).resolve()
    if not path.is_relative_to(manifests.resolve()):
        raise SaintError(Code.CONFIG_INVALID, f"{name} is not below {manifests}")
    return path
