"""STUN and TURN: whose passwords a session gets, and sessions over a real TURN server."""

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aioice import Connection
from aiortc import RTCConfiguration
from aiortc.rtcconfiguration import RTCIceTransportPolicy
from pydantic import ValidationError

from saint_services.lib.api import teleop
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.errors import SaintError
from saint_services.lib.machine.root_access import AS_ROOT
from saint_services.teleopd import ice, peers
from saint_services.teleopd.config import Config
from saint_services.teleopd.ice import PASSWORD_FILE, VALID_S, IceServerList
from tests.teleop_peer import teleop_peer
from tests.turn_server import (
    BY_SECRET,
    BY_USER,
    PASSWORD,
    SECRET,
    USER,
    host_address,
    turn_server,
)
from tests.unit.teleopd.rig import ADAM, OLGA, VERA, RemoteRobot, remote_robot
from tests.waiting import until

TURN = "turn:turn.example.org:3478?transport=tcp"


def servers(folder: Path, **turn: str) -> IceServerList:
    config = Config(stun=["stun:stun.example.org:3478"], turn={"url": TURN} | turn)  # type: ignore[arg-type]
    return IceServerList(config, folder, lambda: 1_700_000_000.0)


async def test_user_and_password_are_those_of_the_settings(tmp_path: Path) -> None:
    found = servers(tmp_path, user="saint")
    await found.store("sesame")
    stun, turn = (await found.for_session()).servers
    assert (stun.urls, stun.username, stun.credential) == (["stun:stun.example.org:3478"], "", "")
    assert (turn.urls, turn.username, turn.credential) == ([TURN], "saint", "sesame")
    assert (tmp_path / PASSWORD_FILE).stat().st_mode & 0o777 == 0o600


async def test_without_a_user_a_session_gets_a_password_that_ends(tmp_path: Path) -> None:
    """The figures are of: printf 1700043200:saint | openssl dgst -sha1 -hmac secret -binary |
    base64.
    """
    found = servers(tmp_path)
    await found.store("secret")
    turn = (await found.for_session()).servers[1]
    assert turn.username == f"{1_700_000_000 + VALID_S}:saint" == "1700043200:saint"
    assert turn.credential == "aeHdbV+xDSYEj0mThNzs/TtrjuI="


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe"])
async def test_server_without_its_password_is_left_out(
    tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / PASSWORD_FILE).write_bytes(content)
    found = await servers(tmp_path).for_session()
    assert [each.urls for each in found.servers] == [["stun:stun.example.org:3478"]]
    assert "saintctl teleop turn" in found.problem


@pytest.mark.parametrize(
    ("url", "wait_s"), [("turn:a", 1.0), ("turn:a?transport=tcp", 3.0), ("turns:a:443", 3.0)]
)
async def test_tcp_and_tls_get_the_time_of_their_handshakes(
    tmp_path: Path, url: str, wait_s: float
) -> None:
    found = servers(tmp_path, url=url)
    await found.store("sesame")
    assert (await found.for_session()).wait_s == wait_s


async def test_silent_name_server_costs_a_second_and_the_stun_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The robot looks names up once, and not in the threads of the process, as aiortc would."""
    loop, lookups = asyncio.get_running_loop(), list[str]()

    async def lookup(host: str, *_: object, **__: object) -> Any:
        lookups.append(host)
        await asyncio.Event().wait()

    found = servers(tmp_path)
    await found.store("sesame")
    monkeypatch.setattr(loop, "getaddrinfo", lookup)
    monkeypatch.setattr(ice, "_WAIT_S", 0.01)
    assert [each.urls for each in (await found.for_robot()).servers] == [[TURN]]
    assert lookups == ["stun.example.org"]


async def test_robot_uses_the_first_stun_server_that_has_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lookup(host: str, *_: object, **__: object) -> Any:
        if host == "gone.example.org":
            raise socket.gaierror
        return [(2, 1, 6, "", ("192.0.2.7", 0))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookup)
    config = Config(stun=["stun:gone.example.org", "stun:b.example.org"])
    found = await IceServerList(config, tmp_path).for_robot()
    assert [each.urls for each in found.servers] == [["stun:192.0.2.7:3478"]]


async def test_name_without_an_answer_leaves_the_other_stun_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lookup(host: str, *_: object, **__: object) -> Any:
        if host == "silent.example.org":
            await asyncio.Event().wait()
        return [(2, 1, 6, "", ("192.0.2.7", 0))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookup)
    monkeypatch.setattr(ice, "_WAIT_S", 0.01)
    config = Config(stun=["stun:silent.example.org", "stun:b.example.org"])
    found = await IceServerList(config, tmp_path).for_robot()
    assert [each.urls for each in found.servers] == [["stun:192.0.2.7:3478"]]


async def test_password_that_could_not_be_read_once_is_read_again(tmp_path: Path) -> None:
    found = servers(tmp_path, user="saint")
    (tmp_path / PASSWORD_FILE).mkdir()  # as good as an error of the disk
    assert (await found.for_session()).problem
    (tmp_path / PASSWORD_FILE).rmdir()
    (tmp_path / PASSWORD_FILE).write_text("sesame\n")
    assert (await found.for_session()).servers[1].credential == "sesame"


@pytest.mark.parametrize("url", ["stuns:a", "stun:[fd00::2]", "stun:a:65536", "stun:a:", "a"])
def test_settings_refuse_stun_servers_that_nothing_would_use(url: str) -> None:
    with pytest.raises(ValidationError):
        Config(stun=[url])


@pytest.mark.parametrize(
    "url",
    [
        "turn:",
        "turn:a b",
        "stun:a",
        "turn:a?transport=sctp",
        "http://a",
        "turn:user@a",
        "turn:a:b",
        "turn:[fd00::2]:3478",
        "turn:a:65536",
        "turns:a?transport=udp",
        "turn:a?transport=udp\n",
    ],
)
def test_settings_refuse_what_is_no_address(url: str) -> None:
    with pytest.raises(ValidationError):
        Config(turn={"url": url})  # type: ignore[arg-type]


async def test_password_needs_a_server(robot: RemoteRobot) -> None:
    given = teleop.TurnPassword(password=PASSWORD)
    with pytest.raises(SaintError, match="no TURN server is configured") as caught:
        await robot.client.request(teleop.SET_TURN_PASSWORD, given, ADAM)
    assert AS_ROOT in caught.value.fix
    assert (await robot.client.request(teleop.ICE_SERVERS, Nothing(), VERA)).servers == []


async def given(robot: RemoteRobot, password: str) -> None:
    """Store the password of the TURN server."""
    await robot.signalling(ADAM)("set_turn_password", password=password)


@pytest.fixture
def relays_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the robot without an address of its own, as behind a router that lets nothing in."""
    made = peers.configuration

    def configured(found: Sequence[teleop.IceServer]) -> RTCConfiguration:
        return replace(made(found), iceTransportPolicy=RTCIceTransportPolicy.RELAY)

    monkeypatch.setattr(peers, "configuration", configured)


@pytest.mark.parametrize(
    ("credentials", "user", "password"), [(BY_USER, USER, PASSWORD), (BY_SECRET, "", SECRET)]
)
@pytest.mark.parametrize("transport", ["", "?transport=tcp"])
async def test_operator_drives_over_a_turn_server(
    tmp_path: Path,
    relays_only: None,
    credentials: tuple[str, ...],
    user: str,
    password: str,
    transport: str,
) -> None:
    with turn_server(tmp_path / "turn", *credentials) as url:
        turn = {"url": url + transport, "user": user}
        async with remote_robot(tmp_path, turn=turn) as robot:
            await given(robot, password)
            async with teleop_peer(robot.signalling(OLGA)) as peer:
                await peer.report(lambda each: each["seat"] == "operator")
                await peer.release()
                async with peer.beating(tracks={"linear": 0.2, "angular": 0.0}):
                    await until(lambda: robot.driven)


async def test_the_robot_tries_its_turn_server(tmp_path: Path) -> None:
    with turn_server(tmp_path / "turn", *BY_SECRET) as url:
        async with remote_robot(tmp_path, turn={"url": url}) as robot:
            await given(robot, SECRET)
            result = await robot.client.request(teleop.TEST, Nothing(), OLGA)
            assert (result.relay, result.problem) == (host_address(), "")


async def test_wrong_password_is_said_and_costs_no_session(tmp_path: Path) -> None:
    with turn_server(tmp_path / "turn", *BY_USER) as url:
        async with remote_robot(tmp_path, turn={"url": url, "user": USER}) as robot:
            await given(robot, "wrong")
            async with teleop_peer(robot.signalling(OLGA)):
                pass
            result = await robot.client.request(teleop.TEST, Nothing(), OLGA)
            assert not result.relay
            assert f"{url} gave no address" in result.problem


async def test_dead_servers_cost_a_session_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take what is sent to them and never answer."""
    limits: list[float] = []
    gather = Connection.get_component_candidates

    async def gathered(
        connection: Connection, component: int, addresses: list[str], timeout: int = 5
    ) -> Any:
        limits.append(timeout)
        return await gather(connection, component, addresses, timeout)

    monkeypatch.setattr(Connection, "get_component_candidates", gathered)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as dead:
        dead.bind((host_address(), 0))
        place = "{}:{}".format(*dead.getsockname())
        settings: dict[str, Any] = {"stun": [f"stun:{place}"]}
        settings["turn"] = {"url": f"turn:{place}", "user": USER}
        async with remote_robot(tmp_path, **settings) as robot:
            await given(robot, PASSWORD)
            async with teleop_peer(robot.signalling(OLGA)):
                pass
    assert sorted(limits) == [1.0, 5]  # the robot's, and aiortc's own of the peer
