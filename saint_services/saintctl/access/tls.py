"""`saintctl tls`: encryption of the robot's pages by its own certificate authority."""

from datetime import datetime

import typer

from ...lib.api.machine import TlsInfo
from ...lib.api.webd.system import DISABLE_TLS, ENABLE_TLS, GET_TLS
from ..console import print_facts
from ..row_command import row_command

app = typer.Typer(help="Encryption of the pages: show, enable, disable.", no_args_is_help=True)


def print_tls(info: TlsInfo) -> None:
    if not info.is_enabled:
        print("Encryption is off: saintctl tls enable switches it on.")
        return
    ends = datetime.fromtimestamp(info.ends_s).astimezone().strftime("%Y-%m-%d")
    print_facts(
        [
            ("fingerprint", info.fingerprint),
            ("valid for", ", ".join(info.names)),
            ("until", f"{ends}, renewed automatically"),
            ("trust it", "the robot's page /trust.html explains how"),
        ]
    )


for _name, _row in (
    ("show", GET_TLS), ("enable", ENABLE_TLS), ("disable", DISABLE_TLS)
):  # fmt: skip
    row_command(app, _name, _row)(print_tls)
