"""`saintctl tls`: encryption of the robot's page by a certificate authority of its own."""

from datetime import datetime

import typer

from ...lib.api.machine import TlsInfo
from ..connect import tell
from ..console import AsJson, print_facts, print_json, run
from .users import NOTHING

app = typer.Typer(help="Encryption of the page: show, enable, disable.", no_args_is_help=True)


@app.command("show")
def show(context: typer.Context, as_json: AsJson = False) -> None:
    """Whether it is on, and the fingerprint to compare before a device trusts the robot."""
    _ask(context, "get_tls", as_json)


@app.command("enable")
def enable(context: typer.Context, as_json: AsJson = False) -> None:
    """Answer at https:// too; makes the authority and the certificate where there are none."""
    _ask(context, "enable_tls", as_json)


@app.command("disable")
def disable(context: typer.Context, as_json: AsJson = False) -> None:
    """Answer at http:// only, and forget the authority."""
    _ask(context, "disable_tls", as_json)


def _ask(context: typer.Context, action: str, as_json: bool) -> None:
    path = f"/api/v1/system/{action}"
    info = run(tell(context.obj, "webd", path, NOTHING, TlsInfo), as_json)
    if as_json:
        print_json(info)
    elif not info.is_enabled:
        print("Encryption is off: saintctl tls enable switches it on.")
    else:
        ends = datetime.fromtimestamp(info.ends_s).astimezone().strftime("%Y-%m-%d")
        print_facts(
            [
                ("fingerprint", info.fingerprint),
                ("valid for", ", ".join(info.names)),
                ("until", f"{ends}, renewed by itself"),
                ("trust it", "the robot's page, /trust.html, says how"),
            ]
        )
