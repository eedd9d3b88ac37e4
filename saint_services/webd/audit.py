"""What the audit log tells: who came in, who took control, who stopped the robot, who changed what
others rely on. Pure. Not here: the file (adapters/audit_file.py).
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from .access import Identity

# What is told beside everything that only an admin may do.
_TOLD = {
    ("router", "take_control"), ("router", "release_control"), ("router", "load_preset"),
    ("tracks", "estop"), ("system", "estop"),
    ("management", "adopt_node"), ("management", "reset_node"), ("management", "replace_node"),
    ("drill", "begin"), ("drill", "finish"),
    ("users", "change_password"), ("users", "end_session"),
}  # fmt: skip
_READING = ("list_", "get_")
_SECRET = {"password", "old_password", "token", "code"}
_LONGEST_DETAIL = 300
DRIVING_PAUSE_S = 10.0  # a client that moved nothing for so long begins anew
MOST_TARGETS = 32


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the file."""

    time_s: float
    who: str
    level: str
    address: str
    what: str
    detail: str = ""

    def line(self) -> str:
        """JSON, one line."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps(fields, ensure_ascii=False) + "\n"


def entries(lines: Iterable[str]) -> Iterator[Entry]:
    """What can be read of a file; a line that a power cut tore is left out."""
    for line in lines:
        try:
            yield Entry(**json.loads(line))
        except (ValueError, TypeError):
            continue


def is_told(group: str, action: str, needs_admin: bool) -> bool:
    """Whether a call of this action belongs into the log."""
    return (group, action) in _TOLD or (needs_admin and not action.startswith(_READING))


def told() -> frozenset[tuple[str, str]]:
    """The actions that are named one by one."""
    return frozenset(_TOLD)


def entry_of(who: Identity, address: str, what: str, params: BaseModel, now_s: float) -> Entry:
    """Of a call that was done; `what` is group and action."""
    return Entry(now_s, who.name, who.level.word, address, what, detail(params))


def detail(params: BaseModel) -> str:
    """The params without secrets and without long ones in full."""
    given: dict[str, Any] = params.model_dump(mode="json", exclude_unset=True)
    shown = {name: "…" if name in _SECRET else value for name, value in given.items()}
    text = ", ".join(f"{name}: {_short(value)}" for name, value in shown.items())
    return text if len(text) <= _LONGEST_DETAIL else text[: _LONGEST_DETAIL - 1] + "…"


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(slots=True)
class Driving:
    """When a client moved what, so that the log tells of the beginning alone."""

    _last_s: dict[str, float] = field(default_factory=dict)

    def begins(self, target: str, now_s: float) -> bool:
        """One motion command more."""
        last_s = self._last_s.get(target)
        if last_s is None and len(self._last_s) >= MOST_TARGETS:
            self._last_s.clear()
        self._last_s[target] = now_s
        return last_s is None or now_s - last_s > DRIVING_PAUSE_S
