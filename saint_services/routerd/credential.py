"""Proves to the roles that this router belongs to the server: requests a credential from adoptiond
and publishes it. Not here: how a role checks it (lib/role).
"""

import asyncio

from ..lib import log
from ..lib.api import credentials
from ..lib.api.credentials import Credential, CredentialRequest
from ..lib.bus import Bus
from ..lib.errors import Code, SaintError
from ..lib.generated.saint_msgs import RouterCredential
from ..lib.generated.topics import ROUTER_CREDENTIAL
from ..lib.health import Health
from ..lib.ipc import Client

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0
_AGAIN_S = 2.0  # repeated for a role that was busy with false credentials
_SUBJECT = "credential"
_log = log.get("routerd")


async def publish_credential(bus: Bus, adoptiond: Client, health: Health) -> None:
    """Publish the credential every 2 s, until stopped. Roles obey the router only with it."""
    publisher = bus.publisher(ROUTER_CREDENTIAL)
    if not bus.origin:
        _log.warning("this bus does not name its writers, so no role can check this router")
        return
    given = await _credential(bus.origin, adoptiond, health)
    _log.info("proven", term=given.term)
    while True:
        publisher.publish(
            RouterCredential(bus.origin, given.server_key, given.term, given.signature)
        )
        await asyncio.sleep(_AGAIN_S)


async def _credential(origin: str, adoptiond: Client, health: Health) -> Credential:
    pause_s = _FIRST_PAUSE_S
    while True:
        try:
            request = CredentialRequest(origin=origin)
            given = await adoptiond.request(credentials.ROUTER_CREDENTIAL, request)
            health.clear(Code.DAEMON_UNREACHABLE, _SUBJECT)
            return given
        except SaintError as err:
            _log.debug("no credential yet", reason=err.message)
            if pause_s == _LONGEST_PAUSE_S:
                text = f"the roles obey no router without a credential: {err.message}"
                health.raise_issue(Code.DAEMON_UNREACHABLE, text, _SUBJECT)
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
