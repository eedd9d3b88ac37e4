"""What an entry of the table of actions says: params, handler, reply, and the level that it needs.
The HTTP API, the WebSocket, both documents of the API and the checks of who may read only this.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from ...lib.access.levels import Level
from ...lib.api.endpoint import Endpoint, Severity
from ..robot.context import Robot
from .caller import Caller

P = TypeVar("P", bound=BaseModel)
Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Entry(Generic[P]):
    """`reply` describes the data of the answer; an action that needs no more than a VIEWER only
    reads, but for those with `raises_to`, which gives the level that these params need.
    """

    params: type[P]
    handler: Callable[[Robot, Caller, P], Any]
    reply: type[BaseModel] | None = None
    needs: Level = Level.OPERATOR
    raises_to: Callable[[P], Level] | None = None
    row: Endpoint[Any, Any] | None = None  # of the daemon that carries it out; None: webd does
    # The sentence for the activity log, with params in braces; empty: it changes nothing.
    log: str | Callable[[P], str] = ""
    severity: Severity = "INFO"

    @property
    def is_reading(self) -> bool:
        """It changes nothing, so it may be asked for again."""
        if self.row or self.log:
            return not self.is_logged
        return self.needs is Level.VIEWER and self.raises_to is None

    @property
    def is_logged(self) -> bool:
        """The audit log has an entry of it, done or refused."""
        return bool(self.log) or bool(self.row and not self.row.is_reading)

    def sentence(self, params: P) -> str:
        """What the activity log says after it was done."""
        return self.log.format(**dict(params)) if isinstance(self.log, str) else self.log(params)

    def level_for(self, params: P) -> Level:
        """What the caller must be."""
        return max(self.needs, self.raises_to(params)) if self.raises_to else self.needs


@dataclass(frozen=True, slots=True)
class Action(_Entry[P]):
    """It asks another daemon."""

    handler: Callable[[Robot, Caller, P], Awaitable[Data]]


@dataclass(frozen=True, slots=True)
class Quick(_Entry[P]):
    """It waits for nobody, so it is done before the client's next message is read."""

    handler: Callable[[Robot, Caller, P], Data]
