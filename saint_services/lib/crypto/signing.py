"""Ed25519 keys of a server and its nodes: signatures, the pairing code, and key files. Not here:
authorization (adoptiond, noded), transport (lib/bus).

PyNaCl is imported with the first key, in the thread that loads it: it needs 1.1 MB of a node's
memory; cryptography would need 7.7 MB.
"""

import contextlib
import hashlib
import json
import secrets
from pathlib import Path

from ..state import last_good, write_atomic

_LABEL = "SAINT.OS 1"  # makes signatures of other programs and formats invalid here
_KEY_HEX = 64
_NONCE_BYTES = 16


class PrivateKey:
    """A private key. Only its public half is ever shown."""

    def __init__(self, seed: bytes) -> None:
        from nacl.signing import SigningKey

        self.seed = seed
        self._key = SigningKey(seed)
        self.public: str = self._key.verify_key.encode().hex()

    def sign(self, *parts: str) -> str:
        """Sign these parts in this order; returns the signature in hexadecimal."""
        return self._key.sign(_signed(parts)).signature.hex()


def is_signed(public: str, signature: str, *parts: str) -> bool:
    """Return whether the holder of the key signed exactly these parts."""
    from nacl.exceptions import BadSignatureError
    from nacl.signing import VerifyKey

    try:
        VerifyKey(bytes.fromhex(public)).verify(_signed(parts), bytes.fromhex(signature))
    except (BadSignatureError, ValueError, TypeError):
        return False
    return True


def prepare() -> None:
    """Import the signature check, which takes a while: call it in a thread."""
    import nacl.exceptions
    import nacl.signing  # noqa: F401


def nonce() -> str:
    """Return a random value that is never repeated."""
    return secrets.token_hex(_NONCE_BYTES)


def commitment(server_key: str, server_nonce: str) -> str:
    """Return the server's commitment to its nonce, sent before it knows the node's nonce: the
    server cannot choose its nonce afterwards, so an attacker in between has one guess at the
    pairing code instead of as many as it can compute.
    """
    return hashlib.sha256(_signed(("commitment", server_key, server_nonce))).hexdigest()


def pairing_code(server_key: str, node_key: str, server_nonce: str, node_nonce: str) -> str:
    """Return the six-digit pairing code; both sides show the same unless a third party
    intercepts.
    """
    parts = ("code", server_key, node_key, server_nonce, node_nonce)
    number = int.from_bytes(hashlib.sha256(_signed(parts)).digest()[:8], "big") % 1_000_000
    return f"{number // 1000:03d} {number % 1000:03d}"


def find_key(path: Path) -> tuple[PrivateKey | None, str]:
    """Load the key from the file, else from its last good copy, which then restores the file; also
    returns a problem, or an empty text. Without key and problem, there never was a key. Never makes
    a key. Blocks.
    """
    copy = last_good(path)
    seed, problem = _read_seed(path)
    if seed:
        if _read_seed(copy)[0] != seed:
            with contextlib.suppress(OSError):
                write_atomic(copy, seed.hex().encode() + b"\n", 0o600)
        return PrivateKey(seed), ""
    seed, copy_problem = _read_seed(copy)
    if seed:
        problem = problem or f"{path} is missing"
        with contextlib.suppress(OSError):
            _set_aside(path)
            write_atomic(path, seed.hex().encode() + b"\n", 0o600)
        return PrivateKey(seed), f"{problem}. The last good copy is in force"
    aside = _aside(path)
    trace = f"{path} is missing, its damaged file is kept as {aside}" if aside.exists() else ""
    return None, problem or copy_problem or trace


def make_key(path: Path, seed: bytes = b"") -> tuple[PrivateKey, str]:
    """Write a new key to the file, or the key of this seed; the previous file is set aside. Also
    returns why the key could not be stored, or an empty text. Blocks.
    """
    seed = seed or secrets.token_bytes(_KEY_HEX // 2)
    problem = ""
    try:
        _set_aside(path)
        for each in (path, last_good(path)):
            write_atomic(each, seed.hex().encode() + b"\n", 0o600)
    except OSError as err:
        problem = f"{path} cannot be written: {err.strerror}; the next start makes another key"
    return PrivateKey(seed), problem


def load_key(path: Path) -> tuple[PrivateKey, str]:
    """Load the key from the file or its copy, or make one; also returns a problem, or an empty
    text. For a node, which must be adopted again if its key has changed. Blocks.
    """
    key, problem = find_key(path)
    if key:
        return key, problem
    key, not_kept = make_key(path)
    if problem:
        problem += ". This machine has a new key: its server must adopt it again"
    return key, not_kept or problem


def _read_seed(path: Path) -> tuple[bytes, str]:
    """Read the seed; empty with the reason if that fails. A missing file is not a problem."""
    try:
        text = path.read_text("ascii").strip()
        if len(text) == _KEY_HEX:
            return bytes.fromhex(text), ""
    except FileNotFoundError:
        return b"", ""
    except (OSError, ValueError) as err:
        return b"", f"{path} cannot be read: {err}"
    return b"", f"{path} does not contain a key"


def _set_aside(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.replace(_aside(path))


def _aside(path: Path) -> Path:
    return path.with_name(f"{path.name}.damaged")


def _signed(parts: tuple[str, ...]) -> bytes:
    # JSON, because it delimits the parts unambiguously.
    return json.dumps([_LABEL, *parts]).encode()
