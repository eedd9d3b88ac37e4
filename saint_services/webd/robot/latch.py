"""Decides whether the robot may be moved: motion is refused while it is stopped, and while that is
unknown. Not here: pressing and clearing the stop (actions/system.py).
"""

from ...lib.api.routing import EStopInfo
from ...lib.errors import Code, SaintError
from ...lib.generated.saint_msgs import EStop
from ..audit import activity
from ..topics.newest import Newest

SILENT_S = 1.0  # the router reports every 0.4 s at least


def problem(newest: Newest, now_s: float) -> SaintError | None:
    """Return why nothing may be moved now; None when the robot is known not to be stopped."""
    latch: EStop | EStopInfo | None = newest.estop
    received_s = newest.router_received_s
    answered = newest.estop_answered
    if answered is not None and (latch is None or latch.generation < answered.generation):
        latch = answered
    if latch is not None and latch.active:
        by = activity.source_name(latch.source) or "an unknown source"
        reason = f": {latch.reason}" if latch.reason else ""
        return SaintError(Code.ESTOP_ACTIVE, f"the robot is stopped by {by}{reason}")
    is_silent = received_s > 0.0 and now_s - received_s > SILENT_S
    if latch is None or is_silent:
        text = "it is unknown whether the robot is stopped, because the router does not report"
        return SaintError(Code.REFUSED, text, fix="Wait until the router reports, and try again.")
    return None
