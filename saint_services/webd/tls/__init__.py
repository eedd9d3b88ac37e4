"""Encryption with the robot's own certificate authority."""
