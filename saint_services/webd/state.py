"""webd's secret: the token, in a file that only webd reads. Calls block: use asyncio.to_thread."""

import secrets
from dataclasses import dataclass
from pathlib import Path

from ..lib.state import write_atomic

_SHORTEST = 20


@dataclass(frozen=True, slots=True, repr=False)
class Token:
    """The token and whether it was made just now."""

    value: str
    path: Path
    is_new: bool


def load_token(directory: Path) -> Token:
    """The token in <state>/token; made at the first start. Delete the file for a new one."""
    path = directory / "token"
    try:
        value = path.read_text(encoding="ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        value = ""
    if len(value) >= _SHORTEST:
        return Token(value, path, is_new=False)
    value = secrets.token_urlsafe(24)
    write_atomic(path, value.encode() + b"\n", mode=0o600)
    return Token(value, path, is_new=True)
