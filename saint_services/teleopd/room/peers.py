"""Presents a room and its operator as connections of remote operation: what goes to them is queued
for the room, the newest of each topic. Decides nothing.
"""

import asyncio
from collections import Counter
from typing import Any

from ..cameras import SharedCamera
from ..microphone import SharedMicrophone
from .package import outcome

UNSENT = "livekit_unsent"
_SEND_LIMIT_S = 1.0


class RoomSender:
    """Sends data to the room. What waits longer than the next message of its topic is dropped."""

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._waiting: dict[tuple[str, str], bytes | str] = {}
        self._is_waiting = asyncio.Event()
        self.sent_bytes = 0

    def put(self, topic: str, to: str, data: bytes | str) -> None:
        """Queue a message for a participant; empty: for all."""
        if (topic, to) in self._waiting:
            self._counters[UNSENT] += 1
        self._waiting[topic, to] = data
        self._is_waiting.set()

    async def run(self, participant: Any) -> None:
        """Send until cancelled."""
        while True:
            await self._is_waiting.wait()
            self._is_waiting.clear()
            waiting, self._waiting = self._waiting, {}
            for (topic, to), data in waiting.items():
                call = participant.publish_data(
                    data, reliable=False, destination_identities=[to] if to else [], topic=topic
                )
                if await outcome(call, _SEND_LIMIT_S):
                    self._counters[UNSENT] += 1
                else:
                    self.sent_bytes += len(data)


class RoomPeer:
    """One connection: the room (`to` empty), or its operator."""

    may_choose_sound = False  # the room has one track of sound for all

    def __init__(
        self, sender: RoomSender, to: str, channels: tuple[str, ...],
        camera: SharedCamera | None,
    ) -> None:  # fmt: skip
        self._sender = sender
        self._to = to
        self._channels = channels
        self.camera = camera
        self.received_bytes = 0
        self._sent_bytes = 0

    async def answer(self, _: str) -> str:
        """Return nothing: the room has its own signalling."""
        return ""

    def listen(self, _: SharedMicrophone | None) -> None:
        """Do nothing: the room's sound is published by itself (media.py)."""

    def send(self, channel: str, data: bytes | str) -> bool:
        """Queue a message."""
        if channel not in self._channels:
            return False
        self._sender.put(channel, self._to, data)
        self._sent_bytes += len(data)
        return True

    def has(self, channel: str) -> bool:
        return channel in self._channels

    @property
    def round_trip_ms(self) -> float | None:
        """Unknown: the package measures the way to the server alone. The operator's answers to
        reports count; without them nothing drives.
        """
        return None

    @property
    def traffic(self) -> tuple[int, int]:
        """Bytes of data sent and received; pictures are counted by the cameras."""
        return self._sent_bytes, self.received_bytes

    async def close(self) -> None:
        """The room's life cycle is the bridge's."""
