"""The boundary of webd: whatever goes wrong in a request or a message becomes the documented error.
Unexpected faults are logged with their stack trace and counted here. Only this file and
lib/daemon.py may catch Exception: a fault in one action must cost its client a reply, not
other clients the connection that stops the robot. Not here: reasons of refusals (the handlers).
"""

import contextlib
import logging
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from aiohttp import HttpVersion11, web

from ...lib.errors import Code, SaintError
from ...lib.ipc import ErrorReply
from ..accounts.access import RefusedError
from ..logic import BadMessageError

T = TypeVar("T")

MOST_PLACES = 64  # of faults whose stack traces are in the log already
_TEXT = "the request failed by a fault of the robot's server"
_CODES = {404: Code.NOT_FOUND, 413: Code.TOO_LARGE, 408: Code.TOO_SLOW}
_TEXTS = {
    404: "there is nothing at this path",
    405: "{method} is not possible here",
    413: "the request is too large",
}

_log = logging.getLogger("saint.webd")


class Boundary:
    """The boundary of all requests, messages and states."""

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._known: set[str] = set()

    @contextlib.contextmanager
    def around(self, what: str, has_gone: Callable[[], bool] = bool) -> Iterator[None]:
        """Turn unexpected exceptions of the block into a SaintError with the code `internal`. A
        client that has disconnected is no fault.
        """
        try:
            yield
        except (SaintError, web.HTTPException):
            raise
        except Exception as err:
            if isinstance(err, ConnectionError) and has_gone():
                raise
            self._note(what, err)
            raise SaintError(Code.INTERNAL, _TEXT) from err

    def or_none(self, what: str, work: Callable[[], T | None]) -> Callable[[], T | None]:
        """Return the same work; None is its result where it fails."""

        def guarded() -> T | None:
            with contextlib.suppress(SaintError), self.around(what):
                return work()
            return None

        return guarded

    def _note(self, what: str, error: Exception) -> None:
        """Log a fault, with one stack trace per place: a client may repeat its message fifty times
        a second.
        """
        self._counters["faults"] += 1
        place = f"{type(error).__name__} {traceback.extract_tb(error.__traceback__)[-1]}"
        is_new = place not in self._known and len(self._known) < MOST_PLACES
        if is_new:
            self._known.add(place)
        kind = type(error).__name__
        _log.error("%s failed: %s", what, kind, exc_info=error if is_new else None)

    def middleware(self) -> Any:
        """Return the outermost middleware of all requests."""

        @web.middleware
        async def boundary(request: web.Request, handler: Any) -> web.StreamResponse:
            try:
                with self.around("a request", lambda: _has_gone(request)):
                    answer: web.StreamResponse = await handler(request)
            except SaintError as err:
                self.count(err)
                if request.writer.output_size > 0:
                    _cut(request)
                    raise ConnectionAbortedError from err
                return refusal(err)
            except web.HTTPException as err:
                return refused_by_aiohttp(request.method, err)
            return answer

        return boundary

    def count(self, error: SaintError) -> None:
        """Count a refusal by its reason."""
        reason = error.code.value
        if isinstance(error, RefusedError | BadMessageError):
            reason = error.reason
        self._counters[f"refused_{reason}"] += 1


def _has_gone(request: web.Request) -> bool:
    return request.transport is None or request.transport.is_closing()


def _cut(request: web.Request) -> None:
    """Abort the connection, because half a reply must not look whole."""
    if request.transport is not None:
        request.transport.abort()


def refusal(
    error: SaintError, status: int = 0, headers: Mapping[str, str] | None = None
) -> web.Response:
    """Return an error as the documented reply."""
    return web.Response(
        status=status or error.status,
        text=ErrorReply.of(error).model_dump_json() + "\n",
        headers=headers,
        content_type="application/json",
    )


def refused_by_aiohttp(method: str, error: web.HTTPException) -> web.Response:
    """Return an error that aiohttp raises itself as the documented reply."""
    text = _TEXTS.get(error.status, error.reason).format(method=method[:16])
    code = _CODES.get(error.status, Code.REQUEST_INVALID)
    allowed = error.headers.get("Allow")
    return refusal(SaintError(code, text), error.status, {"Allow": allowed} if allowed else None)


async def answer_expect(request: web.Request) -> web.StreamResponse | None:
    """Answer `Expect:`, which comes before any middleware; aiohttp's own reply is no JSON."""
    if request.version < HttpVersion11:
        return None
    if request.headers.get("Expect", "").lower() != "100-continue":
        text = "the header Expect requests something that webd does not support"
        return refusal(SaintError(Code.REQUEST_INVALID, text), 417)
    await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    request.writer.output_size = 0  # that was not the reply yet
    return None
