"""The server's own key: loaded at the start, never replaced without a request, made again when an
admin requests it. Not here: what it signs (order_sender.py).
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
from .registry_service import RegistryService

_FILE = "server.key"
_log = log.get("adoptiond")


class ServerKey:
    """The key's file."""

    def __init__(self, folder: Path, health: Health) -> None:
        self._path = folder / _FILE
        self._health = health

    async def load(self, *, had_nodes: bool) -> signing.PrivateKey | None:
        """Return the key; make it at the first start. None: it is lost, and nodes may know it."""
        key, problem = await asyncio.to_thread(signing.find_key, self._path)
        if key is None and not problem and not had_nodes:
            key, problem = await asyncio.to_thread(signing.make_key, self._path)
        if key is None:
            lost = f"{problem or f'{self._path} is gone'}: {KEY_LOST}. {KEY_LOST_FIX}"
            self._health.raise_issue(Code.STATE_DAMAGED, lost, _FILE)
        elif problem:
            self._health.raise_issue(Code.STATE_DAMAGED, problem, _FILE)
        return key

    def answer(self, api: Api, service: RegistryService) -> None:
        """Bind the rows about the key."""

        async def renew(_: Call[Nothing]) -> Done:
            if service.order_sender.public:
                text = "the key of this server is valid, and its nodes know it"
                raise SaintError(Code.REFUSED, text, fix="Nothing needs to be done.")
            key, problem = await asyncio.to_thread(signing.make_key, self._path)
            if problem:
                raise SaintError(Code.INTERNAL, problem, fix="Check the disk, then try again.")
            self._use(service, key)
            text = "this server has a new key; hold each node's button for 5 s, then adopt it again"
            return Done(message=text)

        async def export(call: Call[Passphrase]) -> SealedKey:
            key = service.order_sender.key
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
            self._use(service, key)
            return Done(message="the server's key was restored; its nodes obey it again")

        api.bind(keys.RENEW, renew)
        api.bind(keys.EXPORT, export)
        api.bind(keys.IMPORT, take)

    def _use(self, service: RegistryService, key: signing.PrivateKey) -> None:
        service.order_sender.use(key)
        service.calibrations.use_key(key.public)
        service.changed.notify()
        self._health.clear(Code.STATE_DAMAGED, _FILE)
        _log.warning("the server's key was replaced", public=key.public)
