"""How an action is asked for over HTTP: its path, its methods, params from a body or a query. Pure;
the table of actions decides everything. Not here: requests and answers (adapters/commands.py).
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from ...lib.config.spelling import hint
from ...lib.errors import Code, SaintError
from .. import logic
from ..actions import ACTIONS, Action, Quick

ROOT = "/api/v1/"
_NEST = ("$ref", "items", "additionalProperties", "properties")

Entry = Action[Any] | Quick[Any]


class Named(NamedTuple):
    """An action with its place in the table."""

    group: str
    action: str
    entry: Entry

    @property
    def path(self) -> str:
        """Where it is asked for."""
        return f"{ROOT}{self.group}/{self.action}"

    @property
    def text(self) -> str:
        """What it does."""
        return (self.entry.handler.__doc__ or "").strip()

    @property
    def methods(self) -> tuple[str, ...]:
        """POST; GET too where nothing changes and the params fit into a query."""
        return ("GET", "POST") if self.entry.is_reading and _is_flat(self) else ("POST",)


def every() -> Iterator[Named]:
    """All actions in the order of the table."""
    for group, actions in ACTIONS.items():
        for action, entry in actions.items():
            yield Named(group, action, entry)


def find(group: str, action: str) -> Named:
    """Raises not_found naming what is near."""
    entry = ACTIONS.get(group, {}).get(action)
    if entry is not None:
        return Named(group, action, entry)
    known = [f"{each.group}/{each.action}" for each in every()]
    meant = hint(f"{group}/{action}", known)
    text = f"there is no action {group[:64]}/{action[:64]}{meant}"
    raise SaintError(Code.NOT_FOUND, text, fix=f"GET {ROOT} lists all actions.")


def _is_flat(named: Named) -> bool:
    """Each param is a word or a number."""
    fields = named.entry.params.model_json_schema().get("properties", {}).values()
    return not any(key in str(field) for field in fields for key in _NEST)


def from_body(model: type[BaseModel], raw: bytes) -> BaseModel:
    """The params in a JSON body; none at all is one without fields."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise SaintError(Code.REQUEST_INVALID, "the body is not UTF-8") from None
    return logic.params(model, text if text.strip() else "{}")


def from_query(model: type[BaseModel], query: Mapping[str, str]) -> BaseModel:
    """The params in a query: words, numbers, true or false."""
    fields = dict(query)
    try:
        return model.model_validate(fields)
    except ValidationError as err:
        raise logic.invalid(err, model, fields, "") from None
