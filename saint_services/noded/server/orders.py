"""Carries out what the server orders (/saint/node/<id>/order), and keeps whom the node belongs to.
Not here: whether an order is genuine (trust.py), what a role change does (logic.py).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from ...lib import log
from ...lib.api import orders as bodies
from ...lib.api.logs import LogPage, LogQuery
from ...lib.api.orders import OrderKind
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
from ..lifecycle import model as lives
from ..lifecycle.node import NodeLife
from ..state import checked_assignment, now
from .trust import Bond, Challenges, TrustFiles, refusal

B = TypeVar("B", bound=BaseModel)
_log = log.get("noded")


class Ordered(Protocol):
    """The node that obeys."""

    @property
    def life(self) -> NodeLife: ...

    async def ask(self, make_event: Callable[[int], lives.Event]) -> lives.Answer: ...

    async def update(self, request: UpdateNode_Request) -> tuple[bool, str]: ...

    def refresh(self) -> None: ...

    async def rename(self, display_name: str) -> None: ...

    async def restart(self) -> None: ...

    async def log(self, query: LogQuery) -> LogPage: ...

    async def kill_role(self, wanted: lives.Wanted) -> bodies.Killed: ...

    def bond_changed(self) -> None: ...


class Orders:
    """What the node's server wants of it."""

    def __init__(self, node: Ordered, bus: Bus, files: TrustFiles) -> None:
        self.bond = Bond()
        self._node = node
        self._bus = bus
        self._files = files
        self._node_id = node.life.node_id
        self._publisher = bus.publisher(NODE_TRUST.at(node_id=self._node_id))
        self._challenges = Challenges()
        self._met: tuple[str, bodies.Meet, str] | None = None  # server key, its words, our nonce
        self._is_kept = True  # the bond on the disk is the one in force
        self._disk = asyncio.Lock()

    async def start(self) -> None:
        """Know our key and our server; be reachable."""
        self._key = await asyncio.to_thread(self._files.key)
        self.bond = await asyncio.to_thread(self._files.bond)
        if self.bond.server_key:
            _log.info("belongs to a server", server=self.bond.server, code=self.bond.code)
        self._tell()
        self._bus.serve(NODE_ORDER.at(node_id=self._node_id), self._ordered)

    def sign(self, *parts: str) -> str:
        """The signature of this node's key."""
        return self._key.sign(*parts)

    async def forget(self) -> None:
        """The node belongs to nobody. Raises SaintError when the disk cannot forget."""
        had, self.bond, self._met = self.bond, Bond(), None
        async with self._disk:
            await asyncio.to_thread(self._files.forget)
        self._is_kept = True
        if had.server_key:
            _log.info("belongs to no server any more", was=had.server)
        self._tell()

    async def _ordered(self, order: SignedOrder_Request) -> SignedOrder_Response:
        answer = SignedOrder_Response(node_key=self._key.public)
        try:
            answer.message, reply = await self._carried_out(order)
            answer.success, answer.body = True, reply.model_dump_json() if reply else ""
        except SaintError as err:
            answer.message = err.message
        answer.signature = self._key.sign(*bodies.answer_parts(order, answer))
        return answer

    async def _carried_out(self, order: SignedOrder_Request) -> tuple[str, BaseModel | None]:
        """What became of it, in words and in facts. Raises SaintError when nothing did."""
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
                taken = "takes it over as soon as its outputs are safe"
                return f"{self._node_id} {taken}", None
            case OrderKind.REBOOT:
                await self._node.restart()
                return f"{self._node_id} restarts", None
            case OrderKind.KILL_ROLE:
                named = _body(bodies.KillOrder, order)
                killed = await self._node.kill_role(lives.Wanted(named.role, named.instance))
                return f"the process of {named.role} was killed", killed
            case OrderKind.LOG:
                return "", await self._node.log(_body(LogQuery, order))
        raise SaintError(Code.REQUEST_INVALID, f"there is no order '{order.kind[:40]}'")

    def _challenged(self) -> bodies.Challenged:
        challenge = signing.nonce()
        self._challenges = self._challenges.given(challenge, monotonic_s())
        bond = self.bond
        return bodies.Challenged(
            challenge=challenge, server=bond.server, server_key=bond.server_key, code=bond.code
        )

    def _meet(self, order: SignedOrder_Request) -> tuple[str, bodies.Met]:
        server = _body(bodies.Meet, order)
        for held in () if self.bond.server_key else self._node.life.held:
            if held.server not in ("", server.server):
                adopted = f"{self._node_id} was adopted by {held.server}, not by {server.server}"
                raise SaintError(Code.REFUSED, f"{adopted}; reset it first")
        self._met = order.server_key, server, signing.nonce()
        return "", bodies.Met(nonce=self._met[2])

    async def _bind(self, order: SignedOrder_Request) -> tuple[str, None]:
        said = _body(bodies.Bind, order)
        met, self._met = self._met, None
        if met is None or met[0] != order.server_key:
            raise SaintError(Code.REFUSED, "this server did not introduce itself")
        key, server, our_nonce = met
        if signing.commitment(key, said.nonce) != server.commitment:
            raise SaintError(Code.REFUSED, "this is not what the server committed itself to")
        code = signing.pairing_code(key, self._key.public, said.nonce, our_nonce)
        self.bond = Bond(server=server.server, server_key=key, code=code, since=now())
        self._is_kept = False
        if self._node.life.held:  # its trust.yaml was lost
            await self._keep()
        # The log is what a node shows: whoever compares the two codes knows that nobody stands
        # between them.
        _log.info("belongs to a server now", server=server.server, code=code)
        self._tell()
        return f"{self._node_id} belongs to {server.server} now", None

    async def _adopt(self, order: bodies.AdoptOrder) -> tuple[str, bodies.Adopted]:
        wanted = lives.Wanted(order.role, order.instance)
        try:
            answer = await self._adopted(wanted, order)
        except SaintError:
            if not self._is_kept and not self._node.life.held:
                await self.forget()  # the node stays free: another server may adopt it
            raise
        if not self._is_kept:
            await self._keep()
        await self._node.rename(order.display_name)
        return answer.message, bodies.Adopted(topic_prefix=answer.topic_prefix)

    async def _adopted(self, wanted: lives.Wanted, order: bodies.AdoptOrder) -> lives.Answer:
        assignment = await asyncio.to_thread(
            checked_assignment, wanted, order.config_yaml, self.bond.server, order.server_address
        )
        answer = await self._node.ask(
            lambda n: lives.AdoptRequested(n, self._node_id, assignment, order.add)
        )
        if not answer.success:
            raise SaintError(Code.REFUSED, answer.message)
        return answer

    async def _reset(self, wanted: bodies.ResetOrder) -> tuple[str, None]:
        factory = wanted.factory_reset
        role = lives.Wanted(wanted.role, wanted.instance) if wanted.role else None
        answer = await self._node.ask(lambda n: lives.ResetRequested(n, "", factory, wanted=role))
        if not answer.success:
            raise SaintError(Code.REFUSED, answer.message)
        return answer.message, None

    async def _keep(self) -> None:
        async with self._disk:
            await asyncio.to_thread(self._files.keep, self.bond)
        self._is_kept = True

    def _tell(self) -> None:
        bond = self.bond
        said = NodeTrust(self._node_id, self._key.public, bond.server, bond.server_key, bond.code)
        self._publisher.publish(said)
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
