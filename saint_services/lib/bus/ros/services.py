"""Service clients and servers of the rclpy backend. Not here: the node and its thread (bus.py),
rclpy's messages (messages.py).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from ...errors import SaintError
from ...generated.errors import Code
from .. import Service
from ..names import full
from ..services import ServiceHandlers
from .inbox import Inbox
from .messages import from_ros, ros_class, to_ros

_SERVER_POLL_S = 0.05  # rclpy has no event for a new server
_REQUESTS = 64  # waiting for the loop


class RosServiceBus(Protocol):
    """What services need of the bus."""

    node: Any

    def hop(self, callback: Callable[..., None], *arguments: Any) -> None: ...

    def refuse(self, topic: str, reason: str) -> None: ...

    def forget(self, part: Any) -> None: ...


class RosServiceClient:
    """Calls one service."""

    def __init__(self, node: Any, hop: Callable[..., None], service: Service[Any, Any]) -> None:
        self._node = node
        self._hop = hop
        self._service = service
        self._request = ros_class(service.type).Request
        self._client = node.create_client(ros_class(service.type), full(service.name))
        self._under_way = 0

    @property
    def is_busy(self) -> bool:
        return self._under_way > 0

    async def call(self, request: Any, timeout_s: float) -> Any:
        has_server = False
        sent: Any = None
        self._under_way += 1
        try:
            async with asyncio.timeout(timeout_s):
                while not self._client.service_is_ready():  # noqa: ASYNC110  # rclpy has no event for it
                    await asyncio.sleep(_SERVER_POLL_S)
                has_server = True
                sent = self._client.call_async(to_ros(request, self._request()))
                return from_ros(self._service.response, await self._answer(sent))
        except TimeoutError as err:
            what = "did not answer" if has_server else "has no server"
            text = f"{self._service.name} {what} within {timeout_s:g} s"
            raise SaintError(Code.BUS_TIMEOUT, text) from err
        finally:
            self._under_way -= 1
            if sent is not None and not sent.done():
                self._client.remove_pending_request(sent)

    def close(self) -> None:
        self._node.destroy_client(self._client)

    async def _answer(self, sent: Any) -> Any:
        """Wait in the loop for rclpy's future."""
        answer = asyncio.get_running_loop().create_future()

        def complete() -> None:
            if not answer.done():
                answer.set_result(sent.result())

        sent.add_done_callback(lambda _sent: self._hop(complete))
        return await answer


class RosServiceServer:
    """Serves one service. rclpy would block its thread, or poll, until the reply exists; instead
    its `send_response` passes request and header to the loop, which sends the reply.
    """

    def __init__(
        self,
        bus: RosServiceBus,
        service: Service[Any, Any],
        handler: Callable[[Any], Awaitable[Any]],
    ) -> None:
        self._bus = bus
        self._types = service
        self._handler = handler
        self._handlers = ServiceHandlers()
        self._response = ros_class(service.type).Response
        self._inbox = Inbox(bus.hop, _REQUESTS, self._start)
        self._is_open = True
        self._service = bus.node.create_service(
            ros_class(service.type), full(service.name), lambda request, _response: request
        )
        self._send = self._service.send_response
        self._service.send_response = self._take

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._handlers.close()
            self._bus.node.destroy_service(self._service)
            self._bus.forget(self)

    def _take(self, request: Any, header: Any) -> None:
        """Receive a request, on rclpy's thread."""
        self._inbox.put(request, header)

    def _start(self, request: Any, header: Any) -> None:
        if not self._is_open:
            return
        if self._handlers.is_full:
            self._bus.refuse(self._types.name, "too many requests at once")
            return

        async def answer() -> None:
            response = await self._handler(from_ros(self._types.request, request))
            if response is not None and self._is_open:
                self._send(to_ros(response, self._response()), header)

        self._handlers.start(answer)
