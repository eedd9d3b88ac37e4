"""Uploads a release in chunks to otad's socket for bundles, or to the webd of another robot, and
reports the progress. The control plane's client keeps whole bodies in memory and is unsuitable.
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
from ..remote import RemoteRobot

_CHUNK_BYTES = 256 << 10
_STALL_S = 60.0
_CHECK_LIMIT_S = 300.0  # to read a whole bundle and check its signature on a Pi
_CHECKSUM_HEADER = "X-Saint-Sha256"

Progress = Callable[[int, int], None]  # bytes so far, bytes in all


async def send(listener: Path | RemoteRobot, bundle: Path, on_progress: Progress) -> Release:
    """Upload one bundle. Raises the error that otad replies with."""
    file, size = await asyncio.to_thread(_open, bundle)
    with file:
        checksum = await asyncio.to_thread(_checksum, file)
        reader, writer = await _connect(listener)
        try:
            head = h11.Request(
                method="POST",
                target="/api/firmware" if isinstance(listener, RemoteRobot) else "/releases",
                headers=[
                    *(
                        listener.headers
                        if isinstance(listener, RemoteRobot)
                        else [("Host", "otad")]
                    ),
                    ("Content-Length", str(size)),
                    ("Content-Type", "application/octet-stream"),
                    (_CHECKSUM_HEADER, checksum),
                ],
            )
            wire = h11.Connection(h11.CLIENT)
            answer = asyncio.create_task(_answer(reader))
            await _send(wire, writer, head, _chunks(file, size, on_progress), answer)
            return _release(*await _in_time(answer, _CHECK_LIMIT_S))
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


async def _connect(
    listener: Path | RemoteRobot,
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        if isinstance(listener, RemoteRobot):
            return await listener.open()
        async with asyncio.timeout(_STALL_S):
            return await asyncio.open_unix_connection(str(listener))
    except (OSError, TimeoutError) as err:
        where = listener if isinstance(listener, Path) else listener.address
        raise SaintError(
            Code.DAEMON_UNREACHABLE,
            f"otad does not answer at {where}",
            fix="Check its log: journalctl -u saint-otad, or the launcher's output.",
        ) from err


async def _chunks(file: BufferedReader, size: int, on_progress: Progress) -> AsyncIterator[bytes]:
    sent = 0
    while chunk := await asyncio.to_thread(file.read, _CHUNK_BYTES):
        yield chunk
        sent += len(chunk)
        on_progress(sent, size)


async def _send(
    wire: h11.Connection,
    writer: asyncio.StreamWriter,
    head: h11.Request,
    chunks: AsyncIterator[bytes],
    answer: "asyncio.Task[tuple[int, bytes]]",
) -> None:
    """Send the request until its end or until the answer comes: a refusal may come early."""
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
        return  # the answer has the reason
    except TimeoutError as err:
        answer.cancel()
        raise _no_answer(f"otad accepted no data for {_STALL_S:g} s") from err


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Return status and body. A parser that still sends would reject an early answer, so this has
    its own.
    """
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
        raise _no_answer(f"otad did not finish checking the bundle within {limit_s:g} s") from err
    except (h11.ProtocolError, OSError) as err:
        raise _no_answer("otad ended the connection without an answer") from err


def _no_answer(message: str) -> SaintError:
    return SaintError(Code.DAEMON_UNREACHABLE, message, fix="Check its log and try again.")


def _release(status: int, body: bytes) -> Release:
    try:
        if status == 200:
            return Release.model_validate_json(body)
        raise ErrorReply.model_validate_json(body).error()
    except ValidationError as err:
        text = body[:80].decode(errors="replace")
        message = f"otad's answer ({status}) is not readable: {text!r}"
        raise SaintError(Code.MESSAGE_MALFORMED, message) from err
