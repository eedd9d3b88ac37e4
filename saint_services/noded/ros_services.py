"""Serves the node's ROS services of the specification: adopt, reset, gpio_probe. Each adoption and
reset leaves an entry in the audit log. Not here: signed orders (server/orders.py).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from ..lib.access import audit
from ..lib.access.audit import AuditRecord
from ..lib.access.person import ROS_PROGRAM
from ..lib.api import Done
from ..lib.api.adoption import ADOPT_NODE, AdoptNode
from ..lib.api.node import RESET, NodeReset
from ..lib.bus import Bus
from ..lib.errors import Code, SaintError
from ..lib.generated import saint_msgs as msgs
from ..lib.generated.topics import NODE_ADOPT, NODE_GPIO_PROBE, NODE_RESET
from .lifecycle.model import AnswerRequest, Event, ResetRequested
from .state import NodeIdentity

_LONGEST_NAME = 64
_ADOPT = replace(ADOPT_NODE, daemon="noded")
_ADOPT_THERE = (
    "needs the key of its server, which this request does not contain: adopt it on the web page or "
    "with `saintctl node adopt`"
)


class ServedNode(Protocol):
    """The node of the services."""

    identity: NodeIdentity

    async def request(self, make_event: Callable[[int], Event]) -> AnswerRequest: ...

    def refuse_unsigned(self) -> str: ...

    async def gpio_status(self) -> tuple[str, msgs.NodeGPIOStatus]: ...


class RosServices:
    """Handles the services of one node."""

    def __init__(self, node: ServedNode, add_entry: Callable[[AuditRecord], None]) -> None:
        self._node = node
        self._add_entry = add_entry

    def serve(self, bus: Bus) -> None:
        """Serve requests from now on."""
        node_id = self._node.identity.node_id
        bus.serve(NODE_ADOPT.at(node_id=node_id), self._adopt)
        bus.serve(NODE_RESET.at(node_id=node_id), self._reset)
        bus.serve(NODE_GPIO_PROBE.at(node_id=node_id), self._probe)

    async def _adopt(self, request: msgs.AdoptNode_Request) -> msgs.AdoptNode_Response:
        """Refuse: a role obeys the router of a server whose key its node has, and this request has
        no key."""
        node_id = self._node.identity.node_id
        refusal = self._node.refuse_unsigned() or f"{node_id} {_ADOPT_THERE}"
        wanted = AdoptNode.model_construct(
            node_id=node_id, role=_printable(request.role), instance=_printable(request.instance)
        )
        error = SaintError(Code.REFUSED, refusal)
        self._add_entry(audit.refused(_ADOPT, ROS_PROGRAM, wanted, error))
        return msgs.AdoptNode_Response(success=False, message=refusal)

    async def _reset(self, request: msgs.ResetNode_Request) -> msgs.ResetNode_Response:
        wanted = NodeReset(factory_reset=request.factory_reset)
        work = self._done_reset(request)
        try:
            done = await audit.recorded(self._add_entry, RESET, ROS_PROGRAM, wanted, work)
        except SaintError as err:
            return msgs.ResetNode_Response(success=False, message=err.message)
        return msgs.ResetNode_Response(success=True, message=done.message)

    async def _done_reset(self, request: msgs.ResetNode_Request) -> Done:
        if refusal := self._node.refuse_unsigned():
            raise SaintError(Code.REFUSED, refusal)
        node_id, factory = request.node_id[:_LONGEST_NAME], request.factory_reset
        answer = await self._node.request(lambda n: ResetRequested(n, node_id, factory))
        if not answer.success:
            raise SaintError(Code.REFUSED, answer.message)
        return Done(message=answer.message)

    async def _probe(self, request: msgs.GPIOProbe_Request) -> msgs.GPIOProbe_Response:
        node_id = self._node.identity.node_id
        if request.node_id != node_id:
            return msgs.GPIOProbe_Response(success=False, message=f"this is {node_id}")
        problem, status = await self._node.gpio_status()
        return msgs.GPIOProbe_Response(success=True, message=problem, status=status)


def _printable(text: str) -> str:
    return "".join(char for char in text[:_LONGEST_NAME] if char.isprintable())
