"""Decoders that others have published, for comparison: crsf-parser and pylivelinkface. They are in
build/peers (requirements-peers.lock) and not in .venv, because nothing else needs them and some
have to be built first. Before they are measured they must find the same values as ours do.
Not here: the figures.
"""

import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "build" / "peers" / "lib"
TIMES = 5.0  # ours are to be at least so many times as fast


def are_there() -> bool:
    """`make bench` fetches them."""
    return FOLDER.is_dir()


def crsf(frame: bytes, wanted: Sequence[int]) -> Callable[[], object]:
    """One frame with channels, in a stream that holds nothing else."""
    found: list[Any] = []
    parser = _module("crsf_parser").CRSFParser(lambda frame, status: found.append((frame, status)))

    def step() -> None:
        found.clear()
        parser.parse_stream(bytearray(frame))
        if len(found) != 1:
            raise RuntimeError("crsf-parser has not found the frame")

    step()
    content, status = found[0]
    _same("crsf-parser", content.payload.channels[::-1], wanted)  # it begins with the last one
    if status.name != "VALID":
        raise RuntimeError(f"crsf-parser takes the frame for {status.name}")
    return step


def face(datagram: bytes, wanted: Sequence[float]) -> Callable[[], object]:
    """One datagram of Live Link Face."""
    decode = _module("pylivelinkface").PyLiveLinkFace.decode
    shapes = importlib.import_module("pylivelinkface").FaceBlendShape
    has_face, found = decode(datagram)
    if not has_face:
        raise RuntimeError("pylivelinkface has found no face")
    _same("pylivelinkface", [found.get_blendshape(shape) for shape in shapes], wanted)
    return lambda: decode(datagram)


def _module(name: str) -> Any:
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))  # behind ours, so that nothing of ours is replaced
    return importlib.import_module(name)


def _same(name: str, found: Sequence[float], wanted: Sequence[float]) -> None:
    if list(found) != list(wanted):
        raise RuntimeError(f"{name} reads {list(found)[:4]} ..., ours {list(wanted)[:4]} ...")
