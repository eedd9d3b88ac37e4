"""Files of webd's state: users and tokens, sign-ins, and the claim code until the robot has an
owner. Only webd reads them. Calls block: use asyncio.to_thread.
"""

import secrets
from dataclasses import dataclass
from pathlib import Path

from ..lib.state import StateStore, write_atomic
from .accounts.signins import SignIns
from .accounts.users import AccountBook

_SHORTEST = 20
# Named at a time when this one token was the only access; setup writes it too.
_CODE = "token"
_CLAIMED = "claimed"  # setup shows and writes no code any more
_LOST = "lost"  # setup shows webd's own code, and no other


@dataclass(frozen=True, slots=True, repr=False)
class ClaimCode:
    """The claim code, and whether it was created just now."""

    value: str
    path: Path
    is_new: bool


def book_store(directory: Path) -> StateStore[AccountBook]:
    """Return the store of users and tokens."""
    return StateStore(directory / "access.json", AccountBook, 1, keeps_last_good=True)


def signin_store(directory: Path) -> StateStore[SignIns]:
    """Return the store of sign-ins."""
    return StateStore(directory / "signins.json", SignIns, 1)


def load_code(directory: Path) -> ClaimCode:
    """Return the code in <state>/token, created at the first start. Delete the file for a
    new one.
    """
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
    """Delete the code because the robot has an owner."""
    write_atomic(directory / _CLAIMED, b"", mode=0o640)
    (directory / _CODE).unlink(missing_ok=True)
    (directory / _LOST).unlink(missing_ok=True)


def has_lost_users(directory: Path) -> bool:
    """Return whether the robot had an owner, lost its users and was not claimed since."""
    return any((directory / name).exists() for name in (_CLAIMED, _LOST))


def load_code_after_loss(directory: Path) -> ClaimCode:
    """Return the code that claims a robot whose users were lost: a new one, so that nobody knows it
    yet.
    """
    if not (directory / _LOST).exists():
        (directory / _CODE).unlink(missing_ok=True)
        write_atomic(directory / _LOST, b"", mode=0o640)
    (directory / _CLAIMED).unlink(missing_ok=True)
    return load_code(directory)


def give_up_claim(directory: Path) -> None:
    """Return to a robot without an owner; called before its users are removed."""
    for name in (_CLAIMED, _LOST):
        (directory / name).unlink(missing_ok=True)
