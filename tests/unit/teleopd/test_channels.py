"""Data channels of a session on a link that is full: nothing old waits, and a loss is over soon."""

from types import SimpleNamespace
from typing import Any

from aiortc import RTCPeerConnection
from aiortc.rtcsctptransport import WEBRTC_BINARY, WEBRTC_DCEP, WEBRTC_STRING

from saint_services.lib.api.teleop import IceServers
from saint_services.teleopd.peers import RemotePeer, limit_waiting


async def test_newest_report_takes_the_place_of_those_that_wait() -> None:
    events: Any = None  # nothing happens to it here
    peer = RemotePeer("a", events, None, IceServers(wait_s=1.0))
    other, opening = peer._pc.createDataChannel("other"), b"opens the channel"
    assert peer._pc.sctp is not None
    queue = peer._pc.sctp._data_channel_queue
    queue.clear()
    queue.append((other, WEBRTC_BINARY, b"of another channel"))
    channel: Any = SimpleNamespace(readyState="open", bufferedAmount=0)

    def send(data: str) -> None:
        queue.append((channel, WEBRTC_STRING, data.encode()))
        channel.bufferedAmount += len(data)

    def add(size: int) -> None:
        channel.bufferedAmount += size

    channel.send, channel._addBufferedAmount = send, add
    queue.append((channel, WEBRTC_DCEP, opening))
    peer._channels["fields"] = channel
    for number in range(50):
        assert peer.send("fields", f"{number:0300}")
        assert channel.bufferedAmount <= 2048 + 300
    kept = [data for each, _, data in queue if each is channel]
    assert kept[0] == opening
    assert kept[-1] == f"{49:0300}".encode()
    assert queue[0][2] == b"of another channel"
    await peer.close()


async def test_channels_go_on_soon_after_a_loss_however_long_the_last_answer_took() -> None:
    connection = RTCPeerConnection()
    connection.createDataChannel("any")
    assert connection.sctp is not None
    limit_waiting(connection.sctp)
    assert connection.sctp._rto == 1.0
    for trip_s in (5.0, *(0.002,) * 100):
        connection.sctp._update_rto(trip_s)
        assert 1.0 <= connection.sctp._rto <= 1.5
    await connection.close()
