"""Declares every request of a daemon as one row: name, path, access level, parameters, reply and
log sentence. Sockets, pages, saintctl, API documents and the audit log are made from the rows. Not
here: the handlers (the daemon that a row names).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Final, Generic, Literal, TypeVar
from urllib.parse import parse_qsl, quote, urlencode

import pydantic_core
from pydantic import BaseModel, Field

from ..access.levels import Level
from ..errors import Code, SaintError
from . import Request

P = TypeVar("P", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)

Severity = Literal["INFO", "WARNING", "ERROR"]
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]

CONFIRM = "confirm"  # the parameter that names the stops that a change removes
_MOST_FIELDS = 100  # of a query
_PART = re.compile(r"{([\w.]+)}")
_SECRETS = frozenset(
    {"password", "old_password", "passphrase", "token", "code", "psk", "sealed", "sdp"}
)


class Nothing(Request):
    """A request without parameters."""


class WatchRequest(Request):
    """A watch: its replies come with every change, and after the hold time in any case."""

    hold_s: float = Field(default=2.0, ge=0.5, le=30.0, description="Longest time without a reply.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint(Generic[P, R]):
    """One row. `path` names parameters in braces; a GET has the others in its query, every other
    method in a JSON body. `log` is the sentence for the activity log, with parameters in braces, or
    a function of parameters and reply; without it the request changes nothing, or the requesting
    daemon logs the change.
    """

    group: str  # of the action: "rc"
    action: str  # "set_failsafe"
    daemon: str
    method: Method
    path: str
    reply: type[R]
    text: str  # what it does, for API documents and --help
    params: type[P]
    level: Level = Level.VIEWER
    log: str | Callable[[P, R], str] = ""
    severity: Severity | Callable[[P, R], Severity] = "INFO"
    limit_s: float = 10.0  # time limit of the reply
    body: str = ""  # the parameter that is the whole body
    query: tuple[str, ...] = ()  # parameters in the query of a request with a body
    is_action: bool = True  # offered by webd; other rows are for daemons and streams
    is_personal: bool = False  # for a person who has signed in; a token needs the level admin
    is_local: bool = False  # for daemons of this machine only: webd never forwards it
    is_stream: bool = False  # one reply per line

    @property
    def name(self) -> str:
        """The name in logs: "rc set_failsafe"."""
        return f"{self.group} {self.action}"

    @property
    def is_reading(self) -> bool:
        """True if the request changes nothing and may be repeated."""
        return not self.log

    @property
    def parts(self) -> list[str]:
        """Parameters in the path, dotted where they are fields of a parameter."""
        return _PART.findall(self.path)

    def level_for(self, params: BaseModel) -> Level:
        """Return the level that the caller needs; confirming the loss of a stop needs admin."""
        return Level.ADMIN if getattr(params, CONFIRM, None) else self.level

    def sentence(self, params: P, reply: R) -> str:
        """Return the sentence for the activity log."""
        if isinstance(self.log, str):
            return self.log.format(**dict(params), reply=reply)
        return self.log(params, reply)

    def severity_of(self, params: P, reply: R) -> Severity:
        """Return the severity of that sentence."""
        return self.severity if isinstance(self.severity, str) else self.severity(params, reply)

    def target(self, params: P) -> str:
        """Return path and query of a request."""
        fields = params.model_dump(mode="json", by_alias=True)
        path = _PART.sub(lambda part: quote(str(_inside(params, part[1])), safe=""), self.path)
        names = self._in_query(fields)
        found = {name: _joined(fields[name]) for name in names if fields[name] not in (None, [])}
        return f"{path}?{urlencode(found)}" if found else path

    def content(self, params: P) -> bytes | None:
        """Return the body of a request."""
        if self.method in ("GET", "DELETE"):
            return None
        fields = params.model_dump(mode="json", by_alias=True)
        if self.body:
            return pydantic_core.to_json(fields[self.body])
        left_out = {*self.parts, *self.query}
        kept = {name: value for name, value in fields.items() if name not in left_out}
        return pydantic_core.to_json(kept) if kept else None

    def fields(self, values: Mapping[str, str], query: str, raw: bytes) -> bytes:
        """Collect the parameters of a request as JSON; raises request_invalid."""
        found: dict[str, Any] = dict(_query(query, self._lists()))
        if raw and self.method not in ("GET", "DELETE"):
            given = _json(raw)
            if self.body:
                given = {self.body: given}
            if not isinstance(given, dict):
                raise SaintError(Code.REQUEST_INVALID, "the body is not a JSON object")
            if misplaced := sorted(given.keys() & set(self.query)):
                text = f"{misplaced[0]} belongs in the query, not in the body"
                raise SaintError(Code.REQUEST_INVALID, text)
            found |= given
        for name, value in values.items():
            _put(found, name, value)
        return pydantic_core.to_json(found)

    def _in_query(self, fields: Iterable[str]) -> list[str]:
        if self.method in ("GET", "DELETE"):
            return [name for name in fields if name not in self.parts]
        return list(self.query)

    def _lists(self) -> frozenset[str]:
        kinds = self.params.model_fields
        return frozenset(name for name, each in kinds.items() if "list" in str(each.annotation))


def hidden(params: BaseModel) -> dict[str, Any]:
    """Return the parameters for the logs: without secrets, and without empty values, since saintctl
    and webd send parameters that the user did not set.
    """
    given = params.model_dump(mode="json", exclude_unset=True)
    named = {name: value for name, value in given.items() if value not in ("", None, [], {})}
    return {name: "…" if name in _SECRETS else value for name, value in named.items()}


class Rows:
    """The rows of one daemon in one group of actions, in their order."""

    def __init__(self, group: str, daemon: str) -> None:
        self._group = group
        self._daemon = daemon
        self.all: list[Endpoint[Any, Any]] = []

    def row(
        self,
        action: str,
        method: Method,
        path: str,
        params: type[P],
        reply: type[R],
        text: str,
        *,
        level: Level = Level.VIEWER,
        log: str | Callable[[P, R], str] = "",
        **more: Any,
    ) -> Endpoint[P, R]:
        """Add a row; the other arguments are those of Endpoint."""
        made = Endpoint(
            group=self._group,
            daemon=self._daemon,
            action=action,
            method=method,
            path=path,
            params=params,
            reply=reply,
            text=text,
            level=level,
            log=log,
            **more,
        )
        self.all.append(made)
        return made


def _put(found: dict[str, Any], name: str, value: str) -> None:
    """Add a value from the path; a body with another value is refused."""
    outer, _, inner = name.partition(".")
    place = found.get(outer) if inner else found
    given = place.get(inner or name, value) if isinstance(place, dict) else None
    if str(given) != value:
        text = f"the path has {value!r} as {inner or name}, the body has another value"
        raise SaintError(Code.REQUEST_INVALID, text)
    if not inner:
        found.setdefault(name, value)


def _inside(params: BaseModel, name: str) -> object:
    found: object = params
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _joined(value: object) -> object:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else value


def _query(text: str, lists: frozenset[str]) -> dict[str, str | list[str]]:
    """Parse a query; the first value of a repeated name counts."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as err:
        message = f"the query has more than {_MOST_FIELDS} fields"
        raise SaintError(Code.REQUEST_INVALID, message) from err
    return {name: _split(value) if name in lists else value for name, value in reversed(pairs)}


def _split(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def _json(raw: bytes) -> Any:
    try:
        return pydantic_core.from_json(raw)
    except ValueError as err:
        raise SaintError(Code.REQUEST_INVALID, "the body is not JSON") from err


# Modules with the rows of each daemon; a role daemon has none.
MODULES: Final[Mapping[str, tuple[str, ...]]] = {
    "adoptiond": (
        "adoption",
        "calibration",
        "credentials",
        "keys",
        "logs",
        "orders",
        "robot",
        "robot_figure",
        "selftest",
    ),
    "livelinkd": ("livelink",),
    "noded": ("node", "selftest"),
    "otad": ("firmware", "update_policy"),
    "rcd": ("rc",),
    "routerd": ("drill", "faces", "masters", "presets", "routing", "sequences", "wagon"),
    "teleopd": ("teleop",),
    "webd": tuple(
        f"webd.{name}"
        for name in (
            "legs",
            "links",
            "motion",
            "nodes",
            "programs",
            "routes",
            "system",
            "upkeep",
            "users",
        )
    ),
}


@cache
def rows_of(daemon: str) -> tuple[Endpoint[Any, Any], ...]:
    """Return the rows that this daemon serves. Only its own modules are loaded: a Pi has no memory
    for the models of all daemons.
    """
    modules = (import_module(f"{__package__}.{name}") for name in MODULES.get(daemon, ()))
    groups = {id(each): each for module in modules for each in _rows(module)}
    return tuple(row for group in groups.values() for row in group.all if row.daemon == daemon)


def _rows(module: object) -> list[Rows]:
    return [each for each in vars(module).values() if isinstance(each, Rows)]
