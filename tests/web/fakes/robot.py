"""A simulated robot around a real webd: an in-process bus, and fakes on the other daemons' sockets.
For tests of webd, work on the pages and screenshots.

    .venv/bin/python -m tests.web.fakes.robot --port 8088
"""

import argparse
import asyncio
import contextlib
import socket
import tempfile
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from saint_services.lib.access.audit import AuditReporter
from saint_services.lib.api import Done, adoption, keys, orders, routing
from saint_services.lib.api.adoption import (
    AdoptNode,
    AdoptReply,
    IgnoreNode,
    NameNode,
    NodeInfo,
    NodeList,
    NodeParams,
    NodeState,
    Peripheral,
    ReplaceNode,
    ResetNode,
    RobotNodes,
    RoleChoice,
    RoleList,
    ScanReport,
    UnknownDevice,
)
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.keys import KeyImport, Passphrase, SealedKey
from saint_services.lib.api.orders import RobotPower
from saint_services.lib.api.routing import (
    EStopClear,
    EStopInfo,
    EStopRequest,
    FieldOutput,
    RouterStatus,
    StopOutcomeInfo,
)
from saint_services.lib.bus.local import LocalBus, LocalDomain
from saint_services.lib.clock import stamp
from saint_services.lib.crypto import sealing
from saint_services.lib.daemon import bind, running
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import (
    InputSample,
    RivalStatus,
)
from saint_services.lib.health import Health, HealthReport
from saint_services.lib.ipc import Api, ApiServer, Call
from saint_services.lib.machine.service_manager import Directories
from saint_services.routerd.estop import latch as latches
from saint_services.routerd.report import estop_info, estop_message
from saint_services.webd.config import AuthSettings, Config
from saint_services.webd.daemon import run
from tests.router_writers import Admission, admit_writers, registered
from tests.waiting import every, let_pass
from tests.web.fakes import stop
from tests.web.fakes.arms import TARGET, FakeArm
from tests.web.fakes.backup import SECTIONS, FakeKept
from tests.web.fakes.calibration import FakeCalibrations
from tests.web.fakes.inputs import FakeCapture, FakeReceiver
from tests.web.fakes.logs import fake_logs
from tests.web.fakes.nodes import FakeHeaders
from tests.web.fakes.otad import FakeOtad
from tests.web.fakes.parts import FakeParts
from tests.web.fakes.programs import fake_programs
from tests.web.fakes.remote import add_locks
from tests.web.fakes.routes import FakeRouter
from tests.web.fakes.selftest import FakeSelfTests
from tests.web.fakes.wagon import FakeWagon
from tests.web.fakes.watching import compared
from tests.web.fakes.wave import CONTENDER, FACE, Wave

ROOT = Path(__file__).resolve().parents[3]
ROLES = (("head", ""), ("arms", "left"), ("arms", "right"), ("tracks", ""), ("console", ""))


def node(node_id: str, role: str = "", instance: str = "", **more: object) -> NodeInfo:
    """Return a node as adoptiond describes it."""
    is_free = not role
    return NodeInfo.model_validate(
        {
            "node_id": node_id,
            "display_name": more.pop("display_name", ""),
            "state": NodeState.UNADOPTED if is_free else NodeState.ACTIVE,
            "role": role,
            "instance": instance,
            "topic_prefix": ""
            if is_free
            else f"/saint/{role}" + (f"/{instance}" if instance else ""),
            "hardware_model": "Raspberry Pi 4 Model B Rev 1.4",
            "firmware_version": "0.1.0",
            "config_version": "1.0.0" if role else "",
            "mac_address": "dc:a6:32:00:00:01",
            "address": "192.168.10.11",
            "cpu_temp": 41.5,
            "cpu_usage": 18.0,
            "memory_usage": 31.0,
            "uptime_s": 51_200,
            "peripherals": [
                Peripheral(type="i2c", address="1:0x40", description="PCA9685", responsive=True)
            ],
            **more,
        }
    )


def first_nodes() -> dict[str, NodeInfo]:
    """Return five nodes with a role, one of them offline, and one free node."""
    nodes = [
        node("sim_head", "head", display_name="Head", cpu_temp=47.2, cpu_usage=34.0),
        node("sim_arm_left", "arms", "left", display_name="Left arm"),
        node("sim_arm_right", "arms", "right", display_name="Right arm", cpu_usage=22.0),
        node("sim_tracks", "tracks", display_name="Tracks", cpu_temp=52.9, cpu_usage=41.0),
        node(
            "sim_console", "console", state="offline", seen_age_s=72.0, display_name="Console",
            reason="no heartbeat; check its power and network",
        ),
        node("sim_spare", cpu_temp=39.0, cpu_usage=4.0, uptime_s=312),
    ]  # fmt: skip
    return {each.node_id: each for each in nodes}


def nodes_of(targets: Iterable[str]) -> dict[str, NodeInfo]:
    """Return a node for each role of another robot."""
    roles = {target: target.partition(".") for target in targets}
    nodes = [node(f"sim_{t.replace('.', '_')}", role, i) for t, (role, _, i) in roles.items()]
    return {each.node_id: each for each in nodes}


@dataclass
class FakeRobot:
    """The other daemons; tests read and set the fields."""

    runtime: Path
    bus: LocalBus
    template: str = "saint"  # or one with an arm of bus servos (arms.py) or a wagon (wagon.py)
    nodes: dict[str, NodeInfo] = field(default_factory=first_nodes)
    latch: latches.Latch = field(default_factory=latches.Latch)
    clear_refusal: str = ""
    shows_edition: bool = False  # webd reads a changed robot again
    silent: set[str] = field(default_factory=set)  # targets that do not confirm a stop
    stop_detail: str = ""  # detail of each confirmation
    outputs: list[FieldOutput] = field(default_factory=list)
    stop_switches: tuple[str, ...] = ("rc_estop:channel_6",)
    is_rc_live: bool = True
    is_tracks_live: bool = True  # publish their position
    is_speed_known: bool = True  # and their speed
    is_face_live: bool = True
    is_camera_on: bool = True
    driver: str = "rc"  # who has control of the tracks
    contender: RivalStatus = field(default_factory=lambda: CONTENDER)
    more_values: int = 0  # sent by the face in addition
    is_still: bool = False  # topics keep coming, but no value moves
    adopt_takes_s: float = 0.0
    requests: list[str] = field(default_factory=list)
    powered: list[RobotPower] = field(default_factory=list)  # requested of adoptiond
    strangers: list[UnknownDevice] = field(default_factory=list)
    appearing: list[NodeInfo] = field(default_factory=list)  # what the next scan finds
    servers: dict[str, ApiServer] = field(default_factory=dict)
    otad: FakeOtad = field(default_factory=FakeOtad)
    receiver: FakeReceiver = field(default_factory=FakeReceiver)
    capture: FakeCapture = field(default_factory=lambda: FakeCapture(FACE))
    kept: dict[str, FakeKept] = field(default_factory=lambda: {n: FakeKept(n) for n in SECTIONS})
    wrong_settings: dict[str, str] = field(default_factory=dict)  # daemon: what it reports
    wagon: FakeWagon = field(default_factory=FakeWagon)  # of a robot that has one
    frame: int = 0
    seed: bytes = b"k" * 32  # of the server's key
    admission: Admission = field(default_factory=Admission)  # of writers of inputs

    async def open(self) -> None:
        """Answer on the sockets."""
        self.admission.origin = self.bus.origin
        self.reporter = AuditReporter(self.runtime)
        self.router = await asyncio.to_thread(
            FakeRouter, ROOT, self.runtime.parent / "routerd", self.template
        )
        self.confirmations = stop.FakeConfirmations(self)
        self.drills = stop.drills(self, self.confirmations, self.runtime)
        state = self.runtime.parent / "adoptiond"
        self.self_tests = FakeSelfTests()
        self.trims = await asyncio.to_thread(FakeCalibrations, ROOT / "manifests", state)
        self.parts = await asyncio.to_thread(
            FakeParts, ROOT / "manifests", state, lambda: self.nodes, self.template
        )
        adoptiond = self._adoptiond()
        await self.parts.open(adoptiond)
        if self.template != "saint":
            self.nodes = nodes_of(self.parts.service.robot.roles)
        apis = {
            "adoptiond": adoptiond, "routerd": self._routerd(),
            "rcd": self.receiver.api(), "livelinkd": self.capture.api(), "otad": self.otad.api(),
        }  # fmt: skip
        for name, api in apis.items():
            if name in self.kept:
                self.kept[name].backup().add_to(api)
            await self.serve(name, api)
        await self.otad.open_files(self.runtime / "otad-files.sock")
        self.headers = FakeHeaders(self.bus, self._is_online)
        self.headers.serve(list(self.nodes))
        self._estop_topic = self.bus.publisher(topics.ESTOP)
        self._outcome_topic = self.bus.publisher(topics.ESTOP_OUTCOME)
        self._publish_estop()

    async def serve(self, name: str, api: Api) -> None:
        """Serve one daemon on its socket."""

        async def health(_: object) -> HealthReport:
            self.requests.append(f"health {name}")
            found = Health(name)
            if name in self.wrong_settings:
                found.raise_issue(Code.CONFIG_INVALID, self.wrong_settings[name])
            return found.report()

        api.get("/health", health)
        api.on_entry = self.reporter.add
        path = self.runtime / f"{name}.sock"
        path.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(path))
        listening.listen(16)
        listening.setblocking(False)
        self.servers[name] = await api.serve([listening])

    async def close(self) -> None:
        """Stop answering."""
        for name in list(self.servers):
            await self.stop(name)
        self.reporter.close()
        await self.otad.close()

    async def stop(self, name: str) -> None:
        """Stop one daemon."""
        await self.servers.pop(name).close()

    def _adoptiond(self) -> Api:
        api = Api()
        api.bind(adoption.LIST_NODES, self._nodes)
        api.bind(adoption.SCAN, self._scan)
        api.bind(adoption.GET_NODE_INFO, self._node)
        api.bind(adoption.LIST_ROLES, self._roles)
        api.bind_stream(adoption.WATCH_NODES, lambda call: compared(self._robot_nodes, call.body))
        api.bind(adoption.ADOPT_NODE, self._adopt)
        api.bind(adoption.RESET_NODE, self._reset)
        api.bind(adoption.REPLACE_NODE, self._replace)
        api.bind(adoption.IGNORE_NODE, self._ignore)
        api.bind(adoption.SET_NODE_NAME, self._rename)
        api.bind(orders.POWER, self._power)
        api.bind(keys.EXPORT, self._export_key)
        api.bind(keys.IMPORT, self._import_key)
        self.trims.add_to(api)
        self.self_tests.add_to(api)
        return stop.add_kill(api)

    async def _power(self, call: Call[RobotPower]) -> Done:
        self.powered.append(call.body)
        return Done(message="The robot shuts down.")

    async def _export_key(self, call: Call[Passphrase]) -> SealedKey:
        passphrase = call.body.passphrase
        return SealedKey(sealed=await asyncio.to_thread(sealing.seal, self.seed, passphrase))

    async def _import_key(self, call: Call[KeyImport]) -> Done:
        body = call.body
        self.seed = await asyncio.to_thread(sealing.unseal, body.sealed, body.passphrase)
        return Done(message="the server has its key back")

    async def _nodes(self, _: Call[Nothing]) -> NodeList:
        return NodeList(nodes=list(self.nodes.values()), strangers=self.strangers)

    async def _scan(self, _: Call[Nothing]) -> ScanReport:
        self.nodes |= {each.node_id: each for each in self.appearing}
        silent = [n.node_id for n in self.nodes.values() if n.state is NodeState.OFFLINE]
        recent = [n for n in self.nodes.values() if n.node_id not in silent]
        new, self.appearing = [n.node_id for n in self.appearing], []
        return ScanReport(nodes=recent, listened_s=3.0, new=new, silent=silent)

    def _robot_nodes(self) -> RobotNodes:
        nodes = list(self.nodes.values())
        return RobotNodes(
            nodes=nodes,
            strangers=self.strangers,
            roles=self._role_list(),
            robot_edition=self.parts.service.edition() if self.shows_edition else "",
        )

    def _known(self, node_id: str) -> NodeInfo:
        found = self.nodes.get(node_id)
        if found is None:
            raise SaintError(Code.NOT_FOUND, f"node {node_id} is not known")
        return found

    async def _node(self, call: Call[NodeParams]) -> NodeInfo:
        return self._known(call.body.node_id)

    def _is_online(self, node_id: str) -> bool:
        found = self.nodes.get(node_id)
        return found is not None and found.state is not NodeState.OFFLINE

    def _holder(self, role: str, instance: str) -> str:
        held = [n for n in self.nodes.values() if (n.role, n.instance) == (role, instance)]
        held.sort(key=lambda n: n.state is NodeState.OFFLINE)
        return held[0].node_id if held else ""

    async def _roles(self, _: Call[Nothing]) -> RoleList:
        return self._role_list()

    def _role_list(self) -> RoleList:
        choices = [
            RoleChoice(role=r, instance=i, topic_prefix=f"/saint/{r}", node_id=self._holder(r, i))
            for r, i in self._roles_of_robot()
        ]
        return RoleList(robot="SAINT-01", roles=choices)

    def _roles_of_robot(self) -> Iterable[tuple[str, str]]:
        if self.template == "saint":
            return ROLES
        return [(each.role, each.instance) for each in self.nodes.values()]

    async def _adopt(self, call: Call[AdoptNode]) -> AdoptReply:
        found, body = self._known(call.body.node_id), call.body
        self.requests.append(f"adopt {found.node_id} {body.role} {body.instance}".strip())
        await let_pass(self.adopt_takes_s)
        holder = self.nodes.get(self._holder(body.role, body.instance))
        if holder and holder.state is not NodeState.OFFLINE:
            raise SaintError(Code.CONFLICT, f"{body.role} is held by {holder.node_id}")
        changes = {
            "role": body.role, "instance": body.instance, "state": NodeState.ACTIVE,
            "display_name": body.display_name or found.display_name, "reason": "",
            "is_ours": True, "code": "482 173",
        }  # fmt: skip
        self.nodes[found.node_id] = found.model_copy(update=changes)
        return AdoptReply(message="adopted", topic_prefix=f"/saint/{body.role}", code="482 173")

    async def _reset(self, call: Call[ResetNode]) -> Done:
        found = self._known(call.body.node_id)
        self.requests.append(f"reset {found.node_id} factory={call.body.factory_reset}")
        free = {"role": "", "instance": "", "state": NodeState.UNADOPTED, "reason": ""}
        self.nodes[found.node_id] = found.model_copy(update=free)
        return Done(message="reset")

    async def _replace(self, call: Call[ReplaceNode]) -> AdoptReply:
        old, new = self._known(call.body.node_id), self._known(call.body.by)
        free = {"role": "", "instance": "", "replaced_by": new.node_id}
        taken = {"role": old.role, "instance": old.instance, "state": NodeState.ACTIVE}
        self.nodes[old.node_id] = old.model_copy(update=free)
        self.nodes[new.node_id] = new.model_copy(update=taken)
        return AdoptReply(message="adopted", topic_prefix=f"/saint/{old.role}", code="482 173")

    async def _ignore(self, call: Call[IgnoreNode]) -> NodeInfo:
        found, is_ignored = self._known(call.body.node_id), call.body.is_ignored
        changes = {"is_ignored": is_ignored, "not_offered": "ignored" if is_ignored else ""}
        self.nodes[found.node_id] = found.model_copy(update=changes)
        return self.nodes[found.node_id]

    async def _rename(self, call: Call[NameNode]) -> NodeInfo:
        found = self._known(call.body.node_id)
        found = found.model_copy(update={"display_name": call.body.display_name})
        self.nodes[found.node_id] = found
        return found

    def _routerd(self) -> Api:
        api = Api()
        api.bind(routing.GET_STATUS, self._router_status)
        api.bind(routing.ESTOP, self._stop)
        api.bind(routing.CLEAR_ESTOP, self._clear)
        self.drills.add_to(api)
        self.router.add_to(api)
        if self.template == "saint":
            add_locks(api, self._router_status)
        self.wagon.add_to(api)
        return admit_writers(api, self.admission)

    async def _router_status(self, _: Call[Nothing]) -> RouterStatus:
        return RouterStatus(
            state="idle", estop=self.estop, outputs=self.outputs, sources=[], samples=0, refused={}
        )

    async def _stop(self, call: Call[EStopRequest]) -> EStopInfo:
        self.requests.append(f"estop {call.body.source}")
        return self.set_estop(True, call.body.source, call.body.reason)

    async def _clear(self, call: Call[EStopClear]) -> EStopInfo:
        self.requests.append(f"clear {call.body.source}")
        if self.clear_refusal:
            raise SaintError(Code.REFUSED, self.clear_refusal)
        if missed := latches.unseen(self.latch, call.body.generation):
            raise SaintError(Code.REFUSED, f"the e-stop stays: {missed}")
        return self.set_estop(False, call.body.source, "")

    @property
    def estop(self) -> EStopInfo:
        """The latch as routerd reports it."""
        return estop_info(self.latch, "", self.stop_outcomes)

    @property
    def stop_outcomes(self) -> list[StopOutcomeInfo]:
        """Return the outcome of the stop: all targets confirm but those in `silent`."""
        return stop.outcomes(self.silent, self.stop_detail) if self.latch.active else []

    def set_estop(self, is_active: bool, source: str, reason: str) -> EStopInfo:
        """Set the latch and publish it."""
        made = latches.raised(self.latch, source, reason)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        made = made if is_active else latches.cleared(self.latch, source)
        self.latch = latches.stamped(made, now)
        self._publish_estop()
        return self.estop

    def _publish_estop(self) -> None:
        self._estop_topic.publish(estop_message(self.latch, stamp()))
        self._outcome_topic.publish(stop.message(self.latch, self.stop_outcomes))
        self.confirmations.latched()

    def listen_to_clients(self) -> list[InputSample]:
        """Return a list that grows with each sample that webd sends for its clients."""
        samples: list[InputSample] = []
        self.bus.subscribe(topics.INPUT_WEBSOCKET, lambda sample: samples.append(sample.message))
        return samples

    async def play(self) -> None:
        """Moves as the demo does: sticks, a face, and what follows from them."""
        if TARGET in self.parts.service.robot.roles:
            self.arm = FakeArm(self)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.router.sequences.work())
                tasks.create_task(self.arm.play())
        wave = Wave(self)
        async for _ in every(0.02):
            wave.step()


@contextlib.asynccontextmanager
async def fake_robot(
    directory: Path,
    *,
    http_port: int = 0,
    auth: bool = False,
    config: Config | None = None,
    https: socket.socket | None = None,
) -> AsyncIterator[tuple[FakeRobot, str, LocalDomain]]:
    """A running webd with everything around it: robot, "127.0.0.1:port", bus domain."""
    domain = LocalDomain()
    runtime, state = directory / "run", directory / "state"
    for each in (runtime, state):
        each.mkdir(parents=True, exist_ok=True)
    template = config.robot if config else "saint"
    robot = FakeRobot(runtime, domain.bus("fakes"), template)
    http = socket.create_server(("127.0.0.1", http_port))
    http.setblocking(False)
    address = f"127.0.0.1:{http.getsockname()[1]}"
    places = Directories(directory / "config", state, runtime, ROOT)
    settings = config or Config(auth=AuthSettings(required=auth))
    await robot.open()
    try:
        sockets = {"http": [http], "api": [bind(runtime, "webd")]}
        if https:
            sockets["https"] = [https]
        with fake_logs(directory), fake_programs(directory):
            bus = domain.bus("webd")
            async with running("webd", settings, run, places, sockets, bus=bus) as context:
                await registered(context.health)
                yield robot, address, domain
    finally:
        await robot.close()


async def _main(port: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        async with fake_robot(Path(directory), http_port=port) as (robot, address, _):
            print(f"http://{address}/", flush=True)
            await robot.play()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8088)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_main(parser.parse_args().port))
