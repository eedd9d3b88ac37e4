"""Switches off or restarts the robot, one node or the server's machine. While outputs are live on
any machine nothing is switched off, by any request that is not forced. Not here: which user
may (webd, api.py), how an order is sent (order_sender.py), how a machine does it
(lib/machine/power.py).
"""

import asyncio
from collections.abc import Sequence

from ..lib import log
from ..lib.api import Done
from ..lib.api.orders import SERVER, OrderKind, PowerCommand, RobotPower
from ..lib.clock import monotonic_s
from ..lib.errors import Code, SaintError
from ..lib.machine import power
from ..lib.machine.power import PowerAction
from .operations import NodeOperations
from .registry import Node
from .registry_service import RegistryService

_KINDS = {PowerCommand.SHUTDOWN: OrderKind.SHUTDOWN, PowerCommand.REBOOT: OrderKind.REBOOT}
_ACTIONS = {PowerCommand.SHUTDOWN: PowerAction.POWER_OFF, PowerCommand.REBOOT: PowerAction.REBOOT}
_WORDS = {PowerCommand.SHUTDOWN: "shuts down", PowerCommand.REBOOT: "restarts"}
_log = log.get("adoptiond")


async def carry_out(wanted: RobotPower, service: RegistryService, by: str) -> Done:
    """Switch off or restart what is wanted. Raises SaintError."""
    if not wanted.force:
        _refuse_while_live(service.nodes)
    word, operations = _WORDS[wanted.command], service.operations
    if wanted.node_id not in ("", SERVER):
        return await operations.power(wanted.node_id, _KINDS[wanted.command])
    notes: list[str] = []
    if not wanted.node_id:
        others = [node for node in service.nodes if node.node_id != service.own_node]
        notes = await _all(others, operations, _KINDS[wanted.command])
    _log.warning("the server", what=word, by=by)
    await asyncio.to_thread(power.request, _ACTIONS[wanted.command], f"requested by {by}")
    whole = "The server" if wanted.node_id or notes else "The robot"
    return Done(message=" ".join((f"{whole} {word}.", *notes)))


def _refuse_while_live(nodes: Sequence[Node]) -> None:
    """Raise refused while outputs are live on any machine, the server's own included."""
    now_s = monotonic_s()
    live = [node.title for node in nodes if node.is_online(now_s) and not node.outputs_safe]
    if live:
        raise SaintError(
            Code.REFUSED,
            f"outputs are live on {', '.join(live)}",
            fix="Release the controls or press the emergency stop first.",
        )


async def _all(nodes: Sequence[Node], operations: NodeOperations, kind: OrderKind) -> list[str]:
    """Send the order to all nodes at once; return a sentence for each that stays on."""
    notes = await asyncio.gather(*(_one(node, operations, kind) for node in nodes))
    return [note for note in notes if note]


async def _one(node: Node, operations: NodeOperations, kind: OrderKind) -> str:
    try:
        await operations.power(node.node_id, kind)
    except SaintError as err:
        return f"{node.title} stays as it is: {err.message}."
    return ""
