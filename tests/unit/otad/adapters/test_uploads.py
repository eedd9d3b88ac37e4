"""What comes in by upload and goes out by HTTP, also from and to people who mean no good."""

import asyncio
import contextlib
import errno
import hashlib
import json
import os
import pwd
import shutil

import aiohttp
import pytest

from saint_services.lib.api.firmware import FirmwareReport
from saint_services.otad.config import Config
from saint_services.otad.releases.verity import BLOCK_BYTES
from tests.audit_log import collected
from tests.unit.otad.ota_rig import OTHER_KEY, FakeNode, Ota, Robot, until
from tests.unit.otad.test_daemon import begin, ended, known_to
from tools.fake_rauc.bundle_writer import Release, write_bundle


async def content(robot: Robot, version: str = "1.1.0", **changes: object) -> bytes:
    path = await asyncio.to_thread(lambda: robot.bundle(version, **changes))
    return await asyncio.to_thread(path.read_bytes)


async def versions(ota: Ota) -> list[str]:
    shown = await ota.client.get("/status", FirmwareReport)
    return [release.version for release in shown.releases]


def left_behind(robot: Robot) -> list[str]:
    return [path.name for path in (robot.directories.state / "incoming").glob("**/*")]


async def refusal(robot: Robot, data: bytes, config: Config | None = None, **headers: str):
    """Upload something bad; what was said, and that nothing came of it."""
    async with robot.otad(config) as ota:
        status, answer = await ota.upload(data, **headers)
        assert await versions(ota) == []
        assert left_behind(robot) == []
    return status, answer["message"]


async def test_upload_leaves_one_entry_with_its_sender_and_its_outcome(robot: Robot):
    async with collected(robot.directories.runtime) as entries, robot.otad() as ota:
        assert (await ota.upload(await content(robot)))[0] == 200
        assert (await ota.upload(b"no bundle"))[0] == 422
        assert (await ota.upload(b"x", **{"X-Saint-Sha256": "no"}))[0] == 400
        await until(lambda: len(entries) >= 3)
    user = pwd.getpwuid(os.getuid()).pw_name
    assert {(e.who, e.level, e.what, e.daemon) for e in entries} == {
        (user, "admin", "management upload_release", "otad")
    }
    assert [e.text for e in entries] == ["Release 1.1.0 was uploaded", "", ""]
    assert [bool(e.refused) for e in entries] == [False, True, True]


async def test_upload_that_is_cut_off_leaves_one_entry(robot: Robot):
    async with collected(robot.directories.runtime) as entries, robot.otad() as ota:
        _, writer = await asyncio.open_unix_connection(str(ota.files_socket))
        writer.write(b"POST /releases HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\nx")
        await until(lambda: bool(left_behind(robot)))
        writer.close()
        await until(lambda: bool(entries))
    assert [bool(e.refused) for e in entries] == [True]


async def test_upload_that_was_changed_on_its_way_is_refused(robot: Robot):
    data = bytearray(await content(robot))
    data[100] ^= 1
    status, message = await refusal(robot, bytes(data))
    assert status == 422
    assert message == "the bundle's content does not match its manifest: damaged or changed"


async def test_upload_with_a_damaged_hash_tree_is_refused(robot: Robot):
    data = bytearray(await content(robot))
    data[2 * BLOCK_BYTES + 3] ^= 1
    _, message = await refusal(robot, bytes(data))
    assert message == "the bundle's content does not match its manifest: damaged or changed"


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.99])
async def test_upload_of_a_part_of_a_bundle_is_refused(robot: Robot, kept: float):
    data = await content(robot)
    status, message = await refusal(robot, data[: int(len(data) * kept)])
    assert status == 422
    assert message.startswith(("the file's end is missing", "a file of", "the bundle is empty"))


async def test_upload_for_another_robot_is_refused(robot: Robot):
    status, message = await refusal(robot, await content(robot, compatible="toaster"))
    assert status == 422
    assert message == "the bundle is for 'toaster', this robot's machines are 'saint-os-rpi-arm64'"


async def test_upload_signed_with_another_key_is_refused(robot: Robot):
    status, message = await refusal(robot, await content(robot, payload=OTHER_KEY))
    assert (status, message) == (422, "the signature is none of this robot's maker")


async def test_upload_is_refused_where_no_signature_can_be_checked(robot: Robot):
    robot.installer.is_there = False
    status, message = await refusal(robot, await content(robot))
    assert status == 503
    assert message == "the bundle's signature cannot be checked: RAUC does not answer"


async def test_upload_that_the_disk_cannot_hold_is_refused_before_it_is_sent(robot: Robot):
    config = Config().model_copy(update={"reserve_bytes": _more_than_free(robot)})
    status, message = await refusal(robot, await content(robot), config)
    assert status == 507
    assert "are free for it" in message


def _more_than_free(robot: Robot) -> int:
    """Others write to the same disk meanwhile."""
    return 2 * shutil.disk_usage(robot.root).free


@pytest.mark.parametrize("call", ["posix_fallocate", "write", "fsync"])
async def test_disk_that_fills_up_meanwhile_leaves_nothing(
    robot: Robot, monkeypatch: pytest.MonkeyPatch, call: str
):
    """Another program may take the place first, and not every file system can promise it."""
    data = await content(robot)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async with robot.otad() as ota:
        monkeypatch.setattr(f"saint_services.otad.releases.incoming.os.{call}", full)
        status, answer = await ota.upload(data)
        monkeypatch.undo()
        issues = ota.context.health.report().issues
        assert left_behind(robot) == []
        assert await versions(ota) == []
        await ota.upload(data)
        assert await versions(ota) == ["1.1.0"]
        assert ota.context.health.is_healthy
    assert (status, answer["code"]) == (507, "disk_full")
    assert [issue.code for issue in issues] == ["disk_full"]


async def test_upload_larger_than_allowed_is_refused(robot: Robot):
    config = Config(reserve_bytes=0, largest_bundle_bytes=1 << 13)
    status, message = await refusal(robot, await content(robot, payload=b"x" * 9000), config)
    assert status == 413
    assert "at most 8192 are taken" in message


async def test_upload_with_another_checksum_than_announced_is_refused(robot: Robot):
    headers = {"X-Saint-Sha256": "0" * 64}
    status, message = await refusal(robot, await content(robot), **headers)
    assert status == 422
    assert "announced was 0000" in message


@pytest.mark.parametrize("version", ["../1.0", "1.0/..", "one", "1.0 0", "9" * 40])
async def test_version_that_is_no_version_is_refused(robot: Robot, version: str):
    path, release = robot.root / "odd.raucb", Release(version=version)
    await asyncio.to_thread(write_bundle, path, release, robot.keys)
    status, message = await refusal(robot, await asyncio.to_thread(path.read_bytes))
    assert status == 422
    assert "not like 1.2.0" in message


async def test_same_bundle_twice_is_no_error_another_of_that_version_is(robot: Robot):
    data, other = await content(robot), await content(robot, payload=b"other")
    async with robot.otad() as ota:
        first, _ = await ota.upload(data)
        again, _ = await ota.upload(data)
        status, answer = await ota.upload(other)
        assert left_behind(robot) == []
    assert (first, again, status) == (200, 200, 409)
    assert "there is a release 1.1.0 already" in answer["message"]


async def test_second_upload_at_the_same_time_is_refused(robot: Robot):
    data = await content(robot)
    async with robot.otad() as ota:
        reader, writer = await asyncio.open_unix_connection(ota.files_socket)
        writer.write(_head(len(data)) + data[:10])
        await until(lambda: bool(left_behind(robot)))
        status, answer = await ota.upload(data)
        writer.write(data[10:])
        line = await reader.readline()
        writer.close()
    assert status == 409
    assert answer["message"] == "another bundle is being taken in"
    assert b" 200 " in line


async def test_upload_that_is_cut_off_leaves_nothing(
    robot: Robot, caplog: pytest.LogCaptureFixture
):
    data = await content(robot)
    async with robot.otad() as ota:
        _, writer = await asyncio.open_unix_connection(ota.files_socket)
        writer.write(_head(len(data)) + data[:5000])
        await until(lambda: bool(left_behind(robot)))
        writer.close()
        await until(lambda: "the upload was cut off" in caplog.text)
        assert not left_behind(robot)
        await ota.release("1.1.0")


async def test_sender_that_stands_still_is_given_up(robot: Robot):
    async with robot.otad(Config(reserve_bytes=0, stalled_after_s=0.2)) as ota:
        reader, writer = await asyncio.open_unix_connection(ota.files_socket)
        writer.write(_head(100_000) + b"x")
        answer = await reader.readuntil(b"}")
        writer.close()
    assert b" 408 " in answer
    assert b"no byte came for 0.2 s" in answer


async def test_upload_without_a_length_is_refused(robot: Robot):
    async with robot.otad() as ota:
        reader, writer = await asyncio.open_unix_connection(ota.files_socket)
        writer.write(b"POST /releases HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        line = await reader.readline()
        writer.close()
    assert b" 400 " in line


def _head(size: int) -> bytes:
    return f"POST /releases HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode()


async def test_release_is_found_again_after_a_restart(robot: Robot):
    async with robot.otad() as ota:
        await ota.release("1.1.0")
    async with robot.otad() as ota:
        assert await versions(ota) == ["1.1.0"]


async def test_damaged_release_is_not_offered_and_reported(robot: Robot):
    async with robot.otad() as ota:
        await ota.release("1.1.0")
    image = robot.directories.state / "archive/v1.1.0/saint_node.img"
    image.write_bytes(image.read_bytes()[:-1])
    async with robot.otad() as ota:
        assert await versions(ota) == []
        assert "has" in str(ota.context.health.report().issues)
        await ota.release("1.1.0")
        assert await versions(ota) == ["1.1.0"]
    assert (robot.directories.state / "archive/damaged-1-v1.1.0").is_dir()


async def test_bundle_is_served_in_ranges(robot: Robot):
    data = await content(robot)
    async with robot.otad() as ota, aiohttp.ClientSession() as session:
        await ota.upload(data)
        url = ota.url("archive/v1.1.0/saint_node.img")
        async with session.get(url, headers={"Range": "bytes=100-199"}) as answer:
            assert (answer.status, await answer.read()) == (206, data[100:200])
            etag = answer.headers["ETag"]
        changed = {"Range": "bytes=100-199", "If-Range": '"another"'}
        async with session.get(url, headers=changed) as answer:
            assert (answer.status, await answer.read()) == (200, data)
        same = {"Range": "bytes=5-", "If-Range": etag}
        async with session.get(url, headers=same) as answer:
            assert (answer.status, await answer.read()) == (206, data[5:])
        async with session.head(url) as answer:
            assert answer.headers["Content-Length"] == str(len(data))
            assert answer.headers["Accept-Ranges"] == "bytes"
        async with session.get(f"{url}.sha256") as answer:
            line = await answer.text()
    assert line == f"{hashlib.sha256(data).hexdigest()}  saint_node.img\n"


async def test_manifest_has_the_form_of_the_specification(robot: Robot):
    node = robot.node("n0")
    async with robot.otad() as ota, aiohttp.ClientSession() as session:
        async with session.get(ota.url("manifest.json")) as answer:
            empty = json.loads(await answer.text())
        await ota.release("1.1.0")
        await roll_out(ota, node)
        async with session.get(ota.url("manifest.json")) as answer:
            manifest = json.loads(await answer.text())
        async with session.get(ota.url("current/changelog.md")) as answer:
            changelog = await answer.text()
        async with session.get(ota.url("configs/head.yaml")) as answer:
            head = await answer.read()
    assert empty["firmware"] is None
    firmware = manifest["firmware"]
    assert firmware["version"] == "1.1.0"
    assert firmware["release_date"] == "2026-01-15"
    assert set(firmware) == {
        "version", "release_date", "checksum_sha256", "min_hardware_rev", "changelog", "size_bytes"
    }  # fmt: skip
    assert manifest["configs"]["head"]["checksum"] == hashlib.sha256(head).hexdigest()
    assert manifest["supported_roles"] == ["arms_left", "arms_right", "console", "head", "tracks"]
    assert changelog == "what is new in 1.1.0\n"


async def roll_out(ota: Ota, node: FakeNode) -> None:
    await known_to(ota, node)
    await begin(ota)
    await until(lambda: bool(node.requests))
    node.becomes_healthy()
    await ended(ota)


@pytest.mark.parametrize(
    "path",
    [
        "/", "/firmware", "/firmware/", "/firmware/archive/", "/firmware/archive/v1.1.0/",
        "/firmware/archive/v1.1.0/release.json", "/firmware/archive/v1.1.0/..%2f..%2fotad.json",
        "/firmware/archive/v../otad.json", "/firmware/../../etc/passwd", "//etc/passwd",
        "/firmware/current/saint_node.img", "/firmware/configs/..%2frobots%2fsaint.yaml",
        "/firmware/configs/%00", "/releases",
    ],
)  # fmt: skip
async def test_what_is_not_named_does_not_exist(robot: Robot, path: str):
    async with robot.otad() as ota:
        await ota.release("1.1.0")
        answer = await raw(ota, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert ota.counters["refused_not_found"] == 1
    assert b" 404 " in answer


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
async def test_methods_other_than_reading_are_refused(robot: Robot, method: str):
    async with robot.otad() as ota:
        request = f"{method} /firmware/manifest.json HTTP/1.1\r\nHost: x\r\n\r\n"
        answer = await raw(ota, request.encode())
    assert b" 405 " in answer


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET /firmware/manifest.json HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)) + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ],
)
async def test_nonsense_is_refused_and_harmless(robot: Robot, request_bytes: bytes):
    async with robot.otad() as ota:
        answer = await raw(ota, request_bytes)
        assert b" 400 " in answer
        good = await raw(ota, b"GET /firmware/manifest.json HTTP/1.1\r\nHost: x\r\n\r\n")
    assert b" 200 " in good


async def raw(ota: Ota, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", ota.port)
    writer.write(request)
    answer = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    return answer


async def test_connections_beyond_the_bound_are_turned_away(robot: Robot):
    async with robot.otad(Config(reserve_bytes=0, max_downloads=3)) as ota:
        open_ones = [await asyncio.open_connection("127.0.0.1", ota.port) for _ in range(3)]
        for reader, writer in open_ones:
            writer.write(b"GET /firmware/manifest.json HTTP/1.1\r\nHost: x\r\n\r\n")
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"GET")  # a request on its way
        answer = await raw(ota, b"")
        for _, writer in open_ones:
            writer.close()
        assert ota.counters["connections_refused"] == 1
    assert b" 503 " in answer


async def test_idle_connection_makes_room_for_a_new_one(robot: Robot):
    async with robot.otad(Config(reserve_bytes=0, max_downloads=1)) as ota:
        reader, writer = await asyncio.open_connection("127.0.0.1", ota.port)
        writer.write(b"HEAD /firmware/manifest.json HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        answer = await raw(ota, b"GET /firmware/manifest.json HTTP/1.1\r\nHost: x\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            assert await reader.read(1) == b""
        writer.close()
        assert ota.counters["connections_ended_crowd"] == 1
    assert b" 200 " in answer


async def test_silent_connection_is_closed(robot: Robot, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("saint_services.lib.http_connections.REQUEST_LIMIT_S", 0.1)
    monkeypatch.setattr("saint_services.lib.http_connections.CHECK_INTERVAL_S", 0.05)
    async with robot.otad() as ota:
        reader, writer = await asyncio.open_connection("127.0.0.1", ota.port)
        assert await reader.read(1) == b""
        writer.close()
        assert ota.counters["connections_ended_idle"] == 1
