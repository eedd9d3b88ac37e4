"""Asks a daemon, as a rule over its unix socket. Whatever goes wrong is a SaintError: the daemon's
own, or daemon_unreachable with the daemon's name. Import it from lib/ipc.py.
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
from .exchange import Exchange, Place, Question, SocketPlace
from .wire import ErrorReply, StreamEnd

M = TypeVar("M", bound=BaseModel)
P = TypeVar("P", bound=BaseModel)

_TRAVEL_S = 2.0  # beside the time that a row gives its answer


class Client:
    """Asks one daemon. May be kept open: a daemon that was started anew is simply found again."""

    def __init__(self, place: Path | str | Place) -> None:
        self._place = SocketPlace(Path(place)) if isinstance(place, Path | str) else place
        self._open: set[Exchange] = set()

    @property
    def name(self) -> str:
        """The daemon's."""
        return self._place.name

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End all connections; what is still asked raises daemon_unreachable."""
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
        """What this row of lib/api answers. `person` is who asks, where webd passes it on;
        `timeout_s` is for one who cannot wait as long as the row allows.
        """
        who = (person.header,) if person else ()
        question = Question(row.method, row.target(params), row.content(params), who)
        limit_s = row.limit_s + _TRAVEL_S if timeout_s is None else timeout_s
        return _reply(await self._raw(question, limit_s), row.reply)

    def follow(
        self, row: Endpoint[P, M], params: P, *, silence_s: float = 5.0
    ) -> AsyncGenerator[M]:
        """What this row answers, one reply after the other, as `stream` does."""
        question = Question(row.method, row.target(params), row.content(params))
        return self._lines(question, row.reply, row.limit_s, silence_s)

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

    async def fetch(self, path: str, *, timeout_s: float = 60.0) -> bytes:
        """GET a file."""
        return await self._raw(Question("GET", path, None), timeout_s)

    async def send(
        self, path: str, content: bytes, reply: type[M], *, timeout_s: float = 60.0
    ) -> M:
        """POST a file, answered by a `reply`."""
        return _reply(await self._raw(Question("POST", path, content), timeout_s), reply)

    async def _raw(self, question: Question, timeout_s: float) -> bytes:
        with self._reachable(timeout_s):
            async with asyncio.timeout(timeout_s), self._exchange() as exchange:
                await exchange.ask(question)
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
        """Yield every line of the answer; raises daemon_unreachable when the connection breaks or
        stays silent for `silence_s`. Leaving the loop early: use contextlib.aclosing, so that the
        connection ends at once.
        """
        question = Question(method, path, _encoded(body))
        lines = self._lines(question, reply, first_s, silence_s)
        async with contextlib.aclosing(lines):
            async for line in lines:
                yield line

    async def _lines(
        self, question: Question, reply: type[M], first_s: float, silence_s: float
    ) -> AsyncGenerator[M]:
        async with contextlib.AsyncExitStack() as stack:
            with self._reachable(first_s):
                async with asyncio.timeout(first_s):
                    exchange = await stack.enter_async_context(self._exchange())
                    await exchange.ask(question)
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

    async def _ask(
        self,
        method: str,
        path: str,
        body: BaseModel | None,
        reply: type[M],
        timeout_s: float,
        query: Mapping[str, str] | None = None,
    ) -> M:
        target = f"{path}?{urlencode(query)}" if query else path
        question = Question(method, target, _encoded(body))
        return _reply(await self._raw(question, timeout_s), reply)

    @contextlib.asynccontextmanager
    async def _exchange(self) -> AsyncGenerator[Exchange]:
        async with Exchange.connected(self._place) as exchange:
            self._open.add(exchange)
            try:
                yield exchange
            finally:
                self._open.discard(exchange)

    @contextlib.contextmanager
    def _reachable(self, limit_s: float) -> Iterator[None]:
        """Whatever breaks a connection becomes one sentence that names the daemon."""
        name = self._place.name
        fix = f"Read the log: journalctl -u saint-{name}, or the launcher's output."
        try:
            yield
        except TimeoutError as err:
            message = f"{name} did not answer within {limit_s:g} s"
            raise SaintError(Code.DAEMON_UNREACHABLE, message, fix=fix) from err
        except (h11.RemoteProtocolError, OSError, ValueError) as err:
            message = f"{name} does not answer at {self._place.where}: {_reason(err)}"
            raise SaintError(Code.DAEMON_UNREACHABLE, message, fix=fix) from err


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
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
