"""Connects this machine with itself over WebRTC, and measures what a session needs: whether a link
comes up, how long a message takes, how long a picture. Moves nothing and reads no camera.
"""

import asyncio
import io
import statistics
import time

from aiortc import RTCDataChannel, RTCPeerConnection
from PIL import Image

from ..lib.api.teleop import IceServers, LinkTest
from ..lib.errors import Code, SaintError
from ..lib.generated.sensor_msgs import CompressedImage
from .peers import configuration, limit_gathering
from .picture import PictureEncoder
from .rate import VideoTarget

_LIMIT_S = 10.0
_ECHOES = 20
_SIZE = (640, 480)
_SILENT = (
    "{turn} gave no address within {seconds:g} s. Check its address, user and password; with "
    "turns: also its certificate, with a shared secret also the clocks of both."
)


async def measured(ice: IceServers) -> LinkTest:
    """Return what was measured. Raises internal when no link comes up."""
    near, far = (RTCPeerConnection(configuration(each)) for each in (ice.servers, []))
    try:
        async with asyncio.timeout(_LIMIT_S):
            began_s = time.perf_counter()
            channel = await _linked(near, far, ice.wait_s)
            connected_ms = (time.perf_counter() - began_s) * 1000
            trips = await _echoes(channel)
    except TimeoutError as err:
        text = f"this machine did not connect with itself within {_LIMIT_S:g} s"
        fix = "WebRTC needs one network interface beside loopback that is up."
        raise SaintError(Code.INTERNAL, text, fix=fix) from err
    finally:
        sdp = near.localDescription.sdp if near.localDescription else ""
        await near.close()
        await far.close()
    lines = [line.split() for line in sdp.splitlines() if line.startswith("a=candidate:")]
    relay = next((fields[4] for fields in lines if fields[7] == "relay"), "")
    turn = next((each.urls[0] for each in ice.servers if each.credential), "")
    silent = _SILENT.format(turn=turn, seconds=ice.wait_s)
    return LinkTest(
        connected_ms=round(connected_ms, 1),
        round_trip_ms=round(statistics.median(trips), 2),
        encode_ms=round(await asyncio.to_thread(_encode_ms), 2),
        addresses=sorted({fields[4] for fields in lines}),
        relay=relay,
        problem=silent if turn and not relay else ice.problem,
    )


async def _linked(
    near: RTCPeerConnection, far: RTCPeerConnection, limit_s: float
) -> RTCDataChannel:
    """Return an open channel whose other end returns every message."""
    channel, is_open = near.createDataChannel("fields", ordered=False, maxRetransmits=0), None
    is_open = asyncio.Event()
    channel.on("open", is_open.set)

    @far.on("datachannel")
    def _(other: RTCDataChannel) -> None:
        other.on("message", other.send)

    if near.sctp is not None:
        limit_gathering(near.sctp, limit_s)
    await near.setLocalDescription(await near.createOffer())
    await far.setRemoteDescription(near.localDescription)
    await far.setLocalDescription(await far.createAnswer())
    await near.setRemoteDescription(far.localDescription)
    await is_open.wait()
    return channel


async def _echoes(channel: RTCDataChannel) -> list[float]:
    """Return the round trips of some messages in ms."""
    arrived: asyncio.Queue[str] = asyncio.Queue()
    channel.on("message", arrived.put_nowait)
    trips = []
    for number in range(_ECHOES):
        began_s = time.perf_counter()
        channel.send(str(number))
        await arrived.get()
        trips.append((time.perf_counter() - began_s) * 1000)
    return trips


def _encode_ms() -> float:
    buffer = io.BytesIO()
    Image.effect_noise(_SIZE, 40).convert("RGB").save(buffer, "JPEG")
    picture = CompressedImage(format="jpeg", data=buffer.getvalue())
    encoder, target = PictureEncoder(), VideoTarget(1500)
    times = []
    for number in range(5):
        began_s = time.perf_counter()
        encoder.encode(picture, number / 30, target, is_key=number == 0)
        times.append((time.perf_counter() - began_s) * 1000)
    return statistics.median(times)
