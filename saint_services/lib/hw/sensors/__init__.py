"""Sensors on an I2C bus, each read in its own thread."""
