"""Turns pydantic's validation errors into sentences for operators: which key, what is wrong, what
was probably meant. Used for settings files and for requests.
"""

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from .spelling import hint

Path = tuple[str | int, ...]

_LONGEST_VALUE = 40
_WORDS = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number of reasonable size",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "dict_type": "a group of 'key: value' pairs",
    "model_type": "a group of 'key: value' pairs",
    "model_attributes_type": "a group of 'key: value' pairs",
    "literal_error": "one of {expected}",
    "enum": "one of {expected}",
    "greater_than": "above {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "below {lt}",
    "less_than_equal": "at most {le}",
    "multiple_of": "a multiple of {multiple_of}",
    "string_too_short": "at least {min_length} characters long",
    "string_too_long": "at most {max_length} characters long",
    "string_pattern_mismatch": "text of the form {pattern}",
    "too_short": "at least {min_length} long",
    "too_long": "at most {max_length} long",
    "none_required": "empty",
}


@dataclass(frozen=True, slots=True)
class ValidationFault:
    """One validation error. `path` leads to the value in the given data."""

    path: Path
    what: str  # "is not a known setting; did you mean 'priority'?"
    is_missing: bool = False  # may result from another error, such as a misspelled key
    place: Path = ()  # what a check of several values found at fault; empty: the value itself

    def __str__(self) -> str:
        return f"{dotted(self.path)} {self.what}".lstrip()


def faults(
    error: ValidationError, model: type[BaseModel], data: object, noun: str = "setting"
) -> list[ValidationFault]:
    """Return all errors, the most helpful first: misspelled keys before missing ones.

    `noun` is what the reader calls a key: a setting, a field.
    """
    branches: dict[Path, dict[str, list[_Located]]] = {}
    plain: list[ValidationFault] = []
    for details in error.errors(include_url=False):
        located = _locate(details, data)
        if located.branch:
            branch = branches.setdefault(located.base, {})
            branch.setdefault(located.branch, []).append(located)
        else:
            plain.append(_described(located, model, noun))
    for base, members in branches.items():
        plain.append(_folded(base, members, model, noun))
    return sorted(plain, key=lambda fault: fault.is_missing)


def dotted(path: Path) -> str:
    """Format a path: ("routes", 0, "from") -> "routes[0].from"."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def shown(value: object) -> str:
    """Format a value for an operator, shortened."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "empty"}[value]
    if isinstance(value, Mapping):
        return "a group of keys"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


@dataclass(frozen=True, slots=True)
class _Located:
    """An error with its path in the data; pydantic's own locations also name union members."""

    details: ErrorDetails
    path: Path
    base: Path = ()  # path of the union
    branch: str = ""  # member of the union


def _locate(details: ErrorDetails, data: object) -> _Located:
    path: list[str | int] = []
    base: Path = ()
    branch = ""
    here: Any = data
    places = details["loc"]
    for index, part in enumerate(places):
        if _holds(here, part):
            here = here[part]
        elif index == len(places) - 1 and details["type"] == "missing":
            here = None
        else:
            if part != "[key]" and not branch:
                base, branch = tuple(path), str(part)
            continue
        path.append(part)
    return _Located(details, tuple(path), base, branch)


def _holds(here: object, part: str | int) -> bool:
    if isinstance(here, list):
        return isinstance(part, int) and part < len(here)
    return isinstance(here, Mapping) and part in here


def _described(located: _Located, model: type[BaseModel], noun: str) -> ValidationFault:
    details, path = located.details, located.path
    kind = details["type"]
    if kind == "missing":
        return ValidationFault(path, "is missing", is_missing=True)
    if kind == "extra_forbidden":
        return ValidationFault(path, _unknown_key(model, path, noun))
    context = details.get("ctx", {})
    if kind in ("value_error", "assertion_error"):
        text = str(context.get("error", ""))
        place = (*path, *_named(text, details["input"]))
        return ValidationFault(path, f"is refused: {text}", place=place)
    words = _WORDS.get(kind)
    if words is None:
        return ValidationFault(path, f"is refused: {details['msg']}")
    must = words.format_map({key: str(value) for key, value in context.items()})
    return ValidationFault(path, f"must be {must}{_instead(details['input'], model, path)}")


def _instead(value: object, model: type[BaseModel], path: Path) -> str:
    """Name the value that is refused, unless its field keeps it from logs (repr=False)."""
    fields = [found for place in _places(model, path[:-1]) for found in _models(place)]
    secret = {
        name for each in fields for name, field in each.model_fields.items() if not field.repr
    }
    return "" if path and path[-1] in secret else f", not {shown(value)}"


def _named(text: str, data: object) -> Path:
    """Return where in the data the key is that a sentence begins with, or what is around it:
    "gpio_mapping.pan.pin: GPIO12 is used by ...".
    """
    found: list[str | int] = []
    for word in text.split(maxsplit=1)[0].rstrip(":").split(".") if text.strip() else ():
        name, _, index = word.partition("[")
        for part in (name, *([int(index[:-1])] if index[:-1].isdecimal() else ())):
            if not _holds(data, part):
                return tuple(found)
            data = data[part]  # type: ignore[index]  # _holds has looked
            found.append(part)
    return tuple(found)


def _unknown_key(model: type[BaseModel], path: Path, noun: str) -> str:
    known = _known_keys(model, path[:-1])
    text = f"is not a known {noun}"
    if meant := hint(str(path[-1]), known):
        return text + meant
    return f"{text}; known here: {', '.join(sorted(known))}" if known else text


def _folded(
    base: Path, members: dict[str, list[_Located]], model: type[BaseModel], noun: str
) -> ValidationFault:
    """Return one sentence for a union: of the member that fits best, else of all members."""
    described = [[_described(each, model, noun) for each in found] for found in members.values()]
    best = max(described, key=lambda found: (max(len(f.path) for f in found), -len(found)))
    first = min(best, key=lambda fault: fault.is_missing)
    wanted = [found[0].what for found in described]
    value = _instead(next(iter(members.values()))[0].details["input"], model, base)
    is_plain = all(what.startswith("must be ") for what in wanted)
    if len(first.path) > len(base) or not is_plain:
        return first
    expected = dict.fromkeys(what.removeprefix("must be ").split(", not ")[0] for what in wanted)
    return ValidationFault(base, f"must be {' or '.join(expected)}{value}")


def _known_keys(model: type[BaseModel], path: Path) -> set[str]:
    return {
        key for place in _places(model, path) for found in _models(place) for key in _keys(found)
    }


def _places(model: type[BaseModel], path: Path) -> list[Any]:
    """Return the annotations to which a path leads."""
    places: list[Any] = [model]
    for part in path:
        places = [inner for place in places for inner in _inside(place, part)]
    return places


def _keys(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield field.alias or name


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    origin = get_origin(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif origin is Annotated:
        yield from _models(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for member in get_args(annotation):
            yield from _models(member)


def _inside(annotation: Any, part: str | int) -> Iterator[Any]:
    """Yield the possible annotations of a key or index of `annotation`."""
    for model in _models(annotation):
        for name, field in model.model_fields.items():
            if part in (name, field.alias):
                yield field.annotation
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        if not isinstance(arguments[0], type) or get_origin(arguments[0]):
            yield from _inside(arguments[0], part)
    elif origin in (Union, types.UnionType):
        for member in arguments:
            if get_origin(member):
                yield from _inside(member, part)
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        yield arguments[1]
    elif origin in (list, set, frozenset):
        yield arguments[0]
    elif origin is tuple and isinstance(part, int):
        last = len(arguments) - 1
        yield arguments[0] if arguments[-1] is Ellipsis else arguments[min(part, last)]
