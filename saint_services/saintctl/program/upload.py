"""Uploads the archive of a program to webd, here or of another robot, as it is read."""

import asyncio
from pathlib import Path

from pydantic import ValidationError

from ...lib.api.programs import ProgramInfo
from ...lib.errors import Code, SaintError
from ...lib.ipc.wire import ErrorReply
from ..connect import RobotAddress, runtime_directory
from ..remote import RemoteRobot

_PATH = "/api/programs"
_STALL_S = 60.0
_UNPACK_LIMIT_S = 300.0  # hundreds of megabytes, on a slow card
_LARGEST_REPLY_BYTES = 1 << 20


async def send(robot: RobotAddress, file: Path) -> ProgramInfo:
    """Upload one archive. Raises the error that webd replies with."""
    import aiohttp  # no other command needs it, and it takes 0.2 s

    connector: aiohttp.BaseConnector
    if isinstance(robot, RemoteRobot):
        scheme = "https" if robot.tls else "http"
        url, headers = f"{scheme}://{robot.address}{_PATH}", dict(robot.headers)
        connector = aiohttp.TCPConnector(ssl=robot.tls or True)
    else:
        url, headers = f"http://webd{_PATH}", {"Host": "localhost"}
        connector = aiohttp.UnixConnector(str(runtime_directory(robot) / "webd.sock"))
    limits = aiohttp.ClientTimeout(total=None, sock_connect=_STALL_S, sock_read=_UNPACK_LIMIT_S)
    try:
        async with aiohttp.ClientSession(connector=connector, timeout=limits) as session:
            with await asyncio.to_thread(file.open, "rb") as source:
                async with session.post(url, data=source, headers=headers) as answer:
                    body = await answer.content.read(_LARGEST_REPLY_BYTES)
    except (aiohttp.ClientError, OSError, TimeoutError) as err:
        text = f"webd did not accept the archive: {err or type(err).__name__}"
        raise SaintError(Code.DAEMON_UNREACHABLE, text) from err
    return _read(answer.status, body)


def _read(status: int, body: bytes) -> ProgramInfo:
    try:
        if status == 200:
            return ProgramInfo.model_validate_json(body)
        raise ErrorReply.model_validate_json(body).error()
    except ValidationError as err:
        text = f"webd's reply ({status}) is not readable: {body[:80].decode(errors='replace')!r}"
        raise SaintError(Code.MESSAGE_MALFORMED, text) from err
