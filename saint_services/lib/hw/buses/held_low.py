"""An I2C bus whose SDA is held low, in words. The controller of a Pi takes this level for the
acknowledge of every address and for zeros in every read, so no transfer fails. (SCL held low is a
time-out: smbus.py.)
"""

SDA_HELD_LOW = "SDA is held low"
CHECK_WIRES = "check the wires for a short circuit, and each chip for its supply"
