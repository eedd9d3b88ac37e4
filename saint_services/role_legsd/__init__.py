"""Drives the legs: the modes and the velocity of a walking controller."""
