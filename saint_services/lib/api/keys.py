"""The server's key, which nodes obey: the socket of adoptiond. The key leaves the machine sealed
with a passphrase only (lib/crypto/sealing.py).
"""

from pydantic import Field

from ..access.levels import Level
from . import Done, Request
from .endpoint import Nothing, Rows

_TO_SEAL_S = 28.0  # a Pi needs seconds to derive a key from a passphrase


class Passphrase(Request):
    """The passphrase that seals a key."""

    passphrase: str = Field(max_length=1024, repr=False)


class SealedKey(Request):
    """The server's key, sealed with a passphrase; empty: no key."""

    sealed: str = Field(default="", max_length=4096, repr=False)


class KeyImport(SealedKey, Passphrase):
    """A sealed key with its passphrase."""


ROWS = Rows("key", "adoptiond")

# fmt: off
RENEW = ROWS.row(
    "renew", "POST", "/key/new", Nothing, Done,
    "Make a new key for a server whose key is lost; no node obeys the new key yet.",
    level=Level.ADMIN, log="The server has a new key", severity="WARNING", is_action=False,
)
EXPORT = ROWS.row(
    "export", "POST", "/key/export", Passphrase, SealedKey,
    "Export the key, sealed with a passphrase.",
    level=Level.ADMIN, log="The server's key was exported, sealed", severity="WARNING",
    limit_s=_TO_SEAL_S, is_action=False,
)
IMPORT = ROWS.row(
    "import", "POST", "/key/import", KeyImport, Done, "Import a sealed key.",
    level=Level.ADMIN, log="The server's key was imported", severity="WARNING",
    limit_s=_TO_SEAL_S, is_action=False,
)
