"""Plays input into a robot of `make run`: RC frames into the receiver's serial line at 50 Hz, face
datagrams to its UDP port at 60 Hz, in a loop until stopped; leader arms are moved too, and the
transmitter of a wagon. While the
robot's e-stop is active, and for three seconds afterwards, the sticks rest in neutral, as those of
a user who wants to clear it.
"""

import argparse
import asyncio
import contextlib
import json
import math
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from saint_services.lib.bus import Sample
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import EStop

from .feed_leader import move_leaders
from .feed_wagon import move_wagons
from .launch.machines.receiver import open_wire
from .launch.robot import bus_environment

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"

RC_HZ = 50.0
FACE_HZ = 60.0
_RECORDING_S, _SWEEP_S = 3.0, 12.0

# CRSF: address, length, type, 16 channels of 11 bits, check sum.
_ADDRESS, _CHANNELS_TYPE = 0xC8, 0x16
_CENTRE, _SWING = 992, 500  # of 820: sticks at about 60 %
_STICKS, _REST_S = 4, 3.0
# Channel 7, which has a robot stand up and walk: low, middle, high; since when in a sweep.
_MODE, _MODES, _MODE_SINCE_S = 6, (172, 992, 1811), (1.0, 4.5)
# Live Link Face v6 ends in 61 big-endian floats; these two turn the head.
_FACE_VALUES, _HEAD_YAW, _HEAD_PITCH = 61, 52, 53

_HELP = """\
what is played:
  recording   the captured streams of tests/data again and again: RC byte for byte, faces with
              frame numbers that go on rising, as a phone's do
  sweep       made up here, to see everything move: the recording's last RC frame with the right
              stick moved and channel 7 raised (a robot with legs stands up and walks), and a
              recorded face with the head turned
  demo        3 s of recording, then 12 s of sweep, and so on
While the e-stop is active, and for 3 s afterwards, the sticks are in neutral.
"""


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.feed", description=__doc__, epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("what", choices=("recording", "sweep", "demo"))
    parser.add_argument("--root", type=Path, default=ROOT / ".run", help="the robot's --root")
    parser.add_argument(
        "--only", choices=("rc", "face", "leader", "wagon"), help="leave the others out"
    )
    options = parser.parse_args()
    try:
        asyncio.run(_play(options.what, options.root.absolute(), options.only))
    except (KeyboardInterrupt, asyncio.CancelledError):
        pass
    except (FileNotFoundError, ConnectionRefusedError):
        sys.exit(f"no robot runs in {options.root}: start one with make run, or name its --root")


class Latch:
    """The robot's e-stop, as its topic reports it."""

    def __init__(self) -> None:
        self.is_active = False

    def follow(self, sample: Sample[EStop]) -> None:
        """Take over a report."""
        self.is_active = sample.message.active


async def _play(what: str, root: Path, only: str | None) -> None:
    latch = Latch()
    report = _report(root)
    os.environ.update(bus_environment(int(report["domain"])))
    bus = await open_bus("feed")
    bus.subscribe(topics.ESTOP, latch.follow)
    try:
        players = [_play_all(what, root, only, int(report["ports"]["llf"]), latch)]
        if only in (None, "leader"):
            players.append(move_leaders(root, str(report.get("robot", "saint")), bus))
        if only in (None, "wagon"):
            players.append(move_wagons(root, lambda: latch.is_active))
        await asyncio.gather(*players)
    finally:
        await bus.close()


async def _play_all(what: str, root: Path, only: str | None, face_port: int, latch: Latch) -> None:
    players = []
    if only in (None, "rc"):
        stream = rc_stream(what, lambda: latch.is_active)
        players.append(_repeat(RC_HZ, stream, _to_wire(open_wire(root))))
    if only in (None, "face"):
        players.append(_repeat(FACE_HZ, face_stream(what), _to_port(face_port)))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, _end_all)
    await asyncio.gather(*players)


def _end_all() -> None:
    for task in asyncio.all_tasks():
        task.cancel()


async def _repeat(rate_hz: float, stream: Iterator[bytes], send: Callable[[bytes], None]) -> None:
    """Send one item per period, timed by the clock and not by the last item."""
    loop = asyncio.get_running_loop()
    due_s = loop.time()
    for item in stream:
        send(item)
        # After a pause of the whole computer: go on from now, no burst.
        due_s = max(due_s + 1.0 / rate_hz, loop.time() - 1.0 / rate_hz)
        await asyncio.sleep(due_s - loop.time())


def rc_stream(what: str, is_stopped: Callable[[], bool] = lambda: False) -> Iterator[bytes]:
    """Yield CRSF frames endlessly."""
    recorded = split_crsf((DATA / "crsf-receiver.bin").read_bytes())
    base = unpack_channels(recorded[-1])
    resting = [_CENTRE] * _STICKS + base[_STICKS:]
    resting[_MODE] = _MODES[0]
    at_rest = pack_channels(resting)
    played = _mixed(what, RC_HZ, recorded, lambda at_s: sweep_frame(base, at_s))
    rest = 0
    while True:
        rest = round(_REST_S * RC_HZ) if is_stopped() else max(0, rest - 1)
        yield at_rest if rest else next(played)


def face_stream(what: str) -> Iterator[bytes]:
    """Yield Live Link Face datagrams endlessly."""
    lines = (DATA / "live-link-face.jsonl").read_text(encoding="utf-8").splitlines()
    recorded = [bytes.fromhex(json.loads(line)["hex"]) for line in lines]
    with_face = max(recorded, key=len)
    played = _mixed(what, FACE_HZ, recorded, lambda at_s: sweep_face(with_face, at_s))
    for number, datagram in enumerate(played, start=_frame_number(recorded[0])):
        yield renumbered(datagram, number)


def _mixed(
    what: str, rate_hz: float, recorded: list[bytes], sweep: Callable[[float], bytes]
) -> Iterator[bytes]:
    recording_s = {"recording": math.inf, "sweep": 0.0, "demo": _RECORDING_S}[what]
    position = 0
    while True:
        at_s = position / rate_hz % (recording_s + _SWEEP_S)
        if at_s < recording_s:
            yield recorded[position % len(recorded)]
        else:
            yield sweep(at_s - recording_s)
        position += 1


def split_crsf(data: bytes) -> list[bytes]:
    """Split a clean recording into frames by their length bytes."""
    frames = []
    while len(data) >= 2:
        end = data[1] + 2
        frames.append(data[:end])
        data = data[end:]
    return frames


def sweep_frame(base: list[int], at_s: float) -> bytes:
    """Encode the right stick (channel 2 drives, 1 turns) moving slowly around its centre."""
    turn = 2 * math.pi * at_s / _SWEEP_S
    channels = list(base)
    channels[1] = _CENTRE + round(_SWING * math.sin(2 * turn))
    channels[0] = _CENTRE + round(_SWING * math.sin(turn))
    channels[_MODE] = _MODES[sum(at_s >= since for since in _MODE_SINCE_S)]
    return pack_channels(channels)


def sweep_face(datagram: bytes, at_s: float) -> bytes:
    """Encode a head that turns and nods slowly, everything else as recorded."""
    turn = 2 * math.pi * at_s / _SWEEP_S
    first = len(datagram) - 4 * _FACE_VALUES
    changed = bytearray(datagram)
    struct.pack_into(">f", changed, first + 4 * _HEAD_YAW, 0.6 * math.sin(2 * turn))
    struct.pack_into(">f", changed, first + 4 * _HEAD_PITCH, 0.3 * math.sin(3 * turn))
    return bytes(changed)


def renumbered(datagram: bytes, number: int) -> bytes:
    """Change the frame number of a face: a smaller one would count as late."""
    at = _frame_number_at(datagram)
    return datagram[:at] + struct.pack(">i", number) + datagram[at + 4 :]


def _frame_number(datagram: bytes) -> int:
    number: int = struct.unpack_from(">i", datagram, _frame_number_at(datagram))[0]
    return number


def _frame_number_at(datagram: bytes) -> int:
    """Return the offset behind the version and two texts with lengths, device and subject."""
    at = 1
    for _ in range(2):
        at += 4 + int(struct.unpack_from(">i", datagram, at)[0])
    return at


def unpack_channels(frame: bytes) -> list[int]:
    """Decode the 16 channels of a CRSF channel frame."""
    bits = int.from_bytes(frame[3:25], "little")
    return [bits >> 11 * index & 0x7FF for index in range(16)]


def pack_channels(channels: list[int]) -> bytes:
    """Encode a CRSF channel frame."""
    bits = sum((value & 0x7FF) << 11 * index for index, value in enumerate(channels))
    body = bytes((_CHANNELS_TYPE,)) + bits.to_bytes(22, "little")
    return bytes((_ADDRESS, len(body) + 1)) + body + bytes((_crc(body),))


def _crc(data: bytes) -> int:
    """Compute CRC-8/DVB-S2, polynomial 0xD5."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ (0xD5 if crc & 0x80 else 0)) & 0xFF
    return crc


def _to_wire(descriptor: int) -> Callable[[bytes], None]:
    def send(frame: bytes) -> None:
        with contextlib.suppress(BlockingIOError):  # nobody reads: as on a wire, it is lost
            os.write(descriptor, frame)

    return send


def _report(root: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((root / "robot.json").read_text(encoding="utf-8"))
    return report


def _to_port(port: int) -> Callable[[bytes], None]:
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setblocking(False)

    def send(datagram: bytes) -> None:
        with contextlib.suppress(OSError):  # nobody listens: as on a network, it is lost
            sender.sendto(datagram, ("127.0.0.1", port))

    return send


if __name__ == "__main__":
    main()
