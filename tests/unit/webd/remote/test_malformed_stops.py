"""A malformed stop stops the robot: on both paths, in rooms, and on links of this server."""

import aiohttp
import pytest

from tests.unit.webd.remote import malformed_stops
from tests.unit.webd.remote.conversation_rig import ConversationRig
from tests.unit.webd.remote.net_rig import RemoteServer
from tests.waiting import until

ARENA, HUB = malformed_stops.of("estop"), malformed_stops.of("emergency_stop")
PATHS = {
    "/ws/slave/follower": b'{"type": "estop"}',
    "/ws/master/follower": b'{"type": "estop"}',
    "/robotics/workspaces/lab/rooms/follower/ws": b'{"type": "emergency_stop"}',
}
TEXT, BINARY = aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY


@pytest.mark.parametrize("text", ARENA.values(), ids=ARENA.keys())
@pytest.mark.parametrize("leads", [False, True], ids=["path of slaves", "path of masters"])
async def test_on_a_path(rig: ConversationRig, text: str, leads: bool) -> None:
    conversation, _ = rig.conversation("a", leads=leads)
    conversation.receive(text)
    await rig.settled()
    assert rig.presses() == ["websocket:remote:a"]
    assert rig.estop.active


@pytest.mark.parametrize("text", ARENA.values(), ids=ARENA.keys())
@pytest.mark.parametrize("leads", [False, True], ids=["kind master", "kind slave"])
async def test_on_a_link_that_nobody_engaged(rig: ConversationRig, text: str, leads: bool) -> None:
    link, _ = rig.conversation("bench", leads=leads, is_link=True)
    link.receive(text)
    await rig.settled()
    assert rig.presses() == ["websocket:remote:bench"]


@pytest.mark.parametrize("text", HUB.values(), ids=HUB.keys())
@pytest.mark.parametrize("role", ["producer", "consumer", "boss"])
async def test_in_a_room_joined_or_not(rig: ConversationRig, text: str, role: str) -> None:
    session, _ = rig.participant("follower", role, "p")
    session.receive(text)
    await rig.settled()
    assert rig.presses() == ["websocket:remote:p"]
    assert rig.estop.active


async def test_a_stop_that_looks_like_a_join_is_no_join(rig: ConversationRig) -> None:
    session, channel = rig.participant("follower", "boss", "p")
    session.receive('{"type": "emergency_stop", "participant_id": "p", "role": "producer"}')
    await rig.settled()
    assert rig.presses() == ["websocket:remote:p"]
    assert channel.of("joined") == []


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("kind", "more"),
    [(BINARY, b""), (BINARY, b"\xff\xfe"), (TEXT, b"\xff\xfe"), (TEXT, b" " * 70_000)],
    ids=["binary", "binary and more bytes", "no UTF-8", "too large"],
)
async def test_as_a_frame_that_is_no_message(
    first: RemoteServer, path: str, kind: aiohttp.WSMsgType, more: bytes
) -> None:
    async with aiohttp.ClientSession() as http:
        chat = await http.ws_connect(f"http://{first.address}{path}")
        await chat.send_frame(PATHS[path] + more, kind)
        await until(lambda: first.rig.estop.active)
        assert first.rig.presses() == ["websocket:remote:anyone"]
        await chat.close()


async def test_as_a_binary_message_of_the_server_that_a_link_leads_to(
    first: RemoteServer, second: RemoteServer
) -> None:
    await first.link("boss", "master", second.address)
    [socket] = second.control.sockets.open
    stop = b'{"type": "estop"}\xff'
    socket.wire.write(bytes((0x82, len(stop))) + stop)
    await until(lambda: first.rig.estop.active)
    assert first.rig.presses() == ["websocket:remote:boss"]


async def test_with_the_id_of_an_earlier_stop_that_was_cleared(rig: ConversationRig) -> None:
    conversation, _ = rig.conversation("a")
    other, _ = rig.conversation("b")
    for side in (conversation, conversation, other):
        side.receive('{"type": "estop", "id": 1}')
        await rig.settled()
        assert rig.estop.active
        rig.clear()
    assert len(rig.presses()) == 3
