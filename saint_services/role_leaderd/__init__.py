"""Reads a leader arm and publishes its pose as an input."""
