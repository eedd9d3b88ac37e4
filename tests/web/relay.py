"""A network between browser and robot that can be cut, or drop all data."""

import asyncio
import contextlib

from tests.waiting import until


class Relay:
    """Forwards TCP to a port of this machine."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._is_cut = False
        self.port = 0

    async def open(self) -> None:
        """Listen on any free port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Close all connections and the listener."""
        self.cut()
        self._flowing.set()
        if self._server:
            self._server.close()
        await until(lambda: not self._writers)

    def cut(self) -> None:
        """Break all connections, and new ones at once."""
        self._is_cut = True
        for writer in self._writers:
            writer.transport.abort()

    def freeze(self) -> None:
        """Drop all data from now on, without closing a connection."""
        self._flowing.clear()

    def restore(self) -> None:
        """Forward data again."""
        self._is_cut = False
        self._flowing.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._target_port)
        self._writers |= {writer, back}
        try:
            await asyncio.gather(self._pump(reader, back), self._pump(there, writer))
        finally:
            self._writers -= {writer, back}

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()
        writer.close()
