"""The servers that help both ends of a session to a way through the internet, with a password for
each session. Not here: the connection that uses them (peers.py).

STUN names the address under which we are seen, TURN passes on what is sent to us. The password of
TURN is no setting, which backups and pages show: it is stored for teleopd alone. Without a user it
is the secret of the server's REST interface (draft-uberti-behave-turn-rest-00; `use-auth-secret` of
coturn), and each session gets a user and a password that end after half a day.
"""

import asyncio
import base64
import contextlib
import hmac
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

from ..lib.api.teleop import IceServer, IceServers
from ..lib.errors import Code, SaintError
from ..lib.machine.root_access import fix_in_settings
from .config import Config
from .secret_file import SecretFile

PASSWORD_FILE = "turn.password"  # in the state folder, for teleopd alone
_STUN_PORT = 3478
VALID_S = 12 * 3600  # a day of a show
# For the answers of these servers: there is no trickle, so a session waits as long for a dead one.
# TCP and TLS take five round trips and more; who sets them has no UDP, and no other way.
_WAIT_S, _TCP_WAIT_S = 1.0, 3.0
_MISSING = "No password of the TURN server is stored: SAINT_TURN_PASSWORD=... saintctl teleop turn"


class IceServerList:
    """The servers of teleopd.yaml."""

    def __init__(
        self, config: Config, folder: Path, now_s: Callable[[], float] = time.time
    ) -> None:
        self._stun, self._turn = config.stun, config.turn
        self._password = SecretFile(folder / PASSWORD_FILE)
        self._now_s = now_s
        self._lookups: dict[str, asyncio.Task[str]] = {}  # of STUN servers, one for each

    async def store(self, password: str) -> None:
        """Store the password of the TURN server. Raises refused without such a server."""
        if self._turn is None:
            turn = "turn: {url: 'turn:turn.example.org:3478', user: saint}"
            fix = fix_in_settings(f"Set {turn} in", "teleopd")
            raise SaintError(Code.REFUSED, "no TURN server is configured", fix=fix)
        await self._password.write(password)

    async def for_session(self) -> IceServers:
        """Return the servers with what a session needs for them. A TURN server whose password is
        missing is left out, and `problem` says so: on the local network sessions need none.
        """
        servers = [IceServer(urls=[url]) for url in self._stun]
        if self._turn is None:
            return IceServers(servers=servers, wait_s=_WAIT_S)
        password = await self._password.read()
        if not password:
            return IceServers(servers=servers, wait_s=_WAIT_S, problem=_MISSING)
        user = self._turn.user
        if not user:
            user = f"{int(self._now_s()) + VALID_S}:saint"
            digest = hmac.digest(password.encode(), user.encode(), "sha1")
            password = base64.b64encode(digest).decode()
        turn = IceServer(urls=[self._turn.url], username=user, credential=password)
        is_tcp = turn.urls[0].startswith("turns:") or turn.urls[0].endswith("=tcp")
        wait_s = _TCP_WAIT_S if is_tcp else _WAIT_S
        return IceServers(servers=[*servers, turn], wait_s=wait_s)

    async def for_robot(self) -> IceServers:
        """Return them as aiortc takes them: it uses one STUN server, and would look up its name in
        the threads that all of this process share, for as long as the name server is silent.
        """
        found = await self.for_session()
        servers = [each for each in found.servers if each.credential]
        if stun := await self._stun_address():
            servers.append(IceServer(urls=[stun]))
        return found.model_copy(update={"servers": servers})

    async def _stun_address(self) -> str:
        """Return a STUN server that has an address; empty when none is found in time. All
        are looked up at once: one name may have no answer.
        """
        for url in self._stun:
            if url not in self._lookups or self._lookups[url].done():
                self._lookups[url] = asyncio.create_task(_address(url))
        lookups = [self._lookups[url] for url in self._stun]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_WAIT_S):
                # One that takes longer goes on: a thread waits for each name, and no more than one.
                async for found in _finished(lookups):
                    if found:
                        return found
        return ""


async def _finished(lookups: Iterable[asyncio.Task[str]]) -> AsyncIterator[str]:
    """Yield the results as they come; to give up waiting cancels none."""
    waiting = set(lookups)
    while waiting:
        done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            yield each.result()


async def _address(url: str) -> str:
    """Return a STUN server by its address; empty when it has none."""
    host, _, port = url.removeprefix("stun:").partition(":")
    with contextlib.suppress(OSError, UnicodeError):
        lookup = asyncio.get_running_loop().getaddrinfo
        found = await lookup(host, None, family=socket.AF_INET)
        return f"stun:{found[0][4][0]}:{port or _STUN_PORT}"
    return ""
