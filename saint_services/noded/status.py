"""What a node tells about itself: announcement without a role, status with one, its pins always.
Once a second, and at once when something changed.
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
from .adapters.outputs import HEADER, Outputs
from .lifecycle.model import Life
from .lifecycle.node import NodeLife
from .server.trust import Bond
from .state import Identity

LifeSign = TypeVar("LifeSign", NodeAnnouncement, NodeStatus)
_INTERVAL_S = 1.0
_PROBE_EVERY = 5  # seconds; a role at work owns its buses: they are not probed then


class Reporter:
    """Publishes the life signs."""

    def __init__(self, bus: Bus, node_id: str, server_address: str, outputs: Outputs) -> None:
        self._announcement = bus.publisher(NODES_UNADOPTED)
        self._status = bus.publisher(NODE_STATUS.at(node_id=node_id))
        self._roles = bus.publisher(NODE_ROLES.at(node_id=node_id))
        self._told: tuple[NodeRole, ...] | None = None
        self._gpio = bus.publisher(NODE_GPIO.at(node_id=node_id))
        self._node_id = node_id
        self._server_address = server_address
        self._outputs = outputs
        self.bond = Bond()  # whom the node belongs to
        self._meter = computer.Meter()
        self._metrics = computer.MachineMetrics()
        self._hardware = computer.MachineHardware()
        self._address = ""
        self._pins: tuple[GPIOPin, ...] = HEADER
        self._peripherals: tuple[PeripheralInfo, ...] = ()

    async def open(self) -> None:
        """Know the hardware before the first announcement."""
        self._hardware = await asyncio.to_thread(computer.hardware)
        await asyncio.to_thread(self._sample, False)

    async def report(self, read: Callable[[], tuple[NodeLife, Identity]]) -> None:
        """Forever. `read` gives the node as it is at that moment."""
        next_s = monotonic_s()
        for count in range(1 << 62):
            is_probing = count % _PROBE_EVERY == 0 and not read()[0].is_any_alive
            await asyncio.to_thread(self._sample, is_probing)
            self.announce(*read())
            self._gpio.publish(self._gpio_status())
            next_s = max(next_s + _INTERVAL_S, monotonic_s())
            await asyncio.sleep(next_s - monotonic_s())

    async def probe(self, life: NodeLife) -> NodeGPIOStatus:
        """The pins now; the devices as they were last known while a role works on their buses."""
        await asyncio.to_thread(self._sample, not life.is_any_alive)
        return self._gpio_status()

    def announce(self, life: NodeLife, identity: Identity) -> None:
        """The life sign, with the numbers of the last second."""
        self._tell_roles(life)
        if life.is_adopted:
            self._status.publish(self._node_status(life, identity))
        else:
            self._announcement.publish(self._node_announcement(life, identity))

    def _tell_roles(self, life: NodeLife) -> None:
        """Publish the roles when they changed; late readers get the last sample. A node that has
        lost some says nothing here, so that its server keeps what it knows."""
        if life.is_lost:
            return
        roles = tuple(_role(each) for each in life.roles)
        if roles == self._told:
            return
        self._told = roles
        version = self._hardware.version
        self._roles.publish(NodeRoles(stamp(), self._node_id, version, roles))

    def _sample(self, is_probing: bool) -> None:
        self._metrics = self._meter.sample()
        self._address = computer.address(self._server_address)
        self._pins = self._outputs.pins()
        if is_probing:
            self._peripherals = self._outputs.peripherals()

    def _node_announcement(self, life: NodeLife, identity: Identity) -> NodeAnnouncement:
        message = NodeAnnouncement(peripherals=self._peripherals, server=self.bond.server)
        message.role_lost = life.is_lost
        return self._filled(message, life, identity)

    def _node_status(self, life: NodeLife, identity: Identity) -> NodeStatus:
        first = _role(life.first)
        message = NodeStatus(
            role=first.role,
            instance=first.instance,
            config_version=first.config_version,
            role_restarts=life.restarts,
            outputs_safe=life.outputs_safe,
        )
        return self._filled(message, life, identity)

    def _filled(self, message: LifeSign, life: NodeLife, identity: Identity) -> LifeSign:
        """With what both life signs tell."""
        message.stamp = stamp()
        message.node_id = identity.node_id
        message.mac_address = identity.mac_address
        message.display_name = identity.display_name
        message.hardware_model = self._hardware.model
        message.hardware_rev = self._hardware.revision
        message.firmware_version = self._hardware.version
        message.state = life.state.value
        message.reason = life.reason
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


def _role(life: Life) -> NodeRole:
    return NodeRole(
        role=life.wanted.role if life.wanted else "",
        instance=life.wanted.instance if life.wanted else "",
        state=life.state.value,
        config_version=life.held.config.version if life.held else "",
        reason=life.reason,
        restarts=life.restarts,
        alive=life.role_alive,
        outputs_safe=life.outputs_safe,
    )


def node_report(node: NodeLife, identity: Identity, bond: Bond) -> NodeReport:
    """The node as its socket shows it."""
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


def _role_life(life: Life) -> RoleStatus:
    told = _role(life)
    return RoleStatus(
        role=told.role,
        instance=told.instance,
        state=life.state,
        config_version=told.config_version,
        reason=told.reason,
        role_alive=told.alive,
        role_restarts=told.restarts,
        outputs_safe=told.outputs_safe,
    )
