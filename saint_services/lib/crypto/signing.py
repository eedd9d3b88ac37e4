"""Keys between a server and its nodes (Ed25519): who signs what, in which form, and the code that
both sides show. Not here: who may do what (adoptiond, noded), how it travels (lib/bus).

The library is imported with the first key, in the thread that loads it: PyNaCl takes 1.1 MB of a
node's memory, cryptography would take 7.7.
"""

import contextlib
import hashlib
import json
import secrets
from pathlib import Path

from ..state import last_good, write_atomic

_LABEL = "SAINT.OS 1"  # no signature of another program, or of another form, is ever one of ours
_KEY_HEX = 64
_NONCE_BYTES = 16


class Key:
    """A private key. Only its public half is ever shown."""

    def __init__(self, seed: bytes) -> None:
        from nacl.signing import SigningKey

        self.seed = seed
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


def find_key(path: Path) -> tuple[Key | None, str]:
    """The key in that file, else in its last good copy, which becomes the file again; and what is
    wrong, or nothing. Neither key nor problem: there never was one. Never makes a key. Blocks.
    """
    copy = last_good(path)
    seed, problem = _read_seed(path)
    if seed:
        if _read_seed(copy)[0] != seed:
            with contextlib.suppress(OSError):
                write_atomic(copy, seed.hex().encode() + b"\n", 0o600)
        return Key(seed), ""
    seed, copy_problem = _read_seed(copy)
    if seed:
        problem = problem or f"{path} is gone"
        with contextlib.suppress(OSError):
            _set_aside(path)
            write_atomic(path, seed.hex().encode() + b"\n", 0o600)
        return Key(seed), f"{problem}. Its last good copy is in force"
    aside = _aside(path)
    trace = f"{path} is gone, {aside} is what was left of it" if aside.exists() else ""
    return None, problem or copy_problem or trace


def make_key(path: Path, seed: bytes = b"") -> tuple[Key, str]:
    """A new key in that file, or the one of this seed; what is there is kept beside it. Returns why
    the key could not be kept, or nothing. Blocks."""
    seed = seed or secrets.token_bytes(_KEY_HEX // 2)
    problem = ""
    try:
        _set_aside(path)
        for each in (path, last_good(path)):
            write_atomic(each, seed.hex().encode() + b"\n", 0o600)
    except OSError as err:
        problem = f"{path} cannot be written: {err.strerror}; its key will be another one next time"
    return Key(seed), problem


def load_key(path: Path) -> tuple[Key, str]:
    """The key in that file or its copy, made when there is none; and what is wrong, or nothing. For
    a node, which is adopted again by hand when its key has changed. Blocks.
    """
    key, problem = find_key(path)
    if key:
        return key, problem
    key, not_kept = make_key(path)
    if problem:
        problem += ". This machine has a new key: its server takes it for another one until adopted"
    return key, not_kept or problem


def _read_seed(path: Path) -> tuple[bytes, str]:
    """The seed, or nothing and why; a file that is not there has no problem."""
    try:
        text = path.read_text("ascii").strip()
        if len(text) == _KEY_HEX:
            return bytes.fromhex(text), ""
    except FileNotFoundError:
        return b"", ""
    except (OSError, ValueError) as err:
        return b"", f"{path} cannot be read: {err}"
    return b"", f"{path} does not hold a key"


def _set_aside(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.replace(_aside(path))


def _aside(path: Path) -> Path:
    return path.with_name(f"{path.name}.damaged")


def _signed(parts: tuple[str, ...]) -> bytes:
    # JSON, because it tells where one part ends and the next begins.
    return json.dumps([_LABEL, *parts]).encode()
