"""tools/powercut/disks/server.py: the block protocol, and what it writes down."""

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tools.powercut.disks.recording import Info, Kind, Recording, Writer, write_info
from tools.powercut.disks.server import RecordingDisk

_SIZE = 1 << 20
_READ, _WRITE, _DISCONNECT, _FLUSH, _TRIM, _ZEROES = 0, 1, 2, 3, 4, 6
_FUA = 1


class Client:
    """The other side of the protocol, by the book."""

    def __init__(self, path: Path, *, by_name: bool = False) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(5)
        self.socket.connect(str(path))
        magic, option, flags = struct.unpack(">QQH", self.take(18))
        assert (magic, option) == (0x4E42444D41474943, 0x49484156454F5054)
        assert flags == 3
        self.socket.sendall(struct.pack(">I", 3))
        if by_name:
            self.option(1, b"")
            self.size, self.flags = struct.unpack(">QH", self.take(10))
            return
        self.option(8, b"")  # structured replies: not ours
        assert self.option_reply() == (8, 0x80000001, b"")
        self.option(7, struct.pack(">IH", 0, 0))
        option, kind, data = self.option_reply()
        assert (option, kind) == (7, 3)
        _, self.size, self.flags = struct.unpack(">HQH", data)
        assert self.option_reply() == (7, 1, b"")

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def take(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            chunk = self.socket.recv(size - len(data))
            assert chunk, "the server closed the connection"
            data += chunk
        return data

    def option(self, number: int, data: bytes) -> None:
        self.socket.sendall(struct.pack(">QII", 0x49484156454F5054, number, len(data)) + data)

    def option_reply(self) -> tuple[int, int, bytes]:
        magic, option, kind, length = struct.unpack(">QIII", self.take(20))
        assert magic == 0x3E889045565A9
        return option, kind, self.take(length)

    def send(
        self, command: int, offset: int = 0, data: bytes = b"", length: int = 0, flags: int = 0
    ):
        length = length or len(data)
        head = struct.pack(">IHHQQI", 0x25609513, flags, command, 77, offset, length)
        return head + data

    def query(self, *args: object, reads: int = 0, **kwargs: object) -> bytes:
        self.socket.sendall(self.send(*args, **kwargs))
        return self.answer(reads)

    def answer(self, reads: int = 0) -> bytes:
        magic, error, handle = struct.unpack(">IIQ", self.take(16))
        assert (magic, handle) == (0x67446698, 77)
        if error:
            raise OSError(error, "nbd")
        return self.take(reads)


@contextmanager
def disk(folder: Path) -> Iterator[tuple[RecordingDisk, Path]]:
    image = folder / "now.img"
    image.write_bytes(bytes(_SIZE))
    recorder = RecordingDisk(image, folder / "nbd", Writer(folder / "recording"))
    try:
        yield recorder, folder / "nbd"
    finally:
        recorder.close()
        (folder / "recording" / "base.img").write_bytes(bytes(_SIZE))
        write_info(folder / "recording", Info("test", "2026-01-01"))


def read(folder: Path) -> Recording:
    return Recording.open(folder / "recording")


@pytest.mark.parametrize("by_name", [False, True])
def test_greeting_either_way_has_size_and_flush(tmp_path: Path, by_name: bool) -> None:
    with disk(tmp_path) as (_, path), Client(path, by_name=by_name) as client:
        assert client.size == _SIZE
        assert client.flags & 4  # flush
        assert client.flags & 8  # FUA
        assert client.query(_READ, 0, length=512, reads=512) == bytes(512)


def test_write_is_read_back_and_recorded_with_its_bytes(tmp_path: Path) -> None:
    with disk(tmp_path) as (_, path), Client(path) as client:
        client.query(_WRITE, 4096, b"a" * 1024, flags=_FUA)
        client.query(_FLUSH)
        assert client.query(_READ, 4096, length=2048, reads=2048) == b"a" * 1024 + bytes(1024)
    recording = read(tmp_path)
    write, flush = recording.requests
    assert (write.kind, write.offset, write.is_fua) == (Kind.WRITE, 4096, True)
    assert bytes(recording.payload(write)) == b"a" * 1024
    assert (flush.kind, flush.settled) == (Kind.FLUSH, 1)


@pytest.mark.parametrize("command", [_TRIM, _ZEROES])
def test_discarded_sectors_read_as_zero_and_are_recorded(tmp_path: Path, command: int) -> None:
    with disk(tmp_path) as (_, path), Client(path) as client:
        client.query(_WRITE, 0, b"x" * 2048)
        client.query(command, 512, length=1024)
        now = client.query(_READ, 0, length=2048, reads=2048)
        assert now == b"x" * 512 + bytes(1024) + b"x" * 512
    recording = read(tmp_path)
    assert recording.requests[1].kind is Kind.ZERO
    assert bytes(recording.payload(recording.requests[1])) == bytes(1024)


def test_flush_sent_with_a_write_does_not_cover_it(tmp_path: Path) -> None:
    """Who sends both at once has not seen the write's answer and may not count on it."""
    with disk(tmp_path) as (_, path), Client(path) as client:
        client.query(_WRITE, 0, b"1" * 512)
        client.socket.sendall(client.send(_WRITE, 512, b"2" * 512) + client.send(_FLUSH))
        client.answer()
        client.answer()
        client.query(_FLUSH)
    settled = [request.settled for request in read(tmp_path).requests]
    assert settled == [0, 1, 1, 3]


def test_write_in_pieces_is_put_together(tmp_path: Path) -> None:
    with disk(tmp_path) as (_, path), Client(path) as client:
        whole = client.send(_WRITE, 0, bytes(range(256)) * 4)
        for start in range(0, len(whole), 100):
            client.socket.sendall(whole[start : start + 100])
        client.answer()
        assert client.query(_READ, 0, length=1024, reads=1024) == bytes(range(256)) * 4


def test_write_behind_the_end_is_refused_and_not_recorded(tmp_path: Path) -> None:
    with disk(tmp_path) as (_, path), Client(path) as client:
        with pytest.raises(OSError, match="nbd"):
            client.query(_WRITE, _SIZE - 512, b"x" * 1024)
        client.query(_FLUSH)
    assert [request.kind for request in read(tmp_path).requests] == [Kind.FLUSH]


def test_client_that_comes_again_goes_on_in_the_same_record(tmp_path: Path) -> None:
    with disk(tmp_path) as (recorder, path):
        with Client(path) as first:
            first.query(_WRITE, 0, b"x" * 512)
            first.socket.sendall(first.send(_DISCONNECT))
        with Client(path) as second:
            assert second.query(_READ, 0, length=512, reads=512) == b"x" * 512
            second.query(_FLUSH)
            assert recorder.answered == 2
    assert len(read(tmp_path).requests) == 2


def test_marks_stand_at_what_was_answered(tmp_path: Path) -> None:
    with disk(tmp_path) as (recorder, path), Client(path) as client:
        client.query(_WRITE, 0, b"x" * 512)
        recorder.mark("role", "head:", is_kept=False)
        client.query(_FLUSH)
        assert recorder.mark("role", "head:", is_kept=True) == 2
    marks = read(tmp_path).marks
    assert [(mark.at, mark.is_kept) for mark in marks] == [(1, False), (2, True)]


def test_nonsense_ends_the_connection_and_not_the_disk(tmp_path: Path) -> None:
    with disk(tmp_path) as (_, path):
        with Client(path) as bad:
            bad.socket.sendall(bytes(28))
            assert bad.socket.recv(1) == b""
        with Client(path) as good:
            assert good.query(_READ, 0, length=512, reads=512) == bytes(512)
