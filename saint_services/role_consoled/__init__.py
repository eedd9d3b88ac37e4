"""Drives the console: display and buttons."""
