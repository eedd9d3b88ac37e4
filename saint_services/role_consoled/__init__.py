"""Drives the console: display, lights and buttons."""
