"""The boundary of webd: whatever went wrong in a request or a message leaves it as the documented
error. What nobody foresaw is logged with its stack trace and counted here. The one place beside
lib/daemon.py that may catch Exception: a fault in one action must cost its asker an answer, not
everybody the connection that stops the robot. Not here: who is refused for what (the handlers).
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

MOST_PLACES = 64  # whose stack traces are in the log already
_TEXT = "the robot's server failed at this by a fault of its own"
_CODES = {404: Code.NOT_FOUND, 413: Code.TOO_LARGE, 408: Code.TOO_SLOW}
_TEXTS = {
    404: "there is nothing at this path",
    405: "{method} is not possible here",
    413: "the request is too large",
}

_log = logging.getLogger("saint.webd")


class Boundary:
    """One for all requests, messages and states."""

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._known: set[str] = set()

    @contextlib.contextmanager
    def around(self, what: str, has_gone: Callable[[], bool] = bool) -> Iterator[None]:
        """What nobody foresaw in here becomes a SaintError with code `internal`. That a client
        has gone is no fault.
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
        """The same work; nothing comes of it where it fails."""

        def guarded() -> T | None:
            with contextlib.suppress(SaintError), self.around(what):
                return work()
            return None

        return guarded

    def _note(self, what: str, error: Exception) -> None:
        """A client may repeat its message fifty times a second: one trace for each place."""
        self._counters["faults"] += 1
        place = f"{type(error).__name__} {traceback.extract_tb(error.__traceback__)[-1]}"
        is_new = place not in self._known and len(self._known) < MOST_PLACES
        if is_new:
            self._known.add(place)
        kind = type(error).__name__
        _log.error("%s failed: %s", what, kind, exc_info=error if is_new else None)

    def middleware(self) -> Any:
        """Of all requests; the outermost."""

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
        """A refusal, by its reason."""
        reason = error.code.value
        if isinstance(error, RefusedError | BadMessageError):
            reason = error.reason
        self._counters[f"refused_{reason}"] += 1


def _has_gone(request: web.Request) -> bool:
    return request.transport is None or request.transport.is_closing()


def _cut(request: web.Request) -> None:
    """Half an answer must not look whole."""
    if request.transport is not None:
        request.transport.abort()


def refusal(
    error: SaintError, status: int = 0, headers: Mapping[str, str] | None = None
) -> web.Response:
    """The documented error."""
    return web.Response(
        status=status or error.status,
        text=ErrorReply.of(error).model_dump_json() + "\n",
        headers=headers,
        content_type="application/json",
    )


def refused_by_aiohttp(method: str, error: web.HTTPException) -> web.Response:
    """What aiohttp raises by itself, in our words."""
    text = _TEXTS.get(error.status, error.reason).format(method=method[:16])
    code = _CODES.get(error.status, Code.REQUEST_INVALID)
    allowed = error.headers.get("Allow")
    return refusal(SaintError(code, text), error.status, {"Allow": allowed} if allowed else None)


async def answer_expect(request: web.Request) -> web.StreamResponse | None:
    """`Expect:` is answered before any middleware; aiohttp's own words are no JSON."""
    if request.version < HttpVersion11:
        return None
    if request.headers.get("Expect", "").lower() != "100-continue":
        text = "the header Expect asks for something that webd does not know"
        return refusal(SaintError(Code.REQUEST_INVALID, text), 417)
    await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    request.writer.output_size = 0  # that was not the answer yet
    return None
