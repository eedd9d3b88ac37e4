"""One console of a virtual machine: everything it says is kept, and can be waited for.

We listen on a unix socket before QEMU starts and QEMU connects to it, so that not a byte is
lost. Offsets count bytes from the start; who waits says from where, or an old line would count.
"""

import re
import socket
import threading
import time
from pathlib import Path
from types import TracebackType

# Colours and cursor movements of systemd and getty: nobody waits for those.
_CONTROL = re.compile(rb"\x1b\[[0-9;?!]*[a-zA-Z]|\x1b[()][A-Z0-9]|\r")


class SilentError(AssertionError):
    """What was waited for did not come in time."""


class Channel:
    """A socket for QEMU to connect to, read by a thread of its own."""

    def __init__(self, path: Path, log: Path) -> None:
        self.path = path
        self.log = log
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        path.unlink(missing_ok=True)
        self._listener.bind(str(path))
        self._listener.listen(1)
        self._socket: socket.socket | None = None
        self._data = bytearray()
        self._news = threading.Condition()
        self._closed = False

    def accept(self, timeout_s: float = 20) -> None:
        """QEMU was started: take its connection."""
        self._listener.settimeout(timeout_s)
        self._socket, _ = self._listener.accept()
        threading.Thread(target=self._read, args=(self._socket,), daemon=True).start()

    def _read(self, peer: socket.socket) -> None:
        with self.log.open("ab", buffering=0) as log:
            while True:
                try:
                    chunk = peer.recv(65536)
                except OSError:
                    chunk = b""
                with self._news:
                    self._data += chunk
                    self._closed = not chunk
                    self._news.notify_all()
                if not chunk:
                    return
                log.write(chunk)

    def send(self, data: bytes) -> None:
        assert self._socket is not None, "accept() first"
        self._socket.sendall(data)

    @property
    def end(self) -> int:
        """The offset of what comes next."""
        with self._news:
            return len(self._data)

    def text(self, since: int = 0) -> str:
        """What was said since, without control characters."""
        with self._news:
            data = bytes(self._data[since:])
        return _CONTROL.sub(b"", data).decode(errors="replace")

    def news(self, since: int, timeout_s: float = 1) -> bytes:
        """The raw bytes after an offset, as soon as there are any; empty when none come."""
        with self._news:
            if len(self._data) == since and not self._closed:
                self._news.wait(timeout_s)
            return bytes(self._data[since:])

    def wait_for(self, pattern: str, since: int = 0, timeout_s: float = 60) -> re.Match[str]:
        """The first match after an offset; match groups are text."""
        wanted, deadline = re.compile(pattern, re.MULTILINE), time.monotonic() + timeout_s
        while True:
            end = self.end
            found = wanted.search(self.text(since))
            if found:
                return found
            with self._news:
                left = deadline - time.monotonic()
                if left <= 0 or (self._closed and len(self._data) == end):
                    why = "the machine is off" if self._closed else f"{timeout_s:g} s passed"
                    raise SilentError(f"{self.path.name}: {pattern!r} did not come: {why}")
                if len(self._data) == end:
                    self._news.wait(left)

    def take(self, mark: bytes, since: int, timeout_s: float) -> tuple[bytes, int]:
        """The raw bytes between an offset and a mark, and the offset behind the mark."""
        deadline = time.monotonic() + timeout_s
        with self._news:
            while (at := self._data.find(mark, since)) < 0:
                left = deadline - time.monotonic()
                if left <= 0 or self._closed:
                    why = "the machine is off" if self._closed else f"{timeout_s:g} s passed"
                    raise SilentError(f"{self.path.name}: no answer: {why}")
                self._news.wait(left)
            return bytes(self._data[since:at]), at + len(mark)

    def close(self) -> None:
        self._listener.close()
        if self._socket is not None:
            self._socket.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> "Channel":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()
