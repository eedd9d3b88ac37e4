"""A role's configuration as a node gets it and keeps it. It may come from a newer release than the
one that reads it: after a roll-back, or while a roll-out is under way. Keys that this release does
not know are left out and named, so that the node works as it did before they existed; everything
else is as strict as any setting. Not here: manifests of this release's own (lib/config.py).
"""

import copy
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from . import config as settings
from .document import Document
from .roles import RoleConfig

_UNKNOWN = "extra_forbidden"


@dataclass(frozen=True, slots=True)
class RoleText:
    """What is understood of a text."""

    config: RoleConfig
    left_out: tuple[str, ...] = ()  # "fields.pan.max_jerk"

    @property
    def notice(self) -> str:
        """For people; empty when everything is understood."""
        if not self.left_out:
            return ""
        names = ", ".join(self.left_out[:3]) + (", ..." if len(self.left_out) > 3 else "")
        return f"the role's configuration is for a newer release; without {names}"


def read(text: str, name: str) -> RoleText:
    """Raises SaintError where more than unknown keys is wrong, as every settings file does."""
    if not text.strip():
        return RoleText(settings.parse(RoleConfig, text, name))  # raises
    document = settings.read_yaml(text, name)
    try:
        return RoleText(RoleConfig.model_validate(document.data))
    except ValidationError as err:
        unknown = [each["loc"] for each in err.errors() if each["type"] == _UNKNOWN]
    rest = copy.deepcopy(document.data)
    for place in unknown:
        _remove(rest, place)
    config = settings.check(RoleConfig, Document(rest, document.lines), name)
    return RoleText(config, tuple(".".join(map(str, place)) for place in unknown))


def _remove(data: Any, place: tuple[int | str, ...]) -> None:
    for key in place[:-1]:
        data = data[key]
    del data[place[-1]]
