"""The requests that webd itself carries out, as rows: POST /api/v1/<group>/<action>, or a WebSocket
message. Not here: requests that webd forwards to other daemons (their own modules of lib/api).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from ...access.levels import Level
from ..endpoint import Endpoint, Rows

P = TypeVar("P", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)

ROOT = "/api/v1/"
_LIMIT_S = 30.0  # webd waits for other daemons


@dataclass(frozen=True, slots=True, kw_only=True)
class WebEndpoint(Endpoint[P, R]):
    """One row of webd. A GET only reads; its parameters may also come in the body of a POST.
    `logged_by` names the daemon that carries the request out and therefore writes the audit entry.
    A repeated request (motion, many times a second) is logged when it begins.
    """

    level_of: Callable[[P], Level] | None = None  # where the level depends on the parameters
    logged_by: str = ""
    is_motion: bool = False  # refused while the e-stop is active
    is_repeated: bool = False

    @property
    def is_reading(self) -> bool:
        return self.method == "GET"

    def level_for(self, params: Any) -> Level:
        """Return the level that these parameters need."""
        own = self.level_of(params) if self.level_of else self.level
        return max(own, Endpoint.level_for(self, params))


class WebRows(Rows):
    """The rows of webd in one group."""

    def __init__(self, group: str) -> None:
        super().__init__(group, "webd")

    def read(
        self, action: str, params: type[P], reply: type[R], text: str, **more: Any
    ) -> WebEndpoint[P, R]:
        """Add a row that only reads."""
        return self._add("GET", action, params, reply, text, more)

    def change(
        self, action: str, params: type[P], reply: type[R], text: str, **more: Any
    ) -> WebEndpoint[P, R]:
        """Add a row that changes something; operators may request it unless `level` is given."""
        return self._add("POST", action, params, reply, text, {"level": Level.OPERATOR, **more})

    def _add(
        self, method: Any, action: str, params: type[P], reply: type[R], text: str, more: Any
    ) -> WebEndpoint[P, R]:
        made = WebEndpoint(
            group=self._group,
            daemon=self._daemon,
            action=action,
            method=method,
            path=f"{ROOT}{self._group}/{action}",
            params=params,
            reply=reply,
            text=text,
            **{"limit_s": _LIMIT_S, **more},
        )
        self.all.append(made)
        return made
