"""The server's own key: found at the start, never replaced by itself, made again when an admin asks
for it. Not here: what it signs (courier.py).
"""

import asyncio
from pathlib import Path

from ..lib import log
from ..lib.api import Done, keys
from ..lib.api.endpoint import Nothing
from ..lib.api.keys import KeyImport, Passphrase, SealedKey
from ..lib.crypto import sealing, signing
from ..lib.errors import Code, SaintError
from ..lib.health import Health
from ..lib.ipc import Api, Call
from .order_sender import KEY_LOST, KEY_LOST_FIX
from .registry_service import Adoption

_FILE = "server.key"
_log = log.get("adoptiond")


class ServerKey:
    """The file."""

    def __init__(self, folder: Path, health: Health) -> None:
        self._path = folder / _FILE
        self._health = health

    async def load(self, *, had_nodes: bool) -> signing.PrivateKey | None:
        """The key; made at the first start. None: it is lost, and nodes may know it."""
        key, problem = await asyncio.to_thread(signing.find_key, self._path)
        if key is None and not problem and not had_nodes:
            key, problem = await asyncio.to_thread(signing.make_key, self._path)
        if key is None:
            lost = f"{problem or f'{self._path} is gone'}: {KEY_LOST}. {KEY_LOST_FIX}"
            self._health.raise_issue(Code.STATE_DAMAGED, lost, _FILE)
        elif problem:
            self._health.raise_issue(Code.STATE_DAMAGED, problem, _FILE)
        return key

    def answer(self, api: Api, adoption: Adoption) -> None:
        """What is asked about the key."""

        async def renew(_: Call[Nothing]) -> Done:
            if adoption.courier.public:
                text = "the key of this server is in order, and its nodes know it"
                raise SaintError(Code.REFUSED, text, fix="Nothing needs to be done.")
            key, problem = await asyncio.to_thread(signing.make_key, self._path)
            if problem:
                raise SaintError(Code.INTERNAL, problem, fix="Check the disk, then try again.")
            self._use(adoption, key)
            text = "this server has a new key; hold each node's button for 5 s, then adopt it again"
            return Done(message=text)

        async def export(call: Call[Passphrase]) -> SealedKey:
            key = adoption.courier.key
            if key is None:
                raise SaintError(Code.REFUSED, KEY_LOST, fix=KEY_LOST_FIX)
            passphrase = call.body.passphrase
            return SealedKey(sealed=await asyncio.to_thread(sealing.seal, key.seed, passphrase))

        async def take(call: Call[KeyImport]) -> Done:
            body = call.body
            seed = await asyncio.to_thread(sealing.unseal, body.sealed, body.passphrase)
            key, problem = await asyncio.to_thread(signing.make_key, self._path, seed)
            if problem:
                raise SaintError(Code.INTERNAL, problem, fix="Check the disk, then try again.")
            self._use(adoption, key)
            return Done(message="the server has its key back; its nodes obey it again")

        api.bind(keys.RENEW, renew)
        api.bind(keys.EXPORT, export)
        api.bind(keys.IMPORT, take)

    def _use(self, adoption: Adoption, key: signing.PrivateKey) -> None:
        adoption.courier.use(key)
        adoption.calibrations.use_key(key.public)
        self._health.clear(Code.STATE_DAMAGED, _FILE)
        _log.warning("the server's key was replaced", public=key.public)
