"""Log entries: one line each on a terminal, fields in the journal."""

import io
import logging
import os
import socket
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib import log


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Entries of logger `saint.lined` as `setup` writes them to a terminal."""
    written = io.StringIO()
    monkeypatch.setattr("sys.stderr", written)
    handler = log._Lines("routerd")
    logger = logging.getLogger("saint.lined")
    logger.handlers[:] = [handler]
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    return written


def test_entry_is_one_readable_line(lines: io.StringIO) -> None:
    log.get("lined").info("node adopted", node="pi_1", role="head pan", share=0.123456789, n=3)

    entry = lines.getvalue()
    assert entry.endswith(
        ' routerd info: node adopted node=pi_1 role="head pan" share=0.123457 n=3\n'
    )


def test_field_names_do_not_collide_with_arguments(lines: io.StringIO) -> None:
    log.get("lined").warning("odd", text="t", level="l", self="s", msg="m", name="n")

    assert "odd text=t level=l self=s msg=m name=n" in lines.getvalue()


@given(st.text(max_size=40))
def test_no_value_can_forge_a_second_line(text: str) -> None:
    entry = str(log._LogEntry("constant", {"value": text}))

    assert entry.isprintable()


def test_percent_signs_are_plain_text(lines: io.StringIO) -> None:
    log.get("lined").error("100 % done", left="%s %d")

    assert '100 % done left="%s %d"' in lines.getvalue()


def test_stack_trace_only_in_debug(lines: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAINT_DEBUG", raising=False)
    log.get("lined").trace(KeyError("x"))
    assert lines.getvalue() == ""

    monkeypatch.setenv("SAINT_DEBUG", "1")
    log.get("lined").trace(KeyError("x"))
    assert "KeyError" in lines.getvalue()


def journal_entry(text: str, **fields: object) -> bytes:
    record = logging.LogRecord("saint.routerd", logging.WARNING, "", 1, text, None, None)
    record.fields = fields
    return log.journal_datagram({"SYSLOG_IDENTIFIER": "saint-routerd"}, record)


def test_journal_entry_has_native_fields() -> None:
    entry = journal_entry("node gone", **{"node-id": "pi_1", "seen_s": 3.5})

    assert entry.split(b"\n") == [
        b"MESSAGE=node gone",
        b"SYSLOG_IDENTIFIER=saint-routerd",
        b"PRIORITY=4",
        b"SAINT_LOGGER=saint.routerd",
        b"SAINT_NODE_ID=pi_1",
        b"SAINT_SEEN_S=3.5",
        b"",
    ]


def test_journal_value_of_several_lines_is_length_prefixed() -> None:
    entry = journal_entry("m", value="a\nPRIORITY=0")

    assert b"SAINT_VALUE\n" + struct.pack("<Q", 12) + b"a\nPRIORITY=0\n" in entry


def test_journal_handler_sends_and_never_waits(tmp_path: Path) -> None:
    path = str(tmp_path / "journal")
    record = logging.LogRecord("saint.x", logging.INFO, "", 1, "hello", None, None)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
        journal.bind(path)
        journal.settimeout(2.0)
        handler = log._Journal("x", path)
        handler.emit(record)
        assert b"MESSAGE=hello\n" in journal.recv(4096)
        for _ in range(3000):  # more than the socket accepts without a reader
            handler.emit(record)
    assert handler.lost > 0
    handler.close()


def test_journal_is_used_only_when_stderr_is_its_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "stream").open("w") as stream:
        status = os.fstat(stream.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino}")
        assert log._is_journal(stream.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino + 1}")
        assert not log._is_journal(stream.fileno())
        monkeypatch.delenv("JOURNAL_STREAM")
        assert not log._is_journal(stream.fileno())
