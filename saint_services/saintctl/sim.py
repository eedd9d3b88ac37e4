"""`saintctl sim`: runs the commands of the simulation, which only a source checkout has."""

import os
import sys
from pathlib import Path

import typer

from ..lib.errors import Code, SaintError
from .connect import runtime_directory
from .console import fail
from .remote import RemoteRobot

_CHECKOUT = Path(__file__).resolve().parents[2]
_MODULE = "tools.sim"
# Options and --help belong to the simulation's own commands.
SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def simulate(context: typer.Context) -> None:
    """Inspect simulated nodes, inject faults, add nodes (in a source checkout)."""
    try:
        if not (_CHECKOUT / "tools" / "sim" / "__main__.py").is_file():
            raise SaintError(
                Code.REFUSED,
                "no simulation is installed on this computer: its robot is not simulated",
                fix="Simulate a robot in a source checkout: make run, then saintctl sim.",
            )
        if isinstance(context.obj, RemoteRobot):
            runtime_directory(context.obj)  # raises: a simulation has no remote interface
    except SaintError as err:
        raise fail(err) from None
    run = [f"--run={context.obj}"] if context.obj else []
    paths = str(_CHECKOUT), os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    # Replaced by that program, so that Ctrl-C reaches it alone.
    os.execv(sys.executable, [sys.executable, "-m", _MODULE, *run, *context.args])
