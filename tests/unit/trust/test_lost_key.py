"""A server whose key is lost makes no new key by itself: its nodes would not accept it."""

from pathlib import Path

import pytest

from saint_services.lib.api import keys
from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.backup import (
    DaemonBackup,
    RestoreNotes,
    SectionData,
)
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.keys import KeyImport, Passphrase, SealedKey
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.health import HealthReport
from saint_services.lib.ipc import Client
from saint_services.lib.state import last_good
from tests.audit_log import collected
from tests.unit.trust.trust_rig import Robot, adopt, eventually, info, report


async def issue(server: Client) -> str:
    found = await server.get("/health", HealthReport)
    return " ".join(each.text for each in found.issues)


def key_file(robot: Robot) -> Path:
    return robot.directories("server").state / "server.key"


async def adopted(robot: Robot) -> None:
    """A head that belongs to the server, both stopped."""
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node() as node:
        await eventually(lambda: info(server, "pi_1"), lambda found: found.is_offered)
        await adopt(server, "pi_1", "head")
        await eventually(lambda: report(node), lambda found: found.state is NodeState.ACTIVE)


@pytest.mark.parametrize("content", [None, b"", b"\xff", b"ab"])
async def test_key_that_is_damaged_comes_back_and_nodes_obey(
    robot: Robot, content: bytes | None
) -> None:
    await adopted(robot)
    before = key_file(robot).read_bytes()
    key_file(robot).unlink()
    if content is not None:
        key_file(robot).write_bytes(content)
    async with robot.server() as server, robot.node():
        assert "last good copy" in await issue(server)
        found = await eventually(lambda: info(server, "pi_1"), lambda each: each.is_ours)
        assert found.state is NodeState.ACTIVE
    assert key_file(robot).read_bytes() == before


@pytest.mark.parametrize("content", [None, b"", b"\xff", b"ab"])
async def test_key_that_is_lost_is_replaced_only_on_request(
    robot: Robot, content: bytes | None
) -> None:
    await adopted(robot)
    for path in (key_file(robot), last_good(key_file(robot))):
        path.unlink()
        if content is not None:
            path.write_bytes(content)
    async with robot.server() as server, robot.node() as node:
        assert "make a new one (saintctl node new-key)" in await issue(server)
        await eventually(lambda: report(node), lambda each: each.state is NodeState.ACTIVE)
        await robot.role("pi_2", "role-consoled")
        async with robot.node("pi_2"):
            with pytest.raises(SaintError, match="the key of this server is lost") as caught:
                await eventually(lambda: info(server, "pi_2"), lambda each: each.is_offered)
                await adopt(server, "pi_2", "console")
            assert caught.value.code is Code.REFUSED
        assert not key_file(robot).exists() or key_file(robot).read_bytes() == content
        reply = await server.request(keys.RENEW, Nothing())
        assert "hold each node's button" in reply.message
        assert "saintctl node new-key" not in await issue(server)
        with pytest.raises(SaintError, match="is valid"):
            await server.request(keys.RENEW, Nothing())
        made = key_file(robot).read_bytes()
    async with robot.server():
        assert key_file(robot).read_bytes() == made


async def test_sealed_key_of_a_backup_makes_nodes_obey_again(robot: Robot) -> None:
    await adopted(robot)
    before = key_file(robot).read_bytes()
    passphrase = "five words that nobody guesses"
    runtime = robot.directories("server").runtime
    async with collected(runtime) as entries, robot.server() as server:
        sealed = await server.request(keys.EXPORT, Passphrase(passphrase=passphrase))
        assert before.decode().strip() not in sealed.sealed
        assert "key" not in (await server.get("/backup", DaemonBackup)).sections
        notes = await server.post("/backup/check", backup_of(sealed), RestoreNotes)
        assert "--with-keys" in notes.notes[0]
    assert [(each.what, each.text) for each in entries] == [
        ("key export", "The server's key was exported, sealed")
    ]
    for path in (key_file(robot), last_good(key_file(robot))):
        path.write_bytes(b"?")
    async with collected(runtime) as entries, robot.server() as server, robot.node():
        wrong = KeyImport(sealed=sealed.sealed, passphrase=passphrase.upper())
        with pytest.raises(SaintError, match="passphrase is wrong"):
            await server.request(keys.IMPORT, wrong)
        right = KeyImport(sealed=sealed.sealed, passphrase=passphrase)
        await server.request(keys.IMPORT, right)
        await eventually(lambda: info(server, "pi_1"), lambda each: each.is_ours)
    assert [each.what for each in entries] == ["key import", "key import"]
    assert "passphrase is wrong" in entries[0].refused and not entries[1].refused
    assert {each.detail for each in entries} == {"passphrase: …, sealed: …"}
    assert key_file(robot).read_bytes() == before


def backup_of(sealed: SealedKey) -> DaemonBackup:
    return DaemonBackup(sections={"key": SectionData(version=1, data=sealed.model_dump())})
