"""saintctl and a robot elsewhere: the address as people write it, requests through webd."""

from pathlib import Path

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.adoption import SET_NODE_NAME, NameNode, NodeInfo, NodeList
from saint_services.lib.api.routing import EStopRequest
from saint_services.lib.errors import Code, SaintError
from saint_services.saintctl.connect import ask, ask_or_error, client, do, runtime_directory
from saint_services.saintctl.estop import urgent
from saint_services.saintctl.server import Server
from tests.web.fakes.robot import fake_robot


@pytest.mark.parametrize(
    ("url", "address", "is_tls"),
    [
        ("saint.local", "saint.local:80", False),
        ("http://saint.local:8080/", "saint.local:8080", False),
        ("192.168.10.1:8080", "192.168.10.1:8080", False),
        ("https://[fe80::1]", "[fe80::1]:443", True),
    ],
)
def test_address_as_people_write_it(url: str, address: str, is_tls: bool):
    server = Server.at(url)
    assert (server.address, server.tls is not None) == (address, is_tls)


@pytest.mark.parametrize("url", ["ftp://x", "http://", "http://x:port", "http://x/y", "http://u@x"])
def test_what_is_no_address_is_refused(url: str):
    with pytest.raises(SaintError) as caught:
        Server.at(url)
    assert (caught.value.code, repr(url) in caught.value.message) == (Code.REQUEST_INVALID, True)


def test_token_shows_in_no_repr():
    assert "hidden" not in repr(Server.at("http://x", "hidden"))


async def test_requests_reach_the_daemons(tmp_path: Path):
    async with fake_robot(tmp_path) as (robot, address, _):
        server = Server.at(address)
        nodes = await ask(server, "adoptiond", "/nodes", NodeList)
        assert {node.node_id for node in nodes.nodes} == set(robot.nodes)
        body = EStopRequest(source="saintctl", reason="far away")
        assert (await do(server, routing.ESTOP, body)).reason == "far away"
        async with client(server, "adoptiond") as adoptiond:
            rename = NameNode(node_id="sim_head", display_name="Hals")
            assert (await adoptiond.request(SET_NODE_NAME, rename)).display_name
        assert robot.nodes["sim_head"].display_name == "Hals"
        missing = await ask_or_error(server, "adoptiond", "/nodes/nobody", NodeInfo)
        assert isinstance(missing, SaintError)
        assert missing.code is Code.NOT_FOUND


async def test_wrong_token_is_told(tmp_path: Path):
    async with fake_robot(tmp_path, auth=True) as (_, address, _domain):
        with pytest.raises(SaintError) as caught:
            await ask(Server.at(address, "wrong"), "adoptiond", "/nodes", NodeList)
        assert caught.value.code is Code.UNAUTHORIZED


async def test_nobody_there_is_told_with_the_address():
    with pytest.raises(SaintError) as caught:
        await ask(Server.at("127.0.0.1:9"), "adoptiond", "/nodes", NodeList)
    assert caught.value.code is Code.DAEMON_UNREACHABLE
    assert "127.0.0.1:9" in caught.value.message


def test_what_needs_the_machine_itself_says_so():
    with pytest.raises(SaintError, match=r"only on the robot's own machine, not through x:80"):
        runtime_directory(Server.at("x"))


def test_fast_stop_leaves_another_robot_to_the_full_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SAINT_RUN", str(tmp_path))
    monkeypatch.setenv("SAINT_SERVER", "http://saint.local")
    monkeypatch.setattr(urgent, "_answer", lambda _: pytest.fail("the wrong robot"))
    assert urgent.press(["estop", "set"]) is None
