"""Carries out the orders of the node's server (/saint/node/<id>/order), and stores which server the
node belongs to. Not here: whether an order is genuine (trust.py), what a role change does
(lifecycle).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from ...lib import log
from ...lib.api import orders as bodies
from ...lib.api.logs import LogPage, LogQuery
from ...lib.api.orders import OrderKind
from ...lib.api.selftest import SelfTestOrder, SelfTestReport
from ...lib.bus import Bus
from ...lib.clock import monotonic_s
from ...lib.crypto import signing
from ...lib.errors import Code, SaintError
from ...lib.generated.saint_msgs import (
    NodeTrust,
    SignedOrder_Request,
    SignedOrder_Response,
    UpdateNode_Request,
)
from ...lib.generated.topics import NODE_ORDER, NODE_TRUST
from ..lifecycle import model
from ..lifecycle.node import NodeLifecycle
from ..state import checked_assignment, now
from .trust import Challenges, ServerBond, TrustFiles, refusal

B = TypeVar("B", bound=BaseModel)
_log = log.get("noded")


class OrderedNode(Protocol):
    """The node that carries the orders out."""

    @property
    def life(self) -> NodeLifecycle: ...

    async def request(self, make_event: Callable[[int], model.Event]) -> model.AnswerRequest: ...

    async def update(self, request: UpdateNode_Request) -> tuple[bool, str]: ...

    def refresh(self) -> None: ...

    async def rename(self, display_name: str) -> None: ...

    async def restart(self) -> None: ...

    async def power_off(self) -> None: ...

    async def log(self, query: LogQuery) -> LogPage: ...

    async def kill_role(self, wanted: model.RoleId) -> bodies.KillReply: ...

    async def self_test(self, order: SelfTestOrder) -> SelfTestReport: ...

    def bond_changed(self) -> None: ...


class ServerOrders:
    """The service for orders of the node's server."""

    def __init__(self, node: OrderedNode, bus: Bus, files: TrustFiles) -> None:
        self.bond = ServerBond()
        self._node = node
        self._bus = bus
        self._files = files
        self._node_id = node.life.node_id
        self._publisher = bus.publisher(NODE_TRUST.at(node_id=self._node_id))
        self._challenges = Challenges()
        self._met: tuple[str, bodies.MeetOrder, str] | None = (
            None  # server key, its message, our nonce
        )
        self._is_stored = True  # the bond on the disk is the one in force
        self._disk = asyncio.Lock()

    async def start(self) -> None:
        """Load our key and our server, then serve orders."""
        self._key = await asyncio.to_thread(self._files.key)
        self.bond = await asyncio.to_thread(self._files.bond)
        if self.bond.server_key:
            _log.info("belongs to a server", server=self.bond.server, code=self.bond.code)
        self._publish()
        self._bus.serve(NODE_ORDER.at(node_id=self._node_id), self._on_order)

    def sign(self, *parts: str) -> str:
        """Sign with this node's key."""
        return self._key.sign(*parts)

    async def forget(self) -> None:
        """Forget the node's server. Raises SaintError when the disk cannot be written."""
        had, self.bond, self._met = self.bond, ServerBond(), None
        async with self._disk:
            await asyncio.to_thread(self._files.forget)
        self._is_stored = True
        if had.server_key:
            _log.info("belongs to no server any more", was=had.server)
        self._publish()

    async def _on_order(self, order: SignedOrder_Request) -> SignedOrder_Response:
        answer = SignedOrder_Response(node_key=self._key.public)
        try:
            answer.message, reply = await self._carried_out(order)
            answer.success, answer.body = True, reply.model_dump_json() if reply else ""
        except SaintError as err:
            answer.message = err.message
        answer.signature = self._key.sign(*bodies.answer_parts(order, answer))
        return answer

    async def _carried_out(self, order: SignedOrder_Request) -> tuple[str, BaseModel | None]:
        """Carry an order out; returns a sentence and the reply's body. Raises SaintError."""
        if order.kind == OrderKind.CHALLENGE:
            return "", self._challenged()
        reason = refusal(order, self.bond, self._challenges, self._node_id, monotonic_s())
        if reason:
            raise SaintError(Code.REFUSED, reason)
        self._challenges = self._challenges.used(order.challenge)
        match order.kind:
            case OrderKind.MEET:
                return self._meet(order)
            case OrderKind.BIND:
                return await self._bind(order)
            case OrderKind.ADOPT:
                return await self._adopt(_body(bodies.AdoptOrder, order))
            case OrderKind.RESET:
                return await self._reset(_body(bodies.ResetOrder, order))
            case OrderKind.UPDATE:
                wanted = _body(bodies.UpdateOrder, order).model_dump()
                request = UpdateNode_Request(node_id=self._node_id, **wanted)
                return await _succeeded(self._node.update(request)), None
            case OrderKind.REFRESH:
                self._node.refresh()
                return f"{self._node_id} applies it as soon as its outputs are safe", None
            case OrderKind.REBOOT:
                await self._node.restart()
                return f"{self._node_id} restarts", None
            case OrderKind.SHUTDOWN:
                await self._node.power_off()
                return f"{self._node_id} shuts down", None
            case OrderKind.KILL_ROLE:
                named = _body(bodies.KillOrder, order)
                killed = await self._node.kill_role(model.RoleId(named.role, named.instance))
                return f"the process of {named.role} was killed", killed
            case OrderKind.LOG:
                return "", await self._node.log(_body(LogQuery, order))
            case OrderKind.SELF_TEST:
                return await self._self_test(_body(SelfTestOrder, order))
        raise SaintError(Code.REQUEST_INVALID, f"unknown order '{order.kind[:40]}'")

    def _challenged(self) -> bodies.ChallengeReply:
        challenge = signing.nonce()
        self._challenges = self._challenges.issued(challenge, monotonic_s())
        bond = self.bond
        return bodies.ChallengeReply(
            challenge=challenge, server=bond.server, server_key=bond.server_key, code=bond.code
        )

    def _meet(self, order: SignedOrder_Request) -> tuple[str, bodies.MeetReply]:
        server = _body(bodies.MeetOrder, order)
        for held in () if self.bond.server_key else self._node.life.held:
            if held.server not in ("", server.server):
                adopted = f"{self._node_id} was adopted by {held.server}, not by {server.server}"
                raise SaintError(Code.REFUSED, f"{adopted}; reset it first")
        self._met = order.server_key, server, signing.nonce()
        return "", bodies.MeetReply(nonce=self._met[2])

    async def _bind(self, order: SignedOrder_Request) -> tuple[str, None]:
        bind = _body(bodies.BindOrder, order)
        met, self._met = self._met, None
        if met is None or met[0] != order.server_key:
            raise SaintError(Code.REFUSED, "this server did not introduce itself")
        key, server, our_nonce = met
        if signing.commitment(key, bind.nonce) != server.commitment:
            raise SaintError(Code.REFUSED, "this is not what the server committed itself to")
        code = signing.pairing_code(key, self._key.public, bind.nonce, our_nonce)
        self.bond = ServerBond(server=server.server, server_key=key, code=code, since=now())
        self._is_stored = False
        if self._node.life.held:  # its trust.yaml was lost
            await self._store()
        # A person compares the code in this log with the server's: equal codes prove that no
        # participant sits between the two.
        _log.info("belongs to a server now", server=server.server, code=code)
        self._publish()
        return f"{self._node_id} belongs to {server.server} now", None

    async def _adopt(self, order: bodies.AdoptOrder) -> tuple[str, bodies.AdoptOrderReply]:
        wanted = model.RoleId(order.role, order.instance)
        try:
            answer = await self._adopted(wanted, order)
        except SaintError:
            if not self._is_stored and not self._node.life.held:
                await self.forget()  # the node stays free: another server may adopt it
            raise
        if not self._is_stored:
            await self._store()
        await self._node.rename(order.display_name)
        return answer.message, bodies.AdoptOrderReply(topic_prefix=answer.topic_prefix)

    async def _adopted(self, wanted: model.RoleId, order: bodies.AdoptOrder) -> model.AnswerRequest:
        server, address = self.bond.server, order.server_address
        served = await asyncio.to_thread(
            checked_assignment, wanted, order.config_yaml, server, address
        )
        assignment = replace(served, person=order.person)
        answer = await self._node.request(
            lambda n: model.AdoptRequested(n, self._node_id, assignment, order.add)
        )
        if not answer.success:
            raise SaintError(Code.REFUSED, answer.message)
        return answer

    async def _reset(self, wanted: bodies.ResetOrder) -> tuple[str, None]:
        factory = wanted.factory_reset
        role = model.RoleId(wanted.role, wanted.instance) if wanted.role else None
        answer = await self._node.request(
            lambda n: model.ResetRequested(n, "", factory, wanted=role)
        )
        if not answer.success:
            raise SaintError(Code.REFUSED, answer.message)
        return answer.message, None

    async def _self_test(self, wanted: SelfTestOrder) -> tuple[str, SelfTestReport]:
        """Run the self-test. A node without a role, bound for this order alone, stays free."""
        try:
            return "tested", await self._node.self_test(wanted)
        finally:
            life = self._node.life
            if not (self._is_stored or life.held or life.is_changing):
                await self.forget()

    async def _store(self) -> None:
        async with self._disk:
            await asyncio.to_thread(self._files.store, self.bond)
        self._is_stored = True

    def _publish(self) -> None:
        bond = self.bond
        message = NodeTrust(
            self._node_id, self._key.public, bond.server, bond.server_key, bond.code
        )
        self._publisher.publish(message)
        self._node.bond_changed()


def _body(model: type[B], order: SignedOrder_Request) -> B:
    try:
        return model.model_validate_json(order.body[: bodies.LONGEST_BODY])
    except ValidationError as err:
        message = f"the order '{order.kind[:40]}' has a body that this release does not know"
        raise SaintError(Code.REQUEST_INVALID, message) from err


async def _succeeded(outcome: Awaitable[tuple[bool, str]]) -> str:
    is_done, message = await outcome
    if not is_done:
        raise SaintError(Code.REFUSED, message)
    return message
