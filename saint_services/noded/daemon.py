"""Wires a node: bus, role processes, disk and pins report events to the state machines (lifecycle),
whose actions are carried out here. No rules.
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
from ..lib.api.orders import KillReply
from ..lib.api.selftest import SelfTestOrder, SelfTestReport
from ..lib.bus import Bus
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.generated import saint_msgs as msgs
from ..lib.guard import wire
from ..lib.ipc import Api, Call
from ..lib.logs import own_source
from ..lib.machine import setup_report
from ..lib.machine.power import PowerAction
from ..lib.state_machine import Runner
from .adapters.guard import CarriedOut, GuardLink
from .adapters.pins import NodePins
from .adapters.reset_button import ResetButton
from .adapters.role_process import RoleProcess
from .config import Config
from .credentials import RoleCredentials
from .lifecycle import model
from .lifecycle.model import RoleId
from .lifecycle.node import NodeLifecycle, fresh, step
from .ros_services import RosServices
from .self_test import TARGET as SELF_TEST
from .self_test import NodeSelfTest
from .server.configuration import ConfigRefresh, ConfigServer
from .server.log_pages import LogPages
from .server.orders import ServerOrders
from .server.trust import TrustFiles, foreign_server
from .state import NodeFiles, NodeIdentity
from .status import NodeStatusPublisher, node_report
from .stop_drill import RoleKill
from .stop_reports import NodeStopReports
from .update import NodeUpdate

_UNANSWERED = "its process did not answer the e-stop"
_SlotEvent = tuple[model.Event, int]  # the slot of the role that it happens to
_SlotAction = tuple[int, model.Action]
_log = log.get("noded")


async def run(ctx: Context[Config]) -> None:
    """Run the node until stopped."""
    files = NodeFiles(ctx.directories.state)
    identity = await asyncio.to_thread(files.identity, os.environ.get("SAINT_NODE_ID", ""))
    outputs = NodePins()
    await outputs.open(os.environ.get("SAINT_HW", "real"))
    setup = await asyncio.to_thread(setup_report.read, ctx.directories.runtime)
    _report_problems(ctx, files, outputs, setup.problems)
    bus = await ctx.open_bus(f"noded_{identity.node_id}")
    node = NodeRunner(ctx, bus, files, identity, outputs, setup.problems)
    try:
        await node.start()
        ctx.ready(f"{identity.node_id} is {node.life.state.value}")
        await ctx.stopping.wait()
    finally:
        node.close()


def _report_problems(
    ctx: Context[Config], files: NodeFiles, outputs: NodePins, setup_problems: list[str]
) -> None:
    if files.problem:
        ctx.health.raise_issue(Code.STATE_DAMAGED, files.problem, "identity.yaml")
    if outputs.problem:
        ctx.health.raise_issue(Code.HARDWARE_MISSING, outputs.problem)
    for problem in setup_problems:
        ctx.health.raise_issue(Code.CONFIG_INVALID, problem, problem)


class NodeRunner:
    """Carries out the actions of the state machines."""

    def __init__(
        self,
        ctx: Context[Config],
        bus: Bus,
        files: NodeFiles,
        identity: NodeIdentity,
        outputs: NodePins,
        setup_problems: list[str],
    ) -> None:
        config = ctx.config
        self._runner: Runner[NodeLifecycle, _SlotEvent, _SlotAction] = Runner(
            fresh(identity.node_id, outputs.pwm_channels), lambda node, pair: step(node, *pair)
        )
        self.identity = identity
        self._processes: dict[int, RoleProcess] = {}  # by the slot of their role
        self._ctx = ctx
        self._bus = bus
        self._trust_files = TrustFiles(ctx.directories.state)
        self.orders = ServerOrders(self, bus, self._trust_files)

        def server_key() -> str:
            return self.orders.bond.server_key

        self.server = ConfigServer(
            bus, identity.node_id, config.config_timeout_s, config.config_attempts, server_key
        )  # fmt: skip
        self._credentials = RoleCredentials(bus, identity.node_id, self.orders.sign)
        self._files = files
        self._outputs = outputs
        self.guard = GuardLink(ctx.directories.runtime / wire.SOCKET, self._carried_out)
        self._role_kill = RoleKill(ctx.directories.runtime, self._kill_announced)
        self.stop_reports = NodeStopReports(
            bus, identity.node_id, self.guard.stop, lambda: self.life.lives, self.guard.make_safe,
            self._unanswered,
        )  # fmt: skip
        self._rescues: dict[int, asyncio.Task[None]] = {}  # a role starts when it has ended
        self._disk = asyncio.Lock()  # writes happen in the order of their requests
        self._publisher = NodeStatusPublisher(
            bus, identity.node_id, config.server_address, outputs, setup_problems
        )
        self._refresh = ConfigRefresh(self, bus, config.refresh_interval_s)
        self._button = ResetButton(config.reset_pin, self._button_held)
        self.firmware = NodeUpdate(
            ctx, bus, lambda: self.life, self.handle, self.refuse_unsigned, server_key
        )  # fmt: skip
        directories = ctx.directories
        self._self_test = NodeSelfTest(
            outputs, lambda: self.life, directories.runtime, directories.share, directories.state
        )

    @property
    def life(self) -> NodeLifecycle:
        """The state of the node."""
        return self._runner.state

    async def start(self) -> None:
        """Resume the stored roles, then serve requests."""
        await self._publisher.open()
        runtime = self._ctx.directories.runtime
        self._ctx.spawn(self.guard.run(), "guard")
        self._log_pages = LogPages(await asyncio.to_thread(own_source, runtime))
        loaded = await asyncio.to_thread(self._files.load_roles)
        await self.orders.start()
        if self._trust_files.problem:
            self._ctx.health.raise_issue(
                Code.STATE_DAMAGED, self._trust_files.problem, "trust.yaml"
            )
        has_roles = loaded.is_incomplete or any(role.wanted or role.held for role in loaded.roles)
        await self.firmware.start(has_roles=has_roles)
        if not self.orders.bond.server_key:
            loaded = replace(loaded, is_incomplete=False)  # no server to request them from
        self.handle(loaded)
        if self.life.is_lost:
            self._ctx.health.raise_issue(Code.STATE_DAMAGED, self.life.reason, "role.yaml")
        api = Api()
        api.bind(rows.STATUS, self._status)
        api.bind(rows.RESET, self._reset_here)
        self._self_test.bind(api)
        await self._ctx.serve_ipc(api)
        RosServices(self, api.on_entry).serve(self._bus)
        self._ctx.spawn(self._publisher.run(lambda: (self.life, self.identity)), "reports")
        self._ctx.spawn(self._credentials.repeat(lambda: self.life.lives), "credentials")
        self._ctx.spawn(self._refresh.run(), "refresh")
        self._ctx.spawn(self.stop_reports.repeat(), "stop reports")

    def handle(self, event: model.Event, slot: int = 0) -> None:
        """Handle an event of the node, or of the role in `slot`: update the state machine and carry
        out its actions."""
        before = self.life
        if isinstance(event, model.AdoptRequested | model.UpdateBegan):
            self._self_test.interrupt("the node is adopted or updated")
        actions = self._runner.apply((event, slot))
        if isinstance(event, model.RoleReported):
            self._role_reported(slot, event.report.origin, is_stopped=event.report.estop)
        if (before.state, before.title, before.reason) != self._visible():
            fields = {"state": self.life.state.value, "role": self.life.title or "none"}
            _log.info("node changed", **fields, reason=self.life.reason)
        # First, because a role may use the button's pin.
        self._button.watch(self._outputs.board, self.life.configs_in_use)
        for whose, action in actions:
            self._do(action, whose)
        for gone in self._processes.keys() - self.life.lives.keys():
            self._processes.pop(gone).stop()
        self._credentials.keep(self.life.lives)
        self.firmware.node_changed(self.life)

    def _role_reported(self, slot: int, origin: str, *, is_stopped: bool) -> None:
        life = self.life.lives.get(slot)
        self._credentials.reported(slot, life, origin)
        if life and life.role_alive and life.config_in_use:
            self.stop_reports.works(life.config_in_use.target, is_stopped=is_stopped)

    def _unanswered(self, target: str) -> None:
        """End the connection of a role that does not report a stop; its outputs are made safe."""
        for slot, life in self.life.lives.items():
            if life.role_alive and life.config_in_use and life.config_in_use.target == target:
                self.handle(model.RoleBroken(life.attempt, _UNANSWERED), slot)
                return

    def _visible(self) -> tuple[object, ...]:
        return self.life.state, self.life.title, self.life.reason

    def _do(self, action: model.Action, slot: int) -> None:
        match action:
            case model.MakeSafe(config):
                work = self._make_safe(config.target, slot)
                self._rescues[slot] = self._ctx.spawn(work, "make safe")
            case model.StartRole(attempt, config, pause_s):
                key = self.orders.bond.server_key
                life = self.life.lives[slot]
                held = life.candidate or life.held
                # Nobody expects a motion when a role that has worked begins again.
                if not life.candidate and (life.restarts or not self.firmware.may_home):
                    config = config.model_copy(update={"homing": None})
                assignment = RoleAssignment(
                    node_id=self.identity.node_id, config=config, server_key=key,
                    robot=held.server if held else "",
                )  # fmt: skip
                process = life.process
                rescue = self._after(self._rescues.pop(slot, None))
                self._process(slot).start(assignment, process, attempt, pause_s, rescue)
            case model.StopRole():
                self._process(slot).stop()
            case model.FetchRoles(pause_s):
                self._ctx.spawn(self._fetch_roles(pause_s), "fetch roles")
            case model.FetchConfig():
                self._ctx.spawn(self._fetch(action, slot), "fetch configuration")
            case model.StoreRole():
                self._ctx.spawn(self._store(action, slot), "store role")
            case model.StoreRoles():
                self._ctx.spawn(self._store_together(action), "store roles")
            case model.ForgetRole():
                self._ctx.spawn(self._forget(action, slot), "forget role")
            case model.AnswerRequest():
                self._runner.answer(action)
            case model.Announce():
                self._publisher.announce(self.life, self.identity)

    def _after(self, rescue: asyncio.Task[None] | None) -> asyncio.Task[None] | None:
        """Return what a role waits for before it starts: its safe outputs, and the pins that the
        self-test still has."""
        test = self._self_test.interrupt("a role starts")
        waiting = {each for each in (rescue, test) if each}
        if not test:
            return rescue

        async def wait() -> None:
            await asyncio.wait(waiting)

        return self._ctx.spawn(wait(), "self-test ends")

    async def _make_safe(self, target: str, slot: int) -> None:
        failed = await self.guard.make_safe(target)
        self.handle(model.MadeSafe(failed), slot)
        self.stop_reports.carried_out(CarriedOut(target, "its process has ended", failed))

    def _carried_out(self, event: CarriedOut) -> None:
        """Report that the guard made outputs safe by itself; the self-test reports its own."""
        if event.target == SELF_TEST:
            return
        self._ctx.health.counters["wills_carried_out"] += 1
        _log.warning("guard made the outputs safe", target=event.target, why=event.why)
        self.stop_reports.carried_out(event)
        self._role_kill.carried_out(event)

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

    async def _fetch(self, action: model.FetchConfig, slot: int) -> None:
        await asyncio.sleep(action.pause_s)
        try:
            served = await self.server.fetch(action.wanted)
        except SaintError as err:
            self.handle(model.ConfigFailed(action.attempt, err.message), slot)
            return
        await self.rename(served.display_name)
        if served.assignment:
            self.handle(model.ConfigArrived(action.attempt, served.assignment), slot)

    async def _fetch_roles(self, pause_s: float) -> None:
        await asyncio.sleep(pause_s)
        try:
            roles = await self.server.roles()
        except SaintError as err:
            self.handle(model.RolesFailed(err.message, pause_s))
            return
        self.handle(model.RolesArrived(roles))
        if not self.life.is_lost:
            held = self.life.title or "no role"
            text = f"the list of this node's roles was lost on the disk; its server knows {held}"
            self._ctx.health.raise_issue(Code.STATE_DAMAGED, text, "role.yaml")

    async def _store(self, action: model.StoreRole, slot: int) -> None:
        reason = await self._on_disk(lambda: self._files.store(action.assignment))
        self.handle(model.StoreResult(action.attempt, reason), slot)

    async def _store_together(self, action: model.StoreRoles) -> None:
        assignments = [each.assignment for _, each in action.roles]
        reason = await self._on_disk(lambda: self._files.store_together(assignments))
        for slot, each in action.roles:
            self.handle(model.StoreResult(each.attempt, reason), slot)

    async def _forget(self, action: model.ForgetRole, slot: int) -> None:
        reason = await self._on_disk(lambda: self._files.forget(action.wanted))
        if action.factory:
            self.identity = self.identity.model_copy(update={"display_name": ""})
            await self._on_disk(lambda: self._files.rename(self.identity, ""))
        if action.forgets_server:
            reason = await self._forget_server() or reason
        self.handle(model.Forgotten(action.attempt, reason), slot)
        if action.factory:
            await self.firmware.download_again()

    async def _forget_server(self) -> str:
        try:
            await self.orders.forget()
        except SaintError as err:
            self._ctx.health.counters["disk_failures"] += 1
            return err.message
        return ""

    # What orders.py requests of the node

    async def update(self, request: msgs.UpdateNode_Request) -> tuple[bool, str]:
        """Begin an update. Returns whether it began, and a sentence."""
        return await self.firmware.act(request)

    def refresh(self) -> None:
        """Request newer configurations from the server."""
        self._refresh.wake()

    async def restart(self) -> None:
        """Restart the machine. Raises SaintError while its outputs are live."""
        await self.firmware.set_power(PowerAction.REBOOT, "requested by its server")

    async def power_off(self) -> None:
        """Switch the machine off. Raises SaintError while its outputs are live."""
        await self.firmware.set_power(PowerAction.POWER_OFF, "requested by its server")

    async def log(self, query: LogQuery) -> LogPage:
        """Return a page of the log that our programs wrote on this machine."""
        return await self._log_pages.page(query)

    async def self_test(self, order: SelfTestOrder) -> SelfTestReport:
        """Run the self-test of this machine, or return the last report."""
        return self._self_test.last if order.only_last else await self._self_test.run(order)

    async def kill_role(self, wanted: RoleId) -> KillReply:
        """Kill a role's process as by a fault; the guard stops its outputs."""
        _log.warning("drill: the process of a role is killed", role=str(wanted))
        return await self._role_kill.kill(self.life, wanted)

    def _kill_announced(self, wanted: RoleId) -> None:
        for slot, life in self.life.lives.items():
            if life.wanted == wanted:
                self.handle(model.RoleKilled(), slot)

    def bond_changed(self) -> None:
        """Have the roles obey the router of the node's present server, or none."""
        is_other = self._publisher.bond.server_key != self.orders.bond.server_key
        self._publisher.bond = self.orders.bond
        self.stop_reports.follow(self.orders.bond.server_key)
        if is_other and self.life.is_started:
            self.handle(model.ServerChanged())
        if self.life.is_started:
            self._publisher.announce(self.life, self.identity)

    def refuse_unsigned(self) -> str:
        """Return why a request without a signature is refused; empty when it is not."""
        bond = self.orders.bond
        return foreign_server(self.identity.node_id, bond) if bond.server_key else ""

    async def server_answers(self) -> None:
        """Request a newer release, now that the server answers."""
        await self.firmware.take_offer()

    async def rename(self, display_name: str) -> None:
        """Store the name that the server has for this node, unless it has none."""
        if display_name in ("", self.identity.display_name):
            return
        self.identity = self.identity.model_copy(update={"display_name": display_name})
        await self._on_disk(lambda: self._files.rename(self.identity, display_name))

    async def _on_disk(self, write: Callable[[], object]) -> str:
        """Write in a thread; returns why that failed, or nothing."""
        async with self._disk:
            try:
                await asyncio.to_thread(write)
            except SaintError as err:
                self._ctx.health.counters["disk_failures"] += 1
                return err.message
        return ""

    async def request(self, make_event: Callable[[int], model.Event]) -> model.AnswerRequest:
        """Handle an event that `make_event` makes of a request number; returns the answer."""
        config = self._ctx.config
        limit_s = config.role_ready_timeout_s + 2
        return await self._runner.request(
            lambda n: (make_event(n), 0),
            lambda pair: self.handle(*pair),
            limit_s,
            model.AnswerRequest,
        )

    def _button_held(self) -> None:
        self._ctx.spawn(self._reset_by_button(), "reset by button")

    async def _reset_by_button(self) -> None:
        """Reset the node and forget its server: the node may move to another robot."""
        answer = await self.request(lambda n: model.ResetRequested(n, "", forgets_server=True))
        _log.info("the button was held", success=answer.success, outcome=answer.message)

    def close(self) -> None:
        """Release everything; the roles bring their outputs to the safe state."""
        self._self_test.interrupt("the node ends")
        for process in self._processes.values():
            process.stop()
        self.firmware.close()
        self._button.close()

    async def gpio_status(self) -> tuple[str, msgs.NodeGPIOStatus]:
        """Return what is wrong with the pins, or nothing, and their state."""
        return self._outputs.problem, await self._publisher.probe(self.life)

    async def _status(self, _: Call[Nothing]) -> NodeReport:
        return node_report(self.life, self.identity, self.orders.bond)

    async def _reset_here(self, call: Call[NodeReset]) -> Done:
        body = call.body
        wanted = RoleId(body.role, body.instance) if body.role else None
        answer = await self.request(
            lambda n: model.ResetRequested(n, "", body.factory_reset, wanted=wanted)
        )
        if not answer.success:
            raise SaintError(Code.REFUSED, answer.message)
        return Done(message=answer.message)
