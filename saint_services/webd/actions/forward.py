"""Passes an action on to the daemon of its row in lib/api, with the person who asks; that daemon
writes the audit log's entry. Not here: actions that webd itself carries out (beside this file).
"""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from ...lib.api.endpoint import Endpoint
from ..robot.context import Robot
from .action import Action, Data, Quick
from .caller import Caller


def forwarded(row: Endpoint[Any, Any]) -> Action[Any]:
    """The action of a row."""

    async def forward(robot: Robot, caller: Caller, params: BaseModel) -> Data:
        reply = await robot.daemons.of(row.daemon).request(row, params, caller.person)
        data: Data = reply.model_dump(mode="json", by_alias=True)
        return data

    forward.__doc__ = row.text
    return Action(row.params, forward, row.reply, row.level, row.level_for, row)


def forwarded_all(rows: Iterable[Endpoint[Any, Any]]) -> dict[str, Action[Any] | Quick[Any]]:
    """The actions of these rows by their names, without those for daemons alone."""
    return {row.action: forwarded(row) for row in rows if row.is_action}
