"""All actions of the API: webd's own rows with their handlers, and the rows that webd forwards.
WebSocket messages, HTTP requests, levels and both documents come from this table.
"""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from ...lib.api.endpoint import MODULES, Endpoint, rows_of
from ...lib.api.webd import ROOT
from ...lib.config.spelling import hint
from ...lib.errors import Code, SaintError
from . import legs, links, maintenance, motion, nodes, programs, routes, settings, system, users
from .act import Act, forwarded

_OWN = {
    act.row.name: act
    for module in (
        *(legs, links, maintenance, motion, nodes),
        *(programs, routes, settings, system, users),
    )
    for act in module.ACTS.all
}


def _act(row: Endpoint[Any, Any]) -> Act:
    """Return the action of a row; a row of webd without a handler is a KeyError at start."""
    return _OWN[row.name] if row.daemon == "webd" else forwarded(row)


def _by_group() -> dict[str, dict[str, Act]]:
    groups: dict[str, dict[str, Act]] = {}
    for daemon in MODULES:
        for row in rows_of(daemon):
            if row.is_action:
                groups.setdefault(row.group, {})[row.action] = _act(row)
    return groups


ACTIONS = _by_group()
MODELS: dict[str, dict[str, type[BaseModel]]] = {
    group: {name: act.params for name, act in acts.items()} for group, acts in ACTIONS.items()
}


def every() -> Iterator[Act]:
    """Yield all actions in the order of the table."""
    for acts in ACTIONS.values():
        yield from acts.values()


def find(group: str, action: str) -> Act:
    """Return one action; raises not_found that names a similar one."""
    if act := ACTIONS.get(group, {}).get(action):
        return act
    known = [f"{each.group}/{each.action}" for each in every()]
    meant = hint(f"{group}/{action}", known)
    text = f"there is no action {group[:64]}/{action[:64]}{meant}"
    raise SaintError(Code.NOT_FOUND, text, fix=f"GET {ROOT} lists all actions.")
