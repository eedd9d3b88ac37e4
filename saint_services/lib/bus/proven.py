"""Whether samples whose writer is not named may count: never, unless the environment says so."""

import os

UNPROVEN_BUS = "SAINT_UNPROVEN_BUS"


def is_unproven_bus_accepted(origin: str) -> bool:
    """True on a bus that names no writers (`origin` of our own bus is empty), where the environment
    accepts that explicitly.
    """
    return not origin and os.environ.get(UNPROVEN_BUS) == "accept"
