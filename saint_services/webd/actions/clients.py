"""The WebSockets that are open: who they are, and ending one."""

from typing import Any

from ...lib.api import Done
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ..api import messages as m
from ..api.replies import ClientList
from ..robot.context import Robot
from .caller import Caller

Data = dict[str, Any]


def list_clients(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Clients that are connected now."""
    clients = robot.clients.data(monotonic_s()) if robot.clients else []
    return ClientList.model_validate({"clients": clients}).model_dump(mode="json")


def disconnect_client(robot: Robot, caller: Caller, params: m.ClientParams) -> Data:
    """Ends a connection, and what it commanded. It may come back while its token counts."""
    by = f"disconnected by {caller.client_id}"
    if robot.clients is None or not robot.clients.end(params.client_id, by):
        raise SaintError(Code.NOT_FOUND, f"no client {params.client_id!r} is connected")
    return Done(message=f"{params.client_id} was disconnected").model_dump()
