"""Runs the registry: receives the nodes' reports, sends the orders that need no request, publishes
the robot's status. Not here: what a heartbeat changes (logic.py, membership.py, node_roles.py),
users' requests (operations.py).
"""

import asyncio
import re
import shutil
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from ..lib import log
from ..lib.bus import Bus, PolledSubscription, Sample, Subscription
from ..lib.bus.graph_scans import GraphScans
from ..lib.clock import monotonic_s, stamp, wall_s
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.generated import saint_msgs as msgs
from ..lib.generated import topics
from ..lib.generated.diagnostic_msgs import DiagnosticArray
from ..lib.ipc import ChangeSignal
from ..lib.machine import computer
from . import logic, membership, node_roles, views
from .adapters import RegistryFile
from .adoption import unfinished
from .calibration_store import CalibrationStore
from .config import Config
from .membership import UnknownDevices
from .operations import NodeOperations
from .order_sender import OrderSender
from .registry import Catalog, Node, Registry, RoleKey
from .ros_view.diagnostics import diagnostics
from .ros_view.publisher import RosView
from .state import SavedNode
from .state import SavedRegistry as Saved

_STATUS_TOPIC = re.compile(r"/saint/nodes/([^/]+)/status")
_DISCOVER_EVERY_S = 2
# Heartbeats wait until they are read: each would wake this process six times over the threads of
# the bus. What a node does is reported so much later.
_HEARTBEATS_S = 0.25
_IGNORE_EVERY_S = 60
_CARE_PAUSE_S = 10.0  # a node that could not be bound or reset is tried again after that
_log = log.get("adoptiond")


class RegistryService:
    """Holds the registry; `verbs` carry out users' requests."""

    def __init__(
        self,
        ctx: Context[Config],
        bus: Bus,
        order_sender: OrderSender,
        calibrations: CalibrationStore,
        memory: RegistryFile,
        registry: Registry,
        address: str,
    ) -> None:
        self.registry = registry
        self.calibrations = calibrations
        self.address = address
        self.order_sender = order_sender
        self.operations = NodeOperations(self, bus, order_sender, ctx.config)
        self.unknown_devices = UnknownDevices()
        self._spawn = ctx.spawn
        self._maintained_s: dict[
            str, float
        ] = {}  # when a node was last bound or reset without a request
        self._counters = ctx.health.counters
        self._bus = bus
        self._memory = memory
        self._meter = computer.Meter()
        self._metrics = computer.MachineMetrics()
        self._version = ""
        self.own_node = ""  # of a machine that is server and node
        self._is_estop = False
        self._gone: frozenset[str] = frozenset()
        self._online: frozenset[str] = frozenset()
        self.robot_mark: Callable[[], str] = str  # of the robot in force
        self.robot_edition: Callable[[], str] = str
        self.on_robot: Callable[[str], None] = lambda _: None  # gets that mark with every change
        self.ros_view: RosView | None = None
        self._health = ctx.health
        self.changed = ChangeSignal()  # of what readers see, except readings
        self._subscriptions: dict[str, tuple[Subscription, ...]] = {}
        self._heartbeats: dict[str, PolledSubscription] = {}
        self._system = bus.publisher(topics.SYSTEM_STATUS)
        self._alerts = bus.publisher(topics.CONSOLE_ALERTS)
        bus.subscribe(topics.NODES_UNADOPTED, self._announced)
        bus.subscribe(topics.ESTOP, self._estop)
        self._graph_scans = GraphScans(bus)
        self._discover()

    @property
    def catalog(self) -> Catalog:
        """The roles of this robot, with their calibration."""
        return self.calibrations.catalog

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of this robot; one of them may be this very machine."""
        key = self.order_sender.public
        return tuple(n for n in self.registry.nodes.values() if n.keys or n.is_of(key))

    def saved(self) -> Saved:
        """Return what belongs on the disk."""
        return logic.saved(self.registry)

    def system_status(self) -> msgs.SystemStatus:
        """Return the robot's status message."""
        return views.system_status(
            self.registry,
            self.catalog.robot,
            self._version,
            self._metrics,
            is_estop=self._is_estop,
            now_s=monotonic_s(),
            stamp=stamp(),
        )

    async def refresh_role(self, key: RoleKey) -> str:
        """Have the node of a role fetch its configuration; return a message for the user."""
        return await self.operations.refresh(key)

    def robot_changed(self) -> None:
        """Notify those who watch the nodes: roles or outputs of the robot may be others now."""
        self.changed.notify()
        self.on_robot(self.robot_mark())

    async def diagnostics(self, folder: Path) -> DiagnosticArray:
        """Return the state of the robot for ROS; `folder` lies on the partition for data."""
        disk = await asyncio.to_thread(shutil.disk_usage, folder)
        return diagnostics(
            stamp(),
            self.system_status(),
            self.registry,
            self.catalog,
            self.nodes,
            self._health.report().issues,
            disk.used * 100.0 / disk.total,
            monotonic_s(),
        )

    async def tick(self) -> None:
        """Publish the robot's status once a second until stopped; report nodes that went offline or
        came back."""
        self._version = (await asyncio.to_thread(computer.hardware)).version
        self.own_node = await asyncio.to_thread(computer.own_node)
        next_s, seconds = monotonic_s(), 0
        while True:
            self._metrics = await asyncio.to_thread(self._meter.sample)
            self._sweep()
            if seconds % _DISCOVER_EVERY_S == 0:
                self._discover()
            elif seconds % _IGNORE_EVERY_S == 1:
                self._close_unused()
            self._report_offline()
            self._maintain()
            self._system.publish(self.system_status())
            if self.ros_view:
                await self.ros_view.look()
            seconds += 1
            next_s = max(next_s + 1.0, monotonic_s())
            await asyncio.sleep(next_s - monotonic_s())

    async def read_heartbeats(self) -> None:
        """Receive the nodes' heartbeats until stopped."""
        while True:
            for heartbeats in tuple(self._heartbeats.values()):
                heartbeats.read()
            await asyncio.sleep(_HEARTBEATS_S)

    def change(self, node_id: str, registry: Registry) -> None:
        """Set the registry; schedule a write when the persisted part of that node changed."""
        before, self.registry = self.registry, registry
        if _kept(before, node_id) != _kept(registry, node_id):
            self._memory.touch()
        if before.unfinished is not registry.unfinished or before.pending is not registry.pending:
            self._memory.touch()
        now_s = monotonic_s()
        if views.is_other(before, registry, now_s):
            self._online = views.online(registry, now_s)  # so that tick() does not report it again
            self.changed.notify()

    async def use(self, registry: Registry) -> None:
        """Replace the whole registry; it is on the disk when this returns."""
        self.registry = registry
        self.changed.notify()
        await self._memory.save(self.saved)

    async def persist(self) -> None:
        """Write the registry now. Raises refused when the disk cannot be written."""
        if not await self._memory.save(self.saved):
            text = "The registry of nodes cannot be written, so nothing was requested of the node"
            raise SaintError(Code.REFUSED, text, fix="Check that the disk is not full.")

    def _sweep(self) -> None:
        """Let time pass: nodes go offline, unadopted ones are forgotten."""
        now_s = monotonic_s()
        before = self.registry, self._online
        self.registry = logic.sweep(self.registry, now_s)
        self._online = views.online(self.registry, now_s)
        if before != (self.registry, self._online):
            self.changed.notify()

    def _announced(self, sample: Sample[msgs.NodeAnnouncement]) -> None:
        message = sample.message
        registry = logic.announcement_received(
            self.registry, message, sample.received_s, logic.iso_date(int(wall_s()))
        )
        if registry is None:
            self._counters["announcements_refused"] += 1
            reason = membership.unknown_reason(self.registry, message.node_id)
            if self.unknown_devices.add(message.node_id, reason, sample.received_s):
                self.changed.notify()
            return
        self.change(message.node_id, registry)
        self._listen(message.node_id)

    def _reported(self, node_id: str, sample: Sample[msgs.NodeStatus]) -> None:
        message = sample.message
        registry = logic.status_received(
            self.registry, node_id, message, sample.received_s, logic.iso_date(int(wall_s()))
        )
        if registry is None:
            self._counters["statuses_refused"] += 1
            return
        self.change(node_id, registry)

    def _roles_reported(self, node_id: str, sample: Sample[msgs.NodeRoles]) -> None:
        date = logic.iso_date(int(wall_s()))
        registry = node_roles.roles_received(self.registry, node_id, sample.message, date)
        if registry is None:
            self._counters["roles_refused"] += 1
            return
        self.change(node_id, registry)

    def _belongs(self, node_id: str, sample: Sample[msgs.NodeTrust]) -> None:
        registry = membership.trust_received(self.registry, node_id, sample.message)
        if registry is None:
            self._counters["bonds_refused"] += 1
            return
        self.change(node_id, registry)

    def _maintain(self) -> None:
        """Exchange keys with adopted nodes that lost theirs, reset nodes that were replaced, and
        finish adoptions that were interrupted."""
        now_s = monotonic_s()
        judged = unfinished.judged(self.registry, now_s)
        for node_id in judged.not_adopted:
            _log.info("the node was not adopted", node=node_id)
            self.change(node_id, unfinished.dropped(self.registry, node_id))
        work = membership.work(self.registry, self.order_sender.public, now_s)
        acts = dict.fromkeys(judged.adopted, self.operations.adoptions.finish)
        acts |= dict.fromkeys(work.to_reset, self._reset_replaced)
        acts |= dict.fromkeys(work.to_bind, self.operations.bind)
        for node_id, act in acts.items():
            if now_s - self._maintained_s.get(node_id, float("-inf")) < _CARE_PAUSE_S:
                continue
            self._maintained_s[node_id] = now_s
            self._spawn(self._maintain_node(node_id, act), f"maintain {node_id}")
        self._maintained_s = {
            i: s for i, s in self._maintained_s.items() if i in self.registry.nodes
        }

    async def _reset_replaced(self, node_id: str) -> None:
        await self.operations.reset(node_id, factory=False)

    async def _maintain_node(self, node_id: str, act: Callable[[str], Awaitable[None]]) -> None:
        try:
            await act(node_id)
        except SaintError as err:
            _log.warning("node not maintained", node=node_id, reason=err.message)

    def _estop(self, sample: Sample[msgs.EStop]) -> None:
        self._is_estop = sample.message.active

    def _discover(self) -> None:
        """Subscribe to the known nodes, and to those that only the graph shows: a server that lost
        its registry finds its robot again."""
        names = self._bus.graph().topics if self._graph_scans.is_due() else ()
        shown = (_STATUS_TOPIC.fullmatch(name) for name in names)
        for node_id in {*self.registry.nodes, *(found[1] for found in shown if found)}:
            self._listen(node_id)

    def _close_unused(self) -> None:
        """Close the subscriptions that never received a report: this daemon's own subscriptions
        show in the graph too. Nodes that exist are found again."""
        for node_id in self._subscriptions.keys() - self.registry.nodes.keys():
            self._heartbeats.pop(node_id).close()
            for subscription in self._subscriptions.pop(node_id):
                subscription.close()
            self._graph_scans.renew()

    def _listen(self, node_id: str) -> None:
        if node_id in self._subscriptions or not computer.is_token(node_id):
            return
        if len(self._subscriptions) >= 2 * logic.MOST_NODES:
            self._counters["nodes_not_listened_to"] += 1
            return
        listen, at = self._bus.subscribe, {"node_id": node_id}
        status = topics.NODE_STATUS.at(**at)
        self._heartbeats[node_id] = self._bus.poll(
            status, partial(self._reported, node_id), depth=status.qos.depth
        )
        self._subscriptions[node_id] = (
            listen(topics.NODE_TRUST.at(**at), partial(self._belongs, node_id)),
            listen(topics.NODE_ROLES.at(**at), partial(self._roles_reported, node_id)),
        )

    def _report_offline(self) -> None:
        gone = views.gone(self.registry, monotonic_s())
        for node_id in sorted(gone - self._gone):
            _log.warning("node went offline", node=node_id)
            self._alert("error", Code.BUS_TIMEOUT, f"{self._title(node_id)} is offline")
        for node_id in sorted(self._gone - gone):
            if node_id in self.registry.nodes:
                _log.info("node is back", node=node_id)
                self._alert("info", None, f"{self._title(node_id)} is back")
        self._gone = gone

    def _title(self, node_id: str) -> str:
        node = self.registry.nodes[node_id]
        return f"{node.title}, {node.holds}" if node.key else node.title

    def _alert(self, severity: str, code: Code | None, text: str) -> None:
        alert = msgs.ConsoleAlert(
            stamp=stamp(), severity=severity, code=code.value if code else "", text=text
        )
        self._alerts.publish(alert)


def _kept(registry: Registry, node_id: str) -> SavedNode | None:
    node = registry.nodes.get(node_id)
    return node.kept if node else None
