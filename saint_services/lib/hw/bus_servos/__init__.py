"""Servos on a serial bus: turns, torque and faults, whoever made them."""
