"""`saintctl completion`: what a shell needs to complete commands and options. Typer makes it; not
here: what is completed.
"""

import os
from pathlib import Path
from typing import Annotated

import typer
from typer._completion_shared import get_completion_script
from typer._completion_shared import install as install_script

from ..lib.errors import Code, SaintError
from .console import fail

app = typer.Typer(help="Completion of commands in your shell.", no_args_is_help=True)

_PROGRAM, _VARIABLE = "saintctl", "_SAINTCTL_COMPLETE"
_SHELLS = ("bash", "zsh", "fish")

Shell = Annotated[str, typer.Argument(help="bash, zsh or fish; yours, if left out.")]


@app.command()
def show(shell: Shell = "") -> None:
    """Print it, e.g. for /etc/bash_completion.d."""
    print(script(_chosen(shell)))


@app.command()
def install(shell: Shell = "") -> None:
    """Set it up for your user; it works in the next shell that you open."""
    chosen = _chosen(shell)
    try:
        _, path = install_script(shell=chosen, prog_name=_PROGRAM, complete_var=_VARIABLE)
    except OSError as err:
        error = SaintError(Code.REFUSED, f"{err.filename} cannot be written: {err.strerror}")
        raise fail(error) from None
    print(f"Completion for {chosen} is in {path}. Open a new shell to use it.")


def script(shell: str) -> str:
    """For that shell."""
    return get_completion_script(prog_name=_PROGRAM, complete_var=_VARIABLE, shell=shell)


def _chosen(given: str) -> str:
    shell = given or Path(os.environ.get("SHELL", "")).name
    if shell not in _SHELLS:
        error = SaintError(
            Code.REQUEST_INVALID,
            f"{shell or 'your shell'!r} is not known here",
            fix=f"Name one of: {', '.join(_SHELLS)}.",
        )
        raise fail(error)
    return shell
