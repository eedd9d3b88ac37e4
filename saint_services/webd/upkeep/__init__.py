"""Backups, logs, diagnostics, releases and settings of the robot."""
