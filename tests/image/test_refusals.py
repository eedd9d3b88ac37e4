"""What the robot must not take, in one machine that runs: each refusal is a clear sentence, and the
slot that runs, the boot loader's list and the list of releases stay as they were.
"""

import asyncio
import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from tests.image.forge import Forge
from tests.image.rig import HTTP, Host
from tests.image.robot import CLAIM, Robot

_TORN_AT = 0.6  # of its length
_FLIPPED_AT = 0.3  # inside the payload, before the hash tree


@pytest.fixture
def server(robot: Robot) -> Iterator[Robot]:
    """The updated state before is the state afterwards."""
    before = state(robot.server)
    known = [release.version for release in robot.report().releases]
    yield robot
    assert state(robot.server) == before
    assert [release.version for release in robot.report().releases] == known


def state(host: Host) -> str:
    return host.sh("fw_printenv; cat /proc/cmdline; ls /data/saint/otad/incoming 2>/dev/null; true")


def refusal(robot: Robot, bundle: bytes) -> str:
    """The sentence for people that comes instead of the release."""
    status, text = robot.upload_bytes(bundle)
    assert 400 <= status < 600, text
    answer = json.loads(text)
    assert "Traceback" not in text
    error = answer.get("error", answer)
    assert error["message"], text
    return f"{error['message']} {error.get('fix') or ''}"


def test_other_makers_signature_is_refused(server: Robot, forge: Forge) -> None:
    said = refusal(server, forge.husk("0.2.1", forge.foreign_key()).read_bytes())
    assert "sign" in said


def test_bundle_for_other_hardware_is_refused(server: Robot, forge: Forge) -> None:
    bundle = forge.husk("0.2.2", SAINT_COMPATIBLE="toaster-amd64")
    said = refusal(server, bundle.read_bytes())
    assert "toaster-amd64" in said
    assert forge.artefacts.names.compatible in said


def test_tampered_payload_is_refused(server: Robot, forge: Forge) -> None:
    data = bytearray(forge.husk("0.2.3").read_bytes())
    data[int(len(data) * _FLIPPED_AT)] ^= 0x40
    said = refusal(server, bytes(data))
    assert any(word in said for word in ("damaged", "changed", "checksum", "hash", "whole")), said


def test_truncated_bundle_is_refused(server: Robot, forge: Forge) -> None:
    data = forge.husk("0.2.4").read_bytes()
    refusal(server, data[: int(len(data) * _TORN_AT)])


def test_upload_that_is_cut_off_leaves_nothing(server: Robot, forge: Forge) -> None:
    asyncio.run(_upload_half(server, forge.husk("0.2.5").read_bytes()))
    assert all(release.version != "0.2.5" for release in server.report().releases)


async def _upload_half(robot: Robot, data: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", robot.server.ports[HTTP])
    head = (
        f"POST /api/firmware HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {CLAIM}\r\n"
        f"Content-Length: {len(data)}\r\n\r\n"
    )
    writer.write(head.encode() + data[: len(data) // 2])
    await writer.drain()
    writer.transport.abort()
    del reader


def test_without_the_token_nothing_is_taken(server: Robot, forge: Forge) -> None:
    async def uploaded() -> int:
        async with aiohttp.ClientSession() as session:
            url = f"{server.server.http}/api/firmware"
            async with session.post(
                url, data=io.BytesIO(forge.husk("0.2.6").read_bytes())
            ) as reply:
                return reply.status

    assert asyncio.run(uploaded()) in (401, 403)


def test_full_disk_is_reported(server: Robot, forge: Forge) -> None:
    """Less than the reserve for the robot's own state is left."""
    server.server.sh(
        "free=$(df -k --output=avail /data | tail -1);"
        " fallocate -l $(( (free - 40000) * 1024 )) /data/filler; sync", 300
    )  # fmt: skip
    said = refusal(server, forge.husk("0.2.7").read_bytes())
    server.server.sh("rm /data/filler")
    assert any(word in said for word in ("space", "full", "room")), said


@pytest.mark.parametrize("kind", ["key", "compatible", "tampered"])
def test_nodes_own_installer_refuses_too(robot: Robot, forge: Forge, kind: str) -> None:
    """Should the server be deceived: RAUC in the node does not believe it."""
    bundles = {
        "key": lambda: forge.husk("0.2.1", forge.foreign_key()).read_bytes(),
        "compatible": lambda: forge.husk("0.2.2", SAINT_COMPATIBLE="toaster-amd64").read_bytes(),
        "tampered": lambda: _flip_tail(forge.husk("0.2.3")),
    }
    before = state(robot.node)
    send(robot.node, bundles[kind](), "/tmp/bad.raucb")
    result = robot.node.machine.shell.run("rauc install /tmp/bad.raucb", 120)
    assert result.code != 0, result.text
    expected = {"key": "issuer certificate", "compatible": "ompatible", "tampered": "ignature"}
    assert expected[kind] in result.text
    assert state(robot.node) == before


def _flip_tail(bundle: Path) -> bytes:
    """A changed byte in the signature, which lies at the end."""
    data = bytearray(bundle.read_bytes())
    data[-200] ^= 0x01
    return bytes(data)


def send(host: Host, data: bytes, path: str) -> None:
    """Onto a machine that has no way out, over its console."""
    text = base64.b64encode(data).decode()
    host.sh(f"rm -f {path}")
    for start in range(0, len(text), 60_000):
        host.sh(f"printf %s '{text[start : start + 60_000]}' | base64 -d >>{path}")
