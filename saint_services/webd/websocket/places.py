"""Limits of the WebSockets of each user, so that nobody's programs exhaust the connections of the
users who drive and stop the robot. Not here: clients that are not signed in yet (session.py).
"""

from collections.abc import Iterable

from ...lib.access.levels import Level
from ..accounts.access import Identity

MOST_OF_ONE_VIEWER = 8
LEAST_OF_ONE_OPERATOR = 8
RESERVED_SHARE = 4  # one part in so many of all connections is not for viewers
OPERATORS_SHARE = 2  # one operator or admin gets at most one part in so many


def refusal(who: Identity, others: Iterable[Identity], most: int) -> str:
    """Return why `who` may open no further connection; empty when there is room."""
    if who.via in ("open", "socket"):
        return ""
    known = list(others)
    own = sum((each.name, each.via) == (who.name, who.via) for each in known)
    if who.level > Level.VIEWER:
        most_own = max(LEAST_OF_ONE_OPERATOR, most // OPERATORS_SHARE)
        return _of_one(who, most_own) if own >= most_own else ""
    if own >= MOST_OF_ONE_VIEWER:
        return _of_one(who, MOST_OF_ONE_VIEWER)
    reserved = most // RESERVED_SHARE
    viewers = sum(each.level is Level.VIEWER for each in known)
    if viewers >= most - reserved:
        return (
            f"{viewers} viewers are connected, the other {reserved} connections are for operators"
        )
    return ""


def _of_one(who: Identity, most: int) -> str:
    return f"{who.name} already has {most} connections, which is the limit"
