"""Backups with the server's sealed key over HTTP: for admins alone, encrypted, and the passphrase
stays in the body.
"""

import base64
import json
import logging
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import web

from saint_services.lib.backup.archive import unpack
from saint_services.webd.accounts import passwords
from saint_services.webd.accounts.gate import is_private
from saint_services.webd.upkeep import backup_files
from tests.unit.webd.web_rig import Rig
from tests.web.fakes.backup import Words

pytestmark = pytest.mark.slow

PATH = "/api/backup/sealed"
PASSPHRASE = "five words are quite enough"
WRONG = "these are not the words"


async def send(rig: Rig, method: str, body: Any, **headers: str) -> tuple[int, bytes]:
    text = body if isinstance(body, str) else json.dumps(body)
    async with rig.http.request(method, rig.url + PATH, data=text, headers=headers) as answer:
        return answer.status, await answer.read()


async def taken(rig: Rig) -> bytes:
    status, raw = await send(rig, "POST", {"passphrase": PASSPHRASE})
    assert status == 200
    return raw


def restore_of(raw: bytes, passphrase: str) -> dict[str, Any]:
    return {"passphrase": passphrase, "file": base64.b64encode(raw).decode()}


async def test_backup_with_a_passphrase_holds_the_sealed_key_alone(rig: Rig) -> None:
    section = unpack(await taken(rig)).daemons["adoptiond"].sections["key"]
    text = json.dumps(section.data)
    assert "SAINT.OS sealed" in text
    assert rig.robot.seed.hex() not in text and PASSPHRASE not in text


async def test_restore_with_the_passphrase_brings_key_and_rest_back(rig: Rig) -> None:
    raw, before = await taken(rig), rig.robot.seed
    rig.robot.seed, rig.robot.kept["rcd"].words = b"n" * 32, Words(words=["changed"])
    status, _ = await send(rig, "PUT", restore_of(raw, PASSPHRASE))
    assert (status, rig.robot.seed) == (200, before)
    assert rig.robot.kept["rcd"].words == Words(words=["crsf"])


async def test_restore_with_a_wrong_passphrase_changes_nothing(rig: Rig) -> None:
    raw = await taken(rig)
    rig.robot.seed, rig.robot.kept["rcd"].words = b"n" * 32, Words(words=["changed"])
    status, said = await send(rig, "PUT", restore_of(raw, WRONG))
    assert status == 400 and b"the passphrase is wrong" in said
    assert rig.robot.seed == b"n" * 32
    assert rig.robot.kept["rcd"].words == Words(words=["changed"])


async def test_short_passphrase_is_refused_with_how_long_it_must_be(rig: Rig) -> None:
    status, said = await send(rig, "POST", {"passphrase": "short"})
    assert status == 400 and b"fewer than 12 characters" in said


UNSOUND = [
    "",
    "{",
    "{}",
    json.dumps({"passphrase": ""}),
    json.dumps({"passphrase": [PASSPHRASE]}),
    json.dumps({"passphrase": PASSPHRASE * 100}),
    json.dumps({"passphrase": PASSPHRASE, PASSPHRASE: 1}),
    json.dumps({"passphrase": PASSPHRASE, "file": "no Base64!"}),
]


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("body", UNSOUND)
async def test_unsound_request_is_refused_without_repeating_it(
    rig: Rig, method: str, body: str
) -> None:
    status, said = await send(rig, method, body)
    assert status == 400 and json.loads(said)["fix"]
    assert PASSPHRASE.encode() not in said


async def test_unencrypted_connection_is_refused(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = await taken(rig)
    monkeypatch.setattr(backup_files, "is_private", lambda _: False)
    for method, body in [("POST", {"passphrase": PASSPHRASE}), ("PUT", restore_of(raw, WRONG))]:
        status, said = await send(rig, method, body)
        assert status == 409 and b"unencrypted connection" in said


@pytest.mark.parametrize(
    ("remote", "is_secure", "expected"),
    [
        ("127.0.0.1", False, True),
        ("::1", False, True),
        (None, False, True),  # the control socket
        ("192.168.1.7", False, False),
        ("192.168.1.7", True, True),
        ("127.0.0.1.example", False, False),
    ],
)
def test_request_is_private_when_nobody_else_can_read_it(
    remote: str | None, is_secure: bool, expected: bool
) -> None:
    request = SimpleNamespace(remote=remote, secure=is_secure)
    assert is_private(cast(web.Request, request)) is expected


# Levels, and what remains


@pytest.fixture
async def owned(locked: Rig, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    """A robot whose owner ann is signed in."""
    cheap = passwords.Cost(log_n=4, r=1, p=1)
    monkeypatch.setattr(passwords.hash_password, "__defaults__", (cheap,))
    code = (locked.robot.runtime.parent / "state" / "token").read_text().strip()
    rig = browser(locked)
    wanted = {"code": code, "name": "ann", "password": "ann's own words"}
    assert (await act(rig, "/api/claim", wanted))[0] == 200
    yield rig
    await rig.http.close()


def browser(rig: Rig) -> Rig:
    jar = aiohttp.CookieJar(unsafe=True)
    return Rig(rig.robot, rig.address, rig.domain, aiohttp.ClientSession(cookie_jar=jar))


async def act(rig: Rig, path: str, body: Any) -> tuple[int, Any]:
    headers = {"Origin": rig.url}
    async with rig.http.post(rig.url + path, data=json.dumps(body), headers=headers) as answer:
        return answer.status, await answer.json()


async def test_operator_may_neither_take_nor_restore_the_key(owned: Rig) -> None:
    user = {"name": "bob", "password": "bob's own words", "role": "operator"}
    assert (await act(owned, "/api/v1/users/add_user", user))[0] == 200
    bob = browser(owned)
    await act(bob, "/api/login", {"name": "bob", "password": "bob's own words"})
    for method in ("POST", "PUT"):
        status, _ = await send(bob, method, {"passphrase": PASSPHRASE}, Origin=bob.url)
        assert status == 403
    await bob.http.close()


async def test_passphrase_is_in_no_log_and_the_audit_log_has_the_backup(
    owned: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    status, raw = await send(owned, "POST", {"passphrase": PASSPHRASE}, Origin=owned.url)
    assert status == 200
    for passphrase in (WRONG, PASSPHRASE):
        await send(owned, "PUT", restore_of(raw, passphrase), Origin=owned.url)
    await act(owned, "/api/login", {"name": "ann", "password": "ann's own words"})
    _, audit = await act(owned, "/api/v1/system/get_audit_log", {})
    _, lines = await act(owned, "/api/v1/logs/query", {})
    found = [
        (entry["what"], entry["who"], bool(entry["refused"]))
        for entry in reversed(audit["entries"])
        if "sealed" in entry["what"] or entry["what"].startswith("key ")
    ]
    assert found == [
        ("key export", "ann", False),
        ("maintenance download_sealed_backup", "ann", False),
        ("key import", "ann", True),
        ("maintenance restore_sealed_backup", "ann", True),
        ("key import", "ann", False),
        ("maintenance restore_sealed_backup", "ann", False),
    ]
    records = caplog.text + json.dumps([each.__dict__ for each in caplog.records], default=str)
    for text in (json.dumps(audit), json.dumps(lines), records, await owned.counters()):
        assert PASSPHRASE not in text and WRONG not in text
