"""Parses the role configuration that a node receives and stores. The text may come from a newer
release, after a rollback or during a roll-out: unknown keys are left out and named, so that the
node works as it did before they existed; everything else is as strict as any setting.
Not here: manifests of this release (lib/config).
"""

import copy
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from .. import config as settings
from ..config.document import Document
from .model import RoleConfig

_UNKNOWN = "extra_forbidden"


@dataclass(frozen=True, slots=True)
class ParsedRoleConfig:
    """The part of a configuration that this release knows."""

    config: RoleConfig
    left_out: tuple[str, ...] = ()  # "fields.pan.max_jerk"

    @property
    def notice(self) -> str:
        """A sentence for people that names the unknown keys; empty without any."""
        if not self.left_out:
            return ""
        names = ", ".join(self.left_out[:3]) + (", ..." if len(self.left_out) > 3 else "")
        return f"the role's configuration is for a newer release; without {names}"


def parse_role_config(text: str, name: str) -> ParsedRoleConfig:
    """Parse a configuration; `name` stands in errors. Raises SaintError for any fault but unknown
    keys."""
    if not text.strip():
        return ParsedRoleConfig(settings.parse(RoleConfig, text, name))  # raises
    document = settings.read_yaml(text, name)
    try:
        return ParsedRoleConfig(RoleConfig.model_validate(document.data))
    except ValidationError as err:
        unknown = [each["loc"] for each in err.errors() if each["type"] == _UNKNOWN]
    rest = copy.deepcopy(document.data)
    for place in unknown:
        _remove(rest, place)
    config = settings.check(RoleConfig, Document(rest, document.lines), name)
    return ParsedRoleConfig(config, tuple(".".join(map(str, place)) for place in unknown))


def _remove(data: Any, place: tuple[int | str, ...]) -> None:
    for key in place[:-1]:
        data = data[key]
    del data[place[-1]]
