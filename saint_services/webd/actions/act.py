"""An action of the API: its row of lib/api and the handler that webd runs for it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any, TypeVar

from pydantic import BaseModel

from ...lib.access.levels import Level
from ...lib.access.person import Person
from ...lib.api.endpoint import Endpoint
from ...lib.api.webd import ROOT, WebEndpoint
from ..accounts.access import ANYONE, Identity
from ..robot.context import RobotContext

P = TypeVar("P", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)
Data = dict[str, Any]
Handler = Callable[["RobotContext", "Caller", P], Awaitable[R | Data] | R | Data]

AUTONOMOUS = "autonomous:"
_NESTED = ("$ref", "items", "additionalProperties", "properties")


@dataclass(frozen=True, slots=True)
class Caller:
    """The client that requests an action."""

    client_id: str
    identity: Identity = ANYONE
    address: str = ""

    @property
    def source(self) -> str:
        """Name of the client as an input source. A program of the owner's counts as autonomous,
        after people, RC and face capture, whatever it calls itself.
        """
        if program := self.identity.program:
            return f"{AUTONOMOUS}{program}"
        return f"websocket:{self.client_id}"

    @property
    def person(self) -> Person:
        """The caller as the other daemons and the logs name it."""
        who = self.identity
        return Person(who.name, who.level.word, self.address, self.source)


@dataclass(frozen=True, slots=True)
class Act:
    """One action. A quick one waits for nothing: it is done before the client's next message is
    read. Its handler returns the row's reply, or the data of one.
    """

    row: Endpoint[Any, Any]
    handler: Callable[[RobotContext, Caller, Any], Any]
    is_quick: bool

    @property
    def group(self) -> str:
        return self.row.group

    @property
    def action(self) -> str:
        return self.row.action

    @property
    def params(self) -> type[BaseModel]:
        return self.row.params

    @property
    def reply(self) -> type[BaseModel]:
        return self.row.reply

    @property
    def level(self) -> Level:
        """The level that the action needs at least."""
        return self.row.level

    @property
    def is_motion(self) -> bool:
        return isinstance(self.row, WebEndpoint) and self.row.is_motion

    @property
    def is_repeated(self) -> bool:
        return isinstance(self.row, WebEndpoint) and self.row.is_repeated

    @property
    def is_logged_here(self) -> bool:
        """True when webd writes the audit entry; another daemon logs what it carries out."""
        row = self.row
        return isinstance(row, WebEndpoint) and not row.is_reading and not row.logged_by

    @property
    def path(self) -> str:
        """Path of the action over HTTP."""
        return f"{ROOT}{self.group}/{self.action}"

    @property
    def methods(self) -> tuple[str, ...]:
        """POST; GET too where nothing changes and the parameters fit into a query."""
        return ("GET", "POST") if self.row.is_reading and self._is_flat() else ("POST",)

    def _is_flat(self) -> bool:
        fields = self.params.model_json_schema().get("properties", {}).values()
        return not any(key in str(field) for field in fields for key in _NESTED)


def data_of(reply: BaseModel | Data) -> Data:
    """Return a reply as JSON data."""
    if isinstance(reply, dict):
        return reply
    data: Data = reply.model_dump(mode="json", by_alias=True)
    return data


class Acts:
    """Handlers of one module, by their rows."""

    def __init__(self) -> None:
        self.all: list[Act] = []

    def bind(self, *rows: Endpoint[P, R]) -> Callable[[Handler[P, R]], Handler[P, R]]:
        """Make the decorated function the handler of these rows."""

        def bound(handler: Handler[P, R]) -> Handler[P, R]:
            is_quick = not iscoroutinefunction(handler)
            self.all.extend(Act(row, handler, is_quick) for row in rows)
            return handler

        return bound


def forwarded(row: Endpoint[Any, Any]) -> Act:
    """Return the action that forwards a row to its daemon, which writes the audit entry."""

    async def forward(robot: RobotContext, caller: Caller, params: BaseModel) -> BaseModel:
        reply: BaseModel = await robot.daemons.forward(row, params, caller.person)
        return reply

    return Act(row, forward, is_quick=False)
