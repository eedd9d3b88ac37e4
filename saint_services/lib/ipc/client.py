"""Sends requests to a daemon, usually over its unix socket. Every failure is a SaintError: the
error that the daemon replied, or daemon_unreachable with the daemon's name.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator, Mapping
from pathlib import Path
from typing import Self, TypeVar
from urllib.parse import urlencode

import h11
from pydantic import BaseModel, ValidationError

from ..access.person import Person
from ..api.endpoint import Endpoint
from ..errors import Code, SaintError
from .exchange import DaemonAddress, Exchange, OutgoingRequest, SocketAddress
from .wire import ErrorReply, StreamEnd

M = TypeVar("M", bound=BaseModel)
P = TypeVar("P", bound=BaseModel)

_TRANSPORT_S = 2.0  # in addition to the time limit of the row


class Client:
    """Sends requests to one daemon. Each request opens a connection, so the client reaches the
    daemon again after a restart.
    """

    def __init__(self, address: Path | str | DaemonAddress) -> None:
        self._address = SocketAddress(Path(address)) if isinstance(address, Path | str) else address
        self._open: set[Exchange] = set()

    @property
    def name(self) -> str:
        """Name of the daemon."""
        return self._address.name

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections; pending requests raise daemon_unreachable."""
        for exchange in tuple(self._open):
            exchange.close()

    async def request(
        self,
        row: Endpoint[P, M],
        params: P,
        person: Person | None = None,
        *,
        timeout_s: float | None = None,
    ) -> M:
        """Send the request of a row of lib/api and return its reply. `person` is the user on whose
        behalf webd sends it; `timeout_s` shortens the row's own time limit.
        """
        who = (person.header,) if person else ()
        request = OutgoingRequest(row.method, row.target(params), row.content(params), who)
        limit_s = row.limit_s + _TRANSPORT_S if timeout_s is None else timeout_s
        return _reply(await self._raw(request, limit_s), row.reply)

    def follow(
        self, row: Endpoint[P, M], params: P, *, silence_s: float = 5.0
    ) -> AsyncGenerator[M]:
        """Send the request of a streaming row and yield its replies (see `stream`)."""
        request = OutgoingRequest(row.method, row.target(params), row.content(params))
        return self._lines(request, row.reply, row.limit_s, silence_s)

    async def get(
        self,
        path: str,
        reply: type[M],
        *,
        query: Mapping[str, str] | None = None,
        timeout_s: float = 5.0,
    ) -> M:
        """GET `path` and parse the reply as `reply`."""
        return await self._request("GET", path, None, reply, timeout_s, query)

    async def post(
        self, path: str, body: BaseModel | None, reply: type[M], *, timeout_s: float = 5.0
    ) -> M:
        """POST `body` to `path` and parse the reply as `reply`."""
        return await self._request("POST", path, body, reply, timeout_s)

    async def put(
        self, path: str, body: BaseModel | None, reply: type[M], *, timeout_s: float = 5.0
    ) -> M:
        """PUT `body` to `path` and parse the reply as `reply`."""
        return await self._request("PUT", path, body, reply, timeout_s)

    async def patch(
        self, path: str, body: BaseModel | None, reply: type[M], *, timeout_s: float = 5.0
    ) -> M:
        """PATCH `path` with `body` and parse the reply as `reply`."""
        return await self._request("PATCH", path, body, reply, timeout_s)

    async def delete(self, path: str, reply: type[M], *, timeout_s: float = 5.0) -> M:
        """DELETE `path` and parse the reply as `reply`."""
        return await self._request("DELETE", path, None, reply, timeout_s)

    async def fetch(self, path: str, *, timeout_s: float = 60.0) -> bytes:
        """GET the file at `path`."""
        return await self._raw(OutgoingRequest("GET", path, None), timeout_s)

    async def send(
        self, path: str, content: bytes, reply: type[M], *, timeout_s: float = 60.0
    ) -> M:
        """POST a file to `path` and parse the reply as `reply`."""
        return _reply(await self._raw(OutgoingRequest("POST", path, content), timeout_s), reply)

    async def _raw(self, request: OutgoingRequest, timeout_s: float) -> bytes:
        with self._reachable(timeout_s):
            async with asyncio.timeout(timeout_s), self._exchange() as exchange:
                await exchange.send(request)
                raw = await exchange.whole()
        if exchange.status != 200:
            raise _refusal(raw)
        return raw

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
        """Yield every line of the reply; raises daemon_unreachable if the connection breaks or
        nothing arrives for `silence_s`. To leave the loop early, use contextlib.aclosing: the
        connection then closes at once.
        """
        request = OutgoingRequest(method, path, _encoded(body))
        lines = self._lines(request, reply, first_s, silence_s)
        async with contextlib.aclosing(lines):
            async for line in lines:
                yield line

    async def _lines(
        self, request: OutgoingRequest, reply: type[M], first_s: float, silence_s: float
    ) -> AsyncGenerator[M]:
        async with contextlib.AsyncExitStack() as stack:
            with self._reachable(first_s):
                async with asyncio.timeout(first_s):
                    exchange = await stack.enter_async_context(self._exchange())
                    await exchange.send(request)
            if exchange.status != 200:
                with self._reachable(silence_s):
                    async with asyncio.timeout(silence_s):
                        raise _refusal(await exchange.whole())
            while line := await self._line(exchange, silence_s):
                yield _reply(line, reply)

    async def _line(self, exchange: Exchange, silence_s: float) -> bytes:
        with self._reachable(silence_s):
            async with asyncio.timeout(silence_s):
                line = await exchange.line()
        if line.startswith(b'{"error":{"code":'):
            raise StreamEnd.model_validate_json(line).error.error()
        return line

    async def _request(
        self,
        method: str,
        path: str,
        body: BaseModel | None,
        reply: type[M],
        timeout_s: float,
        query: Mapping[str, str] | None = None,
    ) -> M:
        target = f"{path}?{urlencode(query)}" if query else path
        request = OutgoingRequest(method, target, _encoded(body))
        return _reply(await self._raw(request, timeout_s), reply)

    @contextlib.asynccontextmanager
    async def _exchange(self) -> AsyncGenerator[Exchange]:
        async with Exchange.connected(self._address) as exchange:
            self._open.add(exchange)
            try:
                yield exchange
            finally:
                self._open.discard(exchange)

    @contextlib.contextmanager
    def _reachable(self, limit_s: float) -> Iterator[None]:
        """Turn every connection failure into a daemon_unreachable that names the daemon."""
        name = self._address.name
        fix = f"Read the log: journalctl -u saint-{name}, or the launcher's output."
        try:
            yield
        except TimeoutError as err:
            message = f"{name} did not answer within {limit_s:g} s"
            raise SaintError(Code.DAEMON_UNREACHABLE, message, fix=fix) from err
        except (h11.RemoteProtocolError, OSError, ValueError) as err:
            message = f"{name} does not answer at {self._address.where}: {_reason(err)}"
            raise SaintError(Code.DAEMON_UNREACHABLE, message, fix=fix) from err


def _encoded(body: BaseModel | None) -> bytes | None:
    return None if body is None else body.model_dump_json(by_alias=True).encode()


def _reply(raw: bytes, model: type[M]) -> M:
    try:
        return model.model_validate_json(raw)
    except ValidationError as err:
        message = f"the reply is not a valid {model.__name__}: {err.errors()[0]['msg']}"
        raise SaintError(Code.MESSAGE_MALFORMED, message) from err


def _refusal(raw: bytes) -> SaintError:
    try:
        return ErrorReply.model_validate_json(raw).error()
    except ValidationError:
        text = raw[:80].decode(errors="replace")
        return SaintError(Code.MESSAGE_MALFORMED, f"the error reply cannot be decoded: {text!r}")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
