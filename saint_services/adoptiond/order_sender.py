"""Sends orders to nodes: exchanges keys with them, signs the orders, checks the signatures of the
replies. Not here: whether a node may get an order (logic.py).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ..lib.api import Reply
from ..lib.api import orders as bodies
from ..lib.api.logs import LogPage, LogQuery
from ..lib.api.orders import LONGEST_LOG_BYTES, LONGEST_REPORT, KillOrder, KillReply, OrderKind
from ..lib.api.selftest import SelfTestOrder, SelfTestReport
from ..lib.bus import Bus
from ..lib.crypto import signing
from ..lib.errors import Code, SaintError
from ..lib.generated.saint_msgs import SignedOrder_Request, SignedOrder_Response
from ..lib.generated.topics import NODE_ORDER
from ..lib.logs.lines import LONGEST_TEXT
from .logic import clean
from .registry import Bond

R = TypeVar("R", bound=Reply)
# s; for replies that need no work. A node that is just booting is slow in everything.
_SOON_S = 6.0
_LONGEST_BODY = 4096
_LONGEST_MESSAGE = 400
KEY_LOST = (
    "the key of this server is lost, so no order to a node and no router can be signed; roles that "
    "nodes hold keep working until the router starts again"
)
KEY_LOST_FIX = (
    "Restore a backup that holds the key (saintctl backup restore), or make a new one (saintctl "
    "node new-key); then every node must be reset by its button and adopted again."
)
_KILL_LIMIT_S = 5.0
_LOG_LIMIT_S = 12.0  # reading a journal may take half of it
_TEST_LIMIT_S = 40.0  # a card that is slow and a camera without pictures


@dataclass(frozen=True, slots=True)
class NodeReply:
    """A node's reply."""

    success: bool
    message: str
    topic_prefix: str = ""


class OrderSender:
    """Signs with the server's key, and sends."""

    def __init__(self, bus: Bus, key: signing.PrivateKey | None, server: str) -> None:
        self._key = key  # None: lost, so no order can be signed
        self._bus = bus
        self._server = server

    @property
    def public(self) -> str:
        """The server's public key; empty while the server's key is lost."""
        return self._key.public if self._key else ""

    @property
    def key(self) -> signing.PrivateKey | None:
        """The server's private key, to be sealed for a backup."""
        return self._key

    def use(self, key: signing.PrivateKey) -> None:
        """Sign with this key from now on."""
        self._key = key

    def sign(self, *parts: str) -> str:
        """Return the signature of these parts. Raises refused while the server's key is lost."""
        if self._key is None:
            raise SaintError(Code.REFUSED, KEY_LOST, fix=KEY_LOST_FIX)
        return self._key.sign(*parts)

    async def owner(self, node_id: str) -> Bond:
        """Return the server that the node belongs to, as it signs now."""
        said, who = await self._challenge(node_id)
        return Bond(who.node_key, said.server, said.server_key, said.code)

    async def bind(
        self, node_id: str, node_key: str, met: Callable[[Bond], Awaitable[None]] | None = None
    ) -> Bond:
        """Bind the node to this server. Raises SaintError when it refuses. `node_key`: the key that
        it must have; empty: any. `met` gets the bond before the node does."""
        self.sign()  # raises before anything is sent
        nonce = signing.nonce()
        words = bodies.MeetOrder(
            server=self._server, commitment=signing.commitment(self.public, nonce)
        )
        answer = await self._order(node_id, OrderKind.MEET, words, _SOON_S, node_key)
        theirs = _reply(bodies.MeetReply, node_id, answer).nonce
        code = signing.pairing_code(self.public, answer.node_key, nonce, theirs)
        bond = Bond(answer.node_key, self._server, self.public, code)
        if met:
            await met(bond)
        order = bodies.BindOrder(nonce=nonce)
        await self._order(node_id, OrderKind.BIND, order, _SOON_S, answer.node_key)
        return bond

    async def order(
        self, node_id: str, node_key: str, kind: OrderKind, body: BaseModel, limit_s: float
    ) -> NodeReply:
        """Have the node with this key carry out an order."""
        answer = await self._order(node_id, kind, body, limit_s, node_key)
        prefix = ""
        if kind is OrderKind.ADOPT:
            prefix = _reply(bodies.AdoptOrderReply, node_id, answer).topic_prefix
        return NodeReply(True, clean(answer.message, _LONGEST_MESSAGE), clean(prefix, 240))

    async def log(self, node_id: str, node_key: str, query: LogQuery) -> LogPage:
        """Return log lines of the node with this key."""
        answer = await self._order(node_id, OrderKind.LOG, query, _LOG_LIMIT_S, node_key)
        page = _reply(LogPage, node_id, answer, 2 * LONGEST_LOG_BYTES)
        lines = [
            line.model_copy(update={"text": clean(line.text.replace("\n", " "), LONGEST_TEXT)})
            for line in page.lines
        ]
        return page.model_copy(update={"lines": lines})

    async def self_test(self, node_id: str, node_key: str, order: SelfTestOrder) -> SelfTestReport:
        """Have the node with this key test its machine; returns the report."""
        limit_s = _SOON_S if order.only_last else _TEST_LIMIT_S
        answer = await self._order(node_id, OrderKind.SELF_TEST, order, limit_s, node_key)
        return _cleaned(_reply(SelfTestReport, node_id, answer, LONGEST_REPORT))

    async def kill(self, node_id: str, node_key: str, order: KillOrder) -> KillReply:
        """Have the node with this key kill a role's process, as a fault would."""
        answer = await self._order(node_id, OrderKind.KILL_ROLE, order, _KILL_LIMIT_S, node_key)
        return _reply(KillReply, node_id, answer)

    async def _order(
        self, node_id: str, kind: OrderKind, body: BaseModel, limit_s: float, node_key: str = ""
    ) -> SignedOrder_Response:
        self.sign()  # raises before anything is sent
        said, _ = await self._challenge(node_id, node_key)
        order = SignedOrder_Request(
            node_id=node_id,
            kind=kind.value,
            body=body.model_dump_json(exclude_defaults=True),
            challenge=said.challenge,
            server_key=self.public,
        )
        order.signature = self.sign(*bodies.order_parts(order))
        answer = await self._replied(order, limit_s, node_key)
        if not answer.success:
            raise SaintError(Code.REFUSED, clean(answer.message, _LONGEST_MESSAGE))
        return answer

    async def _challenge(
        self, node_id: str, node_key: str = ""
    ) -> tuple[bodies.ChallengeReply, SignedOrder_Response]:
        order = SignedOrder_Request(
            node_id=node_id,
            kind=OrderKind.CHALLENGE.value,
            challenge=signing.nonce(),  # the node signs it, so its reply is a new one
            server_key=self.public,
        )
        answer = await self._replied(order, _SOON_S, node_key)
        return _reply(bodies.ChallengeReply, node_id, answer), answer

    async def _replied(
        self, order: SignedOrder_Request, limit_s: float, node_key: str
    ) -> SignedOrder_Response:
        answer = await self._called(order, limit_s)
        parts = bodies.answer_parts(order, answer)
        if not signing.is_signed(answer.node_key, answer.signature, *parts):
            raise SaintError(
                Code.REFUSED,
                f"the reply of {order.node_id} is not signed by it",
                fix="Another device may answer in its place: check what is connected.",
            )
        if node_key and answer.node_key != node_key:
            raise SaintError(
                Code.REFUSED,
                f"another computer answers as {order.node_id}: its key is not the known one",
                fix="If its card was written again, adopt it again.",
            )
        return answer

    async def _called(self, order: SignedOrder_Request, limit_s: float) -> SignedOrder_Response:
        service = NODE_ORDER.at(node_id=order.node_id)
        try:
            return await self._bus.call(service, order, limit_s)
        except SaintError as err:
            if err.code is not Code.BUS_TIMEOUT:
                raise
            text = f"{order.node_id} does not answer (waited {limit_s:g} s)"
            raise SaintError(Code.BUS_TIMEOUT, text) from err


def _cleaned(report: SelfTestReport) -> SelfTestReport:
    """Return a node's report without control characters; a node is not trusted with a terminal."""
    checks = [
        check.model_copy(
            update={
                "name": clean(check.name, _LONGEST_MESSAGE),
                "title": clean(check.title, _LONGEST_MESSAGE),
                "text": clean(check.text, _LONGEST_MESSAGE),
                "fix": clean(check.fix, _LONGEST_MESSAGE),
            }
        )
        for check in report.checks
    ]
    lines = [clean(line, _LONGEST_MESSAGE) for line in report.document.split("\n")]
    texts = {name: clean(getattr(report, name), 240) for name in ("machine", "release", "began")}
    return report.model_copy(update={**texts, "checks": checks, "document": "\n".join(lines)})


def _reply(
    model: type[R], node_id: str, answer: SignedOrder_Response, most: int = _LONGEST_BODY
) -> R:
    try:
        return model.model_validate_json(answer.body[:most])
    except ValidationError as err:
        message = f"the reply of {node_id} has a form that this release does not know"
        raise SaintError(Code.MESSAGE_MALFORMED, message) from err
