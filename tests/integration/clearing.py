"""Clearing the e-stop of a running robot as one who has seen every press."""

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import EStopClear, EStopInfo
from saint_services.lib.ipc import Client


async def clear_estop(routerd: Client, source: str = "test") -> EStopInfo:
    """Clear what stands now. Raises SaintError when the router refuses."""
    seen = (await routerd.request(routing.GET_STATUS, Nothing())).estop.generation
    body = EStopClear(source=source, generation=seen)
    return await routerd.request(routing.CLEAR_ESTOP, body)
