"""Opens the dialect of a line by the word that configurations and commands use for it. Pure."""

from enum import StrEnum
from functools import cache

from .port import ServoDialect


class LineProtocol(StrEnum):
    """What the servos of one line understand."""

    STS = "sts"  # Feetech, also SMS
    SCS = "scs"  # Feetech
    X = "x"  # Dynamixel X series, protocol 2.0


@cache
def dialect_of(protocol: str) -> ServoDialect:
    """Return the dialect of a line."""
    if protocol == LineProtocol.X:
        from ..dynamixel.dialect import DynamixelDialect

        return DynamixelDialect()
    from ..feetech.dialect import FeetechDialect
    from ..feetech.registers import Series

    return FeetechDialect(Series(protocol))
