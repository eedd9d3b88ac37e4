"""A client below aiohttp: it decides itself which bytes go out and when any are read."""

import asyncio
import json
import socket


class Mute:
    """A client that takes nothing from its socket."""

    def __init__(self, address: str) -> None:
        host, port = address.split(":")
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.connect((host, int(port)))
        self.socket.sendall(
            f"GET /api/ws HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        self.socket.setblocking(False)

    async def say(self, message: dict[str, object]) -> None:
        text = json.dumps(message).encode()
        await self.send(bytes([0x81, 0x80 | len(text)]) + bytes(4) + text)

    async def send(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self.socket, data)

    async def receive(self) -> bytes:
        return await asyncio.get_running_loop().sock_recv(self.socket, 1 << 20)

    async def until_closed(self) -> bytes:
        """Everything that still comes."""
        found = b""
        try:
            while data := await self.receive():
                found += data
        except ConnectionError:
            pass
        return found

    def vanish(self) -> None:
        """Without a goodbye: the peer gets a reset."""
        linger = b"\1\0\0\0\0\0\0\0"  # struct linger: on, 0 s
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.socket.close()
