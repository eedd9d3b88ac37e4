"""The audit log: who did what on this robot. A daemon sends one entry for each request that it has
carried out or refused to webd, which stores it; on a machine without webd the entry is in the
journal only. Not here: the file (webd/audit).
"""

import asyncio
import errno
import json
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from .. import log
from ..api.endpoint import Endpoint, hidden
from ..clock import wall_s
from ..errors import Code, SaintError
from .person import Person

SOCKET = "audit.sock"  # in the runtime directory
LARGEST_BYTES = 8 << 10  # of an entry
_LONGEST_DETAIL = 300
_MOST_WAITING = 1000
_RETRY_S = 1.0
_log = log.get("audit")
R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One line of the log. `what` names the request (empty: an event of the robot), `text` is the
    sentence for the activity log, `refused` the reason of a refusal.
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
        """Format the entry as one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, line: str | bytes) -> "AuditRecord | None":
        """Parse a line; None if a power cut truncated it."""
        try:
            found = cls(**json.loads(line))
        except (ValueError, TypeError):
            return None
        texts = (getattr(found, name) for name in cls.__slots__ if name != "time_s")
        is_sound = isinstance(found.time_s, int | float) and all(isinstance(t, str) for t in texts)
        return found if is_sound else None


def entries(lines: Iterable[str]) -> Iterator[AuditRecord]:
    """Yield the entries of a file, without truncated lines."""
    return (found for line in lines if (found := AuditRecord.read(line)) is not None)


def done(row: Endpoint[Any, Any], who: Person, params: BaseModel, reply: BaseModel) -> AuditRecord:
    """Make the entry of a request that was carried out."""
    text = row.sentence(params, reply)
    return _entry(row, who, params, text=text, severity=row.severity_of(params, reply))


def refused(
    row: Endpoint[Any, Any], who: Person, params: BaseModel, error: SaintError
) -> AuditRecord:
    """Make the entry of a request that was refused or failed."""
    return _entry(row, who, params, refused=error.message)


async def recorded(
    add: Callable[[AuditRecord], None],
    row: Endpoint[Any, R],
    who: Person,
    params: BaseModel,
    work: Awaitable[R],
) -> R:
    """Await the work of a request that does not come by `lib/ipc`; then add its entry, whether the
    request was carried out, was refused or ended early."""
    error = SaintError(Code.INTERNAL, "the request ended without an outcome")
    reply: R | None = None
    try:
        reply = await work
        return reply
    except SaintError as err:
        error = err
        raise
    finally:
        add(refused(row, who, params, error) if reply is None else done(row, who, params, reply))


def _entry(row: Endpoint[Any, Any], who: Person, params: BaseModel, **more: str) -> AuditRecord:
    return AuditRecord(
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
    """Format parameters as one line, truncated to 300 characters."""
    text = ", ".join(f"{name}: {_short(value)}" for name, value in fields.items())
    return text if len(text) <= _LONGEST_DETAIL else text[: _LONGEST_DETAIL - 1] + "…"


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class AuditReporter:
    """Sends entries to webd's socket in `runtime` without blocking; entries wait while it is
    full.
    """

    def __init__(self, runtime: Path) -> None:
        self._path = str(runtime / SOCKET)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._waiting: deque[AuditRecord] = deque(maxlen=_MOST_WAITING)
        self._timer: asyncio.TimerHandle | None = None
        self._is_refused = False

    def add(self, entry: AuditRecord) -> None:
        """Send one entry, now or as soon as the log accepts it."""
        _log.info(entry.what, who=entry.who, params=entry.detail, refused=entry.refused)
        self._waiting.append(entry)
        if self._timer is None:  # else a retry is scheduled
            self._send()

    def close(self) -> None:
        """Drop what is waiting and close the socket."""
        if self._timer:
            self._timer.cancel()
        self._socket.close()

    def _send(self) -> None:
        self._timer = None
        while self._waiting:
            try:
                self._socket.sendto(self._waiting[0].line().encode(), self._path)
            except OSError as err:
                if err.errno == errno.ENOENT:  # no webd on this machine: the journal has the entry
                    self._waiting.clear()
                    return
                if err.errno == errno.EACCES and not self._is_refused:
                    self._is_refused = True
                    _log.error("the audit log accepts nothing from this daemon: wrong group?")
                if err.errno != errno.EMSGSIZE:
                    self._timer = asyncio.get_running_loop().call_later(_RETRY_S, self._send)
                    return
            self._waiting.popleft()
