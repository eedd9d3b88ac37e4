"""Lets the job that has the network fetch a file, and passes its bytes on. What the job says is
bounded and cleaned like anything from outside. Not here: the job (fetch_job.py).
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ...lib.errors import Code, SaintError
from ..sources.fetch_order import FaultKind, FetchHead, FetchOrder

_HEAD_LIMIT_S = 90.0  # the job starts, connects and follows redirects
_SILENCE_LIMIT_S = 45.0  # the job itself gives up before
_CHUNK_BYTES = 256 << 10
_LONGEST_TEXT = 400


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file on its way."""

    head: FetchHead
    chunks: AsyncIterator[bytes]


class FetchSocket:
    """The socket that starts the job."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @asynccontextmanager
    async def open(self, order: FetchOrder) -> AsyncIterator[Fetched]:
        """Order a file; leaving the block ends the job. Raises SaintError with the reason why
        nothing comes, RangeRefusedError where only the rest of the file does not."""
        try:
            reader, writer = await asyncio.open_unix_connection(str(self._path), limit=_CHUNK_BYTES)
        except OSError as err:
            text = f"the job that fetches releases cannot be started: {self._path} does not answer"
            raise SaintError(Code.DAEMON_UNREACHABLE, text) from err
        try:
            writer.write(f"{order.model_dump_json()}\n".encode())
            head = await _head(reader)
            _check(head, order)
            async with aclosing(_chunks(reader, order.most_bytes - head.offset)) as chunks:
                yield Fetched(head, chunks)
        finally:
            writer.close()

    async def read(self, order: FetchOrder) -> bytes:
        """Return a small file whole."""
        async with self.open(order) as fetched:
            found = b"".join([chunk async for chunk in fetched.chunks])
        if fetched.head.size_bytes not in (-1, len(found)):
            raise SaintError(Code.REFUSED, "the connection was cut before the end of the file")
        return found


class RangeRefusedError(SaintError):
    """The rest of the file cannot be had; the file can."""


async def _head(reader: asyncio.StreamReader) -> FetchHead:
    try:
        async with asyncio.timeout(_HEAD_LIMIT_S):
            line = await reader.readline()
        return FetchHead.model_validate_json(line)
    except TimeoutError as err:
        text = f"the job that fetches releases said nothing for {_HEAD_LIMIT_S:g} s"
        raise SaintError(Code.DAEMON_UNREACHABLE, text) from err
    except (ValidationError, ValueError, OSError) as err:
        text = "the job that fetches releases ended without an answer"
        raise SaintError(Code.DAEMON_UNREACHABLE, text) from err


def _check(head: FetchHead, order: FetchOrder) -> None:
    if head.fault is FaultKind.RANGE:
        raise RangeRefusedError(Code.REFUSED, _clean(head.text))
    if head.fault is not None:
        raise SaintError(Code.REFUSED, _clean(head.text))
    if head.offset not in (0, order.offset):
        raise RangeRefusedError(Code.REFUSED, "another part of the file came than was ordered")


async def _chunks(reader: asyncio.StreamReader, most_bytes: int) -> AsyncGenerator[bytes]:
    """Yield the bytes until their end; a cut connection is an end as well."""
    while most_bytes > 0:
        try:
            async with asyncio.timeout(_SILENCE_LIMIT_S):
                chunk = await reader.read(min(_CHUNK_BYTES, most_bytes))
        except (TimeoutError, OSError):
            return
        if not chunk:
            return
        most_bytes -= len(chunk)
        yield chunk


def _clean(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text[:_LONGEST_TEXT])
