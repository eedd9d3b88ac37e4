"""Reads a role configuration in either form: that of the manifests, or the specification's, which
is converted. Not here: the text that a node received from a newer release (parsing.py).
"""

from pathlib import Path

from .. import config as settings
from .model import RoleConfig
from .specified import SpecifiedRole, is_specified


def load_role_config(path: Path) -> tuple[RoleConfig, str]:
    """Read a file as `read_role_config` does. Raises config_missing and config_invalid. Blocks."""
    return read_role_config(settings.read_text(path), str(path))


def read_role_config(text: str, name: str) -> tuple[RoleConfig, str]:
    """Return the configuration, and its text in the form of the manifests; `name` stands in errors,
    which keep to the form and the words of the text. Raises config_invalid.
    """
    if not text.strip():
        return settings.parse(RoleConfig, text, name), text  # raises
    document = settings.read_yaml(text, name)
    if not is_specified(document.data):
        return settings.check(RoleConfig, document, name), text
    manifest = settings.check(SpecifiedRole, document, name).as_manifest()
    return RoleConfig.model_validate(manifest), settings.write_yaml(manifest)
