"""otad follows the owner's address: a real TLS server, the real job, the real checks."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from saint_services.lib.access.audit import AuditRecord
from saint_services.lib.api.firmware import FirmwareReport
from saint_services.lib.api.update_policy import (
    CHECK_SOURCE,
    SET_POLICY,
    CheckSource,
    FetchState,
    SetUpdatePolicy,
    SourceStatus,
)
from saint_services.lib.errors import Code
from saint_services.otad.config import Config
from saint_services.otad.releases.ingest import ReleaseIngest
from saint_services.otad.sources import partial as partial_module
from saint_services.otad.sources import schedule
from saint_services.otad.sources.partial import MOST_BEGINNINGS
from tests.audit_log import collected
from tests.unit.otad.ota_rig import OTHER_KEY, Ota, Robot
from tests.unit.otad.sources.address_rig import (
    ReleaseServer,
    authority,
    bundle,
    fetch_jobs,
    release_server,
)
from tests.unit.otad.test_daemon import refused, report
from tests.waiting import until


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a minute of rest, and the pauses after starts and failures, pass at once."""
    monkeypatch.setattr(schedule, "DOWNLOAD_REST_S", 0.0)
    monkeypatch.setattr(schedule, "first_s", lambda _: 0.0)
    monkeypatch.setattr(schedule, "_SHORTEST_PAUSE_S", 0.01)


@pytest.fixture
async def server() -> AsyncIterator[ReleaseServer]:
    async with release_server() as found:
        yield found


@pytest.fixture
async def audit(robot: Robot) -> AsyncIterator[list[AuditRecord]]:
    async with collected(robot.directories.runtime) as found:
        yield found


@asynccontextmanager
async def following(
    robot: Robot,
    server: ReleaseServer,
    config: Config | None = None,
    stored: str = "",
    **policy: object,
) -> AsyncIterator[Ota]:
    """otad, set to follow the server when it has the stored release."""
    async with fetch_jobs(robot.directories.runtime), robot.otad(config) as ota:
        if stored:
            await ota.release(stored)
        facts = {"releases_from": server.address, "authority": authority().pem} | policy
        await ota.client.request(SET_POLICY, SetUpdatePolicy.model_validate(facts))
        yield ota


async def state(ota: Ota, is_it: Callable[[FirmwareReport], bool]) -> FirmwareReport:
    """The report as soon as it is like that."""
    last: list[FirmwareReport] = []

    async def look() -> FirmwareReport | None:
        last[:] = [await report(ota)]
        return last[0] if is_it(last[0]) else None

    return await until(look, 20, lambda: last[0].source.model_dump_json())


def has(version: str) -> Callable[[FirmwareReport], bool]:
    return lambda shown: version in [release.version for release in shown.releases]


def says(text: str) -> Callable[[FirmwareReport], bool]:
    return lambda shown: text in shown.source.text


async def check(ota: Ota, **more: Any) -> SourceStatus:
    return await ota.client.request(CHECK_SOURCE, CheckSource(**more))


async def test_newer_release_comes_by_itself_and_is_recorded(
    robot: Robot, server: ReleaseServer, audit: list[AuditRecord]
) -> None:
    server.publish("1.2.0", await bundle(robot, "1.2.0"))
    async with following(robot, server) as ota:
        shown = await state(ota, has("1.2.0"))
        shown = await state(ota, says("no newer release"))
    assert shown.source.address == server.address
    assert shown.source.checked_min == 0
    assert shown.plan is None  # a user, or the owner's policy, begins the roll-out
    entry = await _entry(audit, "management download_release")
    assert entry.text == f"Release 1.2.0 came from {server.address}"
    assert (entry.who, entry.address) == ("the owner's address", f"127.0.0.1:{server.port}")


async def _entry(entries: list[AuditRecord], what: str) -> AuditRecord:
    found = await until(lambda: [each for each in entries if each.what == what])
    return found[0]


async def test_address_is_off_until_it_is_set(robot: Robot, server: ReleaseServer) -> None:
    async with fetch_jobs(robot.directories.runtime), robot.otad() as ota:
        shown = await report(ota)
        err = await refused(check(ota))
    assert shown.source.state is FetchState.OFF
    assert err.code is Code.REFUSED
    assert server.requests == []


async def test_older_release_comes_only_on_a_users_request(
    robot: Robot, server: ReleaseServer
) -> None:
    server.publish("1.0.5", await bundle(robot, "1.0.5"))
    async with following(robot, server, stored="1.1.0") as ota:
        await state(ota, says("1.0.5 is no newer release"))
        assert "no newer" in (await check(ota)).text
        await check(ota, force=True)
        await state(ota, has("1.0.5"))


@pytest.mark.parametrize("running", ["1.2.0", "1.3.0"])
async def test_release_that_machines_run_already_is_not_fetched(
    robot: Robot, server: ReleaseServer, running: str
) -> None:
    robot.node("head_1", running)
    server.publish("1.2.0", await bundle(robot, "1.2.0"))
    async with following(robot, server) as ota:
        await state(ota, lambda shown: bool(shown.machines) and shown.machines[0].is_online)
        await check(ota)
        await state(ota, says("no newer release"))


async def test_cut_download_goes_on_where_it_was_cut(robot: Robot, server: ReleaseServer) -> None:
    content = await bundle(robot, "1.2.0", payload=b"x" * 400_000)
    server.publish("1.2.0", content)
    server.cut_after = [100_000, 150_000]
    async with following(robot, server) as ota:
        await state(ota, has("1.2.0"))
    ranges = [each.partition(" ")[2] for each in server.requests if "saint_node" in each]
    assert ranges[0] == ""
    assert len(ranges) == 3
    assert all(each.startswith("bytes=") for each in ranges[1:])
    assert server.sent_bytes < len(content) * 1.2  # each byte about once


async def test_download_goes_on_after_a_restart(robot: Robot, server: ReleaseServer) -> None:
    content = await bundle(robot, "1.2.0", payload=b"x" * 400_000)
    server.publish("1.2.0", content)
    server.cut_after = [200_000]
    path = robot.root / "state/download/saint_node.img.part"
    async with following(robot, server) as ota:
        robot.live.add("head_1")
        robot.node("head_1")
        await state(ota, lambda shown: shown.source.received_bytes > 0 or bool(shown.releases))
    if path.exists():  # else it was quicker than the registry
        robot.live.clear()
        async with following(robot, server) as ota:
            await check(ota)
            await state(ota, has("1.2.0"))
    assert server.sent_bytes <= len(content) + 200_000


@pytest.mark.parametrize("how", ["switched off", "uploaded"])
async def test_download_that_nobody_needs_any_more_leaves_the_disk(
    robot: Robot, server: ReleaseServer, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(schedule, "_SHORTEST_PAUSE_S", 60.0)
    content = await bundle(robot, "1.2.0", payload=b"x" * 400_000)
    server.publish("1.2.0", content)
    server.cut_after = [200_000]
    path = robot.root / "state/download/saint_node.img.part"
    async with following(robot, server) as ota:
        await state(ota, says("was cut after"))
        assert path.exists()
        if how == "switched off":
            await ota.client.request(SET_POLICY, SetUpdatePolicy(releases_from=""))
        else:
            assert (await ota.upload(content))[0] == 200
            await check(ota)
        await until(lambda: not path.exists())


async def test_server_without_ranges_is_given_up(robot: Robot, server: ReleaseServer) -> None:
    content = await bundle(robot, "1.2.0", payload=b"x" * 400_000)
    server.publish("1.2.0", content)
    server.has_ranges = False
    server.cut_after = [100_000] * 50
    async with following(robot, server) as ota:
        await state(ota, says("never was whole"))
        fetched = [each for each in server.requests if "saint_node" in each]
        assert len(fetched) == MOST_BEGINNINGS + 1
        server.cut_after = []
        await check(ota)  # a user tries again
        await state(ota, has("1.2.0"))


async def test_moving_robot_fetches_nothing_and_a_download_pauses(
    robot: Robot, server: ReleaseServer
) -> None:
    robot.node("head_1")
    robot.live.add("head_1")
    server.publish("1.2.0", await bundle(robot, "1.2.0"))
    async with following(robot, server) as ota:
        shown = await state(ota, says("outputs are live on head_1"))
        said = (await check(ota)).text  # answers at once, and looks later
        assert "outputs are live" in said
        assert server.requests == []
        assert shown.source.state is not FetchState.DOWNLOADING
        robot.live.clear()
        await state(ota, has("1.2.0"))


async def test_unknown_rest_counts_as_movement(robot: Robot, server: ReleaseServer) -> None:
    server.publish("1.2.0", await bundle(robot, "1.2.0"))
    async with (
        fetch_jobs(robot.directories.runtime),
        robot.otad(has_registry=True) as ota,  # nobody plays it
    ):
        facts = {"releases_from": server.address, "authority": authority().pem}
        await ota.client.request(SET_POLICY, SetUpdatePolicy.model_validate(facts))
        await state(ota, says("it is not known whether outputs are live"))
        assert server.requests == []


async def test_download_waits_for_the_window_but_not_for_a_user(
    robot: Robot, server: ReleaseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saint_services.otad.rollout.offers.is_open", lambda *_: False)
    server.publish("1.2.0", await bundle(robot, "1.2.0"))
    async with following(robot, server, window="02:00-05:00") as ota:
        shown = await state(ota, says("waits: the maintenance window"))
        assert shown.source.state is FetchState.WAITING
        assert not any("saint_node" in each for each in server.requests)
        await check(ota)
        await state(ota, has("1.2.0"))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"compatible": "toaster"}, "is for 'toaster'"),
        ({"payload": OTHER_KEY * 500}, "none of this robot's maker"),
    ],
)
async def test_refused_bundle_is_recorded_and_not_fetched_again(
    robot: Robot,
    server: ReleaseServer,
    audit: list[AuditRecord],
    changes: dict[str, object],
    reason: str,
) -> None:
    server.publish("1.2.0", await bundle(robot, "1.2.0", **changes))
    async with following(robot, server) as ota:
        await state(ota, says(reason))
        entry = await _entry(audit, "management download_release")
        assert reason in entry.refused
        sent = server.sent_bytes
    async with following(robot, server, check_every_h=2) as ota:
        assert "not downloaded again" in (await state(ota, says("not downloaded"))).source.text
        assert server.sent_bytes == sent
        assert (await report(ota)).releases == []


async def test_bytes_that_are_not_those_of_the_manifest_are_dropped(
    robot: Robot, server: ReleaseServer
) -> None:
    server.publish("1.2.0", await bundle(robot, "1.2.0"), checksum_sha256="0" * 64)
    async with following(robot, server) as ota:
        await state(ota, says("never was whole"))
        assert (await report(ota)).releases == []
    assert not list((robot.root / "state/download").glob("*.part"))


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "is not JSON"),
        (b"<html>not here</html>", "is not JSON"),
        (b"[" * 60_000, "is not JSON"),
        (b'{"firmware": 1' + b"0" * 60_000 + b"}", "is not"),
        (b'{"configs": {}}', "firmware is missing"),
        (b'{"firmware": {"version": "1.2.0"}}', "is missing"),
        (b"x" * 70_000, "the limit is 65536"),
    ],
)
async def test_manifest_that_is_none_is_named(
    robot: Robot, server: ReleaseServer, raw: bytes, reason: str
) -> None:
    server.files["/robots/manifest.json"] = raw
    async with following(robot, server) as ota:
        shown = await state(ota, says(reason))
    assert shown.source.state in (FetchState.FAILED, FetchState.CHECKING)


@pytest.mark.parametrize(
    "changes",
    [
        {"version": "../../etc"}, {"version": "x"}, {"version": "1.2.0\n"},
        {"size_bytes": -1}, {"size_bytes": 1 << 40}, {"size_bytes": "x"},
        {"checksum_sha256": "../x"}, {"checksum_sha256": ""},
    ],
)  # fmt: skip
async def test_hostile_field_of_the_manifest_leads_to_no_request(
    robot: Robot, server: ReleaseServer, changes: dict[str, object]
) -> None:
    server.publish("1.2.0", b"x" * 9000, **changes)
    async with following(robot, server) as ota:
        await state(ota, lambda shown: "Next look" in shown.source.text)
    assert not any("archive" in each for each in server.requests)


async def test_bundle_of_another_length_than_announced_is_not_read(
    robot: Robot, server: ReleaseServer
) -> None:
    server.publish("1.2.0", await bundle(robot, "1.2.0"), size_bytes=9_000_000)
    async with following(robot, server) as ota:
        await state(ota, says("its manifest.json says 9000000"))


async def test_large_release_is_refused_by_its_size(robot: Robot, server: ReleaseServer) -> None:
    server.publish("1.2.0", await bundle(robot, "1.2.0"))
    config = Config(reserve_bytes=0, largest_bundle_bytes=8192)
    async with following(robot, server, config) as ota:
        await state(ota, says("the limit is 8192"))
    assert not any("archive" in each for each in server.requests)


async def test_full_disk_is_said_before_the_download(
    robot: Robot, server: ReleaseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.publish("1.2.0", await bundle(robot, "1.2.0"))

    class Usage:
        free = 5000

    monkeypatch.setattr(partial_module.shutil, "disk_usage", lambda _: Usage)
    async with following(robot, server) as ota:
        await state(ota, says("not enough disk space"))
    assert not any("archive" in each for each in server.requests)


async def test_address_that_answers_404_is_named_and_tried_again(
    robot: Robot, server: ReleaseServer
) -> None:
    async with following(robot, server) as ota:
        shown = await state(ota, says("answers 404 Not Found"))
        assert "Next look " in shown.source.text
        server.publish("1.2.0", await bundle(robot, "1.2.0"))
        await state(ota, has("1.2.0"))


@pytest.mark.parametrize(
    ("fault", "words"),
    [("is_there", "RAUC does not answer"), ("is_busy", "another installation is running")],
)
async def test_installer_that_cannot_judge_now_loses_no_byte_and_refuses_nothing(
    robot: Robot, server: ReleaseServer, fault: str, words: str
) -> None:
    well = getattr(robot.installer, fault)
    setattr(robot.installer, fault, not well)
    server.publish("1.2.0", await bundle(robot, "1.2.0"))
    async with following(robot, server) as ota:
        await state(ota, says(words))
        assert ota.counters["releases_refused"] == 0
        setattr(robot.installer, fault, well)
        await state(ota, has("1.2.0"))
    assert len([each for each in server.requests if "saint_node" in each]) == 1


async def test_download_that_meets_an_upload_is_not_refused(
    robot: Robot, server: ReleaseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.publish("1.2.0", await bundle(robot, "1.2.0"))
    storing: list[asyncio.Lock] = []

    async def check_beside_an_upload(ingest: ReleaseIngest, path: Path) -> None:
        if not storing:
            storing.append(ingest._busy)
            await ingest._busy.acquire()

    monkeypatch.setattr(ReleaseIngest, "check_installer", check_beside_an_upload)
    async with following(robot, server) as ota:
        await state(ota, says("another bundle is being stored"))
        storing[0].release()
        await state(ota, has("1.2.0"))
    assert len([each for each in server.requests if "saint_node" in each]) == 1


async def test_other_address_ends_what_the_first_one_began(
    robot: Robot, server: ReleaseServer
) -> None:
    came, never = asyncio.Event(), asyncio.Event()
    content = await bundle(robot, "1.2.0")
    server.publish("1.2.0", content)

    async def stuck(request: web.Request) -> web.StreamResponse:
        if request.path.endswith(".json"):
            return web.Response(body=server.files[request.path])
        response = web.StreamResponse()
        response.content_length = len(content)
        await response.prepare(request)
        await response.write(content[:5000])
        came.set()
        await never.wait()
        return response

    server.handler = stuck
    async with following(robot, server) as ota, release_server() as other:
        await came.wait()
        other.publish("1.3.0", await bundle(robot, "1.3.0"))
        wanted = SetUpdatePolicy(releases_from=other.address)
        await ota.client.request(SET_POLICY, wanted)
        await state(ota, has("1.3.0"))
        assert not has("1.2.0")(await report(ota))
