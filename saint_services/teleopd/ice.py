"""The servers that help both ends of a session to a way through the internet, with a password for
each session. Not here: the connection that uses them (peers.py).

STUN names the address under which we are seen, TURN passes on what is sent to us. The password of
TURN is no setting, which backups and pages show: it is stored for teleopd alone. Without a user it
is the secret of the server's REST interface (draft-uberti-behave-turn-rest-00; `use-auth-secret` of
coturn), and each session gets a user and a password that end after half a day.
"""

import asyncio
import base64
import hmac
import time
from collections.abc import Callable
from pathlib import Path

from ..lib.api.teleop import IceServer, IceServers
from ..lib.errors import Code, SaintError
from ..lib.state import write_atomic
from .config import Config

GATHER_LIMIT_S = 1  # for the answers of these servers; a session waits no longer for dead ones
PASSWORD_FILE = "turn.password"  # in the state folder, for teleopd alone
VALID_S = 12 * 3600  # a day of a show
_LARGEST_BYTES = 1024
_MISSING = "No password of the TURN server is stored: SAINT_TURN_PASSWORD=... saintctl teleop turn"


class IceServerList:
    """The servers of teleopd.yaml."""

    def __init__(
        self, config: Config, folder: Path, now_s: Callable[[], float] = time.time
    ) -> None:
        self._stun, self._turn = config.stun, config.turn
        self._path = folder / PASSWORD_FILE
        self._now_s = now_s

    async def store(self, password: str) -> None:
        """Store the password of the TURN server. Raises refused without such a server."""
        if self._turn is None:
            fix = "Set turn: {url: 'turn:turn.example.org:3478', user: saint} in teleopd.yaml."
            raise SaintError(Code.REFUSED, "no TURN server is configured", fix=fix)
        data = password.encode() + b"\n"
        await asyncio.to_thread(write_atomic, self._path, data, 0o600)

    async def for_session(self) -> IceServers:
        """Return the servers with what a session needs for them. A TURN server whose password is
        missing is left out, and `problem` says so: on the local network sessions need none.
        """
        servers = [IceServer(urls=[url]) for url in self._stun]
        if self._turn is None:
            return IceServers(servers=servers)
        password = await asyncio.to_thread(self._stored)
        if not password:
            return IceServers(servers=servers, problem=_MISSING)
        user = self._turn.user
        if not user:
            user = f"{int(self._now_s()) + VALID_S}:saint"
            digest = hmac.digest(password.encode(), user.encode(), "sha1")
            password = base64.b64encode(digest).decode()
        turn = IceServer(urls=[self._turn.url], username=user, credential=password)
        return IceServers(servers=[*servers, turn])

    def _stored(self) -> str:
        try:
            with self._path.open("rb") as file:
                return file.read(_LARGEST_BYTES).decode().strip()
        except (OSError, UnicodeDecodeError):
            return ""
