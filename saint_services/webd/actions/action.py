"""What an entry of the table of actions says: params, handler, reply, and the level that it needs.
The HTTP API, the WebSocket, both documents of the API and the checks of who may read only this.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from ..levels import Level
from ..robot import Robot
from .caller import Caller

P = TypeVar("P", bound=BaseModel)
Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Entry(Generic[P]):
    """`reply` describes the data of the answer. `raises_to` is for actions whose params decide
    about the level: it gives the one that these params need.
    """

    params: type[P]
    handler: Callable[[Robot, Caller, P], Any]
    reply: type[BaseModel] | None = None
    needs: Level = Level.OPERATOR
    raises_to: Callable[[P], Level] | None = None

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
