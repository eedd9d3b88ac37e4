"""`saintctl node gpio` and `saintctl node check`: a node's pins and buses, and which roles fit on
it. Not here: how these are drawn (hardware_view.py).
"""

from typing import Annotated

import typer

from ...lib.api.adoption import ROLE_NAMES
from ...lib.api.hardware import GpioStatus
from ...lib.api.webd.nodes import CHECK_NODE, GET_GPIO_STATUS
from ...lib.errors import Code, SaintError
from ..connect import run_request
from ..console import AsJson, fail, print_json, print_table
from ..names import NodeId
from ..row_command import row_command
from .hardware_view import device_rows, finding_rows, header

_DEVICES = ("", "bus", "address", "device")
_FINDINGS = ("", "name", "what", "found")


def add_to(app: typer.Typer) -> None:
    """Add the commands to `saintctl node`."""
    row_command(app, "gpio", GET_GPIO_STATUS)(print_gpio)
    app.command("check")(check)


def print_gpio(status: GpioStatus) -> None:
    for line in header(status.pins):
        print(line)
    print()
    print_table(_DEVICES, device_rows(status.peripherals), "Nothing was found on its buses.")


def check(
    context: typer.Context,
    node: NodeId,
    role: Annotated[str, typer.Argument(help=f"{ROLE_NAMES}. Default: all.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show what each role needs and whether the node has it. Exit code 1: the named role would not
    start there."""
    fit = run_request(context.obj, CHECK_NODE, as_json, node_id=node)
    roles = [each for each in fit.roles if role in ("", each.role)]
    if not roles:
        known = ", ".join(dict.fromkeys(each.role for each in fit.roles))
        message = f"this robot has no role {role!r}"
        raise fail(SaintError(Code.NOT_FOUND, message, fix=f"Roles: {known}."), as_json)
    if as_json:
        print_json(fit.model_copy(update={"roles": roles}))
    for each in roles if not as_json else ():
        verdict = "fits" if each.is_ready else "does not fit"
        print(f"{each.role} {each.instance}".strip() + f": {verdict}")
        if each.conflict:
            print(f"  {each.conflict}")
        print_table(_FINDINGS, finding_rows(each.findings), "  It needs no pins and no devices.")
    if role and not any(each.is_ready for each in roles):
        raise typer.Exit(1)
