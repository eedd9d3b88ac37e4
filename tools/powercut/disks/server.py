"""A disk on a unix socket (NBD) that records each write, discard and flush in its order.

Requests of the one connection are answered one after another. What counts as answered when a
request came in is written beside it: a flush promises nothing about a write that was still under
way. Not here: the form of the record (recording.py), what a cut makes of it (cuts.py).
The protocol: NetworkBlockDevice/nbd, doc/proto.md.
"""

import contextlib
import os
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from .recording import Kind, Mark, Request, Writer

_MAGIC = 0x4E42444D41474943  # NBDMAGIC
_OPTION_MAGIC = 0x49484156454F5054  # IHAVEOPT
_OPTION_REPLY = 0x3E889045565A9
_REQUEST_MAGIC = 0x25609513
_REPLY_MAGIC = 0x67446698

_FIXED_NEWSTYLE, _NO_ZEROES = 1, 2
_OPT_EXPORT_NAME, _OPT_ABORT, _OPT_INFO, _OPT_GO = 1, 2, 6, 7
_REP_ACK, _REP_INFO, _REP_UNSUPPORTED = 1, 3, 0x80000001
_READ, _WRITE, _DISCONNECT, _FLUSH, _TRIM, _ZEROES = 0, 1, 2, 3, 4, 6
_COMMAND_FUA = 1
_EINVAL = 22
_HAS_FLAGS, _SEND_FLUSH, _SEND_FUA, _SEND_TRIM, _SEND_ZEROES = 1, 4, 8, 32, 64
_EXPORT_FLAGS = _HAS_FLAGS | _SEND_FLUSH | _SEND_FUA | _SEND_TRIM | _SEND_ZEROES

_HEADER = struct.Struct(">IHHQQI")
_REPLY = struct.Struct(">IIQ")
_LARGEST_BYTES = 32 << 20
_CHUNK_BYTES = 1 << 20


class ProtocolError(Exception):
    """The other side does not speak NBD as we do."""


class RecordingDisk:
    """Serves `image` on the socket `path`; everything that changes it goes to `writer` as well."""

    def __init__(self, image: Path, path: Path, writer: Writer) -> None:
        self.path = path
        self._image = os.open(image, os.O_RDWR | os.O_CLOEXEC)
        self._size = os.fstat(self._image).st_size
        self._writer = writer
        self._answered = 0
        self._lock = threading.Lock()  # marks come from another thread
        self._connection: socket.socket | None = None
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen(1)
        self._thread = threading.Thread(target=self._serve, name="recording-disk", daemon=True)
        self._thread.start()

    @property
    def answered(self) -> int:
        """How many recorded requests have been answered."""
        with self._lock:
            return self._answered

    def mark(self, fact: str, value: str | None, *, is_kept: bool) -> int:
        """Write down a promise at this moment; returns the moment."""
        with self._lock:
            self._writer.mark(Mark(self._answered, fact, value, is_kept))
            return self._answered

    def flush(self) -> int:
        """Write the record out; how many requests it holds."""
        with self._lock:
            self._writer.flush()
            return self._answered

    def close(self) -> None:
        """Cut it off; the record is complete up to the last answer."""
        for one in (self._listener, self._connection):
            with contextlib.suppress(OSError):
                if one is not None:
                    one.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=10)
        os.close(self._image)
        self._writer.close()
        self.path.unlink(missing_ok=True)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connection = connection
            with connection, contextlib.suppress(ProtocolError, OSError):
                self._greet(connection)
                self._answer(connection)

    def _greet(self, connection: socket.socket) -> None:
        connection.sendall(struct.pack(">QQH", _MAGIC, _OPTION_MAGIC, _FIXED_NEWSTYLE | _NO_ZEROES))
        stream = _Stream(connection, lambda: self._answered)
        (flags,) = struct.unpack(">I", stream.take(4))
        for option, data in _options(stream):
            if option == _OPT_EXPORT_NAME:
                padding = b"" if flags & _NO_ZEROES else bytes(124)
                connection.sendall(struct.pack(">QH", self._size, _EXPORT_FLAGS) + padding)
                return
            if option in (_OPT_INFO, _OPT_GO):
                facts = struct.pack(">HQH", 0, self._size, _EXPORT_FLAGS)
                connection.sendall(_option_reply(option, _REP_INFO, facts))
                connection.sendall(_option_reply(option, _REP_ACK))
                if option == _OPT_GO:
                    return
            elif option == _OPT_ABORT:
                connection.sendall(_option_reply(option, _REP_ACK))
                raise ProtocolError("the client went away")
            else:
                del data  # structured replies, meta contexts: we are plain
                connection.sendall(_option_reply(option, _REP_UNSUPPORTED))

    def _answer(self, connection: socket.socket) -> None:
        stream = _Stream(connection, lambda: self._answered)
        while True:
            settled = stream.settled()
            magic, flags, command, handle, offset, length = _HEADER.unpack(stream.take(28))
            if magic != _REQUEST_MAGIC or length > _LARGEST_BYTES:
                raise ProtocolError(f"a request with magic {magic:x} and {length} bytes")
            if command == _DISCONNECT:
                return
            payload = stream.take(length) if command == _WRITE else memoryview(b"")
            if command != _FLUSH and offset + length > self._size:
                connection.sendall(_REPLY.pack(_REPLY_MAGIC, _EINVAL, handle))
            elif command == _READ:
                head = _REPLY.pack(_REPLY_MAGIC, 0, handle)
                connection.sendall(head + os.pread(self._image, length, offset))
            elif kind := _KINDS.get(command):
                request = Request(kind, offset, length, bool(flags & _COMMAND_FUA), settled)
                self._change(request, payload)
                with self._lock:
                    connection.sendall(_REPLY.pack(_REPLY_MAGIC, 0, handle))
                    self._answered += 1
            else:
                connection.sendall(_REPLY.pack(_REPLY_MAGIC, _EINVAL, handle))

    def _change(self, request: Request, payload: memoryview) -> None:
        self._writer.change(request, payload)
        if request.kind is Kind.WRITE:
            os.pwrite(self._image, payload, request.offset)
        elif request.kind is Kind.ZERO:
            for start in range(0, request.length, _CHUNK_BYTES):
                size = min(_CHUNK_BYTES, request.length - start)
                os.pwrite(self._image, bytes(size), request.offset + start)


_KINDS = {_WRITE: Kind.WRITE, _TRIM: Kind.ZERO, _ZEROES: Kind.ZERO, _FLUSH: Kind.FLUSH}


class _Stream:
    """Takes exact amounts from a socket, with as few calls as it allows.

    What was taken is valid until the next call. `answered` returns how many requests have their
    answer; it is called whenever bytes arrive.
    """

    def __init__(self, connection: socket.socket, answered: Callable[[], int]) -> None:
        self._connection = connection
        self._answered = answered
        self._buffer = bytearray(_CHUNK_BYTES)
        self._start = self._end = 0
        self._taken = 0  # bytes since the beginning
        self._arrivals: deque[tuple[int, int]] = deque()  # (end of a piece, answered by then)

    def settled(self) -> int:
        """How many requests had been answered when the byte that comes next arrived."""
        if self._start == self._end:
            self._fill(1)
        while self._arrivals[0][0] <= self._taken:
            self._arrivals.popleft()
        return self._arrivals[0][1]

    def take(self, size: int) -> memoryview:
        """The next bytes; ConnectionError when they do not come."""
        if size > self._end - self._start:
            self._fill(size)
        taken = memoryview(self._buffer)[self._start : self._start + size]
        self._start += size
        self._taken += size
        return taken

    def _fill(self, size: int) -> None:
        have = self._end - self._start
        rest = self._buffer[self._start : self._end]
        if size > len(self._buffer):
            self._buffer = bytearray(size + _CHUNK_BYTES)
        self._buffer[:have] = rest
        view = memoryview(self._buffer)
        while have < size:
            count = self._connection.recv_into(view[have:])
            if not count:
                raise ConnectionError("the client closed the connection")
            have += count
            self._arrivals.append((self._taken + have, self._answered()))
        self._start, self._end = 0, have


def _options(stream: _Stream) -> Iterator[tuple[int, memoryview]]:
    while True:
        magic, option, length = struct.unpack(">QII", stream.take(16))
        if magic != _OPTION_MAGIC or length > 4096:
            raise ProtocolError(f"an option with magic {magic:x} and {length} bytes")
        yield option, stream.take(length)


def _option_reply(option: int, kind: int, data: bytes = b"") -> bytes:
    return struct.pack(">QIII", _OPTION_REPLY, option, kind, len(data)) + data
