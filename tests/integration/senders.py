"""The world outside the robot: a transmitter on the serial line, a phone on the network."""

import contextlib
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

from tests.integration.robot import Robot
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


@contextlib.contextmanager
def playing(send: Callable[[bytes], object], items: list[bytes], rate_hz: float) -> Iterator[None]:
    """Sends the items again and again in the background."""
    ended = threading.Event()

    def play() -> None:
        for item in cycle(items):
            send(item)
            if ended.wait(1.0 / rate_hz):
                return

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(2.0)


@contextlib.contextmanager
def transmitter(robot: Robot, frames: list[bytes], rate_hz: float = 50.0) -> Iterator[int]:
    """Frames on the receiver's serial line; yields the descriptor of the transmitter's end."""
    wire = robot.rc_wire()

    def send(frame: bytes) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(wire, frame)

    try:
        with playing(send, frames, rate_hz):
            yield wire
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
