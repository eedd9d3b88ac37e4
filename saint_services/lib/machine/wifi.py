"""What a wireless network, its password and a computer's name may look like: the same for
saint.yaml on the card and for the settings page. A refusal never repeats a password.
"""

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

_RAW_KEY = re.compile(r"[0-9a-fA-F]{64}")
HOSTNAME = r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"


def is_raw_key(secret: str) -> bool:
    """True for the key itself, made of name and password; false for a password."""
    return _RAW_KEY.fullmatch(secret) is not None


def _secret(value: str) -> str:
    """WPA2: 8 to 63 printable characters, or the key itself as 64 hexadecimal digits."""
    is_phrase = 8 <= len(value) <= 63 and value.isascii() and value.isprintable()
    if not (is_phrase or is_raw_key(value)):
        raise ValueError("must be 8 to 63 ASCII characters, or 64 hexadecimal digits")
    return value


def _text(value: object) -> object:
    """pydantic's own complaint would show what was given instead of a text."""
    if not isinstance(value, str):
        raise ValueError("must be text")
    return value


def _password(value: str) -> str:
    return _secret(value) if value else value


def _ssid(value: str) -> str:
    if not 1 <= len(value.encode()) <= 32:
        raise ValueError("must be 1 to 32 bytes long")
    return value


# Plain text, so that the model can be written to a file again; fields leave it out of their repr.
WifiSecret = Annotated[str, AfterValidator(_secret)]
WifiPassword = Annotated[str, AfterValidator(_password), BeforeValidator(_text)]  # or empty: none
Ssid = Annotated[str, AfterValidator(_ssid)]
Country = Annotated[str, Field(pattern="^[A-Z]{2}$")]
