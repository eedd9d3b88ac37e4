"""The registry at work: hears nodes, asks those that need it, tells the robot's status. Not here:
what a life sign changes (logic.py, membership.py, node_roles.py), what people ask for (verbs.py).
"""

import asyncio
import re
from functools import partial

from ..lib import log
from ..lib.bus import Bus, Sample, Subscription
from ..lib.clock import monotonic_s, stamp, wall_s
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.generated import saint_msgs as msgs
from ..lib.generated import topics
from ..lib.machine import computer
from . import logic, membership, node_roles, views
from .adapters import Memory
from .calibration_store import Calibrations
from .config import Config
from .operations import Verbs
from .order_sender import Courier
from .registry import Catalog, Registry
from .state import SavedNode
from .state import SavedRegistry as Saved
from .strangers import Strangers

_STATUS_TOPIC = re.compile(r"/saint/nodes/([^/]+)/status")
_DISCOVER_EVERY_S = 2
_IGNORE_EVERY_S = 60
_CARE_PAUSE_S = 10.0  # a node that could not be bound or reset is asked again after that
_log = log.get("adoptiond")


class Adoption:
    """Keeps the registry; `verbs` are what people do to it."""

    def __init__(
        self,
        ctx: Context[Config],
        bus: Bus,
        courier: Courier,
        calibrations: Calibrations,
        memory: Memory,
        registry: Registry,
        address: str,
    ) -> None:
        self.registry = registry
        self.calibrations = calibrations
        self.address = address
        self.courier = courier
        self.verbs = Verbs(self, bus, courier, ctx.config)
        self.strangers = Strangers()
        self._spawn = ctx.spawn
        self._cared_s: dict[str, float] = {}  # when a node was last bound or reset by ourselves
        self._counters = ctx.health.counters
        self._bus = bus
        self._memory = memory
        self._meter = computer.Meter()
        self._metrics = computer.MachineMetrics()
        self._version = ""
        self._is_estop = False
        self._gone: frozenset[str] = frozenset()
        self._heard: dict[str, tuple[Subscription, ...]] = {}
        self._system = bus.publisher(topics.SYSTEM_STATUS)
        self._alerts = bus.publisher(topics.CONSOLE_ALERTS)
        bus.subscribe(topics.NODES_UNADOPTED, self._announced)
        bus.subscribe(topics.ESTOP, self._estop)
        self._discover()

    @property
    def catalog(self) -> Catalog:
        """The roles of this robot, as they are calibrated."""
        return self.calibrations.catalog

    def saved(self) -> Saved:
        """What should be on the disk."""
        return logic.saved(self.registry)

    def system_status(self) -> msgs.SystemStatus:
        """The robot in one message."""
        return views.system_status(
            self.registry,
            self.catalog.robot,
            self._version,
            self._metrics,
            is_estop=self._is_estop,
            now_s=monotonic_s(),
            stamp=stamp(),
        )

    async def tick(self) -> None:
        """Once a second, forever: the robot's status, nodes that came or went."""
        self._version = (await asyncio.to_thread(computer.hardware)).version
        next_s, seconds = monotonic_s(), 0
        while True:
            self._metrics = await asyncio.to_thread(self._meter.sample)
            self.registry = logic.sweep(self.registry, monotonic_s())
            if seconds % _DISCOVER_EVERY_S == 0:
                self._discover()
            elif seconds % _IGNORE_EVERY_S == 1:
                self._ignore_strangers()
            self._tell_gone()
            self._care()
            self._system.publish(self.system_status())
            seconds += 1
            next_s = max(next_s + 1.0, monotonic_s())
            await asyncio.sleep(next_s - monotonic_s())

    def change(self, node_id: str, registry: Registry) -> None:
        """The registry as it is now; what changed of that node is kept."""
        before = _kept(self.registry, node_id)
        self.registry = registry
        if before != _kept(registry, node_id):
            self._memory.touch()

    async def use(self, registry: Registry) -> None:
        """Another registry altogether, on disk when this returns."""
        self.registry = registry
        await self._memory.save(self.saved())

    def _announced(self, sample: Sample[msgs.NodeAnnouncement]) -> None:
        message = sample.message
        registry = logic.hear_announcement(
            self.registry, message, sample.received_s, logic.iso_date(int(wall_s()))
        )
        if registry is None:
            self._counters["announcements_refused"] += 1
            reason = membership.stranger(self.registry, message.node_id)
            self.strangers.heard(message.node_id, reason, sample.received_s)
            return
        self.change(message.node_id, registry)
        self._listen(message.node_id)

    def _reported(self, node_id: str, sample: Sample[msgs.NodeStatus]) -> None:
        message = sample.message
        registry = logic.hear_status(
            self.registry, node_id, message, sample.received_s, logic.iso_date(int(wall_s()))
        )
        if registry is None:
            self._counters["statuses_refused"] += 1
            return
        self.change(node_id, registry)

    def _roles_told(self, node_id: str, sample: Sample[msgs.NodeRoles]) -> None:
        date = logic.iso_date(int(wall_s()))
        registry = node_roles.hear_roles(self.registry, node_id, sample.message, date)
        if registry is None:
            self._counters["roles_refused"] += 1
            return
        self.change(node_id, registry)

    def _belongs(self, node_id: str, sample: Sample[msgs.NodeTrust]) -> None:
        registry = membership.hear_trust(self.registry, node_id, sample.message)
        if registry is None:
            self._counters["bonds_refused"] += 1
            return
        self.change(node_id, registry)

    def _care(self) -> None:
        """Exchange keys with our nodes that have none yet; reset those that were replaced."""
        now_s = monotonic_s()
        work = membership.work(self.registry, self.courier.public, now_s)
        for node_id in {*work.to_bind, *work.to_reset}:
            if now_s - self._cared_s.get(node_id, float("-inf")) < _CARE_PAUSE_S:
                continue
            self._cared_s[node_id] = now_s
            is_replaced = node_id in work.to_reset
            self._spawn(self._see_to(node_id, is_replaced), f"see to {node_id}")
        self._cared_s = {i: s for i, s in self._cared_s.items() if i in self.registry.nodes}

    async def _see_to(self, node_id: str, is_replaced: bool) -> None:
        try:
            if is_replaced:
                await self.verbs.reset(node_id, factory=False)
            else:
                await self.verbs.bind(node_id)
        except SaintError as err:
            _log.warning("node not seen to", node=node_id, reason=err.message)

    def _estop(self, sample: Sample[msgs.EStop]) -> None:
        self._is_estop = sample.message.active

    def _discover(self) -> None:
        """Listen to the nodes that we know, and to those that only the graph shows: a server that
        lost its registry finds its robot again.
        """
        shown = (_STATUS_TOPIC.fullmatch(topic) for topic in self._bus.graph().topics)
        for node_id in {*self.registry.nodes, *(found[1] for found in shown if found)}:
            self._listen(node_id)

    def _ignore_strangers(self) -> None:
        """Our own ears show in the graph too: close those that have never heard anything. What
        else is there is found again.
        """
        for node_id in self._heard.keys() - self.registry.nodes.keys():
            for ear in self._heard.pop(node_id):
                ear.close()

    def _listen(self, node_id: str) -> None:
        if node_id in self._heard or not computer.is_token(node_id):
            return
        if len(self._heard) >= 2 * logic.MOST_NODES:
            self._counters["nodes_not_listened_to"] += 1
            return
        listen, at = self._bus.subscribe, {"node_id": node_id}
        self._heard[node_id] = (
            listen(topics.NODE_STATUS.at(**at), partial(self._reported, node_id)),
            listen(topics.NODE_TRUST.at(**at), partial(self._belongs, node_id)),
            listen(topics.NODE_ROLES.at(**at), partial(self._roles_told, node_id)),
        )

    def _tell_gone(self) -> None:
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
