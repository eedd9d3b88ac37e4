"""adoptiond's socket: the server's own key, which nodes obey. Elsewhere it is only sealed with a
passphrase (lib/crypto/sealing.py).
"""

from pydantic import Field

from ..access.levels import Level
from . import Done, Request
from .endpoint import Nothing, Rows

_TO_SEAL_S = 28.0  # a Pi takes seconds to make a key of a passphrase


class Passphrase(Request):
    """What seals a key."""

    passphrase: str = Field(max_length=1024, repr=False)


class SealedKey(Request):
    """The server's key, which a passphrase opens; empty: there is none."""

    sealed: str = Field(default="", max_length=4096, repr=False)


class KeyImport(SealedKey, Passphrase):
    """A sealed key with what opens it."""


ROWS = Rows("key", "adoptiond")

# fmt: off
RENEW = ROWS.row(
    "renew", "POST", "/key/new", Nothing, Done,
    "A new key for a server whose key is lost; no node knows it.",
    level=Level.ADMIN, log="The server has a new key", severity="WARNING", is_action=False,
)
EXPORT = ROWS.row(
    "export", "POST", "/key/export", Passphrase, SealedKey, "The key, sealed with a passphrase.",
    level=Level.ADMIN, log="The server's key was copied, sealed", severity="WARNING",
    limit_s=_TO_SEAL_S, is_action=False,
)
IMPORT = ROWS.row(
    "import", "POST", "/key/import", KeyImport, Done, "Take back a key that was copied.",
    level=Level.ADMIN, log="The server has its key back", severity="WARNING",
    limit_s=_TO_SEAL_S, is_action=False,
)
