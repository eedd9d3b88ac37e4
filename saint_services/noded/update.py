"""The update of a node: says how its role is going, stops it while a release is written, takes what
the server offers after a boot, answers /saint/node/<id>/update, publishes how it stands.
Not here: what an update does and when it has failed (lib/update).
"""

import asyncio
from collections.abc import Callable

from ..lib import log
from ..lib.api.adoption import NodeState
from ..lib.bus import Bus
from ..lib.clock import monotonic_s
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.generated import saint_msgs as msgs
from ..lib.generated.topics import NODE_FIRMWARE, NODE_UPDATE, SYSTEM_STATUS
from ..lib.machine import power
from ..lib.update.events import Part
from ..lib.update.updater import Updater, Work, World
from .adapters.role_process import DAEMONS, daemon_of
from .config import Config
from .lifecycle.model import Event, Life, UpdateBegan, UpdateEnded
from .lifecycle.node import NodeLife
from .server.release_offers import FirmwareServer, checked_release

_HEARD_S = 10.0  # its life sign comes once a second
_log = log.get("noded")


class NodeFirmware:
    """Owns this node's update."""

    def __init__(
        self,
        ctx: Context[Config],
        bus: Bus,
        read: Callable[[], NodeLife],
        tell_node: Callable[[Event], None],
        refuse: Callable[[], str] = str,
        world: World | None = None,
    ) -> None:
        limits, node_id = ctx.config.update_limits, read().node_id
        self._ctx = ctx
        self._bus = bus
        self._read = read
        self._tell_node = tell_node
        self._refuse = refuse  # why an order that nobody signed is refused
        self._node_id = node_id
        self._heard_s = float("-inf")
        self._has_asked = False  # the server answered once since this boot
        self._server = FirmwareServer(bus, node_id, ctx.config.firmware_check_timeout_s)
        self._publisher = bus.publisher(NODE_FIRMWARE.at(node_id=node_id))
        self._updater = Updater(node_id, self, ctx.directories.state, ctx.spawn, limits, world)
        self._blocked_by = ""
        bus.subscribe(SYSTEM_STATUS, self._heard)

    async def start(self) -> None:
        """Know where this machine stands, and ask the server once, before the role is begun."""
        await self._updater.start()
        if self._updater.problem:
            self._ctx.health.raise_issue(Code.STATE_DAMAGED, self._updater.problem, "update.json")
        self._bus.serve(NODE_UPDATE.at(node_id=self._node_id), self._requested)
        await self.take_offer()

    def close(self) -> None:
        """Give the connections back."""
        self._updater.close()

    def node_changed(self, node: NodeLife) -> None:
        """Whether this node may be disturbed now."""
        live = [life for life in node.roles if life.role_alive and not life.outputs_safe]
        reason = ""
        if live:
            reason = f"its outputs are live: stop the {live[0].wanted} first"
        elif node.is_asked:
            reason = "it is being adopted or reset"
        self._blocked_by = reason
        self._updater.block(reason)

    async def restart(self, reason: str) -> None:
        """The machine below restarts, unless this node must not be disturbed now."""
        if self._blocked_by:
            raise SaintError(Code.REFUSED, self._blocked_by)
        await asyncio.to_thread(power.request, power.PowerAction.REBOOT, reason)

    async def take_offer(self) -> None:
        """Once after each boot: the first time that the server answers."""
        update = self._updater.update
        if self._has_asked or update.slots is None or update.record.pending:
            return
        is_any_wanted = update.record.must_download
        try:
            wanted = await self._server.offer(update.version, is_any_wanted=is_any_wanted)
        except SaintError as err:
            if err.code is not Code.BUS_TIMEOUT:
                self._has_asked = True  # an answer; the next boot asks again
                _log.warning("the server's offer is of no use", reason=err.message)
            return
        self._has_asked = True
        if wanted and self._updater.offer(wanted):
            _log.info("taking the server's release", version=wanted.version)

    async def download_again(self) -> None:
        """After a factory reset: what the server offers is installed, whatever runs."""
        self._updater.want_download()
        self._has_asked = False
        await self.take_offer()

    # what lib/update asks of its owner

    def work(self) -> Work:
        """How the roles are going: each is judged for itself."""
        return Work(
            parts=tuple(_part(life) for life in self._read().roles),
            server_heard=monotonic_s() - self._heard_s < _HEARD_S,
        )

    def hold(self) -> None:
        """Stop the role."""
        self._tell_node(UpdateBegan())
        life = self._read()
        if life.state is not NodeState.UPDATING:
            raise SaintError(Code.REFUSED, f"{self._node_id} is busy ({life.state.value})")

    def resume(self) -> None:
        """The role may work again."""
        self._tell_node(UpdateEnded())

    def tell(self, status: msgs.FirmwareStatus) -> None:
        """Publish it."""
        self._publisher.publish(status)

    # the outside

    def _heard(self, _: object) -> None:
        self._heard_s = monotonic_s()

    async def _requested(self, request: msgs.UpdateNode_Request) -> msgs.UpdateNode_Response:
        try:
            if refusal := self._refuse():
                raise SaintError(Code.REFUSED, refusal)
            answer = await self.act(request)
        except SaintError as err:
            return msgs.UpdateNode_Response(success=False, message=err.message)
        return msgs.UpdateNode_Response(success=answer[0], message=answer[1])

    async def act(self, request: msgs.UpdateNode_Request) -> tuple[bool, str]:
        """Begin an update, or go back; whether that was begun, in words. Raises SaintError."""
        if request.node_id not in ("", self._node_id):
            raise SaintError(Code.REFUSED, f"this is {self._node_id}")
        match request.action:
            case "install":
                wanted = checked_release(request.version, request.url, request.checksum_sha256)
                answer = await self._updater.install(wanted, force=request.force)
            case "rollback":
                answer = await self._updater.rollback()
            case _:
                message = f"there is no action '{request.action[:40]}'; use install or rollback"
                raise SaintError(Code.REQUEST_INVALID, message)
        return answer.success, answer.message


def _part(life: Life) -> Part:
    role = life.wanted.role if life.wanted else ""
    unit = f"saint-{daemon_of(role, life.process)}.service" if role in DAEMONS else ""
    return Part(f"role {life.wanted}", _role_problem(life), unit, life.restarts)


def _role_problem(life: Life) -> str:
    if life.state is NodeState.ACTIVE and not life.role_alive:
        return f"the role {life.wanted} does not answer: {life.fault or 'it is being started'}"
    if life.state is NodeState.ADOPTING and life.request is None:
        return f"the role {life.wanted} has no usable configuration: {life.fault or 'not fetched'}"
    return ""
