"""saintctl with a robot elsewhere: the address as users write it, requests through webd."""

from pathlib import Path

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.adoption import (
    GET_NODE_INFO,
    LIST_NODES,
    SET_NODE_NAME,
    NameNode,
    NodeParams,
)
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import EStopRequest
from saint_services.lib.errors import Code, SaintError
from saint_services.saintctl.connect import (
    health_or_error,
    request,
    request_or_error,
    runtime_directory,
)
from saint_services.saintctl.estop import urgent
from saint_services.saintctl.remote import RemoteRobot
from tests.web.fakes.robot import fake_robot


@pytest.mark.parametrize(
    ("url", "address", "is_tls"),
    [
        ("saint-server.local", "saint-server.local:80", False),
        ("http://saint-server.local:8080/", "saint-server.local:8080", False),
        ("192.168.10.1:8080", "192.168.10.1:8080", False),
        ("https://[fe80::1]", "[fe80::1]:443", True),
    ],
)
def test_address_is_parsed_as_users_write_it(url: str, address: str, is_tls: bool):
    remote = RemoteRobot.at(url)
    assert (remote.address, remote.tls is not None) == (address, is_tls)


@pytest.mark.parametrize("url", ["ftp://x", "http://", "http://x:port", "http://x/y", "http://u@x"])
def test_malformed_address_is_refused(url: str):
    with pytest.raises(SaintError) as caught:
        RemoteRobot.at(url)
    assert (caught.value.code, repr(url) in caught.value.message) == (Code.REQUEST_INVALID, True)


def test_token_shows_in_no_repr():
    assert "hidden" not in repr(RemoteRobot.at("http://x", "hidden"))


async def test_requests_reach_the_daemons(tmp_path: Path):
    async with fake_robot(tmp_path) as (robot, address, _):
        remote = RemoteRobot.at(address)
        nodes = await request(remote, LIST_NODES, Nothing())
        assert {node.node_id for node in nodes.nodes} == set(robot.nodes)
        body = EStopRequest(source="saintctl", reason="far away")
        assert (await request(remote, routing.ESTOP, body)).reason == "far away"
        rename = NameNode(node_id="sim_head", display_name="Hals")
        assert (await request(remote, SET_NODE_NAME, rename)).display_name
        assert robot.nodes["sim_head"].display_name == "Hals"
        missing = await request_or_error(remote, GET_NODE_INFO, NodeParams(node_id="nobody"))
        assert isinstance(missing, SaintError)
        assert missing.code is Code.NOT_FOUND
        assert not isinstance(await health_or_error(remote, "adoptiond"), SaintError)


async def test_wrong_token_is_unauthorized(tmp_path: Path):
    async with fake_robot(tmp_path, auth=True) as (_, address, _domain):
        with pytest.raises(SaintError) as caught:
            await request(RemoteRobot.at(address, "wrong"), LIST_NODES, Nothing())
        assert caught.value.code is Code.UNAUTHORIZED


async def test_unreachable_robot_is_reported_with_its_address():
    with pytest.raises(SaintError) as caught:
        await request(RemoteRobot.at("127.0.0.1:9"), LIST_NODES, Nothing())
    assert caught.value.code is Code.DAEMON_UNREACHABLE
    assert "127.0.0.1:9" in caught.value.message


def test_command_for_the_own_machine_refuses_a_remote_robot():
    with pytest.raises(SaintError, match=r"only on the robot's own machine, not through x:80"):
        runtime_directory(RemoteRobot.at("x"))


def test_fast_stop_leaves_another_robot_to_the_full_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SAINT_RUN", str(tmp_path))
    monkeypatch.setenv("SAINT_SERVER", "http://saint-server.local")
    monkeypatch.setattr(urgent, "_answer", lambda _: pytest.fail("the wrong robot"))
    assert urgent.press(["estop", "set"]) is None
