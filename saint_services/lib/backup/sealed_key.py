"""Adds the server's sealed key to a backup file, and finds it there. Pure. Not here: how a key is
sealed (lib/crypto/sealing.py), the right to do that (adoptiond).
"""

from collections.abc import Mapping

from pydantic import ValidationError

from ..api.backup import DaemonBackup, SectionData
from ..api.keys import SealedKey
from ..errors import Code, SaintError

_DAEMON, _SECTION, _VERSION = "adoptiond", "key", 1


def with_key(daemons: Mapping[str, DaemonBackup], sealed: SealedKey) -> dict[str, DaemonBackup]:
    """Return the content of a backup with the sealed key."""
    before = daemons.get(_DAEMON, DaemonBackup(sections={}))
    section = SectionData(version=_VERSION, data=sealed.model_dump())
    after = DaemonBackup(sections={**before.sections, _SECTION: section})
    return {**daemons, _DAEMON: after}


def key_in(daemons: Mapping[str, DaemonBackup]) -> SealedKey:
    """Return the sealed key of a backup. Raises SaintError when there is none."""
    daemon = daemons.get(_DAEMON)
    held = daemon.sections.get(_SECTION) if daemon else None
    if held is None:
        text = "this backup holds no key"
        raise SaintError(Code.NOT_FOUND, text, fix="Restore the backup without a passphrase.")
    try:
        return SealedKey.model_validate(held.data)
    except ValidationError as err:
        text = "the server's key in this backup cannot be read"
        fix = "Restore the backup without a passphrase."
        raise SaintError(Code.REQUEST_INVALID, text, fix=fix) from err
