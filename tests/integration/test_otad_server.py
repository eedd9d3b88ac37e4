"""A machine that is only a server: otad updates it too, through RAUC's D-Bus interface, and goes on
with the roll-out after its own restart.
"""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from saint_services.lib.api.firmware import (
    FirmwareReport,
    MachineFirmware,
    RolloutPlan,
    RolloutRequest,
    RolloutState,
    RolloutStep,
    UpdateState,
    UpdateVerdict,
)
from saint_services.lib.daemon import bind
from saint_services.lib.health import Health
from saint_services.lib.ipc import Api
from saint_services.lib.update.boot import Boot
from saint_services.lib.update.checks import Services
from saint_services.lib.update.dbus import SystemBus
from saint_services.lib.update.installer import RaucInstaller
from saint_services.lib.update.updater import UpdateEnvironment
from saint_services.otad.config import Config
from tests.unit.otad.ota_rig import Ota, Robot
from tests.waiting import until
from tools.fake_rauc.bundle_writer import Release, make_keys, write_bundle
from tools.fake_rauc.rig import FakeMachine, fake_machine
from tools.fake_rauc.systemd import Unit

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
CONFIG = Config(reserve_bytes=0, health_settle_s=0.5, health_timeout_s=5.0)


@dataclass
class Server:
    """A server with slots, its otad switched on and off by the test."""

    folder: Path
    robot: Robot
    machine: FakeMachine
    monkeypatch: pytest.MonkeyPatch

    @property
    def request(self) -> Path:
        return self.robot.root / "reboot/request"

    @contextlib.asynccontextmanager
    async def otad(self) -> AsyncIterator[Ota]:
        """From boot to the next restart."""
        version = self.machine.installer.slots.slot(self.machine.installer.slots.booted).version
        self.monkeypatch.setenv("SAINT_VERSION", version)
        bus = SystemBus(self.machine.address)
        boot = Boot(self.robot.root / "deadman", self.robot.root / "reboot")
        world = UpdateEnvironment(RaucInstaller(bus), Services(bus), boot)
        async with self.answering("routerd"), self.robot.otad(CONFIG, world=world) as ota:
            yield ota

    @contextlib.asynccontextmanager
    async def answering(self, name: str) -> AsyncIterator[None]:
        """Another daemon, as far as its health goes."""
        api, health = Api(), Health(name)

        async def report(_: object):
            return health.report()

        api.get("/health", report)
        server = await api.serve([bind(self.robot.directories.runtime, name)])
        try:
            yield
        finally:
            await server.close()

    async def restarts(self) -> None:
        """As asked: the boot loader takes the next slot."""
        await until(self.request.exists, 20.0)
        self.request.unlink()
        self.machine.installer.boot()

    async def bundle(self, version: str, keys: object = None) -> bytes:
        path = self.folder / "b.raucb"
        release = Release(version=version, payload=b'{"breaks": ""}\n')
        await asyncio.to_thread(write_bundle, path, release, keys or self.machine.keys)
        return await asyncio.to_thread(path.read_bytes)


@pytest.fixture
async def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    monkeypatch.setenv("SAINT_MACHINE", "server")
    monkeypatch.setattr("saint_services.lib.update.updater._POLL_S", 0.1)
    monkeypatch.setattr("saint_services.otad.adapters.server_update.REST_S", 0.5)
    with tempfile.TemporaryDirectory(prefix="ota") as short:
        folder = Path(short)
        (tmp_path / "reboot").mkdir()
        async with fake_machine(folder, "1.0.0") as machine:
            robot = Robot(tmp_path, machine.keys)
            yield Server(folder, robot, machine, monkeypatch)


async def plan_of(ota: Ota) -> RolloutPlan:
    found = (await ota.client.get("/status", FirmwareReport)).plan
    assert found
    return found


async def machine_of(ota: Ota):
    shown = await ota.client.get("/status", FirmwareReport)
    return next(machine for machine in shown.machines if machine.is_server)


async def begin(server: Server, ota: Ota, version: str, **fields: object) -> None:
    status, answer = await ota.upload(await server.bundle(version))
    assert status == 200, answer
    await until_machine(ota, lambda machine: not machine.blocked_by)
    await ota.client.post("/rollout", RolloutRequest.model_validate(fields), RolloutPlan)


async def ended(ota: Ota) -> RolloutPlan:
    async with asyncio.timeout(20.0):
        async for shown in ota.client.stream("GET", "/watch", None, FirmwareReport):
            if shown.plan and shown.plan.state is not RolloutState.RUNNING:
                return shown.plan
    raise AssertionError


async def test_server_updates_itself_and_finishes_the_roll_out(server: Server):
    async with server.otad() as ota:
        await begin(server, ota, "1.1.0")
        await server.restarts()
    async with server.otad() as ota:
        plan = await ended(ota)
        machine = await machine_of(ota)
    assert plan.state is RolloutState.DONE
    assert (machine.version, machine.slot, machine.verdict) == ("1.1.0", "B", UpdateVerdict.HEALTHY)
    assert machine.spare_version == "1.0.0"


async def test_server_that_is_not_well_rolls_back_and_halts_the_roll_out(server: Server):
    async with server.otad() as ota:
        await begin(server, ota, "1.1.0")
        await server.restarts()
    server.machine.units.append(Unit("saint-webd.service", "failed", "failed", result="exit-code"))
    async with server.otad():
        await server.restarts()
    server.machine.units.clear()
    async with server.otad() as ota:
        plan = await ended(ota)
        machine = await machine_of(ota)
    assert plan.state is RolloutState.HALTED
    assert plan.steps[0].step is RolloutStep.FAILED
    assert (machine.version, machine.slot, machine.verdict) == (
        "1.0.0",
        "A",
        UpdateVerdict.ROLLED_BACK,
    )
    assert "saint-webd" in machine.reason


async def test_server_does_not_restart_before_it_knows_that_no_outputs_are_live(server: Server):
    robot = server.robot
    robot.node("n1")
    async with server.otad() as ota:
        await begin(server, ota, "1.1.0", nodes=["server"])
        await until(server.request.exists, 20.0)
    server.request.unlink()
    robot.live.add("n1")
    robot.registry_waits_for = asyncio.Event()
    async with server.otad() as ota:
        await until_machine(
            ota, lambda m: m.state is UpdateState.RESTARTING and "not known yet" in m.blocked_by
        )
        robot.registry_waits_for.set()
        await until_machine(ota, lambda machine: "live on n1" in machine.blocked_by)
        assert not server.request.exists()
        robot.live.clear()
        await server.restarts()


async def until_machine(ota: Ota, condition: Callable[[MachineFirmware], bool]) -> None:
    async with asyncio.timeout(10.0):
        async for shown in ota.client.stream("GET", "/watch", None, FirmwareReport):
            if any(machine.is_server and condition(machine) for machine in shown.machines):
                return


async def test_damaged_record_of_the_server_is_reported(server: Server):
    path = server.robot.directories.state / "own/update.json"
    path.parent.mkdir(parents=True)
    path.write_text("{")
    async with server.otad() as ota:
        await until(lambda: "update.json" in str(ota.context.health.report()))


async def test_bundle_of_another_maker_is_refused_by_the_installer(server: Server, tmp_path: Path):
    unknowns = await asyncio.to_thread(make_keys, tmp_path / "unknown")
    async with server.otad() as ota:
        status, answer = await ota.upload(await server.bundle("1.1.0", unknowns))
        shown = await ota.client.get("/status", FirmwareReport)
    assert (status, answer["code"]) == (422, "release_invalid")
    assert "signed by a key that this robot does not trust" in str(answer["message"])
    assert "release of this robot's maker" in str(answer["fix"])
    assert shown.releases == []
