"""What a motion command is answered with."""

from . import Reply


class Limited(Reply):
    """One field of a command that asked for more than the robot may do."""

    field: str
    asked: float
    limited_to: float
    unit: str
    text: str


class Accepted(Reply):
    """The command is on its way to the router; the topics show what comes of it."""

    limited: list[Limited] = []
