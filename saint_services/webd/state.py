"""Where webd keeps who may come in, in files that only webd reads: users and tokens, who is signed
in, and the claim code until the robot has an owner. Calls block: use asyncio.to_thread.
"""

import secrets
from dataclasses import dataclass
from pathlib import Path

from ..lib.state import Store, write_atomic
from .signins import SignIns
from .users import Book

_SHORTEST = 20
# The name is of a time when this one token was the only way in; setup writes it too.
_CODE = "token"
_CLAIMED = "claimed"  # tells setup to show and to write no code any more


@dataclass(frozen=True, slots=True, repr=False)
class ClaimCode:
    """The code and whether it was made just now."""

    value: str
    path: Path
    is_new: bool


def book_store(directory: Path) -> Store[Book]:
    """Users and tokens."""
    return Store(directory / "access.json", Book, 1)


def signin_store(directory: Path) -> Store[SignIns]:
    """Who is signed in."""
    return Store(directory / "signins.json", SignIns, 1)


def load_code(directory: Path) -> ClaimCode:
    """The code in <state>/token; made at the first start. Delete the file for a new one."""
    path = directory / _CODE
    (directory / _CLAIMED).unlink(missing_ok=True)
    try:
        value = path.read_text(encoding="ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        value = ""
    if len(value) >= _SHORTEST:
        return ClaimCode(value, path, is_new=False)
    value = secrets.token_urlsafe(24)
    write_atomic(path, value.encode() + b"\n", mode=0o600)
    return ClaimCode(value, path, is_new=True)


def forget_code(directory: Path) -> None:
    """The robot has an owner."""
    write_atomic(directory / _CLAIMED, b"", mode=0o640)
    (directory / _CODE).unlink(missing_ok=True)
