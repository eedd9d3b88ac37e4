"""Claim, sign-in, roles and who is kept out, on the wire."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from saint_services.webd.accounts import passwords, signins
from saint_services.webd.accounts.access import FREE_ATTEMPTS
from saint_services.webd.accounts.vault import Vault
from saint_services.webd.upkeep.own_settings import OwnSettings
from tests.unit.webd.web_rig import Chat, Rig
from tests.waiting import until

PASSWORD = "four words make it"
COOKIE = "saint"


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    cheap = passwords.Cost(log_n=4, r=1, p=1)
    monkeypatch.setattr(passwords.hash_password, "__defaults__", (cheap,))


def code(rig: Rig) -> str:
    return (rig.robot.runtime.parent / "state" / "token").read_text().strip()


async def post(rig: Rig, path: str, body: Any, **headers: str) -> tuple[int, dict[str, Any]]:
    async with rig.http.post(rig.url + path, data=json.dumps(body), headers=headers) as answer:
        return answer.status, await answer.json()


async def act(rig: Rig, action: str, **params: Any) -> tuple[int, dict[str, Any]]:
    return await post(rig, f"/api/v1/{action}", params, Origin=rig.url)


async def claim(rig: Rig, **more: Any) -> tuple[int, dict[str, Any]]:
    wanted = {"code": code(rig), "name": "ann", "password": PASSWORD, **more}
    return await post(rig, "/api/claim", wanted)


async def connect(rig: Rig) -> Chat:
    """As the page does: the cookie comes with the handshake."""
    return await rig.chat(origin=rig.url)


def fresh(rig: Rig) -> Rig:
    """Another browser."""
    jar = aiohttp.CookieJar(unsafe=True)
    return Rig(rig.robot, rig.address, rig.domain, aiohttp.ClientSession(cookie_jar=jar))


@pytest.fixture
async def claimed(locked: Rig) -> AsyncIterator[Rig]:
    """A robot that ann owns, who is signed in."""
    rig = fresh(locked)
    status, _ = await claim(rig)
    assert status == 200
    yield rig
    await rig.close()
    await rig.http.close()


async def test_claim_needs_the_code_and_a_good_password(locked: Rig) -> None:
    wrong, _ = await claim(locked, code="guess")
    short, said = await claim(locked, password="short")
    right, who = await claim(locked)
    assert (wrong, short, right) == (401, 400, 200)
    assert "at least 8" in said["message"]
    assert (who["user"], who["level"], who["is_claimed"]) == ("ann", "admin", True)


async def test_cookie_is_out_of_reach_of_scripts_and_other_sites(locked: Rig) -> None:
    wanted = {"code": code(locked), "name": "ann", "password": PASSWORD}
    async with locked.http.post(locked.url + "/api/claim", json=wanted) as answer:
        cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/" in cookie


async def test_code_serves_once(claimed: Rig, locked: Rig) -> None:
    state = claimed.robot.runtime.parent / "state"
    assert not (state / "token").exists() and (state / "claimed").exists()
    assert (await post(locked, "/api/claim", {"code": "x", "name": "eve", "password": PASSWORD}))[
        0
    ] == 409


async def test_code_is_a_token_before_and_after_only_if_it_is_kept(locked: Rig) -> None:
    secret = code(locked)
    chat = await locked.chat()
    assert (await chat.request({"type": "auth", "token": secret}))["data"]["level"] == "admin"
    status, _ = await claim(locked, keeps_code=True)
    bearer = {"Authorization": f"Bearer {secret}"}
    async with (
        aiohttp.ClientSession() as program,
        program.get(locked.url + "/metrics", headers=bearer) as answer,
    ):
        assert (status, answer.status) == (200, 200)


async def test_code_that_is_not_kept_ends_with_the_claim(locked: Rig) -> None:
    secret = code(locked)
    chat = await locked.chat()
    await chat.request({"type": "auth", "token": secret})
    await claim(locked)
    message = await chat.socket.receive(timeout=5)
    while message.type is aiohttp.WSMsgType.TEXT:
        message = await chat.socket.receive(timeout=5)
    assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)
    again = await locked.chat(headers={"Cookie": ""})
    assert (await again.request({"type": "auth", "token": secret}))["status"] == "error"


async def test_nothing_secret_is_on_the_disk(claimed: Rig) -> None:
    _, made = await act(claimed, "users/add_token", name="panel", role="viewer")
    cookies = [cookie.value for cookie in claimed.http.cookie_jar]
    state = claimed.robot.runtime.parent / "state"
    files = [file.read_text() for file in state.rglob("*") if file.is_file()]
    for secret in (made["secret"], PASSWORD, *cookies):
        assert secret and not any(secret in text for text in files)


async def test_token_whose_name_cannot_be_shown_is_refused(claimed: Rig) -> None:
    status, answer = await act(claimed, "users/add_token", name="\U0010a8ad\x95", role="viewer")
    assert status == 400 and "no letter" in answer["message"]


async def test_session_opens_the_socket(claimed: Rig) -> None:
    chat = await connect(claimed)
    reply = await chat.request({"type": "auth"})
    assert (reply["data"]["user"], reply["data"]["via"]) == ("ann", "session")
    assert "robot" in await chat.do("system", "status")


async def test_admin_switches_the_sign_in_off_and_on_for_everyone(claimed: Rig) -> None:
    visitor = fresh(claimed)
    assert (await act(visitor, "users/list_tokens"))[0] == 401
    assert (await act(claimed, "users/require_sign_in", required=False))[0] == 200
    assert (await act(visitor, "users/list_tokens"))[0] == 200
    chat = await connect(visitor)
    reply = await chat.request({"type": "auth"})
    assert (reply["data"]["via"], reply["data"]["token_required"]) == ("open", False)
    assert (await act(claimed, "settings/set_name", name="Robi"))[0] == 200  # keeps the choice
    assert (await act(visitor, "users/require_sign_in", required=True))[0] == 200
    assert (await act(visitor, "users/list_tokens"))[0] == 401
    assert (await chat.socket.receive(5)).type is aiohttp.WSMsgType.CLOSE
    assert (await act(claimed, "users/list_tokens"))[0] == 200
    await visitor.http.close()


async def test_choice_of_the_page_counts_before_the_file_and_damage_before_neither(
    claimed: Rig,
) -> None:
    assert (await act(claimed, "users/require_sign_in", required=False))[0] == 200
    own = OwnSettings(claimed.robot.runtime.parent / "state", "saint", lambda _: None)
    await own.load()
    assert own.saved.sign_in_required is False
    (claimed.robot.runtime.parent / "state" / "settings.json").write_text("{")
    await own.load()
    assert own.saved.sign_in_required is None  # as webd.yaml says: required, unless it is off


async def test_page_of_another_site_cannot_use_the_cookie(claimed: Rig) -> None:
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
        status, _ = await post(
            claimed, "/api/v1/users/add_token", {"name": "x", "role": "admin"}, Origin=origin
        )
        assert status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await claimed.chat(origin=origin)
        assert refused.value.status == 403


async def test_cookie_without_origin_changes_nothing(claimed: Rig) -> None:
    status, _ = await post(claimed, "/api/v1/users/add_token", {"name": "x", "role": "admin"})
    assert status == 401
    chat = await claimed.chat()
    assert (await chat.request({"type": "auth"}))["error"]["code"] == "unauthorized"


async def test_strange_name_of_the_host_is_refused_with_the_cookie(claimed: Rig) -> None:
    strange = {"Host": "evil.example", "Origin": "http://evil.example"}
    assert (await post(claimed, "/api/login", {"name": "ann"}, **strange))[0] == 403


async def test_cookie_of_a_past_or_forged_session_is_nobody(claimed: Rig) -> None:
    for value in ("", "x", "a" * 5000, "$" * 43):
        async with (
            aiohttp.ClientSession(cookies={COOKIE: value}) as http,
            http.get(claimed.url + "/api/session") as answer,
        ):
            assert (await answer.json())["user"] == ""


async def test_logout_ends_the_session_everywhere(claimed: Rig) -> None:
    kept = {cookie.key: cookie.value for cookie in claimed.http.cookie_jar}
    chat = await connect(claimed)
    await chat.request({"type": "auth"})
    assert (await post(claimed, "/api/logout", {}, Origin=claimed.url))[0] == 200
    async with (
        aiohttp.ClientSession(cookies=kept) as thief,
        thief.get(claimed.url + "/api/v1/system/status") as answer,
    ):
        assert answer.status == 401
    async with asyncio.timeout(5):
        while not chat.socket.closed:
            await chat.socket.receive()


async def test_guessing_passwords_costs_time_and_the_owner_gets_in(claimed: Rig) -> None:
    unknown = fresh(claimed)
    wanted = {"name": "ann", "password": "guess number 1"}
    answers = [await post(unknown, "/api/login", wanted) for _ in range(FREE_ATTEMPTS + 1)]
    await unknown.http.close()
    assert [status for status, _ in answers] == [401] * (FREE_ATTEMPTS + 1)
    assert "try again in" in answers[-1][1]["message"]


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"null", b"{", b"\xff", b'{"name": 1}', b'{"name": "ann", "more": 1}',
     b'{"name": "ann", "password": "' + b"x" * 300 + b'"}', b"{" * 5000],
)  # fmt: skip
async def test_senseless_sign_in_is_refused_with_a_sentence(locked: Rig, body: bytes) -> None:
    for path in ("/api/login", "/api/claim"):
        async with locked.http.post(locked.url + path, data=body) as answer:
            assert answer.status in (400, 401)
            assert (await answer.json())["message"]


async def test_viewer_and_operator_do_what_they_may(claimed: Rig) -> None:
    for role in ("viewer", "operator"):
        _, made = await act(claimed, "users/add_token", name=role, role=role)
        chat = await claimed.chat(headers={"Cookie": ""})
        await chat.request({"type": "auth", "token": made["secret"]})
        moves = await chat.request({"type": "input", "target": "tracks", "values": {"linear": 0.1}})
        await chat.do("system", "estop", reason="test")
        for kind, action in (("users", "list_users"), ("system", "get_audit_log")):
            assert (await chat.fail(kind, action))["code"] == "forbidden"
        clear = {"enable": False, "generation": claimed.robot.estop.generation}
        clears = await chat.request({"type": "system", "action": "estop", "params": clear})
        expected = "ok" if role == "operator" else "error"
        assert (moves["status"], clears["status"]) == (expected, expected)
        claimed.robot.set_estop(False, "test", "")


async def test_role_that_is_taken_away_is_gone_at_once(claimed: Rig) -> None:
    await act(claimed, "users/add_user", name="bob", password=PASSWORD, role="operator")
    other = fresh(claimed)
    await post(other, "/api/login", {"name": "bob", "password": PASSWORD})
    chat = await connect(other)
    await chat.do("tracks", "drive", linear=0.0)
    await act(claimed, "users/set_role", name="bob", role="viewer")
    assert (await chat.fail("tracks", "drive", linear=0.1))["code"] == "forbidden"
    await other.close()
    await other.http.close()


async def test_last_admin_stays(claimed: Rig) -> None:
    for action, more in (("remove_user", {}), ("set_role", {"role": "viewer"})):
        status, said = await act(claimed, f"users/{action}", name="ann", **more)
        assert (status, said["message"]) == (409, "ann is the only admin of this robot")


async def test_own_password_is_changed_with_the_old_one_only(claimed: Rig) -> None:
    new = {"password": "another good one"}
    wrong, _ = await act(claimed, "users/change_password", old_password="no", **new)
    right, _ = await act(claimed, "users/change_password", old_password=PASSWORD, **new)
    status, _ = await act(claimed, "system/status")
    assert (wrong, right, status) == (403, 200, 200)
    other = fresh(claimed)
    login, _ = await post(other, "/api/login", {"name": "ann", **new})
    await other.http.close()
    assert login == 200


async def test_guessing_the_old_password_at_an_open_browser_is_slowed_down(claimed: Rig) -> None:
    new = {"password": "another good one"}
    for _ in range(5):
        status, _ = await act(claimed, "users/change_password", old_password="no", **new)
        assert status == 403
    status, said = await act(claimed, "users/change_password", old_password=PASSWORD, **new)
    assert status == 401 and "too many failed attempts" in said["message"]


async def test_claim_code_is_shown_on_the_robot_only(locked: Rig) -> None:
    bearer = {"Authorization": f"Bearer {code(locked)}"}
    outside, _ = await post(locked, "/api/v1/users/get_claim_code", {}, **bearer)
    connector = aiohttp.UnixConnector(str(locked.robot.runtime / "webd.sock"))
    async with aiohttp.ClientSession(connector=connector) as inside:
        path = "http://localhost/api/v1/users/get_claim_code"
        async with inside.post(path, data="{}") as answer:
            reported = await answer.json()
    assert outside == 403
    assert reported == {"is_claimed": False, "code": code(locked)}


async def received(rig: Rig, what: str) -> None:
    """Until the log has the entry of another daemon."""

    async def is_logged() -> bool:
        return what in str(await act(rig, "system/get_audit_log"))

    await until(is_logged)


async def test_audit_log_names_who_did_what_and_no_secret(claimed: Rig) -> None:
    await act(claimed, "users/add_user", name="bob", password="bobs own word", role="operator")
    chat = await connect(claimed)
    for _ in range(3):
        await chat.do("tracks", "drive", linear=0.1)
    await chat.do("system", "estop", reason="a test")
    await received(claimed, "router estop")
    _, found = await act(claimed, "system/get_audit_log")
    reported = [(entry["who"], entry["what"]) for entry in reversed(found["entries"])]
    assert reported == [
        ("ann", "claimed this robot"),
        ("ann", "users add_user"),
        ("ann", "began to move tracks"),
        ("ann", "router estop"),
    ]
    assert "bobs own word" not in json.dumps(found)
    assert found["entries"][0]["address"] == "127.0.0.1"


async def test_sessions_end_when_nobody_comes(
    claimed: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await act(claimed, "system/status"))[0] == 200
    monkeypatch.setattr(signins, "IDLE_LIMIT_S", -1.0)
    assert (await act(claimed, "system/status"))[0] == 401


async def test_users_and_sessions_survive_a_restart(claimed: Rig) -> None:
    state = Path(claimed.robot.runtime.parent / "state")
    book = json.loads((state / "access.json").read_text())
    kept = json.loads((state / "signins.json").read_text())
    assert [user["name"] for user in book["users"]] == ["ann"]
    assert [entry["user"] for entry in kept["entries"]] == ["ann"]


async def test_upload_that_webd_cannot_pass_on_leaves_an_entry(claimed: Rig) -> None:
    await claimed.robot.otad.close()
    async with claimed.http.post(
        claimed.url + "/api/firmware", data=b"no bundle", headers={"Origin": claimed.url}
    ):
        pass
    _, found = await act(claimed, "system/get_audit_log")
    newest = found["entries"][0]
    assert (newest["who"], newest["what"]) == ("ann", "management upload_release")
    assert newest["refused"]


async def test_empty_code_claims_nothing_while_the_code_is_being_made(
    locked: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Vault, "claim_code", property(lambda _: ""))
    rig = fresh(locked)
    status, reported = await claim(rig, code="")
    await rig.http.close()
    assert (status, reported["code"]) == (409, "refused"), reported


async def test_login_without_a_name_is_refused_without_hashing_a_password(
    claimed: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked_out: list[str] = []
    monkeypatch.setattr(passwords, "is_password", lambda given, _: worked_out.append(given))
    for body in (None, b"", b"{}"):
        async with asyncio.timeout(10):
            async with claimed.http.post(claimed.url + "/api/login", data=body) as answer:
                reported = await answer.json()
        assert (answer.status, reported["code"]) == (400, "request_invalid"), reported
    assert worked_out == []


async def test_audit_log_has_what_was_changed_in_other_daemons_through_here(
    claimed: Rig,
) -> None:
    root, own = claimed.url + "/api/v1/daemon/routerd", {"Origin": claimed.url}
    async with claimed.http.get(f"{root}/status"):
        pass
    async with claimed.http.post(f"{root}/estop", json={"source": "ann"}, headers=own) as answer:
        assert answer.status == 200
    await received(claimed, "router estop")
    _, found = await act(claimed, "system/get_audit_log")
    reported = [(entry["who"], entry["level"], entry["what"]) for entry in found["entries"]]
    assert reported[0] == ("ann", "admin", "router estop")
    assert not any("routerd/status" in what for _, _, what in reported)
