"""Which handler a request is for, and what it gets to see of it. Not here: HTTP, running it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, unquote

import pydantic_core
from pydantic import BaseModel, ValidationError

from ..access.person import Person
from ..api.endpoint import Endpoint
from ..config import validation
from ..errors import Code, SaintError
from .connection import Asked

Read = TypeVar("Read", covariant=True)  # a Call is only read

_MOST_FIELDS = 100  # of a query


@dataclass(frozen=True, slots=True)
class Call(Generic[Read]):
    """One request. `path` holds the {parts} of the route, `body` the checked model: of a row of
    lib/api all its parameters.
    """

    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Read
    peer_uid: int | None = None  # the user of the process that sent it; None: not known
    asked: Asked | None = None  # as it came in; None: made by the daemon itself

    @property
    def person(self) -> Person | None:
        """Who asks. Looked up only now: a stop does not wait for the machine's list of users."""
        return Person.of(self.asked) if self.asked else None


@dataclass(frozen=True, slots=True)
class Route:
    """A method and a path with its handler."""

    method: str
    path: str
    handler: Callable[[Any], Any]
    body: type[BaseModel] | None
    limit_s: float
    is_stream: bool = False
    row: Endpoint[Any, Any] | None = None

    def match(self, parts: list[str]) -> dict[str, str] | None:
        """The values of the {parts} when the path is this one."""
        own = self.path.split("/")
        if len(own) != len(parts):
            return None
        found: dict[str, str] = {}
        for wanted, given in zip(own, parts, strict=True):
            if wanted.startswith("{"):
                if not given:
                    return None
                found[wanted[1:-1]] = given
            elif wanted != given:
                return None
        return found


class MethodError(SaintError):
    """The path is known, the method is not."""

    status = 405


def find(routes: list[Route], method: str, target: str) -> tuple[Route, Mapping[str, str]]:
    """The route and the values of its {parts}; plain paths come before those with parts."""
    path = target.partition("?")[0]
    # Split before decoding: an encoded slash belongs to its part, and no name contains one.
    parts = [unquote(part) for part in path.split("/")]
    found = [(route, values) for route in routes if (values := route.match(parts)) is not None]
    if not found or any("/" in part for part in parts):
        known = ", ".join(sorted({route.path for route in routes}))
        message = f"{unquote(path)} is not a path here"
        raise SaintError(Code.NOT_FOUND, message, fix=f"Known paths: {known}.")
    possible = [(route, values) for route, values in found if route.method == method]
    if not possible:
        allowed = ", ".join(sorted({route.method for route, _ in found}))
        message = f"{method} is not possible at {unquote(path)}, only {allowed}"
        raise MethodError(Code.REQUEST_INVALID, message)
    return min(possible, key=lambda each: len(each[1]))


def call(route: Route, values: Mapping[str, str], asked: Asked) -> Call[Any]:
    """What the handler gets. Raises request_invalid naming the field."""
    query = asked.target.partition("?")[2]
    if route.row:
        raw = _fields(route.row, values, query, asked.body)
        return Call(values, {}, _checked(route.row.params, raw), asked.peer_uid, asked)
    body = _checked(route.body, asked.body) if route.body else None
    return Call(values, _query(query), body, asked.peer_uid, asked)


def _fields(row: Endpoint[Any, Any], values: Mapping[str, str], query: str, raw: bytes) -> bytes:
    try:
        return row.fields(values, query, raw)
    except (SaintError, ValueError):
        if hasattr(row.params, "of_unsound"):
            return b"null"  # its answer for what is not sound
        raise


def _query(text: str) -> dict[str, str]:
    if not text:
        return {}
    try:
        fields = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as err:
        message = f"the query has more than {_MOST_FIELDS} fields"
        raise SaintError(Code.REQUEST_INVALID, message) from err
    return dict(reversed(fields))  # of several with one name the first counts


def _checked(model: type[BaseModel], raw: bytes) -> BaseModel:
    """The body as a model; none at all counts as one without fields. A model with `of_unsound` has
    an answer for a body that is not sound: a stop is obeyed however it is written.
    """
    try:
        return model.model_validate_json(raw or b"{}")
    except ValidationError as err:
        error = err
    if unsound := getattr(model, "of_unsound", None):
        made: BaseModel = unsound()
        return made
    if any(details["type"] == "json_invalid" for details in error.errors(include_url=False)):
        raise SaintError(Code.REQUEST_INVALID, "the body is not JSON")
    data = pydantic_core.from_json(raw or b"{}")
    found = validation.faults(error, model, data, noun="field")
    subject = "" if found[0].path else "the request "
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    raise SaintError(Code.REQUEST_INVALID, f"{subject}{found[0]}{more}")
