"""Commands of a client to a walking robot. A mode is held: each counts for 300 ms; when the last
one is over the robot is damped. Not here: why a mode is refused (role_legsd).
"""

from .. import Request
from ..endpoint import Nothing
from ..mapping import FiniteNumber
from ..routing import CommandReply
from . import WebRows


class Walk(Request):
    """One velocity set-point; it holds for 300 ms."""

    vx: FiniteNumber = 0.0  # m/s, forward
    vy: FiniteNumber = 0.0  # m/s, to the left
    vyaw: FiniteNumber = 0.0  # rad/s, counterclockwise


LEGS = WebRows("legs")
_MOTION = {"is_motion": True, "is_repeated": True}

# fmt: off
STAND = LEGS.change(
    "stand", Nothing, CommandReply, "Stand up, and stand for 300 ms.", **_MOTION,
    log="had the legs stand",
)
BALANCE = LEGS.change(
    "balance", Nothing, CommandReply, "Balance in place for 300 ms; refused before it stands.",
    **_MOTION, log="had the legs balance",
)
MOVE = LEGS.change(
    "move", Walk, CommandReply, "Walk at a velocity for 300 ms; refused before it stands.",
    **_MOTION, log="had the legs walk",
)
DAMP = LEGS.change(
    "damp", Nothing, CommandReply, "Damp the legs: the robot sits down or falls.",
    is_repeated=True, log="had the legs damped",
)
