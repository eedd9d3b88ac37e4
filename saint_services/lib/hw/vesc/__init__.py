"""VESC motor controllers on a CAN bus."""
