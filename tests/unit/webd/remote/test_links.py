"""Links that this server opens: two servers with a bad network between them."""

import json
from pathlib import Path

import aiohttp

from saint_services.lib.api.webd.links import LinkSpec
from saint_services.webd.remote.link import pause_s
from tests.unit.webd.remote.conversation_rig import TARGET
from tests.unit.webd.remote.net_rig import RemoteProxy, RemoteServer, remote_server
from tests.waiting import let_pass, stays, until


async def test_a_link_moves_nothing_until_it_is_engaged(
    first: RemoteServer, second: RemoteServer, network: RemoteProxy
) -> None:
    await first.link("bench", "slave", network.address)
    first.rig.command(elbow_flex=10.0)
    await stays(lambda: second.moved() == [], 0.15)
    assert first.peer().state == "disengaged"
    first.engage("bench")
    await first.leads(second, 11.0)
    await until(lambda: first.peer().delay_ms is not None)


async def test_after_a_cut_the_link_returns_and_moves_nothing(
    first: RemoteServer, second: RemoteServer, network: RemoteProxy
) -> None:
    await first.link("bench", "slave", network.address)
    first.engage("bench")
    await first.leads(second, 11.0)
    network.cut()
    await until(lambda: not first.control.links()[0].is_connected)
    await until(lambda: first.control.links()[0].is_connected)
    assert network.connections == 2
    first.rig.command(elbow_flex=44.0)
    await stays(lambda: 44.0 not in second.moved(), 0.2)
    assert first.peer().state == "disengaged"
    first.engage("bench")
    await first.leads(second, 45.0)


async def test_a_delayed_and_reordered_network_never_plays_an_old_command(
    first: RemoteServer, second: RemoteServer, network: RemoteProxy
) -> None:
    await first.link("bench", "slave", network.address)
    first.engage("bench")
    network.delay_s, network.swaps = 0.2, True
    for step in range(12):
        first.rig.command(elbow_flex=float(step))
        await let_pass(0.03)
    await first.leads(second, 50.0)
    assert second.moved() == sorted(second.moved())
    assert second.peer().refused > 0  # the older one of each two
    delay_ms = first.peer().delay_ms
    assert delay_ms is not None
    assert delay_ms >= 400.0


async def test_a_stop_reaches_the_other_robot_once_from_either_side(
    first: RemoteServer, second: RemoteServer, network: RemoteProxy
) -> None:
    await first.link("bench", "slave", network.address)
    first.rig.stop("rc", "switch")
    await until(lambda: second.rig.estop.active)
    await stays(lambda: (second.rig.presses(), first.rig.presses()) == (
        ["websocket:remote:anyone"], []), 0.2)  # fmt: skip
    first.rig.clear()
    second.rig.clear()
    await stays(lambda: not first.rig.estop.active and not second.rig.estop.active, 0.2)
    second.rig.stop("rc", "switch")
    await until(lambda: first.rig.estop.active)
    assert first.rig.presses() == ["websocket:remote:bench"]


async def test_the_other_server_is_our_master(first: RemoteServer, second: RemoteServer) -> None:
    await first.link("boss", "master", second.address)
    second.rig.command(elbow_flex=5.0)
    await stays(lambda: first.moved() == [], 0.15)
    first.engage("boss")
    await second.leads(first, 6.0)
    first.rig.command(elbow_flex=6.0)
    await until(lambda: second.peer().joints.get("elbow_flex") == 6.0)  # slave_status


async def test_one_bad_slave_of_three_delays_no_other(first: RemoteServer) -> None:
    url = f"http://{first.address}/ws/master/follower"
    async with aiohttp.ClientSession() as http:
        good, mute, liar = [await http.ws_connect(url) for _ in range(3)]
        await until(lambda: len(first.control.connected()) == 3)
        for step in range(25):
            first.rig.command(elbow_flex=float(step))
            found = await good.receive_json(timeout=5)
            while found["type"] != "command":
                found = await good.receive_json(timeout=5)
            assert found["data"]["joints"][0]["value"] == float(step)
            await good.send_str(json.dumps({"type": "command_ack", "id": found["id"]}))
            await liar.send_str('{"type": "joint_states", "data": {"joints": "all fine"}}')
            if step == 5:
                await mute.close()
            await let_pass(0.02)
        await until(lambda: len(first.control.connected()) == 2)
        states = {each.name: each for each in first.control.connected()}
        assert states["anyone"].state == "following"
        assert states["anyone"].left_out == 0
        assert states["anyone-3"].state == "failed"
        assert "refused" in states["anyone-3"].problem
        await good.close()
        await liar.close()


async def test_a_link_is_kept_without_showing_its_token(tmp_path: Path) -> None:
    spec = LinkSpec(link="bench", kind="slave", url="ws://127.0.0.1:9", target=TARGET, token="hush")
    async with remote_server(tmp_path) as server:
        added = await server.control.add(spec)
        assert added.has_token
        assert "hush" not in str(added)
        await until(lambda: server.control.links()[0].tries)
        assert "hush" not in str(server.control.links())
    async with remote_server(tmp_path) as server:
        await server.control.open()
        assert [each.name for each in server.control.links()] == ["bench"]
        await server.control.remove("bench")
        assert server.control.links() == []


def test_the_pause_grows_to_a_limit_and_is_spread() -> None:
    assert [pause_s(n, 1.0) for n in (0, 1, 2, 3)] == [0.5, 1.0, 2.0, 4.0]
    assert pause_s(100, 1.0) == 30.0
    assert pause_s(3, 0.0) == 2.0
