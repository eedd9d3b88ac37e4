"""A node with a card: RAUC and systemd are imitated on a real bus, the server on the local one."""

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from saint_services.lib.api.orders import offer_in, offer_parts
from saint_services.lib.bus import Bus
from saint_services.lib.crypto.signing import PrivateKey
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.noded.config import Config
from tests.unit.noded.node_rig import SERVER, FakeRole, Robot
from tests.waiting import until
from tools.fake_rauc.bundle_writer import Keys, Release, write_bundle
from tools.fake_rauc.rig import FakeMachine, fake_machine

QUICK = Config(
    config_timeout_s=0.1,
    role_ready_timeout_s=0.5,
    firmware_check_timeout_s=0.2,
    health_timeout_s=3.0,
    health_settle_s=0.0,
    offer_wait_s=0.3,
)


class Card:
    """The node's computer: bus, slots, reboot requests; and the server's repository."""

    def __init__(self, robot: Robot, fake: FakeMachine, folder: Path) -> None:
        self.robot = robot
        self.fake = fake
        self.folder = folder
        self.request = folder / "reboot" / "request"
        self.offered = ""
        self.boots = 1
        self.statuses: list[msgs.FirmwareStatus] = []
        self.checks: list[msgs.FirmwareCheck_Request] = []
        self.request.parent.mkdir()
        robot.watcher.subscribe(
            topics.NODE_FIRMWARE.at(node_id="pi_1"), lambda s: self.statuses.append(s.message)
        )

    @property
    def last(self) -> msgs.FirmwareStatus:
        return self.statuses[-1] if self.statuses else msgs.FirmwareStatus()

    async def release(self, version: str) -> Path:
        path = self.folder / f"{version}.raucb"
        await asyncio.to_thread(write_bundle, path, Release(version=version), self.fake.keys)
        return path

    async def tracks(self) -> FakeRole:
        """Prepare what a node needs to become tracks, and release 1.1 on the server."""
        self.robot.serve_configs()
        await self.release("1.1")
        return await self.robot.role("role-tracksd")

    @contextlib.asynccontextmanager
    async def adopted(self) -> AsyncIterator[None]:
        """Run the node as tracks."""
        async with self.robot.node(QUICK):
            assert (await self.robot.adopt("tracks")).success
            yield

    async def updated(self) -> FakeRole:
        """Run a node that was tracks and is about to start release 1.1."""
        role = await self.tracks()
        async with self.adopted():
            assert (await self.update("1.1")).success
            await until(self.request.exists)
        return role

    def serve_releases(self, bus: Bus | None = None) -> None:
        """Serve releases as otad does."""
        bus = bus or self.robot.watcher
        bus.serve(topics.FIRMWARE_CHECK, lambda request: self._check(request, SERVER))
        bus.serve(topics.FIRMWARE_DOWNLOAD, self._download)

    def serve_releases_after(self, pause_s: float) -> None:
        """Serve releases as a server that is still starting."""
        asyncio.get_running_loop().call_later(pause_s, self.serve_releases)

    def serve_foreign_offer(self, version: str, key: PrivateKey, *, is_replayed: bool) -> None:
        """Have another device reply to the node's requests, with a signature of this key."""

        async def check(request: msgs.FirmwareCheck_Request) -> msgs.FirmwareCheck_Response:
            self.checks.append(request)
            if is_replayed:
                request = replace(request, challenge="0a" * 16)
            return _signed(request, msgs.FirmwareCheck_Response(True, version, _url(version)), key)

        bus = self.robot.domain.bus("foreign")
        bus.serve(topics.FIRMWARE_CHECK, check)
        bus.serve(topics.FIRMWARE_DOWNLOAD, self._download)

    async def _check(
        self, request: msgs.FirmwareCheck_Request, key: PrivateKey
    ) -> msgs.FirmwareCheck_Response:
        self.checks.append(request)
        is_newer = bool(self.offered) and self.offered > request.current_version
        return _signed(
            request, msgs.FirmwareCheck_Response(is_newer, self.offered, _url(self.offered)), key
        )

    async def _download(
        self, request: msgs.FirmwareDownload_Request
    ) -> msgs.FirmwareDownload_Response:
        return msgs.FirmwareDownload_Response(success=True, url=_url(request.version))

    async def update(self, version: str, **more: bool) -> msgs.UpdateNode_Response:
        request = msgs.UpdateNode_Request(
            node_id="pi_1",
            action="install",
            version=version,
            url=_url(version),
            **more,
        )
        return await self.order(request)

    async def order(self, request: msgs.UpdateNode_Request) -> msgs.UpdateNode_Response:
        return await self.robot.update(request)

    def restart(self, monkeypatch: pytest.MonkeyPatch) -> str:
        """The machine starts again; returns the slot."""
        self.request.unlink(missing_ok=True)
        self.boots += 1
        monkeypatch.setenv("SAINT_BOOT_ID", f"boot {self.boots}")
        letter = self.fake.installer.boot()
        monkeypatch.setenv("SAINT_VERSION", self.fake.installer.slots.slot(letter).version)
        return letter


def _url(version: str) -> str:
    return f"http://192.168.10.1:8080/{version}.raucb"


def _signed(
    request: msgs.FirmwareCheck_Request, answer: msgs.FirmwareCheck_Response, key: PrivateKey
) -> msgs.FirmwareCheck_Response:
    if request.server_key:
        answer.signature = key.sign(*offer_parts(offer_in(request, answer)))
    return answer


@contextlib.asynccontextmanager
async def open_card(
    robot: Robot, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Card]:
    """The computer of the robot's node, running release 1.0."""
    if shutil.which("dbus-daemon") is None:
        pytest.skip("dbus-daemon is not installed; on Debian: apt-get install dbus")
    monkeypatch.setattr("saint_services.lib.update.updater._POLL_S", 0.1)
    folder = Path(tempfile.mkdtemp(prefix="saint-"))  # short: a socket lies in it
    try:
        async with fake_machine(folder / "m", "1.0", given=keys) as fake:
            monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", fake.address)
            monkeypatch.setenv("SAINT_REBOOT_DIR", str(folder / "reboot"))
            monkeypatch.setenv("SAINT_DEADMAN", str(folder / "deadman"))
            monkeypatch.setenv("SAINT_VERSION", "1.0")
            monkeypatch.setenv("SAINT_BOOT_ID", "boot 1")
            # What stands on the server at that address.
            monkeypatch.setattr("tools.fake_rauc.bundle.source", _local_source(folder))
            yield Card(robot, fake, folder)
    finally:
        shutil.rmtree(folder)


def _local_source(folder: Path) -> object:
    from tools.fake_rauc.bundle import FileSource

    return lambda place: FileSource(str(folder / place.rsplit("/", 1)[1]))
