"""The WebRTC connection of one session: offer and answer, data channels, the video track. The only
module that imports aiortc, and imported with the first session. Decides nothing.
"""

import asyncio
import contextlib
from array import array
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

from aiortc import (
    RTCConfiguration,
    RTCDataChannel,
    RTCIceServer,
    RTCPeerConnection,
    RTCRtpSender,
    RTCSctpTransport,
    RTCSessionDescription,
)
from aiortc.exceptions import InvalidAccessError, InvalidStateError, OperationError
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from aiortc.rtcsctptransport import WEBRTC_DCEP
from av import AudioFrame, Packet

from ..lib.api.teleop import IceServer, IceServers
from ..lib.errors import Code, SaintError
from ..lib.teleop.fields import CHANNELS
from .cameras import SharedCamera
from .extensions import complete_extensions
from .feedback import limit_repeats, watch
from .microphone import MOST_WAITING as MOST_PIECES
from .microphone import SharedMicrophone
from .packing import share
from .picture import EncodedPicture

_MOST_WAITING = 4  # pictures of a viewer whose connection is slow
_MOST_BUFFERED_BYTES = 2048  # of a channel: what waits longer is old, and makes room
_CLOSE_LIMIT_S = 2.0
# What aiortc raises for offers that were damaged at random.
_UNREADABLE = (
    *(ValueError, IndexError, KeyError, AttributeError, AssertionError, TypeError, RuntimeError),
    *(InvalidAccessError, InvalidStateError, OperationError),
)
# Until what was sent on a data channel counts as lost; meanwhile next to nothing is sent. aiortc
# begins with 3 s and waits up to 60: on a link that was full for some seconds the reports stayed
# away for seconds more. Not less than its one second: what is slower than this is never measured.
_FIRST_LOST_S, _MOST_LOST_S = 1.0, 1.5
_NO_OFFER = "the offer cannot be read as SDP with data channels"


class PeerEvents(Protocol):
    """What a connection reports."""

    def opened(self, session: str, channel: str) -> None: ...
    def received(self, session: str, channel: str, data: bytes | str) -> None: ...
    def said(self, session: str, sound: Callable[[], bytes]) -> None: ...
    def measured(self, session: str, estimate_kbps: float | None, loss: float | None) -> None: ...
    def round_trip_s(self, session: str) -> float | None: ...
    def lost(self, session: str, reason: str, *, has_left: bool) -> None: ...


class CameraTrack(MediaStreamTrack):
    """Passes encoded pictures on to one connection, beginning with a key picture."""

    kind = "video"

    def __init__(self, want_key: Callable[[], None]) -> None:
        super().__init__()
        self._want_key = want_key
        self._packets: asyncio.Queue[Packet[Any]] = asyncio.Queue(_MOST_WAITING)
        self._is_waiting_for_key = True

    def put(self, picture: EncodedPicture) -> None:
        """Queue a picture. After a gap the next key picture continues the stream."""
        if self._is_waiting_for_key and not picture.is_key:
            return
        if self._packets.full():
            while not self._packets.empty():
                self._packets.get_nowait()
            self._is_waiting_for_key = not picture.is_key
            self._want_key()
            if self._is_waiting_for_key:
                return
        self._is_waiting_for_key = False
        self._packets.put_nowait(picture.packet)

    async def recv(self) -> "Packet[Any]":
        """Return the next encoded picture."""
        if self.readyState != "live":
            raise MediaStreamError
        return await self._packets.get()


class MicrophoneTrack(MediaStreamTrack):
    """Passes the robot's encoded sound on to one connection; the oldest piece is dropped."""

    kind = "audio"

    def __init__(self) -> None:
        super().__init__()
        self._packets: asyncio.Queue[Packet[Any]] = asyncio.Queue(MOST_PIECES)

    def put(self, packet: "Packet[Any]") -> None:
        """Queue a piece."""
        if self._packets.full():
            self._packets.get_nowait()
        self._packets.put_nowait(packet)

    async def recv(self) -> "Packet[Any]":
        """Return the next encoded piece."""
        if self.readyState != "live":
            raise MediaStreamError
        return await self._packets.get()


class RemotePeer:
    """One connection; it gets picture and sound if its offer has video and audio."""

    may_choose_sound = True

    def __init__(
        self,
        session: str,
        events: PeerEvents,
        camera: SharedCamera | None,
        ice: IceServers,
    ) -> None:
        self._pc = RTCPeerConnection(configuration(ice.servers))
        self._gather_limit_s = ice.wait_s
        self._session = session
        self._events = events
        self.camera = camera
        self._microphone: SharedMicrophone | None = None
        self._track: CameraTrack | None = None
        self._sound: MicrophoneTrack | None = None
        self._listening: asyncio.Task[None] | None = None
        self._channels: dict[str, RTCDataChannel] = {}
        self._pc.on("track", self._on_track)
        self._pc.on("datachannel", self._on_channel)
        self._pc.on("connectionstatechange", self._on_state)

    async def answer(self, sdp: str) -> str:
        """Return the answer to an offer. Raises request_invalid."""
        if "m=application" not in sdp:
            raise SaintError(Code.REQUEST_INVALID, _NO_OFFER)
        try:
            offer = RTCSessionDescription(sdp=sdp, type="offer")
            if "m=video" in sdp and self.camera is not None:
                self._add_video(self.camera)
            if "m=audio" in sdp and self._microphone is not None:
                self._add_sound(self._microphone)
            await self._pc.setRemoteDescription(offer)
            if self._pc.sctp is not None:
                limit_waiting(self._pc.sctp)
                limit_gathering(self._pc.sctp, self._gather_limit_s)
            await self._pc.setLocalDescription(await self._pc.createAnswer())
        except _UNREADABLE as err:
            raise SaintError(Code.REQUEST_INVALID, _NO_OFFER) from err
        return self._pc.localDescription.sdp

    def listen(self, microphone: SharedMicrophone | None) -> None:
        """Send the sound of this microphone instead of the one before, if the offer had audio."""
        before, self._microphone = self._microphone, microphone
        if self._sound is None or before is microphone:
            return
        if before is not None:
            before.remove(self._sound)
        if microphone is not None:
            microphone.add(self._sound)

    def send(self, channel: str, data: bytes | str) -> bool:
        """Send a message that may get lost; False when the channel is not open."""
        found = self._channels.get(channel)
        if found is None or found.readyState != "open":
            return False
        if found.bufferedAmount > _MOST_BUFFERED_BYTES:
            self._drop_waiting(found)
        found.send(data)
        return True

    def _drop_waiting(self, channel: RTCDataChannel) -> None:
        """Drop what waits in a channel: the next message is newer, and says all that counts."""
        if self._pc.sctp is None:
            return
        queue = self._pc.sctp._data_channel_queue
        for each in [each for each in queue if each[0] is channel and each[1] != WEBRTC_DCEP]:
            queue.remove(each)
            channel._addBufferedAmount(-len(each[2]))

    def has(self, channel: str) -> bool:
        """Return whether the other end has opened this channel."""
        return channel in self._channels

    @property
    def round_trip_ms(self) -> float | None:
        """The round trip as the data channels' transport measures it; None: not yet."""
        seconds = getattr(self._pc.sctp, "_srtt", None)
        return None if seconds is None else seconds * 1000.0

    @property
    def traffic(self) -> tuple[int, int]:
        """Bytes sent and received so far: everything shares one transport."""
        transport = self._pc.sctp.transport if self._pc.sctp else None
        if transport is None:
            return 0, 0
        found = transport._get_stats()[transport._stats_id]
        return found.bytesSent, found.bytesReceived

    async def close(self) -> None:
        """Close the connection and stop its video."""
        if self.camera is not None and self._track is not None:
            self.camera.remove(self._track)
        if self._microphone is not None and self._sound is not None:
            self._microphone.remove(self._sound)
        if self._listening is not None:
            self._listening.cancel()
        self._pc.remove_all_listeners()
        # Not cancelled: aiortc may be closing it as well, and the two wait for one future.
        closing = asyncio.ensure_future(self._pc.close())
        await asyncio.wait({closing}, timeout=_CLOSE_LIMIT_S)
        if closing.done() and not closing.cancelled():
            closing.exception()  # of a connection that was never whole; there is nothing to do

    def _add_video(self, camera: SharedCamera) -> None:
        """Offer VP8 alone, as the pictures are encoded once for all."""
        self._track = CameraTrack(camera.want_key)
        sender = self._pc.addTrack(self._track)
        # aiortc requests key pictures of its own encoder; ours is shared.
        setattr(sender, "_send_keyframe", camera.want_key)  # noqa: B010
        share(sender, camera)
        complete_extensions(sender)
        watch(sender, partial(self._events.measured, self._session))
        limit_repeats(sender, partial(self._events.round_trip_s, self._session), camera.want_key)
        codecs = RTCRtpSender.getCapabilities("video").codecs
        chosen = [each for each in codecs if each.mimeType in ("video/VP8", "video/rtx")]
        for transceiver in self._pc.getTransceivers():
            if transceiver.sender is sender:
                transceiver.direction = "sendonly"
                transceiver.setCodecPreferences(chosen)
        camera.add(self._track)

    def _add_sound(self, microphone: SharedMicrophone) -> None:
        """Offer Opus alone, as the sound is encoded once for all."""
        self._sound = MicrophoneTrack()
        sender = self._pc.addTrack(self._sound)
        # A stream of its own: a browser delays the picture until the sound of its stream fits.
        sender._stream_id = self._sound.id
        codecs = RTCRtpSender.getCapabilities("audio").codecs
        chosen = [each for each in codecs if each.mimeType == "audio/opus"]
        for transceiver in self._pc.getTransceivers():
            if transceiver.sender is sender:
                transceiver.setCodecPreferences(chosen)
        microphone.add(self._sound)

    def _on_track(self, track: MediaStreamTrack) -> None:
        if track.kind == "audio" and self._listening is None:
            self._listening = asyncio.ensure_future(self._listen(track))

    async def _listen(self, track: MediaStreamTrack) -> None:
        """Hand on what the other end says, until its track ends."""
        with contextlib.suppress(MediaStreamError):
            while True:
                frame = await track.recv()
                if isinstance(frame, AudioFrame):
                    self._events.said(self._session, partial(_one_channel, frame))

    def _on_channel(self, channel: RTCDataChannel) -> None:
        name = channel.label
        if name not in CHANNELS or name in self._channels:
            channel.close()
            return
        self._channels[name] = channel
        channel.on("message", lambda data: self._events.received(self._session, name, data))
        self._events.opened(self._session, name)

    def _on_state(self) -> None:
        state = self._pc.connectionState
        if state in ("failed", "closed", "disconnected"):
            has_left = state == "closed"  # by the other end; a network that fails says nothing
            self._events.lost(self._session, f"its link is {state}", has_left=has_left)


def configuration(servers: Sequence[IceServer]) -> RTCConfiguration:
    """Return aiortc's form of these servers. It takes the first of each kind."""
    return RTCConfiguration(iceServers=[
        RTCIceServer(each.urls, each.username or None, each.credential or None)
        for each in servers
    ])  # fmt: skip


def limit_gathering(sctp: RTCSctpTransport, limit_s: float) -> None:
    """Wait less for a STUN or TURN server than aiortc's five seconds."""
    ice = sctp.transport.transport.iceGatherer._connection
    gather = partial(ice.get_component_candidates, timeout=limit_s)  # type: ignore[arg-type]
    setattr(ice, "get_component_candidates", gather)  # noqa: B010


def limit_waiting(sctp: RTCSctpTransport) -> None:
    """Have the data channels go on soon after a loss."""
    update: Callable[[float], None] = sctp._update_rto

    def updated(trip_s: float) -> None:
        update(trip_s)
        sctp._rto = min(sctp._rto, _MOST_LOST_S)

    setattr(sctp, "_update_rto", updated)  # noqa: B010
    sctp._rto = _FIRST_LOST_S


def _one_channel(frame: AudioFrame) -> bytes:
    """Return aiortc's decoded sound (two channels, 16 bit, 48 kHz) as the mean of both."""
    both = array("h", bytes(frame.planes[0])[: 4 * frame.samples])
    return array("h", ((a + b) >> 1 for a, b in zip(both[::2], both[1::2], strict=True))).tobytes()
