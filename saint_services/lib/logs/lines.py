"""Parses entries of journald and of the launcher into log lines, and filters them. Pure."""

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..api.logs import LEVELS, LogFilter, LogLevel, LogLine

LONGEST_TEXT = 4000
_OWN = "SAINT_"
_NOT_SHOWN = {"SAINT_DAEMON", "SAINT_VERSION", "SAINT_SLOT", "SAINT_LOGGER"}
_BY_PRIORITY: tuple[LogLevel, ...] = (
    *("ERROR",) * 4,  # emergency, alert, critical, error
    "WARNING",
    *("INFO",) * 2,  # notice, info
    "DEBUG",
)
_LINE = re.compile(r"(\d\d):(\d\d):(\d\d)\.(\d{3}) (\S+) (debug|info|warning|error|critical): (.*)")
_DAY_S = 86_400


def is_wanted(line: LogLine, wanted: LogFilter) -> bool:
    """Return whether a line passes every field of the filter."""
    return (
        LEVELS.index(line.level) >= LEVELS.index(wanted.level)
        and (not wanted.source or line.source == wanted.source)
        and (not wanted.node or line.node == wanted.node)
        and (not wanted.search or wanted.search.casefold() in line.text.casefold())
    )


def journal_line(entry: dict[str, Any]) -> LogLine | None:
    """Parse an entry of `journalctl -o json`; None if it has no text."""
    text = _text(entry.get("MESSAGE"))
    if not text:
        return None
    fields = [
        f"{key.removeprefix(_OWN).lower()}={_text(value)}"
        for key, value in entry.items()
        if key.startswith(_OWN) and key not in _NOT_SHOWN
    ]
    name = _text(entry.get("SYSLOG_IDENTIFIER")) or _text(entry.get("_COMM")) or "unknown"
    try:
        stamp_us = int(entry.get("__REALTIME_TIMESTAMP", 0))
        level = _BY_PRIORITY[int(entry.get("PRIORITY", 6))]
    except (ValueError, TypeError, IndexError):
        return None
    return LogLine(
        time=stamp_us / 1e6,
        level=level,
        source=source_name(name),
        node=_text(entry.get("_HOSTNAME")),
        text=" ".join([text, *fields])[:LONGEST_TEXT],
        cursor=_text(entry.get("__CURSOR")),
    )


def source_name(identifier: str) -> str:
    """Return the program's name; our daemons without their prefix."""
    return identifier.removeprefix("saint-")


def _text(value: object) -> str:
    """Decode a field: journald gives other encodings as a list of bytes, repeated fields as a
    list.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        if all(isinstance(each, int) and 0 <= each < 256 for each in value):
            return bytes(value).decode(errors="replace")
        return " ".join(_text(each) for each in value)
    return ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Machine and program of a launcher's file."""

    node: str
    source: str

    @classmethod
    def of(cls, file_name: str) -> "Origin | None":
        """Parse a file name: "server-role-headd.log" is machine "server", program "role-headd"."""
        node, dash, source = file_name.removesuffix(".1").removesuffix(".log").partition("-")
        return cls(node, source) if dash and node and source else None


def launcher_lines(text: str, origin: Origin, last_s: float, start: int = 0) -> Iterator[LogLine]:
    """Parse the lines of one file. They have the time of day only; the day follows from `last_s`,
    the time of the last line. `start` is the offset of the text in the file.
    """
    rows = list(_rows(text, start))
    offsets_s = _ages([row[1] for row in rows], last_s)
    level: LogLevel = "INFO"
    for (position, parts, raw), time_s in zip(rows, offsets_s, strict=True):
        said = raw
        if parts is not None:
            word = parts[6].upper()
            level = "ERROR" if word == "CRITICAL" else word  # type: ignore[assignment]  # of _LINE
            said = parts[7]
        else:
            level = "INFO"
        yield LogLine(
            time=time_s,
            level=level,
            source=origin.source,
            node=origin.node,
            text=said[:LONGEST_TEXT],
            cursor=f"{round(time_s * 1000)}:{origin.node}-{origin.source}:{position}",
        )


def _rows(text: str, start: int) -> Iterator[tuple[int, "re.Match[str] | None", str]]:
    position = start
    for raw in text.splitlines(keepends=True):
        bare = raw.rstrip("\r\n")
        if bare:
            yield position, _LINE.fullmatch(bare), bare
        position += len(raw.encode())


def _ages(matches: Iterable["re.Match[str] | None"], last_s: float) -> list[float]:
    """Yield the age of each line, from the newest backwards: a time of day after the next line's is
    of the previous day. A line without a time has that of the next line.
    """
    found: list[float] = []
    newest_s = last_s
    for match in reversed(list(matches)):
        if match is not None:
            hour, minute, second, ms = (int(match[n]) for n in range(1, 5))
            day = time.localtime(newest_s)
            begun = (day.tm_year, day.tm_mon, day.tm_mday, hour, minute, second, 0, 0, -1)
            time_s = time.mktime(begun) + ms / 1000
            if time_s > newest_s + 1.0:
                time_s -= _DAY_S
            newest_s = min(newest_s, time_s)
        found.append(newest_s)
    return found[::-1]


def place_of(cursor: str) -> tuple[int, str, int]:
    """Return the position of a launcher's line; raises ValueError for an invalid cursor."""
    time_ms, name, position = cursor.split(":")
    return int(time_ms), name, int(position)
