"""Asks a daemon over its unix socket. Whatever goes wrong is a SaintError: the daemon's own, or
daemon_unreachable with the daemon's name. Import it from lib/ipc.py.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from pydantic import BaseModel, ValidationError

from .errors import Code, SaintError
from .ipc_wire import LARGEST_BODY_BYTES, ErrorReply, StreamEnd

if TYPE_CHECKING:
    import aiohttp

M = TypeVar("M", bound=BaseModel)


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
    def _reachable(self, limit_s: float) -> Iterator[None]:
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
