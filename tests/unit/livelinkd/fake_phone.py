"""A phone in the capture mode, as the public sources describe it: TCP server, frames over UDP."""

import asyncio
import json
import socket
import struct
from typing import Any

from saint_services.livelinkd.protocols.names import SHAPES

HEADER = struct.Struct("<HI")
SUBJECT = {
    "id": "ABC-1",
    "name": "Anna",
    "animationMetadata": {"type": "arkit", "version": "1", "controls": list(SHAPES)},
}


def stream_frame(number: int, id_: str = "ABC-1", jaw: int = 65535) -> bytes:
    """One frame; the jaw is the control that moves."""
    controls = [0] * 52
    controls[SHAPES.index("jawOpen")] = jaw
    data = struct.pack("<HH", 1, len(id_)) + id_.encode()
    data += struct.pack("<ifiiH", number, 0.0, 60, 1, 52)
    return data + struct.pack("<52H6f", *controls, 0.0, 10.0, -20.0, 0.1, 0.2, 0.3)


class Phone:
    """Use with `async with`. `refuses` is a path that it answers with an error."""

    def __init__(self, refuses: str = "", is_mute: bool = False) -> None:
        self.asked: list[str] = []
        self.sessions = 0
        self.streams_to: tuple[str, int] | None = None
        self._refuses = refuses
        self._is_mute = is_mute
        self._writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> "Phone":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.hang_up()
        await self._server.wait_closed()

    def hang_up(self) -> None:
        """As when the app is closed."""
        for writer in self._writers:
            writer.close()
        self._writers.clear()

    def stream(self, *frames: bytes) -> None:
        """Send frames to the client that requested them."""
        assert self.streams_to is not None
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for frame in frames:
                sender.sendto(frame, self.streams_to)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        self.sessions += 1
        try:
            while True:
                assert await reader.readexactly(11) == b"CPSCONTROL\0"
                _, size = HEADER.unpack(await reader.readexactly(HEADER.size))
                message = json.loads(await reader.readexactly(size))
                self.asked.append(message["addressPath"])
                if not self._is_mute:
                    writer.write(self._answer(message, writer))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _answer(self, message: dict[str, Any], writer: asyncio.StreamWriter) -> bytes:
        path, body = message["addressPath"], {}
        if path == "/session/start":
            body = {"sessionId": f"session-{self.sessions}"}
        elif path == "/stream/subjects":
            body = {"subjects": [SUBJECT]}
        elif path == "/stream/start":
            ip = writer.get_extra_info("peername")[0]
            self.streams_to = ip, message["body"]["port"]
        reply = message | {"type": "response", "body": body}
        if path == self._refuses:
            reply["error"] = "busy"
        text = json.dumps(reply).encode()
        return b"CPSCONTROL\0" + HEADER.pack(1, len(text)) + text
