"""Valid names and passwords of wireless networks and valid host names: the same for saint.yaml on
the card and for the settings page. Errors never repeat a password.
"""

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

_RAW_KEY = re.compile(r"[0-9a-fA-F]{64}")
HOSTNAME = r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"


def is_raw_key(secret: str) -> bool:
    """Return whether this is the raw key (derived from name and password), not a password."""
    return _RAW_KEY.fullmatch(secret) is not None


def _secret(value: str) -> str:
    """WPA2: 8 to 63 printable characters, or the raw key as 64 hexadecimal digits."""
    is_phrase = 8 <= len(value) <= 63 and value.isascii() and value.isprintable()
    if not (is_phrase or is_raw_key(value)):
        raise ValueError("must be 8 to 63 ASCII characters, or 64 hexadecimal digits")
    return value


def _text(value: object) -> object:
    """Reject other types here: pydantic's own error would show the value."""
    if not isinstance(value, str):
        raise ValueError("must be text")
    return value


def _password(value: str) -> str:
    return _secret(value) if value else value


def _ssid(value: str) -> str:
    if not 1 <= len(value.encode()) <= 32:
        raise ValueError("must be 1 to 32 bytes long")
    return value


# Plain text, so that the model can be written to a file; fields omit it from their repr.
WifiSecret = Annotated[str, AfterValidator(_secret)]
WifiPassword = Annotated[str, AfterValidator(_password), BeforeValidator(_text)]  # or empty: none
Ssid = Annotated[str, AfterValidator(_ssid)]
Country = Annotated[str, Field(pattern="^[A-Z]{2}$")]
