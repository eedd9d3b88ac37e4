"""Checks at start that the library behaves as we rely on, partly beyond its public interface:
writes a sample with a field of each kind to itself, in a partition without other readers. Not here:
the network.
"""

import os
import time
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...errors import SaintError
from ...generated.errors import Code
from .. import Qos, cdr
from .entities import DdsEndpoint, DdsReader, DdsWriter, SampleBatch
from .library import Library
from .remote_endpoints import WriterOrigins, origin_of

_CLOCK_S = 60.0
_passed: set[str] = set()


@dataclass(slots=True)
class _Pair:
    TYPE: ClassVar[str] = "saint_selftest/msg/Pair"
    HASH: ClassVar[str] = ""
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (
        ("name", "string"),
        ("values", cdr.Sequence("float64")),
    )

    name: str = "pair"
    values: tuple[float, ...] = (0.5, -1.5)


@dataclass(slots=True)
class _Everything:
    TYPE: ClassVar[str] = "saint_selftest/msg/Everything"
    HASH: ClassVar[str] = ""
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (
        ("flag", "bool"),
        ("byte", "uint8"),
        ("number", "int64"),
        ("ratio", "float32"),
        ("text", "string"),
        ("names", cdr.Sequence("string")),
        ("small", cdr.Sequence("int16")),
        ("block", cdr.Array("float64", 3)),
        ("pair", _Pair),
        ("pairs", cdr.Sequence(_Pair)),
        ("two", cdr.Array(_Pair, 2)),
        ("blob", cdr.Sequence("uint8")),
    )

    flag: bool = True
    byte: int = 200
    number: int = -(2**40)
    ratio: float = 0.25
    text: str = "grüß"
    names: tuple[str, ...] = ("a", "bc", "")
    small: tuple[int, ...] = (-1, 2, 3)
    block: tuple[float, ...] = (1.0, 2.0, 3.0)
    pair: _Pair = field(default_factory=_Pair)
    pairs: tuple[_Pair, ...] = (_Pair("x", ()), _Pair())
    two: tuple[_Pair, ...] = (_Pair(), _Pair("y", (1.0,)))
    blob: bytes = b"\1\2\3"


def run(library: Library, participant: int, batch: SampleBatch) -> None:
    """Run the self-test once per process. Raises SaintError bus_unavailable with what failed."""
    if library.path in _passed:
        return
    endpoint = DdsEndpoint(
        topic="saint_selftest",
        type="saint_selftest::msg::dds_::Everything_",
        fields=_Everything.FIELDS,
        qos=Qos(depth=1),
        partition=b"saint_selftest_%d" % os.getpid(),
    )
    reader = DdsReader(library, participant, endpoint)
    writer = DdsWriter(library, participant, endpoint)
    try:
        problem = _problem(library, participant, batch, reader, writer)
    finally:
        writer.close()
        reader.close()
    if problem:
        raise SaintError(Code.BUS_UNAVAILABLE, f"{library.path} fails its self-test: {problem}")
    _passed.add(library.path)


def _problem(
    library: Library, participant: int, batch: SampleBatch, reader: DdsReader, writer: DdsWriter
) -> str:
    sent = _Everything()
    writer.write(cdr.encode(sent))
    samples, _ = batch.take(reader)
    if len(samples) != 1:
        return f"{len(samples)} samples came back instead of one"
    data, source_ns, handle = samples[0]
    if cdr.decode(_Everything, data) != sent:
        return "the sample came back changed"
    if abs(time.time() - source_ns * 1e-9) > _CLOCK_S:
        return "the sample's time is wrong"
    if WriterOrigins(library).of(reader.entity, handle) != origin_of(library, participant):
        return "the sample's writer is not known"
    return ""
