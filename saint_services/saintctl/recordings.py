"""Reads recordings for the decoders: raw bytes, or one JSON object per line."""

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, BinaryIO, TextIO

import typer

from ..lib.binary_layout import LayoutError
from ..lib.errors import Code, SaintError

SOURCE = Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")]

CHUNK_BYTES = 1 << 16
LONGEST_LINE_BYTES = 1 << 20
_FIX = "Correct the file; the command's --help describes the format."


@contextlib.contextmanager
def opened(source: str) -> Iterator[BinaryIO]:
    """Open the file, or standard input for "-"."""
    if source == "-":
        yield sys.stdin.buffer
        return
    with contextlib.ExitStack() as closing:
        try:
            file = closing.enter_context(Path(source).open("rb"))
        except (OSError, ValueError) as err:
            reason = err.strerror if isinstance(err, OSError) else err
            raise _fault(f"{source} cannot be read: {reason}") from err
        yield file


def chunks(file: BinaryIO, source: str) -> Iterator[bytes]:
    """Yield the bytes as they arrive: those of a pipe at once."""
    while data := _read(lambda: file.read1(CHUNK_BYTES), source):  # type: ignore[attr-defined]
        yield data


def raw_lines(file: BinaryIO, source: str) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of every line that is not empty."""
    number = 0
    while raw := _read(lambda: file.readline(LONGEST_LINE_BYTES), source):
        number += 1
        if raw.strip():
            yield number, raw


def lines(file: BinaryIO, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield number and object of every line that is not empty."""
    for number, raw in raw_lines(file, source):
        yield number, parsed(raw, f"{source}, line {number}")


def encoded(source: str, out: TextIO, encode: Callable[[dict[str, Any]], dict[str, Any]]) -> int:
    """Write what `encode` makes of every line, or why it cannot. Return the exit code."""
    with opened(source) as file:
        for number, raw in raw_lines(file, source):
            try:
                line = encode(parsed(raw, f"{source}, line {number}"))
            except (LayoutError, SaintError) as err:
                reason = err.message if isinstance(err, SaintError) else str(err)
                line = {"kind": "refused", "reason": reason}
            out.write(json.dumps(line) + "\n")
            if source == "-":
                out.flush()
    out.flush()
    return 0


def time_us(line: dict[str, Any], where: str) -> int:
    """Return the line's t_us."""
    value = line.get("t_us")
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise _fault(f"{where}: t_us must be a number of microseconds")
    return int(value)


def payload(line: dict[str, Any], where: str) -> bytes:
    """Return the line's hex as bytes."""
    value = line.get("hex")
    if not isinstance(value, str):
        raise _fault(f"{where}: hex must be a text of hexadecimal digits")
    try:
        return bytes.fromhex(value)
    except ValueError:
        raise _fault(f"{where}: hex is not pairs of hexadecimal digits") from None


def parsed(raw: bytes, where: str) -> dict[str, Any]:
    """Return a line's object."""
    if len(raw) >= LONGEST_LINE_BYTES:
        raise _fault(f"{where} is longer than {LONGEST_LINE_BYTES} bytes")
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError):
        raise _fault(f"{where} is not JSON") from None
    if not isinstance(line, dict):
        raise _fault(f"{where} is not a JSON object")
    return line


def _read(step: Any, source: str) -> bytes:
    try:
        data: bytes = step()
    except OSError as err:
        raise _fault(f"{source} cannot be read: {err.strerror}") from err
    return data


def _fault(sentence: str) -> SaintError:
    return SaintError(Code.REQUEST_INVALID, sentence, fix=_FIX)
