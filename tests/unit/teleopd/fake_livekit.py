"""Stands for the package livekit.rtc and its server: the same names and parameters (checked against
the real package by tests/integration/test_livekit_contract.py), and rooms that a test fills.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

ROOMS: list["Room"] = []  # that were made, the newest last
FAULTS: dict[str, Exception] = {}  # call -> what it raises


class ConnectionState(IntEnum):
    CONN_DISCONNECTED = 0
    CONN_CONNECTED = 1
    CONN_RECONNECTING = 2


class VideoCodec(IntEnum):
    VP8 = 0


class EncodedFrameType(IntEnum):
    ENCODED_FRAME_KEY = 0
    ENCODED_FRAME_DELTA = 1


class VideoEncoderBackend(IntEnum):
    ENCODER_BACKEND_PRE_ENCODED = 6


class TrackSource(IntEnum):
    SOURCE_CAMERA = 1
    SOURCE_MICROPHONE = 2


@dataclass
class TrackPublishOptions:
    source: int = 0
    video_codec: int = 0
    video_encoder: int = 0
    simulcast: bool = True


@dataclass
class RoomOptions:
    auto_subscribe: bool = True


@dataclass
class DataPacket:
    data: bytes
    kind: int
    participant: Any
    topic: str | None = None


@dataclass
class EncodedVideoFrame:
    data: bytes
    width: int
    height: int
    codec: int
    frame_type: int
    timestamp_us: int


class EncodedVideoSource:
    newest: "EncodedVideoSource"

    def __init__(self, width: int, height: int) -> None:
        self.size = (width, height)
        self.frames: list[EncodedVideoFrame] = []
        self.is_closed = self.is_key_wanted = False
        EncodedVideoSource.newest = self

    def capture_frame(self, frame: EncodedVideoFrame) -> bool:
        if "capture_frame" in FAULTS:
            raise FAULTS["capture_frame"]
        self.frames.append(frame)
        return True

    def take_feedback(self) -> Any:
        found, self.is_key_wanted = self.is_key_wanted, False
        rate = SimpleNamespace(target_bitrate_bps=800_000, framerate_fps=30.0)
        return SimpleNamespace(keyframe_requested=found, rate_control=rate)

    async def aclose(self) -> None:
        self.is_closed = True


class LocalVideoTrack:
    @staticmethod
    def create_video_track(name: str, source: EncodedVideoSource) -> Any:
        return SimpleNamespace(name=name, kind="video", source=source)


class AudioFrame:
    def __init__(
        self, data: bytes, sample_rate: int, num_channels: int, samples_per_channel: int
    ) -> None:
        assert len(data) >= 2 * num_channels * samples_per_channel
        self.data, self.samples_per_channel = data, samples_per_channel


class AudioSource:
    newest: "AudioSource"

    def __init__(self, sample_rate: int, num_channels: int) -> None:
        self.rate = (sample_rate, num_channels)
        self.frames: list[AudioFrame] = []
        AudioSource.newest = self

    async def capture_frame(self, frame: AudioFrame) -> None:
        self.frames.append(frame)

    async def aclose(self) -> None:
        pass


class LocalAudioTrack:
    @staticmethod
    def create_audio_track(name: str, source: AudioSource) -> Any:
        return SimpleNamespace(name=name, kind="audio", source=source)


@dataclass
class LocalParticipant:
    sent: list[tuple[str, bytes | str, list[str], bool]] = field(default_factory=list)
    tracks: list[tuple[Any, TrackPublishOptions]] = field(default_factory=list)
    methods: dict[str, Callable[..., str]] = field(default_factory=dict)

    async def publish_data(
        self,
        payload: bytes | str,
        *,
        reliable: bool = True,
        destination_identities: list[str] = [],  # noqa: B006
        topic: str = "",
    ) -> None:
        if "publish_data" in FAULTS:
            raise FAULTS["publish_data"]
        self.sent.append((topic, payload, list(destination_identities), reliable))

    async def publish_track(self, track: Any, options: Any = None) -> None:
        self.tracks.append((track, options))

    def register_rpc_method(self, method_name: str, handler: Callable[..., str]) -> None:
        self.methods[method_name] = handler


class Room:
    def __init__(self) -> None:
        self.local_participant = LocalParticipant()
        self.remote_participants: dict[str, Any] = {}
        self.connection_state = ConnectionState.CONN_DISCONNECTED
        self.handlers: dict[str, Callable[..., None]] = {}
        self.given: tuple[str, str, Any] | None = None
        ROOMS.append(self)

    def on(self, event: str, callback: Callable[..., None]) -> None:
        self.handlers[event] = callback

    async def connect(self, url: str, token: str, options: RoomOptions) -> None:
        if "connect" in FAULTS:
            raise FAULTS["connect"]
        self.given = url, token, options
        self.connection_state = ConnectionState.CONN_CONNECTED

    async def disconnect(self) -> None:
        self.connection_state = ConnectionState.CONN_DISCONNECTED

    # What a server does.

    def join(self, identity: str) -> None:
        self.remote_participants[identity] = SimpleNamespace(identity=identity)
        self.handlers["participant_connected"](self.remote_participants[identity])

    def leave(self, identity: str) -> None:
        self.handlers["participant_disconnected"](self.remote_participants.pop(identity))

    def data(self, identity: str | None, data: bytes, topic: str | None = "commands") -> None:
        sender = None if identity is None else SimpleNamespace(identity=identity)
        self.handlers["data_received"](DataPacket(data, 1, sender, topic))

    def call(self, method: str, identity: str) -> str:
        handler = self.local_participant.methods[method]
        return handler(SimpleNamespace(caller_identity=identity, payload="", method=method))

    def received(self, topic: str, identity: str = "") -> list[bytes | str]:
        """What a participant has got; without one, what all have."""
        to = [identity] if identity else []
        return [each[1] for each in self.local_participant.sent if each[0::2][:2] == (topic, to)]


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `import livekit.rtc` find this module."""
    package = ModuleType("livekit")
    package.__path__ = []
    package.__spec__ = ModuleSpec("livekit", None, is_package=True)
    module = ModuleType("livekit.rtc")
    module.__dict__.update({k: v for k, v in globals().items() if not k.startswith("__")})
    module.__spec__ = ModuleSpec("livekit.rtc", None)
    monkeypatch.setitem(sys.modules, "livekit", package)
    monkeypatch.setitem(sys.modules, "livekit.rtc", module)
    ROOMS.clear()
    FAULTS.clear()
