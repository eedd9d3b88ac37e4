"""Sends a large file to otad's socket for bundles, or to the webd of a robot elsewhere, with a word
on how far it is. The control plane's own client is not for that: it keeps whole bodies in memory.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from io import BufferedReader
from pathlib import Path

import h11
from pydantic import ValidationError

from ...lib.api.firmware import Release
from ...lib.errors import Code, SaintError
from ...lib.ipc.wire import LARGEST_BODY_BYTES, ErrorReply
from ..server import Server

_CHUNK_BYTES = 256 << 10
_STALL_S = 60.0
_JUDGING_S = 300.0  # reading a bundle whole and checking its signature, on a Pi
_CHECKSUM_HEADER = "X-Saint-Sha256"

Progress = Callable[[int, int], None]  # bytes so far, bytes in all


async def send(door: Path | Server, bundle: Path, on_progress: Progress) -> Release:
    """Upload one bundle; raises what otad answers."""
    file, size = await asyncio.to_thread(_open, bundle)
    with file:
        checksum = await asyncio.to_thread(_checksum, file)
        reader, writer = await _connect(door)
        try:
            head = h11.Request(
                method="POST",
                target="/api/firmware" if isinstance(door, Server) else "/releases",
                headers=[
                    *(door.headers if isinstance(door, Server) else [("Host", "otad")]),
                    ("Content-Length", str(size)),
                    ("Content-Type", "application/octet-stream"),
                    (_CHECKSUM_HEADER, checksum),
                ],
            )
            wire = h11.Connection(h11.CLIENT)
            answer = asyncio.create_task(_answer(reader))
            await _send(wire, writer, head, _chunks(file, size, on_progress), answer)
            return _release(*await _in_time(answer, _JUDGING_S))
        finally:
            writer.close()


def _open(bundle: Path) -> tuple[BufferedReader, int]:
    try:
        return bundle.open("rb"), bundle.stat().st_size
    except OSError as err:
        raise SaintError(
            Code.NOT_FOUND, f"{bundle} cannot be read: {err.strerror}", fix="Check the path."
        ) from err


def _checksum(file: BufferedReader) -> str:
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    file.seek(0)
    return digest


async def _connect(door: Path | Server) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        if isinstance(door, Server):
            return await door.open()
        async with asyncio.timeout(_STALL_S):
            return await asyncio.open_unix_connection(str(door))
    except (OSError, TimeoutError) as err:
        where = door if isinstance(door, Path) else door.address
        raise SaintError(
            Code.DAEMON_UNREACHABLE,
            f"otad does not answer at {where}",
            fix="Look at its log: journalctl -u saint-otad, or the launcher's output.",
        ) from err


async def _chunks(file: BufferedReader, size: int, tell: Progress) -> AsyncIterator[bytes]:
    sent = 0
    while chunk := await asyncio.to_thread(file.read, _CHUNK_BYTES):
        yield chunk
        sent += len(chunk)
        tell(sent, size)


async def _send(
    wire: h11.Connection,
    writer: asyncio.StreamWriter,
    head: h11.Request,
    chunks: AsyncIterator[bytes],
    answer: "asyncio.Task[tuple[int, bytes]]",
) -> None:
    """Until the end, or until there is an answer already: a refusal does not wait for the rest."""
    writer.write(wire.send(head) or b"")
    try:
        async for chunk in chunks:
            if answer.done():
                return
            writer.write(wire.send(h11.Data(chunk)) or b"")
            async with asyncio.timeout(_STALL_S):
                await writer.drain()
        writer.write(wire.send(h11.EndOfMessage()) or b"")
    except ConnectionError:
        return  # why, the answer tells
    except TimeoutError as err:
        answer.cancel()
        raise _silent(f"otad took nothing for {_STALL_S:g} s") from err


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Status and body. A parser of its own: one that still sends takes no early answer as final."""
    parser = h11.Connection(h11.CLIENT)
    parser.send(h11.Request(method="POST", target="/", headers=[("Host", "otad")]))
    parser.send(h11.EndOfMessage())
    status, body = 0, b""
    while True:
        event = parser.next_event()
        match event:
            case h11.NEED_DATA:
                parser.receive_data(await reader.read(_CHUNK_BYTES))
            case h11.Response():
                status = event.status_code
            case h11.Data() if len(body) <= LARGEST_BODY_BYTES:
                body += event.data
            case h11.EndOfMessage():
                return status, body


async def _in_time(answer: "asyncio.Task[tuple[int, bytes]]", limit_s: float) -> tuple[int, bytes]:
    try:
        async with asyncio.timeout(limit_s):
            return await answer
    except TimeoutError as err:
        raise _silent(f"otad did not judge the bundle within {limit_s:g} s") from err
    except (h11.ProtocolError, OSError) as err:
        raise _silent("otad ended the connection without an answer") from err


def _silent(message: str) -> SaintError:
    return SaintError(Code.DAEMON_UNREACHABLE, message, fix="Look at its log and try again.")


def _release(status: int, body: bytes) -> Release:
    try:
        if status == 200:
            return Release.model_validate_json(body)
        raise ErrorReply.model_validate_json(body).error()
    except ValidationError as err:
        text = body[:80].decode(errors="replace")
        message = f"otad's answer ({status}) is not readable: {text!r}"
        raise SaintError(Code.MESSAGE_MALFORMED, message) from err
