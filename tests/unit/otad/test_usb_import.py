"""Releases on a stick: found, given to otad, refused like any other."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from saint_services.lib.api.firmware import ImportRequest, Release
from saint_services.lib.api.update_policy import SET_POLICY, SetUpdatePolicy
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import topics
from saint_services.otad import usb_import
from saint_services.otad.config import Config
from tests.audit_log import collected
from tests.unit.otad.ota_rig import Robot
from tests.unit.otad.test_daemon import refused, report
from tests.waiting import until

WANTED = Config(reserve_bytes=0, usb_stick=True)


async def on_stick(robot: Robot, version: str, **changes: object) -> Path:
    """A folder that stands for the stick, with a release more."""
    folder = robot.root / "stick"
    folder.mkdir(exist_ok=True)
    made = await asyncio.to_thread(lambda: robot.bundle(version, **changes))
    made.rename(folder / made.name)
    return folder


async def test_good_releases_are_taken_and_bad_ones_refused(robot: Robot):
    await on_stick(robot, "1.1.0")
    folder = await on_stick(robot, "1.2.0", compatible="toaster")
    async with robot.otad(WANTED) as ota:
        refused = await asyncio.to_thread(usb_import.upload_all, folder, ota.files_socket)
        shown = await report(ota)
    assert refused == 1
    assert [release.version for release in shown.releases] == ["1.1.0"]


async def test_sticks_are_off_until_the_owner_wants_them(robot: Robot):
    await on_stick(robot, "1.1.0")
    folder = await on_stick(robot, "1.2.0")
    alerts: list[str] = []
    robot.domain.bus("page").subscribe(
        topics.CONSOLE_ALERTS, lambda sample: alerts.append(sample.message.text)
    )
    async with collected(robot.directories.runtime) as entries, robot.otad() as ota:
        assert await asyncio.to_thread(usb_import.upload_all, folder, ota.files_socket)
        await until(lambda: bool(alerts and entries))
        assert not (await report(ota)).releases
        await ota.client.request(SET_POLICY, SetUpdatePolicy(usb_stick=True))
        assert not await asyncio.to_thread(usb_import.upload_all, folder, ota.files_socket)
        assert len((await report(ota)).releases) == 2
    assert sum("USB sticks are off" in text for text in alerts) == 1  # however many it holds
    assert (entries[0].source, entries[0].text) == ("usb-stick", "")
    assert "USB sticks are off" in entries[0].refused


async def test_refusal_of_a_large_file_still_arrives(robot: Robot):
    folder = robot.root / "stick"
    folder.mkdir()
    (folder / "large.raucb").write_bytes(b"x" * 8_000_000)
    async with robot.otad(WANTED) as ota:
        with pytest.raises(SaintError) as caught:
            await asyncio.to_thread(
                usb_import.send, folder / "large.raucb", folder, ota.files_socket
            )
    assert caught.value.code is Code.RELEASE_INVALID


def test_timeout_of_otad_is_reported(tmp_path: Path):
    (tmp_path / "a.raucb").write_bytes(b"x")
    with pytest.raises(SaintError, match=r"a\.raucb could not be sent to otad"):
        usb_import.send(tmp_path / "a.raucb", tmp_path, tmp_path / "no.sock")


def test_only_files_that_are_releases_are_looked_at(tmp_path: Path):
    (tmp_path / "saint").mkdir()
    (tmp_path / "deep/er").mkdir(parents=True)
    for name in ("b.raucb", "saint/a.raucb", "deep/er/c.raucb", "notes.txt"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "link.raucb").symlink_to("/etc/passwd")
    (tmp_path / "folder.raucb").mkdir()
    names = [str(path.relative_to(tmp_path)) for path in usb_import.bundles(tmp_path)]
    assert names == ["b.raucb", "saint/a.raucb"]


def test_folder_that_leads_out_of_the_stick_is_not_looked_into(tmp_path: Path):
    inside, outside = tmp_path / "stick", tmp_path / "data"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.raucb").write_bytes(b"x")
    (inside / "saint").symlink_to(outside)
    assert usb_import.bundles(inside) == []


@pytest.mark.parametrize("way", ["saint/secret.raucb", "link.raucb"])
def test_link_that_appears_after_the_look_is_not_followed(tmp_path: Path, way: str):
    """The stick is a computer of its own and returns something else at the second read."""
    inside, outside = tmp_path / "stick", tmp_path / "data"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.raucb").write_bytes(b"x")
    (inside / "saint").symlink_to(outside)
    (inside / "link.raucb").symlink_to(outside / "secret.raucb")
    with pytest.raises(SaintError, match="is a link, or is reached through one"):
        usb_import.send(inside / way, inside, tmp_path / "no.sock")


async def test_import_reads_a_stick_and_nothing_else(robot: Robot):
    plugged = robot.root / "stick"
    plugged.mkdir()
    made = await asyncio.to_thread(robot.bundle, "1.1.0")
    made.rename(plugged / "saint.raucb")
    (plugged / "passwd").symlink_to("/etc/passwd")
    (plugged / "etc").symlink_to("/etc")
    os.mkfifo(plugged / "pipe")
    async with robot.otad(Config(reserve_bytes=0, import_folders=[str(plugged)])) as ota:

        async def take(path: object) -> Release:
            return await ota.client.post("/import", ImportRequest(path=str(path)), Release)

        release = await take(plugged / "saint.raucb")
        outside = await refused(take("/etc/passwd"))
        linked = await refused(take(plugged / "passwd"))
        behind = await refused(take(plugged / "etc/passwd"))
        above = await refused(take(f"{plugged}/../../../../../etc/passwd"))
        pipe = await refused(take(plugged / "pipe"))
        missing = await refused(take(plugged / "nothing"))
    assert release.version == "1.1.0"
    assert "is not below" in outside.message
    assert "is a link" in linked.message
    assert "is reached through one" in behind.message
    assert "is not below" in above.message
    assert "is not a file" in pipe.message
    assert missing.code is Code.NOT_FOUND


def _may_mount() -> bool:
    return os.geteuid() == 0 and shutil.which("mkfs.ext4") is not None


@pytest.mark.skipif(not _may_mount(), reason="needs root and mkfs.ext4")
def test_stick_is_mounted_read_only_and_unmounted(tmp_path: Path):
    image, place = tmp_path / "stick.img", tmp_path / "place"
    place.mkdir()
    image.write_bytes(bytes(4 << 20))
    subprocess.run(["mkfs.ext4", "-q", str(image)], check=True, timeout=20, capture_output=True)
    try:
        with usb_import.mounted(image, place):
            line = next(m for m in Path("/proc/mounts").read_text().splitlines() if str(place) in m)
            with pytest.raises(OSError, match="Read-only"):
                (place / "x").write_bytes(b"")
    except SaintError as err:
        pytest.skip(f"this machine cannot mount an image: {err}")
    assert {"ro", "nosuid", "nodev", "noexec"} <= set(line.split()[3].split(","))
    assert str(place) not in Path("/proc/mounts").read_text()


def test_device_that_cannot_be_mounted_is_reported(tmp_path: Path):
    assert usb_import.main(tmp_path / "nothing", tmp_path, tmp_path / "no.sock") == 3
