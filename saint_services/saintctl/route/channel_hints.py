"""Names mappings that read channels which the RC receiver does not send. A hint, no fault: another
receiver may send them.
"""

from collections.abc import Iterable

from ...lib.api import rc
from ...lib.api.endpoint import Nothing
from ...lib.api.rc import RcStatus
from ...lib.api.routing import Route
from ...lib.errors import SaintError
from ..connect import RobotAddress, request_or_error


def channel_hints(routes: Iterable[Route], status: RcStatus) -> list[str]:
    """Return one sentence for each such route; none while the receiver sends no channels."""
    sent = {f"channel_{channel.channel}" for channel in status.channels}
    if not sent:
        return []
    found = []
    for route in routes:
        if route.input.source != "rc" or route.mapping == "passthrough":
            continue
        names = dict.fromkeys(each.from_ for each in route.mapping if each.from_ not in sent)
        if names:
            found.append(
                f"Route {route.id} reads {', '.join(names)}, which the receiver does not send "
                f"({status.protocol.upper()}, {len(sent)} channels): nothing moves by that."
            )
    return found


async def received_hints(robot: RobotAddress, routes: Iterable[Route]) -> list[str]:
    """Return the hints for the receiver of this robot; none when rcd does not answer."""
    status = await request_or_error(robot, rc.GET_STATUS, Nothing())
    return [] if isinstance(status, SaintError) else channel_hints(routes, status)
