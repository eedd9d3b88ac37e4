"""Seals a secret in a text that only a passphrase opens: Argon2id derives the key, SecretBox
(XSalsa20 and Poly1305) encrypts. Not here: which secrets are exported. Calls block and need 64 MiB.
"""

import json
from base64 import b64decode, b64encode

from ..errors import Code, SaintError

SHORTEST_PASSPHRASE = 12
_OPERATIONS, _MEMORY_BYTES = (
    4,
    64 << 20,
)  # of Argon2id; 2 operations are the minimum for interactive use
_LABEL = "SAINT.OS sealed 1"


def seal(secret: bytes, passphrase: str) -> str:
    """Seal the secret. Raises request_invalid if the passphrase is too short."""
    from nacl.pwhash import argon2id
    from nacl.secret import SecretBox
    from nacl.utils import random

    if len(passphrase) < SHORTEST_PASSPHRASE:
        text = f"the passphrase has fewer than {SHORTEST_PASSPHRASE} characters"
        raise SaintError(
            Code.REQUEST_INVALID, text, fix="Choose a longer passphrase, such as five words."
        )
    salt = random(argon2id.SALTBYTES)
    box = SecretBox(_key(passphrase, salt)).encrypt(secret)
    data = {"label": _LABEL, "salt": b64encode(salt).decode(), "box": b64encode(box).decode()}
    return json.dumps(data)


def unseal(sealed: str, passphrase: str) -> bytes:
    """Open a sealed secret. Raises request_invalid if passphrase or text is wrong."""
    from nacl.exceptions import CryptoError
    from nacl.secret import SecretBox

    try:
        data = json.loads(sealed)
        if data["label"] != _LABEL:
            raise ValueError("another form")
        salt, box = b64decode(data["salt"], validate=True), b64decode(data["box"], validate=True)
        return bytes(SecretBox(_key(passphrase, salt)).decrypt(box))
    except (CryptoError, ValueError, TypeError, LookupError) as err:
        text = "the passphrase is wrong, or the sealed text is damaged"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Check the passphrase.") from err


def _key(passphrase: str, salt: bytes) -> bytes:
    from nacl.pwhash import argon2id
    from nacl.secret import SecretBox

    return bytes(
        argon2id.kdf(
            SecretBox.KEY_SIZE, passphrase.encode(), salt,
            opslimit=_OPERATIONS, memlimit=_MEMORY_BYTES,
        )
    )  # fmt: skip
