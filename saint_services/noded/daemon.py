"""Wires a node together: bus, role process, disk and pins report events to the life (logic.py), and
its actions are carried out here. No rules.
"""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ..lib import log
from ..lib.api import Done
from ..lib.api import node as rows
from ..lib.api.endpoint import Nothing
from ..lib.api.logs import LogPage, LogQuery
from ..lib.api.node import NodeReport, NodeReset, RoleAssignment
from ..lib.api.orders import Killed
from ..lib.bus import Bus
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.generated import saint_msgs as msgs
from ..lib.guard import wire
from ..lib.ipc import Api, Call
from ..lib.logs import own_source
from ..lib.state_machine import Runner
from .adapters.guard import CarriedOut, GuardLink
from .adapters.outputs import Outputs
from .adapters.reset_button import ResetButton
from .adapters.role_process import RoleProcess
from .config import Config
from .credentials import Vouching
from .lifecycle import model as lives
from .lifecycle.model import Wanted
from .lifecycle.node import NodeLife, fresh, step
from .refresh import Refresher
from .ros_services import RosServices
from .server.configuration import ConfigServer
from .server.log_pages import LogDesk
from .server.orders import Orders
from .server.trust import TrustFiles, belongs
from .state import Identity, NodeFiles
from .status import Reporter, node_report
from .stop_drill import Killing
from .stop_reports import StopReports
from .update import NodeFirmware

_UNANSWERED = "its process did not answer the e-stop"
_SlotEvent = tuple[lives.Event, int]  # the slot of the role that it happens to
_SlotAction = tuple[int, lives.Action]
_log = log.get("noded")


async def run(ctx: Context[Config]) -> None:
    """A node, until it is asked to stop."""
    files = NodeFiles(ctx.directories.state)
    identity = await asyncio.to_thread(files.identity, os.environ.get("SAINT_NODE_ID", ""))
    outputs = Outputs()
    await outputs.open(os.environ.get("SAINT_HW", "real"))
    _tell_problems(ctx, files, outputs)
    bus = await ctx.open_bus(f"noded_{identity.node_id}")
    node = Node(ctx, bus, files, identity, outputs)
    try:
        await node.start()
        ctx.ready(f"{identity.node_id} is {node.life.state.value}")
        await ctx.stopping.wait()
    finally:
        node.close()


def _tell_problems(ctx: Context[Config], files: NodeFiles, outputs: Outputs) -> None:
    if files.problem:
        ctx.health.raise_issue(Code.STATE_DAMAGED, files.problem, "identity.yaml")
    if outputs.problem:
        ctx.health.raise_issue(Code.HARDWARE_MISSING, outputs.problem)


class Node:
    """Carries out what the life decides."""

    def __init__(
        self, ctx: Context[Config], bus: Bus, files: NodeFiles, identity: Identity, outputs: Outputs
    ) -> None:
        config = ctx.config
        self._runner: Runner[NodeLife, _SlotEvent, _SlotAction] = Runner(
            fresh(identity.node_id, outputs.pwm_channels), lambda node, pair: step(node, *pair)
        )
        self.identity = identity
        self._processes: dict[int, RoleProcess] = {}  # by the slot of their role
        self._ctx = ctx
        self._bus = bus
        self._trust_files = TrustFiles(ctx.directories.state)
        self.orders = Orders(self, bus, self._trust_files)
        self.server = ConfigServer(
            bus, identity.node_id, config.config_timeout_s, config.config_attempts,
            lambda: self.orders.bond.server_key,
        )  # fmt: skip
        self._vouching = Vouching(bus, identity.node_id, self.orders.sign)
        self._files = files
        self._outputs = outputs
        self.guard = GuardLink(ctx.directories.runtime / wire.SOCKET, self._carried_out)
        self._killing = Killing(ctx.directories.runtime)
        self.stop_reports = StopReports(
            bus, identity.node_id, self.guard.stop, lambda: self.life.lives, self.guard.make_safe,
            self._unanswered,
        )  # fmt: skip
        self._rescues: dict[int, asyncio.Task[None]] = {}  # a role starts when it has ended
        self._disk = asyncio.Lock()  # what is asked first is written first
        self._reporter = Reporter(bus, identity.node_id, config.server_address, outputs)
        self._refresher = Refresher(self, bus, config.refresh_interval_s)
        self._button = ResetButton(config.reset_pin, self._button_held)
        self.firmware = NodeFirmware(ctx, bus, lambda: self.life, self.handle, self.refuse_unsigned)

    @property
    def life(self) -> NodeLife:
        """The state of the node."""
        return self._runner.state

    async def start(self) -> None:
        """Resume what the disk says, then be reachable."""
        await self._reporter.open()
        runtime = self._ctx.directories.runtime
        self._ctx.spawn(self.guard.run(), "guard")
        self._log_desk = LogDesk(await asyncio.to_thread(own_source, runtime))
        started = await asyncio.to_thread(self._files.started)
        await self.orders.start()
        if self._trust_files.problem:
            self._ctx.health.raise_issue(
                Code.STATE_DAMAGED, self._trust_files.problem, "trust.yaml"
            )
        await self.firmware.start()
        if not self.orders.bond.server_key:
            started = replace(started, is_incomplete=False)  # there is no server to ask
        self.handle(started)
        if self.life.is_lost:
            self._ctx.health.raise_issue(Code.STATE_DAMAGED, self.life.reason, "role.yaml")
        api = Api()
        api.bind(rows.STATUS, self._status)
        api.bind(rows.RESET, self._reset_here)
        await self._ctx.serve_ipc(api)
        RosServices(self, api.on_entry).serve(self._bus)
        self._ctx.spawn(self._reporter.report(lambda: (self.life, self.identity)), "reports")
        self._ctx.spawn(self._vouching.repeat(lambda: self.life.lives), "vouching")
        self._ctx.spawn(self._refresher.refresh(), "refresh")
        self._ctx.spawn(self.stop_reports.repeat(), "stop reports")

    def handle(self, event: lives.Event, slot: int = 0) -> None:
        """Everything that happens to the node comes through here. `slot`: of the role that it
        happens to, where it is one role's own event."""
        before = self.life
        actions = self._runner.apply((event, slot))
        if isinstance(event, lives.RoleReported):
            self._role_reported(slot, event.report.origin, is_stopped=event.report.estop)
        if (before.state, before.title, before.reason) != self._looks():
            fields = {"state": self.life.state.value, "role": self.life.title or "none"}
            _log.info("node changed", **fields, reason=self.life.reason)
        # First, because a role may want the button's pin for itself.
        self._button.watch(self._outputs.board, self.life.configs_in_use)
        for whose, action in actions:
            self._do(action, whose)
        for gone in self._processes.keys() - self.life.lives.keys():
            self._processes.pop(gone).stop()
        self._vouching.keep(self.life.lives)
        self.firmware.node_changed(self.life)

    def _role_reported(self, slot: int, origin: str, *, is_stopped: bool) -> None:
        life = self.life.lives.get(slot)
        self._vouching.reported(slot, life, origin)
        if life and life.role_alive and life.config_in_use:
            self.stop_reports.works(life.config_in_use.target, is_stopped=is_stopped)

    def _unanswered(self, target: str) -> None:
        """A role does not report a stop: end its connection, and have its outputs made safe."""
        for slot, life in self.life.lives.items():
            if life.role_alive and life.config_in_use and life.config_in_use.target == target:
                self.handle(lives.RoleBroken(life.attempt, _UNANSWERED), slot)
                return

    def _looks(self) -> tuple[object, ...]:
        return self.life.state, self.life.title, self.life.reason

    def _do(self, action: lives.Action, slot: int) -> None:
        match action:
            case lives.MakeSafe(config):
                work = self._make_safe(config.target, slot)
                self._rescues[slot] = self._ctx.spawn(work, "make safe")
            case lives.StartRole(attempt, config, pause_s):
                key = self.orders.bond.server_key
                assignment = RoleAssignment(
                    node_id=self.identity.node_id, config=config, server_key=key
                )
                process = self.life.lives[slot].process
                rescue = self._rescues.pop(slot, None)
                self._process(slot).start(assignment, process, attempt, pause_s, rescue)
            case lives.StopRole():
                self._process(slot).stop()
            case lives.FetchRoles(pause_s):
                self._ctx.spawn(self._fetch_roles(pause_s), "fetch roles")
            case lives.FetchConfig():
                self._ctx.spawn(self._fetch(action, slot), "fetch configuration")
            case lives.StoreRole():
                self._ctx.spawn(self._store(action, slot), "store role")
            case lives.ForgetRole():
                self._ctx.spawn(self._forget(action, slot), "forget role")
            case lives.Answer():
                self._runner.answer(action)
            case lives.Announce():
                self._reporter.announce(self.life, self.identity)

    async def _make_safe(self, target: str, slot: int) -> None:
        failed = await self.guard.make_safe(target)
        self.handle(lives.MadeSafe(failed), slot)
        self.stop_reports.carried_out(CarriedOut(target, "its process is away", failed))

    def _carried_out(self, event: CarriedOut) -> None:
        """The guard was faster than anybody else: the role's own end is noticed where it ends."""
        self._ctx.health.counters["wills_carried_out"] += 1
        _log.warning("guard made the outputs safe", target=event.target, why=event.why)
        self.stop_reports.carried_out(event)
        self._killing.carried_out(event)

    def _process(self, slot: int) -> RoleProcess:
        if slot not in self._processes:
            config = self._ctx.config
            self._processes[slot] = RoleProcess(
                self._ctx.directories.runtime,
                self._ctx.spawn,
                partial(self.handle, slot=slot),
                config.role_ready_timeout_s,
                config.role_silence_timeout_s,
            )
        return self._processes[slot]

    async def _fetch(self, action: lives.FetchConfig, slot: int) -> None:
        await asyncio.sleep(action.pause_s)
        try:
            word = await self.server.fetch(action.wanted)
        except SaintError as err:
            self.handle(lives.ConfigFailed(action.attempt, err.message), slot)
            return
        await self.rename(word.display_name)
        if word.assignment:
            self.handle(lives.ConfigArrived(action.attempt, word.assignment), slot)

    async def _fetch_roles(self, pause_s: float) -> None:
        await asyncio.sleep(pause_s)
        try:
            roles = await self.server.roles()
        except SaintError as err:
            self.handle(lives.RolesFailed(err.message, pause_s))
            return
        self.handle(lives.RolesArrived(roles))
        if not self.life.is_lost:
            held = self.life.title or "no role"
            text = f"the list of this node's roles was lost on the disk; its server knows {held}"
            self._ctx.health.raise_issue(Code.STATE_DAMAGED, text, "role.yaml")

    async def _store(self, action: lives.StoreRole, slot: int) -> None:
        reason = await self._on_disk(lambda: self._files.store(action.assignment))
        self.handle(lives.Stored(action.attempt, reason), slot)

    async def _forget(self, action: lives.ForgetRole, slot: int) -> None:
        reason = await self._on_disk(lambda: self._files.forget(action.wanted))
        if action.factory:
            self.identity = self.identity.model_copy(update={"display_name": ""})
            await self._on_disk(lambda: self._files.rename(self.identity, ""))
        if action.forgets_server:
            reason = await self._forget_server() or reason
        self.handle(lives.Forgotten(action.attempt, reason), slot)
        if action.factory:
            await self.firmware.download_again()

    async def _forget_server(self) -> str:
        try:
            await self.orders.forget()
        except SaintError as err:
            self._ctx.health.counters["disk_failures"] += 1
            return err.message
        return ""

    # what orders.py asks of the node

    async def update(self, request: msgs.UpdateNode_Request) -> tuple[bool, str]:
        """Begin an update."""
        return await self.firmware.act(request)

    def refresh(self) -> None:
        """Ask the server for newer configurations."""
        self._refresher.wake()

    async def restart(self) -> None:
        """Restart the machine; refused while its outputs are live."""
        await self.firmware.restart("its server asks for it")

    async def log(self, query: LogQuery) -> LogPage:
        """Lines that our programs wrote on this machine."""
        return await self._log_desk.page(query)

    async def kill_role(self, wanted: Wanted) -> Killed:
        """End a role's process as by a fault; the guard stops its outputs."""
        _log.warning("drill: the process of a role is killed", role=str(wanted))
        return await self._killing.kill(self.life, wanted)

    def bond_changed(self) -> None:
        """The node belongs to another server, or to none; its roles obey that server's router."""
        is_other = self._reporter.bond.server_key != self.orders.bond.server_key
        self._reporter.bond = self.orders.bond
        self.stop_reports.serve(self.orders.bond.server_key)
        if is_other and self.life.is_started:
            self.handle(lives.ServerChanged())
        if self.life.is_started:
            self._reporter.announce(self.life, self.identity)

    def refuse_unsigned(self) -> str:
        """Why an order that anybody on the bus may have given is refused."""
        bond = self.orders.bond
        return belongs(self.identity.node_id, bond) if bond.server_key else ""

    async def server_answers(self) -> None:
        """It is there, perhaps for the first time since this node started."""
        await self.firmware.take_offer()

    async def rename(self, display_name: str) -> None:
        """Keep the name that the server has for this node; a server without one changes nothing."""
        if display_name in ("", self.identity.display_name):
            return
        self.identity = self.identity.model_copy(update={"display_name": display_name})
        await self._on_disk(lambda: self._files.rename(self.identity, display_name))

    async def _on_disk(self, write: Callable[[], object]) -> str:
        """Returns why it failed, or nothing."""
        async with self._disk:
            try:
                await asyncio.to_thread(write)
            except SaintError as err:
                self._ctx.health.counters["disk_failures"] += 1
                return err.message
        return ""

    async def ask(self, make_event: Callable[[int], lives.Event]) -> lives.Answer:
        """Let something happen to the node and wait for what became of it."""
        config = self._ctx.config
        limit_s = config.role_ready_timeout_s + 2
        return await self._runner.request(
            lambda n: (make_event(n), 0), lambda pair: self.handle(*pair), limit_s, lives.Answer
        )

    def _button_held(self) -> None:
        self._ctx.spawn(self._reset_by_button(), "reset by button")

    async def _reset_by_button(self) -> None:
        """Whoever can press it may take this node elsewhere: it forgets its server too."""
        answer = await self.ask(lambda n: lives.ResetRequested(n, "", forgets_server=True))
        _log.info("the button was held", success=answer.success, outcome=answer.message)

    def close(self) -> None:
        """Give everything back; the role goes to its safe state."""
        for process in self._processes.values():
            process.stop()
        self.firmware.close()
        self._button.close()

    async def gpio_status(self) -> tuple[str, msgs.NodeGPIOStatus]:
        """Return what is wrong with the pins, or nothing, and their state."""
        return self._outputs.problem, await self._reporter.probe(self.life)

    async def _status(self, _: Call[Nothing]) -> NodeReport:
        return node_report(self.life, self.identity, self.orders.bond)

    async def _reset_here(self, call: Call[NodeReset]) -> Done:
        body = call.body
        wanted = Wanted(body.role, body.instance) if body.role else None
        answer = await self.ask(
            lambda n: lives.ResetRequested(n, "", body.factory_reset, wanted=wanted)
        )
        if not answer.success:
            raise SaintError(Code.REFUSED, answer.message)
        return Done(message=answer.message)
