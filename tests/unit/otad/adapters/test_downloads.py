"""What nodes read by HTTP: releases in ranges, the manifest, nothing else."""

import hashlib
import json

import aiohttp
import pytest

from tests.unit.otad.adapters.upload_rig import content, raw
from tests.unit.otad.ota_rig import FakeNode, Ota, Robot
from tests.unit.otad.test_daemon import begin, ended, known_to
from tests.waiting import until


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
    assert manifest["supported_roles"] == [
        "arms_left",
        "arms_right",
        "console",
        "head",
        "legs",
        "parts_face",
        "tracks",
        "wagon",
    ]
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
