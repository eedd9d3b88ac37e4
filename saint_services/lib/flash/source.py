"""Reads the image file, raw or compressed, once from front to end, and checks its checksum. Not
here: what is done with the bytes (writer.py), and downloads.
"""

import gzip
import hashlib
import io
import lzma
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Protocol

from ..errors import Code, SaintError

CHUNK_BYTES = 4 << 20
_STOP_TIMEOUT_S = 5.0
_CHECKSUM = re.compile(r"^([0-9a-fA-F]{64})(?:\s|$)")  # as sha256sum writes it


class _Source(Protocol):
    """A readable file, compressed or not."""

    def read(self, size: int, /) -> bytes: ...


class ImageFile:
    """One image, read once. `position_bytes` of `size_bytes` is the progress."""

    def __init__(self, path: Path) -> None:
        try:
            self.size_bytes = path.stat().st_size
        except OSError as err:
            what = f"{path}: {err.strerror}"
            raise SaintError(Code.NOT_FOUND, what, fix="Name the image with --image.") from err
        self.path = path
        self.expected = _checksum_beside(path)
        self.position_bytes = 0
        self._hash = hashlib.sha256()

    def chunks(self) -> Iterator[bytes]:
        """Yield the image's content. Raises SaintError when its checksum does not match."""
        try:
            with self.path.open("rb", buffering=0) as file, self._content(file) as content:
                while chunk := _read_full(content, CHUNK_BYTES):
                    yield chunk
                while self._read(file, CHUNK_BYTES):
                    pass  # behind the compressed stream: the checksum covers it too
        except (lzma.LZMAError, EOFError, OSError) as err:
            raise SaintError(Code.RELEASE_INVALID, f"{self.path} is damaged: {err}") from err
        self._check()

    def _check(self) -> None:
        found = self._hash.hexdigest()
        if self.expected and found != self.expected:
            raise SaintError(
                Code.RELEASE_INVALID,
                f"{self.path} has the checksum {found[:12]}..., not {self.expected[:12]}...",
                fix="Copy or download the image again.",
            )

    def _read(self, file: IO[bytes], count: int) -> bytes:
        part = file.read(count)
        self._hash.update(part)
        self.position_bytes += len(part)
        return part

    def _content(self, file: IO[bytes]) -> AbstractContextManager[_Source]:
        counted = io.BufferedReader(_Readable(partial(self._read, file)), CHUNK_BYTES)
        match self.path.suffix:
            case ".xz":
                return lzma.open(counted)
            case ".gz":
                return gzip.open(counted)
            case ".zst":
                return _zstd(counted)
            case _:
                return counted


class _Readable(io.RawIOBase):
    """Makes a file of a read function."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        super().__init__()
        self._read = read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any buffer
        part = self._read(len(buffer))
        buffer[: len(part)] = part
        return len(part)


@contextmanager
def _zstd(packed: IO[bytes]) -> Iterator[IO[bytes]]:
    """Decompress with Python from 3.14 on, until then with the program zstd."""
    if shutil.which("zstd") is None:
        raise SaintError(
            Code.NOT_FOUND,
            "the program zstd, which unpacks this image, is not installed",
            fix="On Debian: apt-get install zstd",
        )
    pipe = subprocess.PIPE
    process = subprocess.Popen(["zstd", "-dcq"], stdin=pipe, stdout=pipe, stderr=pipe)
    assert process.stdin and process.stdout and process.stderr  # all three are pipes
    feeder = threading.Thread(target=_feed, args=(packed, process.stdin), daemon=True)
    feeder.start()
    try:
        yield process.stdout
        feeder.join(_STOP_TIMEOUT_S)
        if process.wait(_STOP_TIMEOUT_S):
            raise OSError(process.stderr.read().decode(errors="replace").strip())
    finally:
        process.kill()
        process.wait(_STOP_TIMEOUT_S)
        feeder.join(_STOP_TIMEOUT_S)
        process.stdout.close()
        process.stderr.close()


def _feed(packed: IO[bytes], stdin: IO[bytes]) -> None:
    try:
        shutil.copyfileobj(packed, stdin, CHUNK_BYTES)
        stdin.close()
    except BrokenPipeError:
        return  # zstd has failed; its exit code says so


def _read_full(content: _Source, count: int) -> bytes:
    """Read `count` bytes, less only at the end: pipes return what they have."""
    parts: list[bytes] = []
    missing = count
    while missing and (part := content.read(missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _checksum_beside(path: Path) -> str:
    """Return the checksum in <image>.sha256; empty when there is none."""
    try:
        text = path.with_name(path.name + ".sha256").read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return ""
    found = _CHECKSUM.match(text)
    if found is None:
        what = f"{path}.sha256 has no SHA-256 checksum"
        raise SaintError(Code.REQUEST_INVALID, what, fix="Remove that file or download it again.")
    return found.group(1).lower()
