"""Checks the messages that come fifty times a second without pydantic: compiled from the same
models, so the bounds stand in one place. In doubt the answer is None, and the models decide and
word the refusal. Pure.
"""

from collections.abc import Mapping
from typing import Any, TypeGuard, get_args

from pydantic import BaseModel

from . import messages as m

Bounds = Mapping[str, tuple[float, float]]
Found = tuple[str | None, str, str, BaseModel]

_SHORT = {"id", "type", "action", "params"}
_LONG = {*_SHORT, "target"}
_LONGEST_ID = 128


def bounds(model: type[BaseModel]) -> dict[str, tuple[float, float]]:
    """Every field of a model that holds plain numbers only."""
    return {name: _bound(field.annotation, field.metadata) for name, field in _fields(model)}


def _fields(model: type[BaseModel]) -> Any:
    return model.model_fields.items()


def _bound(annotation: Any, metadata: list[Any]) -> tuple[float, float]:
    """`Number` has its limits as metadata, `Number | None` has them one level deeper."""
    inner = get_args(annotation)
    if inner and not metadata:
        part = next(each for each in inner if each is not type(None))
        metadata = [bit for each in get_args(part)[1:] for bit in each.metadata]
    low = next(each.ge for each in metadata if hasattr(each, "ge"))
    high = next(each.le for each in metadata if hasattr(each, "le"))
    return float(low), float(high)


_TABLE: dict[tuple[str, str], tuple[type[BaseModel], Bounds]] = {
    ("tracks", "drive"): (m.Drive, bounds(m.Drive)),
    ("head", "move"): (m.HeadMove, bounds(m.HeadMove)),
}


def parse(data: dict[str, Any]) -> Found | None:
    """A set-point that is right in every respect."""
    group, names = data.get("type"), _SHORT
    if group == "command":
        group, names = data.get("target"), _LONG
    action, message_id = data.get("action"), data.get("id")
    if not (isinstance(group, str) and isinstance(action, str)) or not data.keys() <= names:
        return None
    row = _TABLE.get((group, action))
    if row is None or not _is_id(message_id):
        return None
    model, limits = row
    values = _within(data.get("params"), limits)
    if values is None:
        return None
    return message_id, group, action, _made(model, values)


def _is_id(given: object) -> TypeGuard[str | None]:
    return given is None or (type(given) is str and len(given) <= _LONGEST_ID)


def _within(params: object, limits: Bounds) -> dict[str, float] | None:
    if not isinstance(params, dict):
        return None
    values: dict[str, float] = {}
    for name, value in params.items():
        limit = limits.get(name)
        # Exactly these types: True is an int to Python, and no number to a client.
        if limit is None or type(value) not in (float, int) or not limit[0] <= value <= limit[1]:
            return None
        values[name] = float(value)
    return values


def _made(model: type[BaseModel], values: dict[str, Any]) -> BaseModel:
    return model.model_construct(**values)
