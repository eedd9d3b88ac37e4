"""Keys between a server and its nodes (Ed25519): who signs what, in which form, and the code that
both sides show. Not here: who may do what (adoptiond, noded), how it travels (lib/bus).

The library is imported with the first key, in the thread that loads it: PyNaCl takes 1.1 MB of a
node's memory, cryptography would take 7.7.
"""

import hashlib
import json
import secrets
from pathlib import Path

from .state import write_atomic

_LABEL = "SAINT.OS 1"  # no signature of another program, or of another form, is ever one of ours
_KEY_HEX = 64
_NONCE_BYTES = 16


class Key:
    """A private key. Only its public half is ever shown."""

    def __init__(self, seed: bytes) -> None:
        from nacl.signing import SigningKey

        self._key = SigningKey(seed)
        self.public: str = self._key.verify_key.encode().hex()

    def sign(self, *parts: str) -> str:
        """The signature of these parts in this order, hexadecimal."""
        return self._key.sign(_signed(parts)).signature.hex()


def is_signed(public: str, signature: str, *parts: str) -> bool:
    """True when the holder of that key signed exactly these parts."""
    from nacl.exceptions import BadSignatureError
    from nacl.signing import VerifyKey

    try:
        VerifyKey(bytes.fromhex(public)).verify(_signed(parts), bytes.fromhex(signature))
    except (BadSignatureError, ValueError, TypeError):
        return False
    return True


def prepare() -> None:
    """Import what checks signatures, which takes a while: call it in a thread."""
    import nacl.exceptions
    import nacl.signing  # noqa: F401


def nonce() -> str:
    """Something that was never said before."""
    return secrets.token_hex(_NONCE_BYTES)


def commitment(server_key: str, server_nonce: str) -> str:
    """What a server shows before it knows the node's nonce: it cannot choose its own afterwards,
    so somebody in between has one guess at the code, not as many as he can compute."""
    return hashlib.sha256(_signed(("commitment", server_key, server_nonce))).hexdigest()


def code(server_key: str, node_key: str, server_nonce: str, node_nonce: str) -> str:
    """Six digits. Both sides see the same when nobody stands between them."""
    parts = ("code", server_key, node_key, server_nonce, node_nonce)
    number = int.from_bytes(hashlib.sha256(_signed(parts)).digest()[:8], "big") % 1_000_000
    return f"{number // 1000:03d} {number % 1000:03d}"


def load_key(path: Path) -> tuple[Key, str]:
    """The key in that file, made at the first start; and what is wrong, or nothing. Blocks.
    A damaged file is kept beside the new one: without its key the machine is a stranger.
    """
    problem = ""
    try:
        text = path.read_text("ascii").strip()
        if len(text) == _KEY_HEX:
            return Key(bytes.fromhex(text)), ""
        problem = f"{path} does not hold a key"
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as err:
        problem = f"{path} cannot be read: {err}"
    seed = secrets.token_bytes(_KEY_HEX // 2)
    try:
        if problem:
            path.replace(path.with_name(f"{path.name}.damaged"))
        write_atomic(path, seed.hex().encode() + b"\n", 0o600)
    except OSError as err:
        problem = f"{path} cannot be written: {err.strerror}; its key will be another one next time"
    return Key(seed), problem


def _signed(parts: tuple[str, ...]) -> bytes:
    # JSON, because it tells where one part ends and the next begins.
    return json.dumps([_LABEL, *parts]).encode()
