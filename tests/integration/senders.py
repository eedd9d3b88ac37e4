"""The world outside the robot: a transmitter on the serial line, a phone on the network."""

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import SourceInfo
from tests.integration.robot import Robot
from tests.waiting import until
from tools.feed import pack_channels, split_crsf, unpack_channels

DATA = Path(__file__).resolve().parents[1] / "data"
RECORDED_RC = split_crsf((DATA / "crsf-receiver.bin").read_bytes())
RECORDED_FACE = [
    bytes.fromhex(json.loads(line)["hex"])
    for line in (DATA / "live-link-face.jsonl").read_text().splitlines()
]
CENTRE = 992


def stick(forward: float = 0.0, turn: float = 0.0) -> bytes:
    """A CRSF frame as recorded, with the right stick moved; 1 is full deflection."""
    channels = unpack_channels(RECORDED_RC[0])
    channels[0] = CENTRE + round(820 * turn)
    channels[1] = CENTRE + round(820 * forward)
    return pack_channels(channels)


class Player:
    """Sends the items again and again in the background, ahead of other programs where it may: a
    radio does not wait for a processor.
    """

    def __init__(self, send: Callable[[bytes], object], items: list[bytes], rate_hz: float) -> None:
        self.longest_pause_s = 0.0  # between two items; a reader may reset it
        self._send, self._items, self._period_s = send, items, 1.0 / rate_hz
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._thread.join(2.0)

    def _play(self) -> None:
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
        sent_s = time.monotonic()
        for item in cycle(self._items):
            self._send(item)
            before_s, sent_s = sent_s, time.monotonic()
            self.longest_pause_s = max(self.longest_pause_s, sent_s - before_s)
            if self._ended.wait(self._period_s):
                return


@contextlib.contextmanager
def playing(
    send: Callable[[bytes], object], items: list[bytes], rate_hz: float
) -> Iterator[Player]:
    """A player for as long as this lasts."""
    player = Player(send, items, rate_hz)
    try:
        yield player
    finally:
        player.close()


@contextlib.contextmanager
def transmitter(robot: Robot, frames: list[bytes], rate_hz: float = 50.0) -> Iterator[Player]:
    """Frames on the receiver's serial line."""
    wire = robot.rc_wire()

    def send(frame: bytes) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(wire, frame)

    try:
        with playing(send, frames, rate_hz) as player:
            yield player
    finally:
        os.close(wire)


@contextlib.contextmanager
def phone(robot: Robot, datagrams: list[bytes], rate_hz: float = 60.0) -> Iterator[socket.socket]:
    """Datagrams to the robot's face port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.connect(robot.face_address)

        def send(datagram: bytes) -> None:
            with contextlib.suppress(OSError):
                sender.send(datagram)

        with playing(send, datagrams, rate_hz):
            yield sender


async def received(robot: Robot, source: str) -> SourceInfo:
    """The router's view of an input, once it is alive."""
    async with robot.client("routerd") as client:

        async def alive() -> SourceInfo | None:
            sources = (await client.request(routing.GET_STATUS, Nothing())).sources
            found = (each for each in sources if each.source == source)
            return next((each for each in found if each.alive and each.values), None)

        return await until(alive, explain=robot.diagnosis)
