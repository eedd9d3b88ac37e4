"""Whether the robot may be moved at all: motion is refused while it is stopped, and while it is not
known whether it is. Pure. Not here: raising and clearing the stop (actions/system.py).
"""

from ...lib.errors import Code, SaintError
from ..audit import activity
from ..topics.newest import Newest

SILENT_S = 1.0  # the router reports ten times a second


def problem(newest: Newest, now_s: float) -> SaintError | None:
    """Return why nothing may be moved now; None when the robot is known not to be stopped."""
    latch, heard_s = newest.estop, newest.router_received_s
    if latch is not None and latch.active:
        by = activity.source_name(latch.source) or "somebody"
        reason = f": {latch.reason}" if latch.reason else ""
        return SaintError(Code.ESTOP_ACTIVE, f"the robot is stopped by {by}{reason}")
    is_silent = heard_s > 0.0 and now_s - heard_s > SILENT_S
    if latch is None or is_silent:
        text = "whether the robot is stopped is not known: the router does not report"
        return SaintError(Code.REFUSED, text, fix="Wait until the router is back, and try again.")
    return None
