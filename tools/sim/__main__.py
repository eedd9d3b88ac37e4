"""Runs the commands of `saintctl sim`."""

from .commands import app

app(prog_name="saintctl sim")
