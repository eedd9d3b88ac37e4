"""Publishes the status of a node: an announcement without a role, a status with one, its pins
always; every second, and at once after a change.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from ..lib.api.node import NodeReport, RoleStatus
from ..lib.bus import Bus
from ..lib.clock import monotonic_s, stamp
from ..lib.generated.saint_msgs import (
    GPIOPin,
    NodeAnnouncement,
    NodeGPIOStatus,
    NodeRole,
    NodeRoles,
    NodeStatus,
    PeripheralInfo,
)
from ..lib.generated.topics import NODE_GPIO, NODE_ROLES, NODE_STATUS, NODES_UNADOPTED
from ..lib.machine import computer
from ..lib.role_config.full_version import full_version
from .adapters.pins import HEADER, NodePins
from .lifecycle.model import RoleLifecycle
from .lifecycle.node import NodeLifecycle
from .server.trust import ServerBond
from .state import NodeIdentity

NodeMessage = TypeVar("NodeMessage", NodeAnnouncement, NodeStatus)
_INTERVAL_S = 1.0
_PROBE_EVERY = 5  # seconds; the buses of a role that works are not probed


class NodeStatusPublisher:
    """Publishes announcement or status, roles and pins of one node."""

    def __init__(
        self,
        bus: Bus,
        node_id: str,
        server_address: str,
        outputs: NodePins,
        setup_problems: list[str],
    ) -> None:
        self._announcement = bus.publisher(NODES_UNADOPTED)
        self._status = bus.publisher(NODE_STATUS.at(node_id=node_id))
        self._roles = bus.publisher(NODE_ROLES.at(node_id=node_id))
        self._published_roles: tuple[NodeRole, ...] | None = None
        self._gpio = bus.publisher(NODE_GPIO.at(node_id=node_id))
        self._node_id = node_id
        self._server_address = server_address
        self._outputs = outputs
        self._setup_problems = setup_problems  # of the settings on its card
        self.bond = ServerBond()  # the server that the node belongs to
        self._meter = computer.Meter()
        self._metrics = computer.MachineMetrics()
        self._hardware = computer.MachineHardware()
        self._address = ""
        self._pins: tuple[GPIOPin, ...] = HEADER
        self._peripherals: tuple[PeripheralInfo, ...] = ()

    async def open(self) -> None:
        """Read the hardware, before the first announcement."""
        self._hardware = await asyncio.to_thread(computer.hardware)
        await asyncio.to_thread(self._sample, False)

    async def run(self, read: Callable[[], tuple[NodeLifecycle, NodeIdentity]]) -> None:
        """Publish every second until cancelled. `read` returns the node as it is at that moment."""
        next_s = monotonic_s()
        for count in range(1 << 62):
            is_probing = count % _PROBE_EVERY == 0 and not read()[0].is_any_alive
            await asyncio.to_thread(self._sample, is_probing)
            self.announce(*read())
            self._gpio.publish(self._gpio_status())
            next_s = max(next_s + _INTERVAL_S, monotonic_s())
            await asyncio.sleep(next_s - monotonic_s())

    async def probe(self, life: NodeLifecycle) -> NodeGPIOStatus:
        """Read the pins; devices are those of the last probe while a role works on their buses."""
        await asyncio.to_thread(self._sample, not life.is_any_alive)
        return self._gpio_status()

    def announce(self, life: NodeLifecycle, identity: NodeIdentity) -> None:
        """Publish announcement or status, with the metrics of the last second."""
        self._publish_roles(life)
        if life.is_adopted:
            self._status.publish(self._node_status(life, identity))
        else:
            self._announcement.publish(self._node_announcement(life, identity))

    def _publish_roles(self, life: NodeLifecycle) -> None:
        """Publish the roles after a change; late readers get the last sample. A node that has lost
        roles publishes none, so that its server keeps what it has."""
        if life.is_lost:
            return
        roles = tuple(_role(each) for each in life.roles)
        if roles == self._published_roles:
            return
        self._published_roles = roles
        version = self._hardware.version
        pulsed = self._outputs.pwm_channels
        message = NodeRoles(stamp(), self._node_id, version, roles)
        message.pwm_pins, message.pwm_channels = bytes(pulsed), bytes(pulsed.values())
        self._roles.publish(message)

    def _sample(self, is_probing: bool) -> None:
        self._metrics = self._meter.sample()
        self._address = computer.address(self._server_address)
        self._pins = self._outputs.pins()
        if is_probing:
            self._peripherals = self._outputs.peripherals()

    def _node_announcement(self, life: NodeLifecycle, identity: NodeIdentity) -> NodeAnnouncement:
        message = NodeAnnouncement(peripherals=self._peripherals, server=self.bond.server)
        message.role_lost = life.is_lost
        return self._filled(message, life, identity)

    def _node_status(self, life: NodeLifecycle, identity: NodeIdentity) -> NodeStatus:
        first = _role(life.first)
        message = NodeStatus(
            role=first.role,
            instance=first.instance,
            config_version=first.config_version,
            role_restarts=life.restarts,
            outputs_safe=life.outputs_safe,
        )
        return self._filled(message, life, identity)

    def _filled(
        self, message: NodeMessage, life: NodeLifecycle, identity: NodeIdentity
    ) -> NodeMessage:
        """Fill in the fields that announcement and status share."""
        message.stamp = stamp()
        message.node_id = identity.node_id
        message.mac_address = identity.mac_address
        message.display_name = identity.display_name
        message.hardware_model = self._hardware.model
        message.hardware_rev = self._hardware.revision
        message.firmware_version = self._hardware.version
        message.state = life.state.value
        message.reason = "; ".join(filter(None, (life.reason, *self._setup_problems)))
        message.address = self._address
        message.cpu_temp = self._metrics.cpu_temp
        message.cpu_usage = self._metrics.cpu_usage
        message.memory_usage = self._metrics.memory_usage
        message.uptime_seconds = self._metrics.uptime_s
        return message

    def _gpio_status(self) -> NodeGPIOStatus:
        return NodeGPIOStatus(
            node_id=self._node_id,
            hardware_rev=self._hardware.revision,
            firmware_version=self._hardware.version,
            pins=self._pins,
            peripherals=self._peripherals,
            cpu_temp=self._metrics.cpu_temp,
            cpu_usage=self._metrics.cpu_usage,
            memory_usage=self._metrics.memory_usage,
            uptime_seconds=self._metrics.uptime_s,
        )


def _role(life: RoleLifecycle) -> NodeRole:
    held = life.held
    return NodeRole(
        role=life.wanted.role if life.wanted else "",
        instance=life.wanted.instance if life.wanted else "",
        state=life.state.value,
        config_version=full_version(held.config.version, held.text) if held else "",
        reason=life.reason,
        restarts=life.restarts,
        alive=life.role_alive,
        outputs_safe=life.outputs_safe,
    )


def node_report(node: NodeLifecycle, identity: NodeIdentity, bond: ServerBond) -> NodeReport:
    """Return the node as GET /status shows it."""
    roles = [_role_life(life) for life in node.roles]
    first = _role_life(node.first)
    return NodeReport(
        node_id=node.node_id,
        display_name=identity.display_name,
        state=node.state,
        role=first.role,
        instance=first.instance,
        config_version=first.config_version,
        reason=node.reason,
        role_alive=bool(roles) and all(role.role_alive for role in roles),
        role_restarts=node.restarts,
        outputs_safe=node.outputs_safe,
        server=bond.server,
        code=bond.code,
        roles=roles,
    )


def _role_life(life: RoleLifecycle) -> RoleStatus:
    role = _role(life)
    return RoleStatus(
        role=role.role,
        instance=role.instance,
        state=life.state,
        config_version=role.config_version,
        reason=role.reason,
        role_alive=role.alive,
        role_restarts=role.restarts,
        outputs_safe=role.outputs_safe,
    )
