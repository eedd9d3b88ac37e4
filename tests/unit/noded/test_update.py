"""A node and its releases: offered at boot, requested, proven, rolled back. RAUC and systemd are
imitated on a real bus, the server on the local one.
"""

import pytest

from saint_services.lib.api.node import RoleReport
from saint_services.lib.crypto.signing import PrivateKey
from saint_services.lib.errors import SaintError
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.noded.server.release_offers import ReleaseOffers, checked_release
from tests.unit.noded.card_rig import QUICK, Card
from tests.unit.noded.node_rig import READY, SERVER, FakeRole, Robot
from tests.waiting import until
from tools.fake_rauc.faults import Fault

pytestmark = pytest.mark.timeout(60)  # real programs, and a disk that others use too


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


async def start_as_tracks(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    """The node was adopted, and its machine starts again."""
    await card.tracks()
    async with card.adopted():
        pass
    card.restart(monkeypatch)
    card.robot.statuses.clear()


@pytest.mark.parametrize(
    ("key", "is_replayed"),
    [(PrivateKey(b"f" * 32), False), (SERVER, True)],
    ids=["signed by another", "signed for an earlier request"],
)
async def test_node_takes_no_release_that_its_server_did_not_offer_now(
    card: Card,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    key: PrivateKey,
    is_replayed: bool,
):
    """Two robots on one switch, or a device that pretends to be the server."""
    await start_as_tracks(card, monkeypatch)
    card.serve_foreign_offer("1.1", key, is_replayed=is_replayed)
    async with card.robot.node(QUICK):
        await until(lambda: any(each.state == "active" for each in card.robot.statuses))
    assert len(card.checks) > 1
    assert caplog.text.count("another device's offer is ignored") == 1
    assert not card.request.exists()
    assert not card.last.target_version


async def test_adopted_node_takes_the_release_of_its_server_at_boot(
    card: Card, monkeypatch: pytest.MonkeyPatch
):
    await start_as_tracks(card, monkeypatch)
    card.offered = "1.1"
    card.serve_releases()
    async with card.robot.node(QUICK):
        await until(card.request.exists)
    assert card.checks[-1].server_key == SERVER.public


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


async def test_new_release_whose_guard_cannot_make_outputs_safe_is_left(
    card: Card, monkeypatch: pytest.MonkeyPatch
):
    """A fault that the release may have brought holds no machine in it."""
    role = await card.updated()
    card.restart(monkeypatch)
    card.robot.guard.failure = "no pins"
    role.first = RoleReport(ready=False, safe=True, estop=False, reason="the guard did not answer")
    card.statuses.clear()
    async with card.robot.node(QUICK.model_copy(update={"health_timeout_s": 1.0})):
        await until(lambda: "could not be made safe: no pins" in card.last.blocked_by)
        await until(card.request.exists)
    assert card.restart(monkeypatch) == "A"


async def test_update_is_refused_while_outputs_could_not_be_made_safe(card: Card):
    role = await card.tracks()
    async with card.adopted():
        card.robot.guard.failure = "no pins"
        role.first = RoleReport(ready=False, safe=False, estop=False, reason="no pins")
        await role.die()
        await until(lambda: "could not be made safe: no pins" in card.last.blocked_by)
        refused = await card.update("1.1")
        assert (refused.success, refused.message) == (False, card.last.blocked_by)
        role.first = READY
        await until(lambda: card.last.blocked_by == "")
        assert (await card.update("1.1")).success  # the guard fails, the role has ended well
        await until(card.request.exists)


async def head(card: Card) -> FakeRole:
    """Prepare a node to become the head, whose joints go home."""
    card.robot.serve_configs()
    await card.release("1.1")
    return await card.robot.role("role-headd")


def homes(role: FakeRole) -> list[bool]:
    """Whether each start of the role moves joints home."""
    return [bool(each.config.homing) for each in role.assignments]


async def test_joints_do_not_go_home_by_themselves_after_an_update(
    card: Card, monkeypatch: pytest.MonkeyPatch
):
    role = await head(card)
    async with card.robot.node(QUICK):
        assert (await card.robot.adopt("head")).success
        assert (await card.update("1.1")).success
        await until(card.request.exists)
    assert homes(role) == [True]  # a user adopted it
    card.restart(monkeypatch)
    async with card.robot.node(QUICK):
        await until(lambda: card.last.verdict == "healthy")
        await role.die()
        await until(lambda: len(role.assignments) == 3)
    assert homes(role) == [True, False, False]
    card.restart(monkeypatch)  # by a user
    async with card.robot.node(QUICK):
        await until(lambda: len(role.assignments) == 4)
        assert (await card.robot.reset()).success
    assert homes(role)[3]


async def test_joints_do_not_go_home_when_a_role_works_again(card: Card):
    """Its device is plugged in again, with a hand at the plug, or its process has crashed."""
    role = await head(card)
    async with card.robot.node(QUICK):
        assert (await card.robot.adopt("head")).success
        await role.die()
        await until(lambda: len(role.assignments) == 2)
        assert (await card.robot.reset()).success
        assert (await card.robot.adopt("head")).success
    assert homes(role) == [True, False, True]


async def test_joints_do_not_go_home_after_an_update_that_was_given_up(card: Card):
    role = await head(card)
    path = card.folder / "1.1.raucb"
    data = bytearray(path.read_bytes())
    data[100] ^= 255
    path.write_bytes(data)
    async with card.robot.node(QUICK):
        assert (await card.robot.adopt("head")).success
        assert (await card.update("1.1")).success
        await until(lambda: len(role.assignments) == 2)
        assert (await card.robot.reset()).success
        assert (await card.robot.adopt("head")).success
        await until(lambda: len(role.assignments) == 3)
    assert homes(role) == [True, False, True]


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


@pytest.mark.parametrize(("key", "expected"), [(SERVER.public, None), ("", "1.0")])
async def test_node_of_a_server_reinstalls_only_what_that_server_offers(
    card: Card, key: str, expected: str | None
):
    """Its factory reset was cut short by an adoption; the address of a download is not signed."""
    card.serve_releases()
    offers = ReleaseOffers(card.robot.domain.bus("node"), "pi_1", 5.0, lambda: key)
    found = await offers.offer("1.0", is_any_wanted=True)
    assert (found.version if found else None) == expected


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
