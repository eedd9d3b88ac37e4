"""Bundles that are uploaded: accepted, refused, cut off, with one entry each in the audit log."""

import asyncio
import errno
import os
import pwd
import shutil

import pytest

from saint_services.otad.config import Config
from saint_services.otad.releases.verity import BLOCK_BYTES
from tests.audit_log import collected
from tests.unit.otad.adapters.upload_rig import content, left_behind, refusal, versions
from tests.unit.otad.ota_rig import OTHER_KEY, Robot
from tests.waiting import until
from tools.fake_rauc.bundle_writer import Release, write_bundle


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
    assert message.startswith(
        ("the end of the file is missing", "a file of", "the bundle is empty")
    )


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


async def test_upload_that_meets_an_installation_says_to_wait(robot: Robot):
    robot.installer.is_busy = True
    status, message = await refusal(robot, await content(robot))
    assert status == 503
    assert "cannot be checked: another installation is running" in message


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
    assert "the limit is 8192 bytes" in message


async def test_upload_with_another_checksum_than_announced_is_refused(robot: Robot):
    headers = {"X-Saint-Sha256": "0" * 64}
    status, message = await refusal(robot, await content(robot), **headers)
    assert status == 422
    assert "the announced 0000" in message


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
    assert "there already is a release 1.1.0" in answer["message"]


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
    assert answer["message"] == "another bundle is being stored"
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
    assert b"no data for 0.2 s" in answer


async def test_upload_without_a_length_is_refused(robot: Robot):
    async with robot.otad() as ota:
        reader, writer = await asyncio.open_unix_connection(ota.files_socket)
        writer.write(b"POST /releases HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        line = await reader.readline()
        writer.close()
    assert b" 400 " in line


def _head(size: int) -> bytes:
    return f"POST /releases HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode()
