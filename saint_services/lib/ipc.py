"""The control plane: HTTP and JSON over unix sockets, for daemons (Api) and their clients (Client).
`curl --unix-socket <path> http://localhost/status` works. Not here: what is asked (lib/api).

aiohttp is imported when the first server or client opens: programs that do neither never pay.
"""

import asyncio
import contextlib
import socket
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import pydantic_core
from pydantic import BaseModel, ValidationError

from . import log, validation
from .errors import Code, SaintError

if TYPE_CHECKING:
    import aiohttp
    from aiohttp import web

B = TypeVar("B")
M = TypeVar("M", bound=BaseModel)

LARGEST_BODY_BYTES = 1 << 20
_WRITE_LIMIT_S = 5.0  # a client that does not read a stream for so long is dropped
_READ_LIMIT_S = 10.0  # for a request's body to arrive
_CLOSE_LIMIT_S = 1.0
_log = log.get("ipc")


@dataclass(frozen=True, slots=True)
class Call(Generic[B]):
    """One request. `path` holds the {parts} of the route, `body` the checked model."""

    path: Mapping[str, str]
    query: Mapping[str, str]
    body: B


Handler = Callable[[Call[B]], Awaitable[BaseModel]]
StreamHandler = Callable[[Call[B]], AsyncIterator[BaseModel]]


class ErrorReply(BaseModel):
    """How a SaintError travels."""

    code: str
    message: str
    fix: str = ""

    @classmethod
    def of(cls, error: SaintError) -> "ErrorReply":
        return cls(code=error.code.value, message=error.message, fix=error.fix)

    def error(self) -> SaintError:
        """The same error on this side; codes of newer versions become `internal`."""
        try:
            code = Code(self.code)
        except ValueError:
            code = Code.INTERNAL
        return SaintError(code, self.message, fix=self.fix)


class _StreamEnd(BaseModel):
    """Last line of a stream that failed."""

    error: ErrorReply


@dataclass(frozen=True, slots=True)
class _Route:
    method: str
    path: str
    handler: Callable[[Any], Any]
    body: type[BaseModel] | None
    limit_s: float
    is_stream: bool = False


class Api:
    """The paths that a daemon answers."""

    def __init__(self) -> None:
        self._routes: list[_Route] = []
        self.counters: Counter[str] = Counter()

    def get(self, path: str, handler: Handler[None], *, limit_s: float = 10.0) -> None:
        """Answer GET `path`; `limit_s` is the longest that the handler may take."""
        self._routes.append(_Route("GET", path, handler, None, limit_s))

    def post(
        self, path: str, handler: Handler[B], body: type[B] | None = None, *, limit_s: float = 10.0
    ) -> None:
        """Answer POST `path`; the handler finds the checked `body` in its call."""
        self._add("POST", path, handler, body, limit_s)

    def put(
        self, path: str, handler: Handler[B], body: type[B] | None = None, *, limit_s: float = 10.0
    ) -> None:
        """Answer PUT `path`."""
        self._add("PUT", path, handler, body, limit_s)

    def patch(
        self, path: str, handler: Handler[B], body: type[B] | None = None, *, limit_s: float = 10.0
    ) -> None:
        """Answer PATCH `path`."""
        self._add("PATCH", path, handler, body, limit_s)

    def delete(self, path: str, handler: Handler[None], *, limit_s: float = 10.0) -> None:
        """Answer DELETE `path`."""
        self._routes.append(_Route("DELETE", path, handler, None, limit_s))

    def stream(
        self,
        method: str,
        path: str,
        handler: StreamHandler[B],
        body: type[B] | None = None,
        *,
        limit_s: float = 10.0,
    ) -> None:
        """Answer with one JSON object per line for as long as the handler yields.

        The handler is cancelled when the client's connection ends. `limit_s` is for the first
        line: an error raised before it becomes the answer's status.
        """
        self._add(method, path, handler, body, limit_s, is_stream=True)

    def _add(
        self,
        method: str,
        path: str,
        handler: Callable[[Call[B]], Any],
        body: type[B] | None,
        limit_s: float,
        is_stream: bool = False,
    ) -> None:
        model: Any = body
        self._routes.append(_Route(method, path, handler, model, limit_s, is_stream))

    async def serve(self, sockets: Iterable[socket.socket]) -> "Server":
        """Answer on listening sockets until the server is closed."""
        server = Server(self._routes, self.counters)
        await server.open(sockets)
        return server


class Server:
    """An Api at work; made by Api.serve."""

    def __init__(self, routes: list[_Route], counters: Counter[str]) -> None:
        self._routes = routes
        self._counters = counters
        self._running: set[asyncio.Task[Any]] = set()
        self._runner: web.AppRunner | None = None

    async def open(self, sockets: Iterable[socket.socket]) -> None:
        """Start answering."""
        from aiohttp import web

        app = web.Application(middlewares=[self._translate], client_max_size=LARGEST_BODY_BYTES)
        for route in self._routes:
            app.router.add_route(route.method, route.path, self._handler(route))
        self._runner = web.AppRunner(
            app,
            handle_signals=False,
            access_log=None,
            handler_cancellation=True,
            shutdown_timeout=_CLOSE_LIMIT_S,
        )
        await self._runner.setup()
        for each in sockets:
            await web.SockSite(self._runner, each).start()

    async def close(self) -> None:
        """Stop answering; streams end at once."""
        for task in self._running:
            task.cancel()
        if self._runner:
            await self._runner.cleanup()
            self._runner = None

    def _handler(self, route: _Route) -> Callable[["web.Request"], Awaitable["web.StreamResponse"]]:
        async def handle(request: "web.Request") -> "web.StreamResponse":
            async with asyncio.timeout(_READ_LIMIT_S):
                raw = await request.read() if route.body else b""
            call = Call(
                path=dict(request.match_info),
                query=dict(request.query),
                body=_checked(route.body, raw) if route.body else None,
            )
            if route.is_stream:
                return await self._stream(route, call, request)
            async with asyncio.timeout(route.limit_s):
                return _json(200, await self._outcome(route.handler(call)))

        return handle

    async def _outcome(self, work: Awaitable[Any]) -> Any:
        """The work's result. Run as a task of its own so that whatever it raises is data here."""
        task = asyncio.ensure_future(work)
        self._running.add(task)
        try:
            await asyncio.wait({task})
        finally:
            self._running.discard(task)
            if task.cancel():
                await asyncio.wait({task}, timeout=_CLOSE_LIMIT_S)
        if task.cancelled():
            raise SaintError(Code.DAEMON_UNREACHABLE, "the daemon is stopping")
        error = task.exception()
        if error is None or isinstance(error, SaintError):
            return task.result()
        _log.error("request failed", error=type(error).__name__, text=error)
        _log.trace(error)
        self._counters["ipc_faults"] += 1
        raise SaintError(Code.INTERNAL, f"{type(error).__name__}: {error}") from error

    async def _stream(
        self, route: _Route, call: Call[Any], request: "web.Request"
    ) -> "web.StreamResponse":
        from aiohttp import web

        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        try:
            await self._outcome(_pour(route, call, request, response))
        except SaintError as err:
            if not response.prepared:
                raise
            with contextlib.suppress(ConnectionError):
                await _send(response, _StreamEnd(error=ErrorReply.of(err)))
        return response

    @property
    def _translate(self) -> Any:
        from aiohttp import web

        @web.middleware
        async def translate(request: web.Request, handler: Any) -> web.StreamResponse:
            try:
                answer: web.StreamResponse = await handler(request)
            except SaintError as err:
                return self._refusal(err)
            except TimeoutError:
                return self._refusal(SaintError(Code.INTERNAL, "there was no result in time"))
            except web.HTTPNotFound:
                return self._refusal(self._unknown_path(request.path))
            except web.HTTPMethodNotAllowed as err:
                allowed = ", ".join(sorted(err.allowed_methods - {"HEAD"}))
                message = f"{request.method} is not possible at {request.path}, only {allowed}"
                return self._refusal(SaintError(Code.REQUEST_INVALID, message), 405)
            except web.HTTPRequestEntityTooLarge:
                message = f"the body is longer than {LARGEST_BODY_BYTES} bytes"
                return self._refusal(SaintError(Code.TOO_LARGE, message))
            return answer

        return translate

    def _refusal(self, error: SaintError, status: int = 0) -> "web.Response":
        self._counters[f"ipc_refused_{error.code.value}"] += 1
        return _json(status or error.status, ErrorReply.of(error))

    def _unknown_path(self, path: str) -> SaintError:
        known = sorted({route.path for route in self._routes})
        return SaintError(
            Code.NOT_FOUND,
            f"{path} is not a path here",
            fix=f"Known paths: {', '.join(known)}.",
        )


async def _pour(
    route: _Route, call: Call[Any], request: "web.Request", response: "web.StreamResponse"
) -> None:
    """All lines of a stream. The status is sent with the first one."""
    replies: AsyncGenerator[BaseModel] = route.handler(call)
    async with contextlib.aclosing(replies):
        async with asyncio.timeout(route.limit_s):
            first = await anext(replies, None)
        try:
            await response.prepare(request)
            if first is not None:
                await _send(response, first)
            async for reply in replies:
                await _send(response, reply)
        except ConnectionError:
            return  # the client has gone; that is how streams end


def _json(status: int, reply: BaseModel) -> "web.Response":
    from aiohttp import web

    text = reply.model_dump_json(by_alias=True)
    return web.Response(status=status, text=text + "\n", content_type="application/json")


async def _send(response: "web.StreamResponse", reply: BaseModel) -> None:
    line = reply.model_dump_json(by_alias=True).encode() + b"\n"
    try:
        async with asyncio.timeout(_WRITE_LIMIT_S):
            await response.write(line)
    except TimeoutError as err:
        raise SaintError(Code.TOO_SLOW, "the client does not read its stream") from err


def _checked(model: type[BaseModel], raw: bytes) -> BaseModel:
    """The body as a model; none at all counts as one without fields."""
    try:
        return model.model_validate_json(raw or b"{}")
    except ValidationError as err:
        error = err
    if any(details["type"] == "json_invalid" for details in error.errors(include_url=False)):
        raise SaintError(Code.REQUEST_INVALID, "the body is not JSON")
    data = pydantic_core.from_json(raw or b"{}")
    found = validation.faults(error, model, data, noun="field")
    subject = "" if found[0].path else "the request "
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    raise SaintError(Code.REQUEST_INVALID, f"{subject}{found[0]}{more}")


class Client:
    """Asks one daemon. May be kept open: a daemon that was started anew is simply found again."""

    def __init__(self, socket_path: Path | str) -> None:
        self.path = Path(socket_path)
        self._session: aiohttp.ClientSession | None = None
        self._streams: set[aiohttp.ClientResponse] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End all connections; streams that are still read raise daemon_unreachable."""
        for response in tuple(self._streams):
            response.close()
        if self._session:
            await self._session.close()
            self._session = None

    async def get(
        self,
        path: str,
        reply: type[M],
        *,
        query: Mapping[str, str] | None = None,
        timeout_s: float = 5.0,
    ) -> M:
        """GET `path`, answered by a `reply`."""
        return await self._ask("GET", path, None, reply, timeout_s, query)

    async def post(
        self, path: str, body: BaseModel | None, reply: type[M], *, timeout_s: float = 5.0
    ) -> M:
        """POST `body` to `path`, answered by a `reply`."""
        return await self._ask("POST", path, body, reply, timeout_s)

    async def put(
        self, path: str, body: BaseModel | None, reply: type[M], *, timeout_s: float = 5.0
    ) -> M:
        """PUT `body` to `path`, answered by a `reply`."""
        return await self._ask("PUT", path, body, reply, timeout_s)

    async def patch(
        self, path: str, body: BaseModel | None, reply: type[M], *, timeout_s: float = 5.0
    ) -> M:
        """PATCH `path` with `body`, answered by a `reply`."""
        return await self._ask("PATCH", path, body, reply, timeout_s)

    async def delete(self, path: str, reply: type[M], *, timeout_s: float = 5.0) -> M:
        """DELETE `path`, answered by a `reply`."""
        return await self._ask("DELETE", path, None, reply, timeout_s)

    async def stream(
        self,
        method: str,
        path: str,
        body: BaseModel | None,
        reply: type[M],
        *,
        first_s: float = 10.0,
        silence_s: float = 5.0,
    ) -> AsyncGenerator[M]:
        """Yield every line of the answer; raises daemon_unreachable when the connection breaks or
        stays silent for `silence_s`. Leaving the loop early: use contextlib.aclosing, so that the
        connection ends at once.
        """
        import aiohttp

        limits = aiohttp.ClientTimeout(total=None)
        with self._reachable(first_s):
            async with asyncio.timeout(first_s):
                response = await self._session_open().request(
                    method, _url(path), data=_encoded(body), timeout=limits
                )
        self._streams.add(response)
        try:
            if response.status != 200:
                raise await self._refusal(response, silence_s)
            while line := await self._line(response, silence_s):
                yield _reply(line, reply)
        finally:
            self._streams.discard(response)
            response.close()

    async def _refusal(self, response: "aiohttp.ClientResponse", limit_s: float) -> SaintError:
        with self._reachable(limit_s):
            async with asyncio.timeout(limit_s):
                return _refusal(await response.read())

    async def _line(self, response: "aiohttp.ClientResponse", silence_s: float) -> bytes:
        with self._reachable(silence_s):
            async with asyncio.timeout(silence_s):
                line = await response.content.readline()
        if line.startswith(b'{"error":{"code":'):
            raise _StreamEnd.model_validate_json(line).error.error()
        return line

    async def _ask(
        self,
        method: str,
        path: str,
        body: BaseModel | None,
        reply: type[M],
        timeout_s: float,
        query: Mapping[str, str] | None = None,
    ) -> M:
        import aiohttp

        limits = aiohttp.ClientTimeout(total=timeout_s)
        with self._reachable(timeout_s):
            async with self._session_open().request(
                method, _url(path), data=_encoded(body), params=query, timeout=limits
            ) as response:
                raw = await response.read()
        if response.status != 200:
            raise _refusal(raw)
        return _reply(raw, reply)

    @contextlib.contextmanager
    def _reachable(self, limit_s: float) -> Any:
        """Whatever breaks a connection becomes one sentence that names the daemon."""
        import aiohttp

        name = self.path.stem
        fix = f"Look at its log: journalctl -u saint-{name}, or the launcher's output."
        try:
            yield
        except TimeoutError as err:
            message = f"{name} did not answer within {limit_s:g} s"
            raise SaintError(Code.DAEMON_UNREACHABLE, message, fix=fix) from err
        except (aiohttp.ClientError, OSError, ValueError) as err:
            message = f"{name} does not answer at {self.path}: {_reason(err)}"
            raise SaintError(Code.DAEMON_UNREACHABLE, message, fix=fix) from err

    def _session_open(self) -> "aiohttp.ClientSession":
        import aiohttp

        if self._session is None:
            # No connection is kept: the daemon may be another process at the next request.
            connector = aiohttp.UnixConnector(str(self.path), force_close=True)
            self._session = aiohttp.ClientSession(
                connector=connector,
                headers={"Content-Type": "application/json"},
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                read_bufsize=LARGEST_BODY_BYTES,
            )
        return self._session


def _url(path: str) -> str:
    return f"http://localhost{path}"


def _encoded(body: BaseModel | None) -> bytes | None:
    return None if body is None else body.model_dump_json(by_alias=True).encode()


def _reply(raw: bytes, model: type[M]) -> M:
    try:
        return model.model_validate_json(raw)
    except ValidationError as err:
        message = f"the answer is no {model.__name__}: {err.errors()[0]['msg']}"
        raise SaintError(Code.MESSAGE_MALFORMED, message) from err


def _refusal(raw: bytes) -> SaintError:
    try:
        return ErrorReply.model_validate_json(raw).error()
    except ValidationError:
        text = raw[:80].decode(errors="replace")
        return SaintError(Code.MESSAGE_MALFORMED, f"the refusal is not readable: {text!r}")


def _reason(error: Exception) -> str:
    cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
