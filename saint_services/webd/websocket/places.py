"""Who may have one more of the places for WebSockets, so that no user's programs take all of them
from those who drive and stop it. Pure. Not here: who is not signed in yet (adapters/session.py).
"""

from collections.abc import Iterable

from ...lib.access.levels import Level
from ..accounts.access import Identity

MOST_OF_ONE_VIEWER = 8
LEAST_OF_ONE_OPERATOR = 8
RESERVED_SHARE = 4  # one part in so many of all places is kept from viewers
OPERATORS_SHARE = 2  # and one operator's or admin's programs get one part in so many


def refusal(who: Identity, others: Iterable[Identity], most: int) -> str:
    """Return why there is no place for one more of `who`; empty when there is one."""
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
        return f"{viewers} viewers are connected, the other {reserved} places are for operators"
    return ""


def _of_one(who: Identity, most: int) -> str:
    return f"{who.name} is connected {most} times already, which is the most"
