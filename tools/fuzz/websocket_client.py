"""A WebSocket client that may break the protocol, and reports what is wrong in the replies. Not
here: what it says (websocket.py).
"""

import asyncio
import contextlib
import json
import random
import socket
import struct
import time
from collections import deque
from collections.abc import Iterable
from typing import Any, Self

from saint_services.webd.websocket.frames import CloseCode, Opcode, close_code

ANSWER_LIMIT_S = 30.0  # webd gives a node 28 s to take its role
MOST_WAITING = 12  # answers; webd refuses the seventeenth request of a client
_MASK = bytes(4)
_OF_CLIENTS = 3000  # codes from here on were said by us, and are answered in kind


class FaultError(Exception):
    """webd did what it must not."""


class Client:
    """One connection."""

    def __init__(self, address: str, token: str = "") -> None:
        self._host, _, self._port = address.partition(":")
        self._address = address
        self._token = token

    async def __aenter__(self) -> Self:
        try:
            self._reader, self._writer = await asyncio.open_connection(self._host, int(self._port))
        except OSError as err:
            raise FaultError(f"nobody answers at {self._address}: {err}") from err
        self.raw(
            f"GET /api/ws HTTP/1.1\r\nHost: {self._address}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        try:
            async with asyncio.timeout(ANSWER_LIMIT_S):
                head = await self._reader.readuntil(b"\r\n\r\n")
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError) as err:
            raise FaultError(f"the handshake is not answered: {err!r}") from err
        if not head.startswith(b"HTTP/1.1 101 "):
            raise FaultError(f"the handshake is refused: {head[:60]!r}")
        if self._token:
            await self.send_checked(json.dumps({"type": "auth", "token": self._token}))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()
        with contextlib.suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(1):
                await self._writer.wait_closed()

    def raw(self, data: bytes) -> None:
        """Bytes as they are."""
        self._writer.write(data)

    def text(self, text: str) -> None:
        """One message that may never be answered."""
        self.raw(_frame(0x81, text.encode(errors="ignore")))

    def end_writing(self) -> None:
        """Half of the connection."""
        with contextlib.suppress(OSError):  # webd has ended it
            self._writer.write_eof()

    def reset(self) -> None:
        """Without a goodbye."""
        bare: socket.socket = self._writer.get_extra_info("socket")
        bare.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def ask_all(self, messages: Iterable[str], until_s: float) -> None:
        """Messages without waiting for each answer, for one may take half a minute: all are
        answered in the end. No more are sent after `until_s` (monotonic).
        """
        waiting: deque[bytes] = deque()
        for text in messages:
            if time.monotonic() > until_s:
                break
            self.text(text)
            data = text.encode(errors="ignore")
            if not _is_silent(data):
                waiting.append(data)
            while len(waiting) >= MOST_WAITING:
                await self._response(*waiting)
                waiting.popleft()
        while waiting:
            await self._response(*waiting)
            waiting.popleft()

    async def send_checked(self, said: str | bytes, in_pieces_of: int = 1 << 20) -> None:
        """A message, answered."""
        is_text = isinstance(said, str)
        data = said.encode(errors="ignore") if isinstance(said, str) else said
        whole = _frame(0x81 if is_text else 0x82, data)
        for at in range(0, len(whole), in_pieces_of):
            self.raw(whole[at : at + in_pieces_of])
            await self._writer.drain()
        if not _is_silent(data):
            await self._response(data)

    async def ask_in_fragments(self, data: bytes, rng: random.Random) -> None:
        """The same in three frames."""
        one, two = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        self.raw(_frame(0x01, data[:one]) + _frame(0x89, b"still there?"))
        self.raw(_frame(0x00, data[one:two]) + _frame(0x80, data[two:]))
        if not _is_silent(data):
            await self._response(data)

    async def _response(self, *sent: bytes) -> None:
        """One answer, to one of these."""
        said = b" or ".join(each[:300] for each in sent)
        while True:
            try:
                frame = await self._next()
            except FaultError as err:
                raise FaultError(f"{err} for {said!r}") from err
            if frame is None or frame[0] is Opcode.CLOSE:
                code = close_code(frame[1]) if frame else "no reason"
                raise FaultError(f"the connection ended ({code}) instead of an answer to {said!r}")
            if frame[0] is not Opcode.TEXT:
                continue
            answer: dict[str, Any] = json.loads(frame[1])
            if answer.get("type") == "response":
                if answer.get("error", {}).get("code") == "internal":
                    raise FaultError(f"an internal fault, {answer}, answers {said!r}")
                return

    async def is_closed(self, *codes: int) -> None:
        """With one of these reasons."""
        while (frame := await self._next()) is not None:
            if frame[0] is Opcode.CLOSE:
                if (code := close_code(frame[1])) not in codes:
                    raise FaultError(f"closed with {code}, not one of {codes}")
                return
        raise FaultError(f"the connection ended without a reason, {codes} expected")

    async def is_over(self) -> None:
        """Sooner or later."""
        while await self._next() is not None:
            pass

    async def _next(self) -> tuple[Opcode, bytes] | None:
        """The next frame; None when the connection has ended."""
        try:
            async with asyncio.timeout(ANSWER_LIMIT_S):
                first, size = await self._reader.readexactly(2)
                if size >= 126:
                    width = 2 if size == 126 else 8
                    size = int.from_bytes(await self._reader.readexactly(width), "big")
                kind, payload = Opcode(first & 0x0F), await self._reader.readexactly(size)
        except (ConnectionError, asyncio.IncompleteReadError):
            return None
        except TimeoutError as err:
            raise FaultError(f"nothing came for {ANSWER_LIMIT_S:g} s") from err
        code = close_code(payload) if kind is Opcode.CLOSE else CloseCode.DONE
        if code not in set(CloseCode) and code < _OF_CLIENTS:
            raise FaultError(f"closed with {code}, which the document does not name")
        if kind is Opcode.PING:  # who answers none is ended while it waits for a slow answer
            self.raw(_frame(0x8A, payload))
        return kind, payload


def _is_silent(data: bytes) -> bool:
    """A reading of a stick without an id is answered only when it is refused."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and said.get("type") == "input" and said.get("id") is None


def _frame(first: int, payload: bytes) -> bytes:
    size = len(payload)
    if size < 126:
        length = bytes((0x80 | size,))
    elif size < 1 << 16:
        length = b"\xfe" + size.to_bytes(2, "big")
    else:
        length = b"\xff" + size.to_bytes(8, "big")
    return bytes((first,)) + length + _MASK + payload
