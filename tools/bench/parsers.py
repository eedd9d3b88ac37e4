"""Frames per second of the receivers' parsers and of the face decoder, in the same run beside a
plain struct decode without framing or checks, and beside crsf-parser and pylivelinkface of PyPI.

`python -m tools.bench.parsers [--json]`. Ours are to be at least five times as fast as the latter.
"""

import argparse
import json
import statistics
import struct
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from saint_services.lib.bus import cdr
from saint_services.lib.generated.builtin_interfaces import Time
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.livelinkd.protocols import decode_llf
from saint_services.livelinkd.protocols.frames import Frame
from saint_services.rcd.channels import Normalizer
from saint_services.rcd.config import Failsafe
from saint_services.rcd.logic import Receiver
from saint_services.rcd.protocols import PARSERS, RcFrame
from tools.bench import peers

DATA = Path(__file__).parents[2] / "tests" / "data"
ROUNDS = 5
FRAMES = 2000  # per round
PERIOD_US = 7_000  # between frames, as on a real line
Step = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Result:
    """One row."""

    name: str
    frames_per_s: int
    us_per_frame: float
    share_of_baseline: float  # speed as a share of the plain decode's
    times_peer: float = 0.0  # how many times as fast as the published decoder; 0: not compared


def main() -> None:
    """Print the table, or JSON."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", action="store_true", help="one JSON array")
    results = measure()
    if arguments.parse_args().json:
        print(json.dumps([asdict(result) for result in results]))
        return
    for result in results:
        beside = f"{result.times_peer:>8.1f} x the peer" if result.times_peer else ""
        print(
            f"{result.name:<28}{result.frames_per_s:>10}/s{result.us_per_frame:>9.2f} us"
            f"{result.share_of_baseline:>8.2f} x plain{beside}"
        )
    if peers.are_there():
        print(f"budget: {peers.TIMES:.0f} x the peers at least")
    else:
        print("crsf-parser and pylivelinkface are not here: `make bench` fetches them")


def measure() -> list[Result]:
    """All rows; each kind of frame with its own baseline."""
    crsf = (DATA / "crsf-receiver.bin").read_bytes()[:26]
    sbus = (DATA / "sbus-single.bin").read_bytes()
    ibus = (DATA / "ibus-single.bin").read_bytes()
    face = bytes.fromhex(json.loads((DATA / "live-link-face.jsonl").open().readline())["hex"])
    results: list[Result] = []
    theirs = _peers(crsf, face) if peers.are_there() else {}
    for name, frame, skip in (("crsf", crsf, 3), ("sbus", sbus, 1)):
        plain = partial(_bits, frame, skip)
        results += _rows(name, plain, _parser(name, frame), theirs.get(name))
    results += _rows("ibus", lambda: struct.unpack_from("<14H", ibus, 2), _parser("ibus", ibus))
    ghst = (DATA / "ghst-published.bin").read_bytes()[:14]
    mavlink = (DATA / "mavlink1-override.bin").read_bytes()[17:43]
    results += _rows("ghst", partial(_bits, ghst.ljust(25), 3), _parser("ghst", ghst))
    plain_override = partial(struct.unpack_from, "<8H", mavlink, 6)
    results += _rows("mavlink override", plain_override, _parser("mavlink", mavlink))
    plain_face = partial(struct.unpack_from, ">61f", face, 75)
    results += _rows("live link face", plain_face, _face(face), theirs.get("live link face"))
    results.append(_row("crsf byte to CDR sample", _whole_path(crsf), results[0].us_per_frame))
    return results


def _bits(frame: bytes, skip: int) -> tuple[int, ...]:
    bits = int.from_bytes(frame[skip : skip + 22], "little")
    return tuple([bits >> shift & 0x7FF for shift in range(0, 176, 11)])


def _parser(name: str, frame: bytes) -> Callable[[], object]:
    parser = PARSERS[name]()
    now_us = 0

    def step() -> None:
        nonlocal now_us
        now_us += PERIOD_US
        if len(parser.feed(frame, now_us)) != 1:
            raise RuntimeError(f"{name}: the frame was not found")

    return step


def _face(datagram: bytes) -> Callable[[], object]:
    return lambda: decode_llf(datagram)


def _whole_path(frame: bytes) -> Callable[[], object]:
    """All that rcd does for a frame, but for the system calls: parse, judge, normalise, encode."""
    parser, receiver = (
        PARSERS["crsf"](),
        Receiver(Normalizer([]), Failsafe(), needs_steady_start=False),
    )
    sample = InputSample(stamp=Time(), source="rc")
    now_us = 0

    def step() -> None:
        nonlocal now_us
        now_us += PERIOD_US
        for found in parser.feed(frame, now_us):
            receiver.take(found, now_us * 1e-6)
            sample.stamp.sec, sample.stamp.nanosec = divmod(time.time_ns(), 1_000_000_000)
            sample.sequence += 1
            sample.names, sample.values = receiver.names, receiver.values
            cdr.encode(sample)

    return step


def _peers(crsf: bytes, face: bytes) -> dict[str, tuple[str, Step]]:
    """Title and step by kind of frame; they must find what ours find."""
    (rc,) = PARSERS["crsf"]().feed(crsf, 0)
    decoded = decode_llf(face)
    if not isinstance(rc, RcFrame) or not isinstance(decoded, Frame):
        raise RuntimeError("the samples hold no channels or no face")
    return {
        "crsf": ("crsf-parser", peers.crsf(crsf, rc.raw)),
        "live link face": ("pylivelinkface", peers.face(face, decoded.values)),
    }


def _rows(
    name: str, plain: Step, ours: Step, theirs: tuple[str, Step] | None = None
) -> list[Result]:
    baseline = _row(f"{name}: plain decode", plain, 0.0)
    own = _row(f"{name}: ours", ours, baseline.us_per_frame)
    if theirs is None:
        return [baseline, own]
    title, step = theirs
    peer = _row(f"{name}: {title}", step, baseline.us_per_frame)
    compared = replace(own, times_peer=round(peer.us_per_frame / own.us_per_frame, 1))
    return [baseline, peer, compared]


def _row(name: str, step: Callable[[], object], baseline_us: float) -> Result:
    taken = statistics.median(_round(step) for _ in range(ROUNDS))
    us = taken / FRAMES * 1e6
    share = baseline_us / us if baseline_us else 1.0
    return Result(name, round(1e6 / us), round(us, 2), round(share, 2))


def _round(step: Callable[[], object]) -> float:
    started = time.perf_counter()
    for _ in range(FRAMES):
        step()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
