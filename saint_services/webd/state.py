"""Where webd keeps who may come in, in files that only webd reads: users and tokens, who is signed
in, and the claim code until the robot has an owner. Calls block: use asyncio.to_thread.
"""

import secrets
from dataclasses import dataclass
from pathlib import Path

from ..lib.state import StateStore, write_atomic
from .accounts.signins import SignIns
from .accounts.users import Book

_SHORTEST = 20
# The name is of a time when this one token was the only way in; setup writes it too.
_CODE = "token"
_CLAIMED = "claimed"  # tells setup to show and to write no code any more
_LOST = "lost"  # tells setup to show webd's own code, and no other


@dataclass(frozen=True, slots=True, repr=False)
class ClaimCode:
    """The code and whether it was made just now."""

    value: str
    path: Path
    is_new: bool


def book_store(directory: Path) -> StateStore[Book]:
    """Users and tokens."""
    return StateStore(directory / "access.json", Book, 1, keeps_last_good=True)


def signin_store(directory: Path) -> StateStore[SignIns]:
    """Who is signed in."""
    return StateStore(directory / "signins.json", SignIns, 1)


def load_code(directory: Path) -> ClaimCode:
    """The code in <state>/token; made at the first start. Delete the file for a new one."""
    path = directory / _CODE
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
    (directory / _LOST).unlink(missing_ok=True)


def has_lost_users(directory: Path) -> bool:
    """True when this robot had an owner and nobody has claimed it since its users were lost."""
    return any((directory / name).exists() for name in (_CLAIMED, _LOST))


def load_code_after_loss(directory: Path) -> ClaimCode:
    """The code that claims a robot whose users were lost: a new one, that nobody can know yet."""
    if not (directory / _LOST).exists():
        (directory / _CODE).unlink(missing_ok=True)
        write_atomic(directory / _LOST, b"", mode=0o640)
    (directory / _CLAIMED).unlink(missing_ok=True)
    return load_code(directory)


def give_up_claim(directory: Path) -> None:
    """Have no owner from now on, as a new robot; called before its users are removed."""
    for name in (_CLAIMED, _LOST):
        (directory / name).unlink(missing_ok=True)
