"""Finds the handler of a request and validates its parameters. Not here: HTTP, running the
handler.
"""

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
from ..strict import has_nul
from .connection import ReceivedRequest

Read = TypeVar("Read", covariant=True)  # a Call is only read

_MOST_FIELDS = 100  # of a query


@dataclass(frozen=True, slots=True)
class Call(Generic[Read]):
    """A request as its handler receives it. `path` holds the {parts} of the route, `body` the
    validated model (for a row of lib/api: all its parameters).
    """

    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Read
    peer_uid: int | None = None  # user id of the sending process; None: unknown
    received: ReceivedRequest | None = None  # None: made by the daemon itself

    @property
    def person(self) -> Person | None:
        """The user behind the request. Looked up on demand: a stop must not wait for the user
        list.
        """
        return Person.of(self.received) if self.received else None


@dataclass(frozen=True, slots=True)
class ApiRoute:
    """A method and a path with its handler."""

    method: str
    path: str
    handler: Callable[[Any], Any]
    body: type[BaseModel] | None
    limit_s: float
    is_stream: bool = False
    row: Endpoint[Any, Any] | None = None

    def match(self, parts: list[str]) -> dict[str, str] | None:
        """Return the values of the {parts}; None if the path does not match."""
        own = self.path.split("/")
        if len(own) != len(parts):
            return None
        found: dict[str, str] = {}
        for expected, given in zip(own, parts, strict=True):
            if expected.startswith("{"):
                if not given:
                    return None
                found[expected[1:-1]] = given
            elif expected != given:
                return None
        return found


class MethodError(SaintError):
    """The path exists, but not with this method."""

    status = 405


def find(routes: list[ApiRoute], method: str, target: str) -> tuple[ApiRoute, Mapping[str, str]]:
    """Return the route and the values of its {parts}; plain paths win over paths with parts."""
    path = target.partition("?")[0]
    # Split before decoding: an encoded slash belongs to its part, and no name contains one.
    parts = [unquote(part) for part in path.split("/")]
    found = [(route, values) for route in routes if (values := route.match(parts)) is not None]
    if not found or any("/" in part for part in parts):
        known = ", ".join(sorted({route.path for route in routes}))
        message = f"{unquote(path)} is not a path of this daemon"
        raise SaintError(Code.NOT_FOUND, message, fix=f"Known paths: {known}.")
    possible = [(route, values) for route, values in found if route.method == method]
    if not possible:
        allowed = ", ".join(sorted({route.method for route, _ in found}))
        message = f"{method} is not supported at {unquote(path)}, only {allowed}"
        raise MethodError(Code.REQUEST_INVALID, message)
    return min(possible, key=lambda each: len(each[1]))


def call(route: ApiRoute, values: Mapping[str, str], received: ReceivedRequest) -> Call[Any]:
    """Make the handler's call. Raises request_invalid that names the field."""
    query = received.target.partition("?")[2]
    if route.row:
        raw = _fields(route.row, values, query, received.body)
        return Call(values, {}, _checked(route.row.params, raw), received.peer_uid, received)
    body = _checked(route.body, received.body) if route.body else None
    return Call(values, _query(query), body, received.peer_uid, received)


def _fields(row: Endpoint[Any, Any], values: Mapping[str, str], query: str, raw: bytes) -> bytes:
    try:
        return row.fields(values, query, raw)
    except (SaintError, ValueError):
        if hasattr(row.params, "of_unsound"):
            return b"null"  # the model has a reply for malformed parameters
        raise


def _query(text: str) -> dict[str, str]:
    if not text:
        return {}
    try:
        fields = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as err:
        message = f"the query has more than {_MOST_FIELDS} fields"
        raise SaintError(Code.REQUEST_INVALID, message) from err
    return dict(reversed(fields))  # the first value of a repeated name counts


def _checked(model: type[BaseModel], raw: bytes) -> BaseModel:
    """Parse the body as a model; a missing body counts as one without fields. A model with
    `of_unsound` accepts a malformed body: a stop is carried out however it is written.
    """
    unsound = getattr(model, "of_unsound", None)
    if unsound is None and has_nul(raw):
        raise SaintError(Code.REQUEST_INVALID, "a text of the request holds the character NUL")
    try:
        return model.model_validate_json(raw or b"{}")
    except ValidationError as err:
        error = err
    if unsound:
        made: BaseModel = unsound()
        return made
    if any(details["type"] == "json_invalid" for details in error.errors(include_url=False)):
        raise SaintError(Code.REQUEST_INVALID, "the body is not JSON")
    data = pydantic_core.from_json(raw or b"{}")
    found = validation.faults(error, model, data, noun="field")
    subject = "" if found[0].path else "the request "
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    raise SaintError(Code.REQUEST_INVALID, f"{subject}{found[0]}{more}")
