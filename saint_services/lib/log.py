"""Structured logging: `get("routerd").info("node adopted", node="pi_1")`. Text is constant, values
are fields. Writes to journald (native protocol) under systemd, else one line per entry to stderr.
"""

import logging
import os
import re
import socket
import struct
import sys
import time

_JOURNAL = "/run/systemd/journal/socket"
_LONGEST_BYTES = 32_768  # a datagram beyond the socket's buffer would be lost
_NAME = re.compile(r"[^A-Z0-9_]")
_PRIORITY = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3}
_PLAIN = re.compile(r"[^\s\"=]+", re.ASCII)


class Logger:
    """Named source of log entries."""

    __slots__ = ("_logger",)

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(f"saint.{name}")

    def debug(self, text: str, /, **fields: object) -> None:
        """Log details for developers, more frequent than a user needs."""
        self._write(logging.DEBUG, text, fields)

    def info(self, text: str, /, **fields: object) -> None:
        """Log a change that a user may ask about."""
        self._write(logging.INFO, text, fields)

    def warning(self, text: str, /, **fields: object) -> None:
        """Log a problem after which the daemon continues normally."""
        self._write(logging.WARNING, text, fields)

    def error(self, text: str, /, **fields: object) -> None:
        """Log a failure."""
        self._write(logging.ERROR, text, fields)

    def trace(self, error: BaseException) -> None:
        """Log the stack trace, for developers: only with SAINT_DEBUG=1."""
        if is_debug():
            self._logger.debug("stack trace", exc_info=error)

    def _write(self, level: int, text: str, fields: dict[str, object]) -> None:
        if self._logger.isEnabledFor(level):
            self._logger.log(level, "%s", _LogEntry(text, fields), extra={"fields": fields})


class _LogEntry:
    """Text with its fields; formatted only when lines are written."""

    __slots__ = ("fields", "text")

    def __init__(self, text: str, fields: dict[str, object]) -> None:
        self.text = text
        self.fields = fields

    def __str__(self) -> str:
        parts = [_one_line(self.text), *(f"{key}={_quoted(v)}" for key, v in self.fields.items())]
        return " ".join(parts)


def get(name: str) -> Logger:
    """Return the logger of a module or daemon."""
    return Logger(name)


def is_debug() -> bool:
    """Return whether SAINT_DEBUG=1 enables debug entries and stack traces."""
    return os.environ.get("SAINT_DEBUG", "") not in ("", "0")


def setup(daemon: str) -> None:
    """Direct all entries of this process to the journal or stderr; called once, by the daemon's run
    loop.
    """
    handler: logging.Handler
    handler = _Journal(daemon) if _is_journal(sys.stderr.fileno()) else _Lines(daemon)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.DEBUG if is_debug() else logging.INFO)
    if not is_debug():
        logging.getLogger("asyncio").setLevel(logging.WARNING)


def _is_journal(descriptor: int) -> bool:
    """Return whether JOURNAL_STREAM names this descriptor; a redirected stderr differs."""
    named = os.environ.get("JOURNAL_STREAM", "")
    if not named:
        return False
    try:
        status = os.fstat(descriptor)
    except OSError:
        return False
    return named == f"{status.st_dev}:{status.st_ino}"


class _Lines(logging.StreamHandler):  # type: ignore[type-arg]  # generic only in stubs
    def __init__(self, daemon: str) -> None:
        super().__init__(sys.stderr)
        self._daemon = daemon

    def format(self, record: logging.LogRecord) -> str:
        clock = time.strftime("%H:%M:%S", time.localtime(record.created))
        line = f"{clock}.{int(record.msecs):03d} {self._daemon} {record.levelname.lower()}: "
        line += _one_line(record.getMessage())
        if record.exc_info:
            line += "\n" + logging.Formatter().formatException(record.exc_info)
        return line


class _Journal(logging.Handler):
    def __init__(self, daemon: str, address: str = _JOURNAL) -> None:
        super().__init__()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)  # a full journal loses entries but never blocks a daemon
        self._address = address
        self._fields = {"SYSLOG_IDENTIFIER": f"saint-{daemon}", "SAINT_DAEMON": daemon}
        for name in ("SAINT_VERSION", "SAINT_SLOT"):  # set by the image
            if value := os.environ.get(name):
                self._fields[name] = value
        self.lost = 0

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._socket.sendto(journal_datagram(self._fields, record), self._address)
        except OSError:
            self.lost += 1

    def close(self) -> None:
        self._socket.close()
        super().close()


def journal_datagram(fixed: dict[str, str], record: logging.LogRecord) -> bytes:
    """Format an entry in journald's native protocol."""
    fields = dict(fixed)
    fields["PRIORITY"] = str(_PRIORITY.get(record.levelno, 5))
    fields["SAINT_LOGGER"] = record.name
    given = record.__dict__.get("fields", {})
    message = record.getMessage()
    if record.exc_info:
        message += "\n" + logging.Formatter().formatException(record.exc_info)
    fields |= {"SAINT_" + _NAME.sub("_", key.upper()): str(value) for key, value in given.items()}
    parts = [_journal_field("MESSAGE", message), *(_journal_field(k, v) for k, v in fields.items())]
    return b"".join(parts)


def _journal_field(name: str, value: str) -> bytes:
    data = value.encode(errors="replace")[:_LONGEST_BYTES]
    if b"\n" not in data:
        return name.encode() + b"=" + data + b"\n"
    return name.encode() + b"\n" + struct.pack("<Q", len(data)) + data + b"\n"


def _one_line(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _quoted(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    if _PLAIN.fullmatch(text):
        return _one_line(text)
    return '"' + _one_line(text).replace('"', '\\"') + '"'
