"""Servos on a serial bus: turns, torque and faults of any maker."""
