"""Who did what on this robot. A daemon that has carried out or refused a request sends one entry to
the server's log (webd keeps it); on a machine without that log it stands in the journal. Not here:
the file (webd/audit/audit_file.py).
"""

import asyncio
import errno
import json
import socket
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from .. import log
from ..api.endpoint import Endpoint, hidden
from ..clock import wall_s
from ..errors import SaintError
from .person import Person

SOCKET = "audit.sock"  # in the runtime directory
LARGEST_BYTES = 8 << 10  # of an entry
_LONGEST_DETAIL = 300
_MOST_WAITING = 1000
_RETRY_S = 1.0
_log = log.get("audit")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log. `what` names the request; an entry without one is an event of the robot.
    `text` is its sentence for the activity log, `refused` why it was not done.
    """

    time_s: float
    who: str = ""
    level: str = ""
    address: str = ""
    what: str = ""
    detail: str = ""
    source: str = ""
    text: str = ""
    severity: str = "INFO"
    refused: str = ""
    daemon: str = ""

    def line(self) -> str:
        """JSON, one line."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, line: str | bytes) -> "Entry | None":
        """The entry of such a line; None for one that a power cut tore."""
        try:
            found = cls(**json.loads(line))
        except (ValueError, TypeError):
            return None
        texts = (getattr(found, name) for name in cls.__slots__ if name != "time_s")
        is_sound = isinstance(found.time_s, int | float) and all(isinstance(t, str) for t in texts)
        return found if is_sound else None


def entries(lines: Iterable[str]) -> Iterator[Entry]:
    """Return those of a file that can be read."""
    return (found for line in lines if (found := Entry.read(line)) is not None)


def done(row: Endpoint[Any, Any], who: Person, params: BaseModel, reply: BaseModel) -> Entry:
    """The entry of a request that was carried out."""
    text = row.sentence(params, reply)
    return _entry(row, who, params, text=text, severity=row.severity_of(params, reply))


def refused(row: Endpoint[Any, Any], who: Person, params: BaseModel, error: SaintError) -> Entry:
    """The entry of a request that was refused or failed."""
    return _entry(row, who, params, refused=error.message)


def _entry(row: Endpoint[Any, Any], who: Person, params: BaseModel, **more: str) -> Entry:
    return Entry(
        time_s=wall_s(),
        who=who.name,
        level=who.level,
        address=who.address,
        source=who.source,
        what=row.name,
        detail=detail(hidden(params)),
        daemon=row.daemon,
        **more,
    )


def detail(fields: dict[str, Any]) -> str:
    """Parameters in one line; long ones are cut."""
    text = ", ".join(f"{name}: {_short(value)}" for name, value in fields.items())
    return text if len(text) <= _LONGEST_DETAIL else text[: _LONGEST_DETAIL - 1] + "…"


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class Reporter:
    """Sends entries to the server's log in `runtime`, without ever waiting for it."""

    def __init__(self, runtime: Path) -> None:
        self._path = str(runtime / SOCKET)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._waiting: deque[Entry] = deque(maxlen=_MOST_WAITING)
        self._timer: asyncio.TimerHandle | None = None
        self._is_refused = False

    def add(self, entry: Entry) -> None:
        """Take one entry."""
        _log.info(entry.what, who=entry.who, params=entry.detail, refused=entry.refused)
        self._waiting.append(entry)
        if self._timer is None:  # else the log is full or away, and is tried again soon
            self._send()

    def close(self) -> None:
        """Send no more."""
        if self._timer:
            self._timer.cancel()
        self._socket.close()

    def _send(self) -> None:
        self._timer = None
        while self._waiting:
            try:
                self._socket.sendto(self._waiting[0].line().encode(), self._path)
            except OSError as err:
                if err.errno == errno.ENOENT:  # no server here: the journal has it
                    self._waiting.clear()
                    return
                if err.errno == errno.EACCES and not self._is_refused:
                    self._is_refused = True
                    _log.error("the audit log accepts nothing from this daemon: wrong group?")
                if err.errno != errno.EMSGSIZE:
                    self._timer = asyncio.get_running_loop().call_later(_RETRY_S, self._send)
                    return
            self._waiting.popleft()
