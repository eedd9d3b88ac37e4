"""Data channels of a session on a link that is full: nothing old waits, and a loss is over soon."""

from types import SimpleNamespace
from typing import Any

import pytest
from aiortc import RTCPeerConnection

from saint_services.teleopd.peers import RemotePeer, limit_waiting


@pytest.mark.parametrize(("waiting", "is_sent"), [(0, True), (8000, True), (8500, False)])
async def test_what_would_wait_behind_old_reports_is_not_sent(waiting: int, is_sent: bool) -> None:
    events: Any = None  # nothing happens to it here
    peer, sent = RemotePeer("a", events, None, ()), list[str]()
    channel: Any = SimpleNamespace(readyState="open", bufferedAmount=waiting, send=sent.append)
    peer._channels["fields"] = channel
    assert peer.send("fields", "newest") is is_sent
    assert sent == ["newest"] * is_sent
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
