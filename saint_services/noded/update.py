"""Connects a node to its updates: reports the state of its roles, stops them while a release is
written, requests the server's release when that is due, serves /saint/node/<id>/update, publishes
the status. Not here: what an update does and when it has failed (lib/update), when a release is
requested (offers.py).
"""

import asyncio
from collections.abc import Callable

from ..lib import log
from ..lib.api.adoption import NodeState
from ..lib.api.firmware import UpdateState
from ..lib.bus import Bus
from ..lib.clock import monotonic_s
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.generated import saint_msgs as msgs
from ..lib.generated.roles import ROLES
from ..lib.generated.topics import NODE_FIRMWARE, NODE_UPDATE, SYSTEM_STATUS
from ..lib.machine import power
from ..lib.machine.power import PowerAction
from ..lib.update.events import WorkPart
from ..lib.update.updater import UpdateEnvironment, Updater, WorkState
from .adapters.role_process import daemon_of
from .config import Config
from .lifecycle.model import Event, RoleLifecycle, UpdateBegan, UpdateEnded
from .lifecycle.node import NodeLifecycle
from .offers import OfferTimes, node_start
from .server.release_offers import ReleaseOffers, checked_release

_UPDATING = NodeState.UPDATING
_SERVER_SILENT_S = 10.0  # it publishes its status once a second
_TRY_AGAIN_S = 0.25
_INSPECT_LIMIT_S = 25.0  # with offer_wait_s below the start limit of the unit
_log = log.get("noded")


class NodeUpdate:
    """The updates of one node."""

    def __init__(
        self,
        ctx: Context[Config],
        bus: Bus,
        read: Callable[[], NodeLifecycle],
        handle: Callable[[Event], None],
        refuse: Callable[[], str] = str,
        server_key: Callable[[], str] = str,
        world: UpdateEnvironment | None = None,
    ) -> None:
        limits, node_id = ctx.config.update_limits, read().node_id
        self._ctx = ctx
        self._bus = bus
        self._read = read
        self._handle = handle
        self._refuse = refuse  # why a request without a signature is refused
        self._node_id = node_id
        self._server_s = float("-inf")
        self._has_answer = False  # of the server; the next rest brings another request
        self._offers = OfferTimes(ctx.config.offer_rest_s, ctx.config.offer_again_s)
        self._stirred = asyncio.Event()  # the rest began or ended
        self._moved_on = asyncio.Event()  # the update did
        self._server = ReleaseOffers(bus, node_id, ctx.config.firmware_check_timeout_s, server_key)
        self._publisher = bus.publisher(NODE_FIRMWARE.at(node_id=node_id))
        self._updater = Updater(node_id, self, ctx.directories.state, ctx.spawn, limits, world)
        self._in_use = ""  # why the machine must not be switched off
        # Whether roles move joints home at their start: not when an update or a restart of this
        # process has ended them, since nobody at the robot expects a motion then.
        self.may_home = True
        bus.subscribe(SYSTEM_STATUS, self._on_server)

    async def start(self, *, has_roles: bool) -> None:
        """Load the state of the update, and settle the server's offer before the roles start."""
        start = await asyncio.to_thread(node_start, self._ctx.directories.state)
        is_boot, self.may_home = start.is_first, start.may_home
        await self._updater.start()  # a trial may have begun: its roles start without a pause
        if self._updater.problem:
            self._ctx.health.raise_issue(Code.STATE_DAMAGED, self._updater.problem, "update.json")
        self._bus.serve(NODE_UPDATE.at(node_id=self._node_id), self._requested)
        if not is_boot:  # this process was restarted: outputs may have been live a moment ago
            self._updater.rest(is_resting=False)
        await self._settle_offer(
            wait_s=self._ctx.config.offer_wait_s if has_roles and is_boot else 0.0
        )
        self._ctx.spawn(self._ask_at_rest(), "offers at rest")

    def close(self) -> None:
        """Close the connections."""
        self._updater.close()

    def node_changed(self, node: NodeLifecycle) -> None:
        """Update the installation blocker from the node's outputs."""
        live = [life for life in node.roles if life.role_alive and not life.outputs_safe]
        reason = ""
        if live:
            reason = f"its outputs are live: stop the {live[0].wanted} first"
        elif node.is_changing:
            reason = "it is being adopted or reset"
        self._in_use = reason
        # The role and the guard go on trying, which an update would end; one that has ended the
        # role goes on itself. A restart that a user requests may be what helps, and so may the one
        # into the release before.
        unsafe = (life.unsafe for life in node.lives.values() if life.state is not _UPDATING)
        self._updater.block(reason, next(filter(None, unsafe), ""))
        offers = self._offers.stirred(is_resting=not reason, now_s=monotonic_s())
        if offers is not self._offers:
            self._offers = offers
            self._stirred.set()

    async def set_power(self, action: PowerAction, reason: str) -> None:
        """Restart the machine, or switch it off. Raises SaintError while it is in use."""
        if self._in_use:
            raise SaintError(Code.REFUSED, self._in_use)
        await asyncio.to_thread(power.request, action, reason)

    async def _settle_offer(self, wait_s: float) -> None:
        """Request the server's release. With `wait_s` wait for the answer, and for the installer's
        opinion of an offered bundle: then the roles are stopped, or may start."""
        until_s = monotonic_s() + wait_s
        await self.take_offer()
        while self._is_offer_open() and monotonic_s() < until_s:
            await asyncio.sleep(_TRY_AGAIN_S)
            await self.take_offer()
        if not wait_s:
            return
        if self._is_offer_open():
            _log.info("the roles start: the server offers no release yet", waited_s=wait_s)
        try:
            async with asyncio.timeout(_INSPECT_LIMIT_S):
                while self._is_inspecting():
                    self._moved_on.clear()
                    await self._moved_on.wait()
        except TimeoutError:
            _log.warning("the roles start: the installer is slow to check the offered release")

    def _is_offer_open(self) -> bool:
        """Whether the server may still offer a release to this machine, which has slots."""
        update = self._updater.update
        return bool(update.slot) and not self._has_answer and not update.record.pending

    def _is_inspecting(self) -> bool:
        is_held = self._read().state is NodeState.UPDATING
        return self._updater.update.state is UpdateState.INSTALLING and not is_held

    async def _ask_at_rest(self) -> None:
        """Request the server's release at each rest: what was offered while outputs were live, or
        while the server was away, is taken then."""
        while True:
            self._stirred.clear()
            due_s = self._offers.due_s
            try:
                async with asyncio.timeout(
                    None if due_s is None else max(0.0, due_s - monotonic_s())
                ):
                    await self._stirred.wait()
            except TimeoutError:
                self._offers = self._offers.requested(monotonic_s())
                self._updater.rest(is_resting=True)
                self._has_answer = False
                await self.take_offer()

    async def take_offer(self) -> None:
        """Install the server's newer release, unless the server has answered since the boot or the
        last rest."""
        update = self._updater.update
        if self._has_answer or update.slots is None or update.record.pending:
            return
        is_any_wanted = update.record.must_download
        try:
            wanted = await self._server.offer(update.version, is_any_wanted=is_any_wanted)
        except SaintError as err:
            if err.code is not Code.BUS_TIMEOUT:
                self._has_answer = True  # an answer; the next rest requests again
                _log.warning("the server's offer is unusable", reason=err.message)
            return
        self._has_answer = True
        if wanted is None:
            return
        if self._updater.offer(wanted):
            _log.info("installing the server's release", version=wanted.version)
        elif self._updater.update.was_live:
            _log.info("the server's release waits for a rest", version=wanted.version)

    async def download_again(self) -> None:
        """Install the release that the server offers, after a factory reset, whatever runs."""
        self._updater.want_download()
        self._has_answer = False
        await self.take_offer()

    # What lib/update requests of its owner

    def work(self) -> WorkState:
        """Report the state of every role: each is judged for itself."""
        return WorkState(
            parts=tuple(_part(life) for life in self._read().roles),
            server_answers=monotonic_s() - self._server_s < _SERVER_SILENT_S,
        )

    def hold(self) -> None:
        """Stop the roles. Raises SaintError while the node is busy."""
        self._handle(UpdateBegan())
        life = self._read()
        if life.state is not NodeState.UPDATING:
            raise SaintError(Code.REFUSED, f"{self._node_id} is busy ({life.state.value})")
        self.may_home = False
        self._moved_on.set()

    def resume(self) -> None:
        """Start the roles again."""
        self._handle(UpdateEnded())

    def publish(self, status: msgs.FirmwareStatus) -> None:
        """Publish the status of the update."""
        self._publisher.publish(status)
        self._moved_on.set()

    # Requests

    def _on_server(self, _: object) -> None:
        self._server_s = monotonic_s()

    async def _requested(self, request: msgs.UpdateNode_Request) -> msgs.UpdateNode_Response:
        try:
            if refusal := self._refuse():
                raise SaintError(Code.REFUSED, refusal)
            answer = await self.act(request)
        except SaintError as err:
            return msgs.UpdateNode_Response(success=False, message=err.message)
        return msgs.UpdateNode_Response(success=answer[0], message=answer[1])

    async def act(self, request: msgs.UpdateNode_Request) -> tuple[bool, str]:
        """Begin an update or a rollback; returns whether it began, and a sentence. Raises
        SaintError."""
        if request.node_id not in ("", self._node_id):
            raise SaintError(Code.REFUSED, f"this is {self._node_id}")
        match request.action:
            case "install":
                wanted = checked_release(request.version, request.url, request.checksum_sha256)
                answer = await self._updater.install(wanted, force=request.force)
            case "rollback":
                answer = await self._updater.rollback()
            case _:
                message = f"unknown action '{request.action[:40]}'; use install or rollback"
                raise SaintError(Code.REQUEST_INVALID, message)
        return answer.success, answer.message


def _part(life: RoleLifecycle) -> WorkPart:
    role = life.wanted.role if life.wanted else ""
    unit = f"saint-{daemon_of(role, life.process)}.service" if role in ROLES else ""
    return WorkPart(f"role {life.wanted}", _role_problem(life), unit, life.restarts)


def _role_problem(life: RoleLifecycle) -> str:
    if life.state is NodeState.ACTIVE and not life.role_alive:
        return f"the role {life.wanted} does not answer: {life.fault or 'it is being started'}"
    if life.state is NodeState.ADOPTING and life.request is None:
        return f"the role {life.wanted} has no usable configuration: {life.fault or 'not fetched'}"
    return ""
