"""Services in the form of rmw_cyclonedds: two topics, and a header in every payload.

The header is the client's random number and the request's sequence number; every client receives
every reply and selects its own. Not here: running handlers (bus/services.py)."""

import asyncio
import os
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from ...errors import SaintError
from ...generated.errors import Code
from .. import Qos, Service, cdr, names
from ..services import ServiceHandlers
from .entities import DdsEndpoint, DdsReader, DdsWriter
from .graph import NodeGraph
from .link import EndpointMatches, ParticipantLink
from .remote_endpoints import RemoteEndpoint, readers_of, writer_of, writers_of
from .types import SERVICE_HEADER

_QOS = Qos(reliable=True, depth=10)
_HEADER = struct.Struct("<Qq")
_BODY = len(cdr.HEADER) + _HEADER.size
_READER_WAIT_S = 0.1  # for the client's reply reader to be known, as ROS 2 servers do
_REACHED = 256  # clients remembered


class _Half:
    """Reader and writer of one side, with their entry in the graph."""

    def __init__(
        self, link: ParticipantLink, graph: NodeGraph, reads: DdsEndpoint, writes: DdsEndpoint
    ) -> None:
        self._link = link
        self._graph = graph
        self.reader = DdsReader(link.library, link.participant, reads)
        self.writer = DdsWriter(link.library, link.participant, writes)
        self.matches = EndpointMatches(link, self.reader.entity, self.writer.entity)
        graph.add_reader(self.reader.entity)
        graph.add_writer(self.writer.entity)

    def close(self) -> None:
        self.matches.close()
        self._graph.remove(self.reader.entity, self.writer.entity)
        self.reader.close()
        self.writer.close()


class DdsServiceServer:
    """Serves one service with a handler."""

    def __init__(
        self,
        link: ParticipantLink,
        graph: NodeGraph,
        service: Service[Any, Any],
        handler: Callable[[Any], Awaitable[Any]],
        forget: Callable[["DdsServiceServer"], None],
    ) -> None:
        self._link = link
        self._service = service
        self._handler = handler
        self._forget = forget
        self._handlers = ServiceHandlers()
        self._reached: set[int] = set()
        tag = f"serviceid={link.next_id()};"
        self._half = _Half(link, graph, _request(service, tag), _reply(service, tag))
        link.waiter.attach(self._half.reader.condition, self)

    def drain(self, _woke_s: float) -> bool:
        if not self._half.reader.is_open:
            return False
        samples, is_more = self._link.batch.take(self._half.reader)
        for data, _time, handle in samples:
            self._receive(data, handle)
        return is_more

    def close(self) -> None:
        self._handlers.close()
        self._link.waiter.detach(self)
        self._half.close()
        self._forget(self)

    def _receive(self, data: bytes, handle: int) -> None:
        try:
            header, request = _split(self._service.request, data)
        except cdr.CdrError as err:
            self._link.refusals.add(self._service.name, err.message)
            return
        if self._handlers.is_full:
            self._link.refusals.add(self._service.name, "too many requests at once")
            return

        async def answer() -> None:
            response = await self._handler(request)
            if response is None:
                return
            await self._reach(handle)
            self._half.writer.write(_join(header, response))

        self._handlers.start(answer)

    async def _reach(self, handle: int) -> None:
        """Wait until the client's reply reader is known: before that, the reply would be lost."""
        if handle in self._reached:
            return
        client = writer_of(self._link.library, self._half.reader.entity, handle)
        with suppress(TimeoutError):
            async with asyncio.timeout(_READER_WAIT_S):
                while client and not self._is_matched(client):
                    await self._half.matches.change()
        if len(self._reached) >= _REACHED:
            self._reached.clear()
        self._reached.add(handle)

    def _is_matched(self, client: RemoteEndpoint) -> bool:
        """Whether the client's reader is matched, by the client's id or, without one, its
        participant.
        """
        client_id = client.value("clientid")
        for reader in readers_of(self._link.library, self._half.writer.entity):
            if client_id:
                if reader.value("clientid") == client_id:
                    return True
            elif reader.origin == client.origin:
                return True
        return False


class DdsServiceClient:
    """Calls one service. Reused, because matching takes time."""

    def __init__(self, link: ParticipantLink, graph: NodeGraph, service: Service[Any, Any]) -> None:
        self._link = link
        self._service = service
        self._number = int.from_bytes(os.urandom(8), "little")
        self._sequence = 0
        self._calls: dict[int, asyncio.Future[Any]] = {}
        tag = f"clientid={link.next_id()};"
        self._half = _Half(link, graph, _reply(service, tag), _request(service, tag))
        link.waiter.attach(self._half.reader.condition, self)

    @property
    def is_busy(self) -> bool:
        return bool(self._calls)

    async def call(self, request: Any, timeout_s: float) -> Any:
        self._sequence += 1
        sequence = self._sequence
        data = _join(_HEADER.pack(self._number, sequence), request)
        reply = self._calls[sequence] = asyncio.get_running_loop().create_future()
        has_server = False
        try:
            async with asyncio.timeout(timeout_s):
                while not self._has_server():
                    await self._half.matches.change()
                has_server = True
                self._half.writer.write(data)
                return await reply
        except TimeoutError as err:
            what = "did not answer" if has_server else "has no server"
            text = f"{self._service.name} {what} within {timeout_s:g} s"
            raise SaintError(Code.BUS_TIMEOUT, text) from err
        finally:
            del self._calls[sequence]

    def drain(self, _woke_s: float) -> bool:
        if not self._half.reader.is_open:
            return False
        samples, is_more = self._link.batch.take(self._half.reader)
        for data, _time, _handle in samples:
            self._receive(data)
        return is_more

    def close(self) -> None:
        for reply in self._calls.values():
            reply.cancel()
        self._link.waiter.detach(self)
        self._half.close()

    def _has_server(self) -> bool:
        """Whether reader and writer are matched, by the same server where servers give ids."""
        library = self._link.library
        readers = {one.value("serviceid") for one in readers_of(library, self._half.writer.entity)}
        writers = {one.value("serviceid") for one in writers_of(library, self._half.reader.entity)}
        return bool(readers & writers)

    def _receive(self, data: bytes) -> None:
        number, sequence = _header(data)
        reply = self._calls.get(sequence) if number == self._number else None
        if reply is None or reply.done():
            return  # another client's reply, or too late
        try:
            _, response = _split(self._service.response, data)
        except cdr.CdrError as err:
            self._link.refusals.add(self._service.name, err.message)
            reply.set_exception(err)
            return
        reply.set_result(response)


def _request(service: Service[Any, Any], tag: str) -> DdsEndpoint:
    return _endpoint(names.dds_request(service.name), service.request, service.hash, tag)


def _reply(service: Service[Any, Any], tag: str) -> DdsEndpoint:
    return _endpoint(names.dds_reply(service.name), service.response, service.hash, tag)


def _endpoint(topic: str, half: Any, type_hash: str, tag: str) -> DdsEndpoint:
    fields = half.FIELDS or (("structure_needs_at_least_one_member", "uint8"),)
    return DdsEndpoint(
        topic=topic,
        type=names.dds_type(half.TYPE),
        fields=(*SERVICE_HEADER, *fields),
        qos=_QOS,
        user_data=f"{tag}typehash={type_hash};".encode(),
    )


def _header(data: bytes) -> tuple[int, int]:
    """Read the header; zeros if missing (no request has number 0)."""
    if len(data) < _BODY:
        return 0, 0
    number, sequence = _HEADER.unpack_from(data, len(cdr.HEADER))
    return number, sequence


def _split(half: Any, data: bytes) -> tuple[bytes, Any]:
    """Split the service's header from the message; 16 bytes do not change the alignment."""
    if len(data) < _BODY:
        raise cdr.CdrError(f"{half.TYPE}: {len(data)} bytes are no request")
    start = len(cdr.HEADER)
    return data[start:_BODY], cdr.decode(half, data[:start] + data[_BODY:])


def _join(header: bytes, message: Any) -> bytes:
    data = cdr.encode(message)
    start = len(cdr.HEADER)
    return data[:start] + header + data[start:]
