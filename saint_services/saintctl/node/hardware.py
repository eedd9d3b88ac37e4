"""`saintctl node gpio` and `saintctl node check`: a node's header and buses, and which roles would
fit on it. webd asks the node. Not here: how it is drawn (node_hardware_view.py).
"""

from typing import Annotated, TypeVar
from urllib.parse import urlencode

import typer

from ...lib.api import Reply
from ...lib.api.hardware import GpioStatus, NodeFit
from ...lib.errors import Code, SaintError
from ..connect import Place, ask
from ..console import AsJson, fail, print_json, print_table, run
from ..names import NodeId
from .hardware_view import device_rows, finding_rows, header

_DEVICES = ("", "bus", "address", "device")
_FINDINGS = ("", "name", "what", "found")

R = TypeVar("R", bound=Reply)


def gpio(context: typer.Context, node: NodeId, as_json: AsJson = False) -> None:
    """The 40 pins of a node as they lie on the board, and what answers on its buses."""
    status = run(_ask(context.obj, "get_gpio_status", node, GpioStatus), as_json)
    if as_json:
        print_json(status)
        return
    for line in header(status.pins):
        print(line)
    print()
    print_table(_DEVICES, device_rows(status.peripherals), "Nothing was found on its buses.")


def check(
    context: typer.Context,
    node: NodeId,
    role: Annotated[str, typer.Argument(help="head, arms, tracks or console; empty: all")] = "",
    as_json: AsJson = False,
) -> None:
    """What each role needs and whether the node has it. Ends with 1 when the role that was named
    would not start there."""
    fit = run(_ask(context.obj, "check_node", node, NodeFit), as_json)
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


async def _ask(given: Place, action: str, node: str, reply: type[R]) -> R:
    path = f"/api/v1/management/{action}?{urlencode({'node_id': node})}"
    return await ask(given, "webd", path, reply)
