"""Drives the head: neck and face servos."""
