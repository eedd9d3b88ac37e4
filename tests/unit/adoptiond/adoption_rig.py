"""A registry inside the test's loop, and nodes that are played by the test over a local bus."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel

from saint_services.adoptiond.config import Config
from saint_services.adoptiond.daemon import run
from saint_services.lib.api import orders
from saint_services.lib.api.orders import OrderKind
from saint_services.lib.bus.local import LocalBus, LocalDomain
from saint_services.lib.crypto import signing
from saint_services.lib.daemon import running
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.lib.ipc import Client
from saint_services.lib.machine.service_manager import Directories

REPOSITORY = Path(__file__).parents[3]


class FakeNode:
    """A node as the bus sees it."""

    def __init__(self, domain: LocalDomain, node_id: str) -> None:
        self.node_id = node_id
        self.role = ""
        self.instance = ""
        self.reason = ""
        self.outputs_safe = False
        self.refusal = ""
        self.ordered: list[str] = []  # the kinds of orders, as they came
        self.may_work = asyncio.Event()  # unset: an adoption takes that long
        self.may_work.set()
        self.config_yaml = self.display_name = self.person = ""  # as ordered with the role
        self.bus: LocalBus = domain.bus(node_id)
        self._announcement = self.bus.publisher(topics.NODES_UNADOPTED)
        self._status = self.bus.publisher(topics.NODE_STATUS.at(node_id=node_id))
        self._roles = self.bus.publisher(topics.NODE_ROLES.at(node_id=node_id))
        self.pwm: dict[int, int] = {}  # channels by pin; empty: it reports its roles in NodeStatus
        self.key = signing.PrivateKey(node_id.encode().ljust(32, b"n")[:32])
        self.server_key = ""
        self.bus.serve(topics.NODE_ORDER.at(node_id=node_id), self._ordered)

    def live(self) -> None:
        """Send one heartbeat."""
        if self.role:
            self._status.publish(
                msgs.NodeStatus(
                    node_id=self.node_id,
                    state="active",
                    role=self.role,
                    instance=self.instance,
                    config_version="1.0.0",
                    reason=self.reason,
                    outputs_safe=self.outputs_safe,
                )
            )
            if self.pwm:
                self._report_roles()
        else:
            self._announcement.publish(
                msgs.NodeAnnouncement(
                    node_id=self.node_id, state="unadopted", hardware_model="Raspberry Pi 4"
                )
            )

    def _report_roles(self) -> None:
        role = msgs.NodeRole(role=self.role, instance=self.instance, state="active")
        message = msgs.NodeRoles(node_id=self.node_id, roles=(role,))
        message.pwm_pins, message.pwm_channels = bytes(self.pwm), bytes(self.pwm.values())
        self._roles.publish(message)

    async def _ordered(self, order: msgs.SignedOrder_Request) -> msgs.SignedOrder_Response:
        self.ordered.append(order.kind)
        if order.kind == OrderKind.ADOPT:
            await self.may_work.wait()
        answer = msgs.SignedOrder_Response(success=True, node_key=self.key.public)
        answer.body = self._obeyed(order, answer).model_dump_json()
        answer.signature = self.key.sign(*orders.answer_parts(order, answer))
        return answer

    def _obeyed(
        self, order: msgs.SignedOrder_Request, answer: msgs.SignedOrder_Response
    ) -> BaseModel:
        match order.kind:
            case OrderKind.CHALLENGE:
                key = self.server_key
                name = "SAINT-01" if key else ""
                return orders.ChallengeReply(challenge=signing.nonce(), server=name, server_key=key)
            case OrderKind.MEET:
                return orders.MeetReply(nonce=signing.nonce())
            case OrderKind.BIND:
                self.server_key = order.server_key
            case OrderKind.RESET:
                self.role = self.instance = ""
                answer.message = "is unadopted"
            case OrderKind.ADOPT if self.refusal:
                answer.success, answer.message = False, self.refusal
            case OrderKind.ADOPT:
                wanted = orders.AdoptOrder.model_validate_json(order.body)
                self.role, self.instance = wanted.role, wanted.instance
                self.config_yaml, self.display_name = wanted.config_yaml, wanted.display_name
                self.person = wanted.person
                answer.message = "is now at work"
                self.live()
                return orders.AdoptOrderReply()
        return orders.EmptyOrder()


class Robot:
    """What surrounds the registry under test."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.domain = LocalDomain()
        self.directories = Directories(
            config=root / "etc", state=root / "state", runtime=root / "run", share=REPOSITORY
        )
        self.watcher: LocalBus = self.domain.bus("watcher")
        self.on_bus: Callable[[LocalBus], None] = lambda _: None  # gets the registry's bus

    def node(self, node_id: str) -> FakeNode:
        return FakeNode(self.domain, node_id)

    def copy_manifests(self) -> None:
        """Have manifests of one's own, to change them."""
        shutil.copytree(REPOSITORY / "manifests", self.root / "share/manifests")
        self.directories = replace(self.directories, share=self.root / "share")

    def give_twenty_arms(self) -> None:
        """A robot manifest "big" with twenty instances of one role."""
        self.directories = replace(self.directories, share=self.root / "share")
        manifests = self.root / "share/manifests"
        (manifests / "robots").mkdir(parents=True)
        (manifests / "roles").mkdir()
        lines = ["name: BIG-01", "roles:"]
        for number in range(20):
            name = f"n{number}"
            lines.append(f"  - {{role: arms, instance: {name}, config: roles/{name}.yaml}}")
            text = f"role: arms\ninstance: {name}\nversion: '1'\ntopic_prefix: /saint/arms/{name}\n"
            (manifests / f"roles/{name}.yaml").write_text(text)
        (manifests / "robots/big.yaml").write_text("\n".join(lines))

    @asynccontextmanager
    async def registry(self, config: Config | None = None) -> AsyncIterator[Client]:
        """adoptiond, running; its control plane."""
        bus = self.domain.bus("adoptiond")
        self.on_bus(bus)
        try:
            async with (
                running("adoptiond", config or Config(), run, self.directories, bus=bus),
                Client(self.directories.runtime / "adoptiond.sock") as client,
            ):
                yield client
        finally:
            await bus.close()  # a bus that is passed in belongs to the test
