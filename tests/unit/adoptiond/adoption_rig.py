"""A registry inside the test's loop, and nodes that are played by the test over a local bus."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from saint_services.adoptiond.config import Config
from saint_services.adoptiond.daemon import run
from saint_services.lib.bus.local import LocalBus, LocalDomain
from saint_services.lib.daemon import running
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.lib.ipc import Client
from saint_services.lib.sd import Directories

REPOSITORY = Path(__file__).parents[3]


class FakeNode:
    """A node as the bus sees it."""

    def __init__(self, domain: LocalDomain, node_id: str) -> None:
        self.node_id = node_id
        self.role = ""
        self.instance = ""
        self.reason = ""
        self.refusal = ""
        self.bus: LocalBus = domain.bus(node_id)
        self._announcement = self.bus.publisher(topics.NODES_UNADOPTED)
        self._status = self.bus.publisher(topics.NODE_STATUS.at(node_id=node_id))
        self.bus.serve(topics.NODE_ADOPT.at(node_id=node_id), self._adopt)
        self.bus.serve(topics.NODE_RESET.at(node_id=node_id), self._reset)

    def live(self) -> None:
        """One life sign."""
        if self.role:
            self._status.publish(
                msgs.NodeStatus(
                    node_id=self.node_id,
                    state="active",
                    role=self.role,
                    instance=self.instance,
                    config_version="1.0.0",
                    reason=self.reason,
                )
            )
        else:
            self._announcement.publish(
                msgs.NodeAnnouncement(
                    node_id=self.node_id, state="unadopted", hardware_model="Raspberry Pi 4"
                )
            )

    async def _adopt(self, request: msgs.AdoptNode_Request) -> msgs.AdoptNode_Response:
        if self.refusal:
            return msgs.AdoptNode_Response(success=False, message=self.refusal)
        self.role, self.instance = request.role, request.instance
        self.live()
        return msgs.AdoptNode_Response(success=True, message="is now at work")

    async def _reset(self, request: msgs.ResetNode_Request) -> msgs.ResetNode_Response:
        self.role = self.instance = ""
        return msgs.ResetNode_Response(success=True, message="is unadopted")


class Robot:
    """What surrounds the registry under test."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.domain = LocalDomain()
        self.directories = Directories(
            config=root / "etc", state=root / "state", runtime=root / "run", share=REPOSITORY
        )
        self.watcher: LocalBus = self.domain.bus("watcher")

    def node(self, node_id: str) -> FakeNode:
        return FakeNode(self.domain, node_id)

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
        try:
            async with (
                running("adoptiond", config or Config(), run, self.directories, bus=bus),
                Client(self.directories.runtime / "adoptiond.sock") as client,
            ):
                yield client
        finally:
            await bus.close()  # a bus that is passed in belongs to the test


async def until(condition: Callable[[], bool], limit_s: float = 3.0) -> None:
    """Wait for what the loop will bring about."""
    async with asyncio.timeout(limit_s):
        while not condition():  # noqa: ASYNC110  # what it waits for is not ours to signal
            await asyncio.sleep(0.005)
