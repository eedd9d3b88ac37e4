"""When a node requests its server's release: before its roles start, and later at a rest."""

from pathlib import Path

import pytest

from saint_services.lib.api.node import RoleReport
from saint_services.noded.offers import NodeStart, OfferTimes, node_start
from tests.unit.noded.card_rig import QUICK, Card
from tests.unit.noded.node_rig import READY
from tests.waiting import let_pass, until

pytestmark = pytest.mark.timeout(60)  # real programs, and a disk that others use too

LIVE = RoleReport(ready=True, safe=False, estop=False)
RESTS = QUICK.model_copy(update={"offer_rest_s": 0.5})


async def started_as_tracks(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    """The node is tracks; its machine is started again, and release 1.1 waits on the server."""
    role = await card.tracks()
    async with card.adopted():
        pass
    role.assignments.clear()
    card.offered = "1.1"
    card.restart(monkeypatch)


async def test_offer_of_a_late_server_is_taken_before_the_role_starts(
    card: Card, monkeypatch: pytest.MonkeyPatch
):
    await started_as_tracks(card, monkeypatch)
    config = QUICK.model_copy(update={"offer_wait_s": 20.0, "firmware_check_timeout_s": 0.1})
    card.serve_releases_after(0.6)
    async with card.robot.node(config):
        await until(card.request.exists)
    assert not card.robot.roles[0].assignments
    assert card.last.target_version == "1.1"


async def test_role_starts_when_no_server_answers(card: Card, monkeypatch: pytest.MonkeyPatch):
    await started_as_tracks(card, monkeypatch)
    async with card.robot.node(QUICK):
        await until(lambda: bool(card.robot.roles[0].assignments))


async def test_offered_bundle_that_is_refused_lets_the_role_start(
    card: Card, monkeypatch: pytest.MonkeyPatch
):
    await started_as_tracks(card, monkeypatch)
    (card.folder / "1.1.raucb").write_bytes(b"no bundle" * 1000)
    card.serve_releases()
    async with card.robot.node(QUICK):
        await until(lambda: bool(card.robot.roles[0].assignments))
        assert card.last.verdict == "refused"


async def test_node_that_was_live_takes_the_offer_at_its_next_rest(
    card: Card, monkeypatch: pytest.MonkeyPatch
):
    await started_as_tracks(card, monkeypatch)
    role = card.robot.roles[0]
    role.first = LIVE
    async with card.robot.node(RESTS):
        await until(lambda: "outputs are live" in card.last.blocked_by)
        card.serve_releases()
        card.robot.announce_server()
        await until(lambda: bool(card.checks))
        role.say(READY)  # for less than a rest
        await until(lambda: card.last.blocked_by == "")
        role.say(LIVE)
        await until(lambda: "outputs are live" in card.last.blocked_by)
        await let_pass(0.8)
        assert card.last.state == "idle"
        role.first = READY
        role.say(READY)
        await until(card.request.exists)
    assert card.last.target_version == "1.1"


async def test_release_that_is_offered_later_is_taken_at_a_rest_without_a_restart(
    card: Card, monkeypatch: pytest.MonkeyPatch
):
    await started_as_tracks(card, monkeypatch)
    card.offered = "1.0"
    card.serve_releases()
    async with card.robot.node(RESTS):
        await until(lambda: bool(card.robot.roles[0].assignments))
        card.offered = "1.1"
        await until(card.request.exists)


async def test_restarted_process_takes_no_offer_before_a_rest(
    card: Card, monkeypatch: pytest.MonkeyPatch
):
    await started_as_tracks(card, monkeypatch)
    async with card.robot.node(QUICK):
        await until(lambda: bool(card.robot.roles[0].assignments))
    card.serve_releases()
    async with card.robot.node(RESTS):
        await until(lambda: len(card.robot.roles[0].assignments) == 2)
        assert len(card.checks) == 1
        assert card.last.state == "idle"
        await until(card.request.exists)  # after the rest


def test_due_once_per_rest_and_then_from_time_to_time() -> None:
    times = OfferTimes(rest_s=300.0, again_s=3600.0)
    assert times.due_s is None
    times = times.stirred(is_resting=True, now_s=100.0)
    assert times.due_s == 400.0
    assert times.stirred(is_resting=True, now_s=200.0) is times
    times = times.requested(400.0)
    assert times.due_s == 4000.0
    times = times.stirred(is_resting=False, now_s=500.0)
    assert times.due_s is None
    assert times.stirred(is_resting=True, now_s=600.0).due_s == 900.0


def test_first_start_of_each_boot_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAINT_BOOT_ID", "one")
    starts = [node_start(tmp_path), node_start(tmp_path)]
    assert starts == [NodeStart(True, may_home=True), NodeStart(False, may_home=False)]
    monkeypatch.setenv("SAINT_BOOT_ID", "two")
    assert node_start(tmp_path) == NodeStart(True, may_home=True)


@pytest.mark.parametrize("text", ['{"pending": {"version": "1.1"}}', "{", '{"pending": []}'])
def test_boot_that_an_update_may_have_caused_moves_nothing_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    record = tmp_path / "update.json"
    record.write_text(text)
    monkeypatch.setenv("SAINT_BOOT_ID", "one")
    assert node_start(tmp_path) == NodeStart(True, may_home=False)
    record.write_text('{"pending": null}')  # it has its verdict, and noded was restarted
    assert node_start(tmp_path) == NodeStart(False, may_home=False)
    monkeypatch.setenv("SAINT_BOOT_ID", "two")
    assert node_start(tmp_path) == NodeStart(True, may_home=True)


def test_start_that_cannot_be_noted_counts_as_no_boot(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert node_start(tmp_path / "file" / "state") == NodeStart(False, may_home=False)
