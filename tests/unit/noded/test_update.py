"""A node and its releases: offered at boot, requested, proven, rolled back. RAUC and systemd are
imitated on a real bus, the server on the local one.
"""

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from saint_services.lib.api.node import RoleReport
from saint_services.lib.errors import SaintError
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.noded.config import Config
from saint_services.noded.server.release_offers import checked_release
from tests.unit.noded.node_rig import READY, FakeRole, Robot
from tests.waiting import until
from tools.fake_rauc.bundle_writer import Keys, Release, make_keys, write_bundle
from tools.fake_rauc.faults import Fault
from tools.fake_rauc.rig import FakeMachine, fake_machine

pytestmark = pytest.mark.timeout(60)  # real programs, and a disk that others use too

QUICK = Config(
    config_timeout_s=0.1,
    role_ready_timeout_s=0.5,
    firmware_check_timeout_s=0.2,
    health_timeout_s=3.0,
    health_settle_s=0.0,
)


class Card:
    """The node's computer: bus, slots, reboot requests; and the server's repository."""

    def __init__(self, robot: Robot, fake: FakeMachine, folder: Path) -> None:
        self.robot = robot
        self.fake = fake
        self.folder = folder
        self.request = folder / "reboot" / "request"
        self.offered = ""
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

    def serve_releases(self) -> None:
        """Serve releases as otad does."""
        self.robot.watcher.serve(topics.FIRMWARE_CHECK, self._check)
        self.robot.watcher.serve(topics.FIRMWARE_DOWNLOAD, self._download)

    async def _check(self, request: msgs.FirmwareCheck_Request) -> msgs.FirmwareCheck_Response:
        self.checks.append(request)
        is_newer = bool(self.offered) and self.offered > request.current_version
        return msgs.FirmwareCheck_Response(update_available=is_newer, version=self.offered)

    async def _download(
        self, request: msgs.FirmwareDownload_Request
    ) -> msgs.FirmwareDownload_Response:
        url = f"http://192.168.10.1:8080/{request.version}.raucb"
        return msgs.FirmwareDownload_Response(success=True, url=url)

    async def update(self, version: str, **more: bool) -> msgs.UpdateNode_Response:
        request = msgs.UpdateNode_Request(
            node_id="pi_1",
            action="install",
            version=version,
            url=f"http://192.168.10.1:8080/{version}.raucb",
            **more,
        )
        return await self.order(request)

    async def order(self, request: msgs.UpdateNode_Request) -> msgs.UpdateNode_Response:
        return await self.robot.update(request)

    def restart(self, monkeypatch: pytest.MonkeyPatch) -> str:
        self.request.unlink(missing_ok=True)
        letter = self.fake.installer.boot()
        monkeypatch.setenv("SAINT_VERSION", self.fake.installer.slots.slot(letter).version)
        return letter


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
async def card(robot: Robot, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Card]:
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
            # What stands on the server at that address.
            monkeypatch.setattr(
                "tools.fake_rauc.bundle.source",
                _local_source(folder),
            )
            yield Card(robot, fake, folder)
    finally:
        shutil.rmtree(folder)


def _local_source(folder: Path) -> object:
    from tools.fake_rauc.bundle import FileSource

    return lambda place: FileSource(str(folder / place.rsplit("/", 1)[1]))


async def test_node_takes_a_newer_release_at_boot_before_it_is_adopted(card: Card):
    card.serve_releases()
    card.offered = "1.1"
    await card.release("1.1")
    async with card.robot.node(QUICK):
        await until(card.request.exists)
        await until(lambda: any(a.state == "updating" for a in card.robot.announcements))
        answer = await card.robot.adopt("arms", "left")
        assert not answer.success
        assert "busy (updating)" in answer.message
    assert card.checks[0].current_version == "1.0"
    assert card.last.target_version == "1.1"


async def test_node_without_a_newer_release_is_unadopted_at_once(card: Card):
    card.serve_releases()
    card.offered = "1.0"
    async with card.robot.node(QUICK):
        await until(lambda: any(a.state == "unadopted" for a in card.robot.announcements), 1.0)
        await until(lambda: bool(card.statuses))
    assert (card.last.state, card.last.version, card.last.slot) == ("idle", "1.0", "A")
    assert len(card.checks) == 1


async def test_server_that_comes_later_gets_a_request(card: Card):
    card.offered = "1.1"
    await card.release("1.1")
    async with card.robot.node(QUICK):
        await until(lambda: bool(card.robot.announcements))
        card.serve_releases()
        card.robot.announce_server()
        await until(card.request.exists)


async def test_update_is_refused_while_outputs_are_live_and_stops_the_role_after(card: Card):
    role = await card.tracks()
    async with card.adopted():
        role.say(RoleReport(ready=True, safe=False, estop=False))
        await until(lambda: "outputs are live" in card.last.blocked_by)
        refused = await card.update("1.1")
        assert (refused.success, refused.message) == (False, card.last.blocked_by)
        role.say(READY)
        await until(lambda: card.last.blocked_by == "")
        taken = await card.update("1.1")
        assert taken.success, taken.message
        await until(card.request.exists)
        assert card.robot.happened[-2:] == ["tracks made safe", "role-tracksd ended"]
        await until(lambda: card.robot.statuses[-1].state == "updating")
        assert card.robot.statuses[-1].role == "tracks"


async def test_role_goes_on_after_an_update_that_failed(card: Card):
    role = await card.tracks()
    path = card.folder / "1.1.raucb"
    async with card.adopted():
        data = bytearray(path.read_bytes())
        data[100] ^= 255
        path.write_bytes(data)
        assert (await card.update("1.1")).success
        await until(lambda: card.last.verdict == "failed")
        assert "damaged" in card.last.reason
        await until(lambda: len(role.assignments) == 2)
        await until(lambda: card.robot.statuses[-1].state == "active")


async def test_new_release_is_healthy_when_the_role_answers_again(
    card: Card, monkeypatch: pytest.MonkeyPatch
):
    role = await card.updated()
    assert card.restart(monkeypatch) == "B"
    card.statuses.clear()
    async with card.robot.node(QUICK):
        await until(lambda: card.last.verdict == "healthy")
    assert card.statuses[0].state == "verifying"
    assert (card.last.version, card.last.slot, card.last.attempt) == ("1.1", "B", 1)
    assert len(role.assignments) == 2


async def test_new_release_whose_role_keeps_crashing_is_left(
    card: Card, monkeypatch: pytest.MonkeyPatch
):
    role = await card.updated()
    card.restart(monkeypatch)
    role.first = RoleReport(ready=False, safe=True, estop=False, reason="no motor driver answers")
    async with card.robot.node(QUICK.model_copy(update={"health_timeout_s": 1.0})):
        await until(card.request.exists)
    assert card.restart(monkeypatch) == "A"
    role.first = READY
    card.statuses.clear()
    async with card.robot.node(QUICK):
        await until(lambda: card.last.verdict == "rolled_back")
        assert "no motor driver answers" in card.last.reason
        await until(lambda: card.robot.statuses[-1].state == "active")


@pytest.mark.parametrize("offered", ["1.0", ""], ids=["offered to all", "it alone runs it"])
async def test_factory_reset_downloads_the_release_again(card: Card, offered: str):
    card.robot.serve_configs()
    await card.robot.role("role-tracksd")
    card.serve_releases()
    card.offered = offered
    await card.release("1.0")
    async with card.adopted():
        assert (await card.robot.reset(factory=True)).success
        await until(card.request.exists)
    assert card.last.target_version == "1.0"


async def test_plain_reset_downloads_nothing(card: Card):
    card.serve_releases()
    card.offered = "1.0"
    async with card.robot.node(QUICK):
        assert (await card.robot.reset()).success
        assert (await card.update("1.0")).message.startswith("1.0 runs already")
    assert len(card.checks) == 1
    assert not card.request.exists()


async def test_reset_is_refused_during_an_update(card: Card):
    card.fake.faults.ask_for(Fault.SLOW)
    await card.release("1.1")
    async with card.robot.node(QUICK):
        assert (await card.update("1.1")).success
        await until(lambda: card.last.progress > 0)
        answer = await card.robot.reset()
        assert (answer.success, answer.message) == (False, "pi_1 is being updated")


async def test_request_for_another_node_or_an_unknown_action_is_refused(card: Card):
    async with card.robot.node(QUICK):
        for request, events in (
            (msgs.UpdateNode_Request(node_id="pi_2", action="install"), "this is pi_1"),
            (msgs.UpdateNode_Request(node_id="pi_1", action="explode"), "install or rollback"),
            (msgs.UpdateNode_Request(node_id="pi_1", action="install"), "no address"),
            (
                msgs.UpdateNode_Request(node_id="pi_1", action="rollback"),
                "holds no bootable release",
            ),
        ):
            answer = await card.order(request)
            assert not answer.success
            assert events in answer.message


async def test_node_without_a_message_bus_works_and_says_that_updates_are_off(robot: Robot):
    statuses: list[msgs.FirmwareStatus] = []
    topic = topics.NODE_FIRMWARE.at(node_id="pi_1")
    robot.watcher.subscribe(topic, lambda s: statuses.append(s.message))
    async with robot.node(QUICK):
        await until(lambda: bool(robot.announcements and statuses))
    assert "updates are off on this machine" in statuses[-1].blocked_by


@pytest.mark.parametrize(
    ("version", "url", "checksum"),
    [
        ("1.0", "ftp://x/y", ""),
        ("1.0", "http://x/y z", ""),
        ("1.0", "http://x/" + "y" * 400, ""),
        ("1.0", "/etc/shadow", ""),
        ("", "http://x/y", ""),
        ("1" * 50, "http://x/y", ""),
        ("1.0\n", "http://x/y", ""),
        ("1.0", "http://x/y", "abc"),
        ("1.0", "http://x/y", "g" * 64),
    ],
)
def test_release_that_cannot_be_one_is_refused(version: str, url: str, checksum: str):
    with pytest.raises(SaintError):
        checked_release(version, url, checksum)
