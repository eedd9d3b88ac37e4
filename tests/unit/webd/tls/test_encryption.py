"""Encryption by the robot's own authority: what it makes, whom clients then trust."""

import asyncio
import contextlib
import json
import shutil
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.api.machine import NetworkStatus
from saint_services.lib.machine import settings_request
from saint_services.webd.tls import certificates, encryption
from saint_services.webd.tls.authority import CertificateAuthority
from tests.unit.webd.web_rig import Rig
from tests.web.fakes.robot import fake_robot

needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")


class Encrypted:
    """A robot with a secure port, and a user who is logged in on it."""

    def __init__(self, rig: Rig, port: int, inside: aiohttp.ClientSession) -> None:
        self.rig, self.port, self._inside = rig, port, inside

    async def act(self, action: str) -> dict[str, object]:
        path = f"http://localhost/api/v1/system/{action}"
        async with self._inside.post(path, data="{}") as answer:
            assert answer.status == 200
            found: dict[str, object] = await answer.json()
            return found

    async def trusting(self) -> ssl.SSLContext:
        async with self.rig.http.get(self.rig.url + "/api/tls/ca.crt") as answer:
            return ssl.create_default_context(cadata=await answer.text())


@pytest.fixture
async def encrypted(tmp_path: Path) -> AsyncIterator[Encrypted]:
    secure = socket.create_server(("127.0.0.1", 0))
    port = secure.getsockname()[1]
    made = fake_robot(tmp_path, auth=True, https=secure)
    async with made as (robot, address, domain), aiohttp.ClientSession() as http:
        connector = aiohttp.UnixConnector(str(robot.runtime / "webd.sock"))
        async with aiohttp.ClientSession(connector=connector) as inside:
            rig = Rig(robot, address, domain, http)
            yield Encrypted(rig, port, inside)
            await rig.close()


@needs_openssl
async def test_pages_sockets_and_cookies_are_secure_once_it_is_on(encrypted: Encrypted) -> None:
    info = await encrypted.act("enable_tls")
    assert info["is_enabled"] and len(str(info["fingerprint"])) == 95
    trusting = await encrypted.trusting()
    url = f"https://127.0.0.1:{encrypted.port}"
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as http:
        code = (encrypted.rig.robot.runtime.parent / "state/token").read_text().strip()
        wanted = {"code": code, "name": "ann", "password": "four words make it"}
        async with http.post(f"{url}/api/claim", data=json.dumps(wanted), ssl=trusting) as answer:
            cookie = answer.headers["Set-Cookie"]
            assert (await answer.json())["is_secure"] is True
        assert cookie.startswith("__Host-saint=") and "Secure" in cookie
        async with http.ws_connect(f"{url}/api/ws", ssl=trusting, origin=url) as chat:
            await chat.send_json({"id": 1, "type": "auth"})
            assert (await chat.receive_json(timeout=5))["data"]["user"] == "ann"
        # A page that a man in the middle put in the place of ours, without encryption.
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await http.ws_connect(f"{url}/api/ws", ssl=trusting, origin="http://evil.example")


@needs_openssl
async def test_switched_off_nobody_answers_and_the_authority_is_gone(encrypted: Encrypted) -> None:
    await encrypted.act("enable_tls")
    trusting = await encrypted.trusting()
    assert (await encrypted.act("disable_tls"))["is_enabled"] is False
    with pytest.raises(aiohttp.ClientError):
        await encrypted.rig.http.get(f"https://127.0.0.1:{encrypted.port}/", ssl=trusting)
    async with encrypted.rig.http.get(encrypted.rig.url + "/api/tls/ca.crt") as answer:
        assert answer.status == 404


async def test_before_it_is_on_the_secure_port_closes_at_once(encrypted: Encrypted) -> None:
    with pytest.raises(aiohttp.ClientError):
        await encrypted.rig.http.get(f"https://127.0.0.1:{encrypted.port}/", ssl=False)


@needs_openssl
def test_certificate_is_renewed_for_another_name_by_the_same_authority(tmp_path: Path) -> None:
    first = CertificateAuthority(tmp_path, "SAINT-01", [])
    first.enable()
    before = first.info()
    second = CertificateAuthority(tmp_path, "SAINT-01", ["robot.local"])
    second.context()
    after = second.info()
    assert "robot.local" in after.names and "robot.local" not in before.names
    assert after.fingerprint == before.fingerprint


@pytest.fixture
def call_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Gives this machine another name, as setup does; webd looks often."""
    monkeypatch.setattr(encryption, "_CHECK_S", 0.01)
    monkeypatch.setenv("SAINT_SETTINGS_DIR", str(tmp_path / "settings"))
    reported = tmp_path / "saint" / settings_request.NETWORK_STATUS
    reported.parent.mkdir()

    def call(name: str) -> None:
        reported.write_text(NetworkStatus(hostname=name).model_dump_json())

    return call


@needs_openssl
async def test_another_name_of_the_server_is_trusted_without_a_restart(
    call_machine: Callable[[str], None], tmp_path: Path
) -> None:
    """By who trusted the robot before: the authority speaks for all names in .local."""
    call_machine("saint-server")
    part = encryption.Encryption(CertificateAuthority(tmp_path, "SAINT-01", []))
    shown: asyncio.Queue[ssl.SSLContext | None] = asyncio.Queue()
    part.encrypt = shown.put
    await part.enable()
    trusting = ssl.create_default_context(cafile=tmp_path / "tls/authority.pem")
    assert "saint-server" in shake_hands(await shown.get(), trusting, "saint-server.local")
    keeping = asyncio.ensure_future(part.keep())
    call_machine("robi")
    renewed = await asyncio.wait_for(shown.get(), 20)
    # The bare name is not the authority's to give: with it nobody would trust the certificate.
    assert "robi" not in shake_hands(renewed, trusting, "robi.local")
    keeping.cancel()


def shake_hands(server: ssl.SSLContext | None, client: ssl.SSLContext, name: str) -> list[str]:
    """The host names in the certificate of the server, which the client must trust as `name`."""
    assert server is not None
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    theirs = server.wrap_bio(up, down, server_side=True)
    ours = client.wrap_bio(down, up, server_hostname=name)
    for side in (ours, theirs, ours, theirs):
        with contextlib.suppress(ssl.SSLWantReadError):
            side.do_handshake()
    found = ours.getpeercert()
    assert found
    entries: Any = found["subjectAltName"]
    return [value for kind, value in entries if kind == "DNS"]


@needs_openssl
def test_keys_are_for_us_alone(tmp_path: Path) -> None:
    CertificateAuthority(tmp_path, "SAINT-01", []).enable()
    for name in ("authority.key", "server.pem"):
        assert (tmp_path / "tls" / name).stat().st_mode & 0o077 == 0
    assert sorted(p.name for p in (tmp_path / "tls").iterdir()) == [
        "authority.key",
        "authority.pem",
        "server.pem",
    ]


@given(st.text(max_size=60))
def test_no_name_of_a_robot_writes_into_openssls_settings(name: str) -> None:
    text = certificates.authority_config(name, "host", [], "/x")
    plain = certificates.authority_config("robot", "host", [], "/x")
    assert len(text.splitlines()) == len(plain.splitlines())
    assert "$" not in text


def test_addresses_of_the_internet_are_not_promised() -> None:
    names = certificates.names_of("host", ["192.168.1.5", "8.8.8.8", "fd00::2"], [])
    assert "192.168.1.5" in names and "fd00::2" in names and "8.8.8.8" not in names


def test_certificate_ends_within_what_apple_takes() -> None:
    assert certificates.SERVER_DAYS + 1 <= 825
