"""Recognises an I2C bus whose SDA is held low. The controller of a Pi takes this level for the
acknowledge of every address and for zeros in every read, so no transfer fails. (SCL held low is a
time-out: smbus.py.)
"""

SDA_HELD_LOW = "SDA is held low"
CHECK_WIRES = "check the wires for a short circuit, and each chip for a missing or reversed supply"
_MOST_CHIPS = 100  # of 112 addresses; no bus carries as many chips


def is_held_low(answering: int) -> bool:
    """Return whether more addresses answer than a bus has chips."""
    return answering > _MOST_CHIPS
