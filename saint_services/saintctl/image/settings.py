"""What `image flash` puts onto the card: saint.yaml, made of options and files.

Secrets come from files or are asked for; as arguments every process on this computer could
read them. Not here: what the settings mean (saint_services/setup).
"""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ...lib.errors import Code, SaintError

FILE_NAME = "saint.yaml"
_HEAD = "# Settings of this machine. It moves secrets to its data partition when it starts.\n"
_CLAIM_BYTES = 24


@dataclass(frozen=True, slots=True)
class Wishes:
    """The options as they were given; nothing in them was checked yet."""

    role: str = ""
    hostname: str = ""
    wifi_ssid: str = ""
    wifi_country: str = ""
    wifi_secret: str = ""
    ssh_keys: tuple[Path, ...] = ()
    claim_file: Path | None = None
    simulated: bool = False


def files(wishes: Wishes) -> dict[str, bytes]:
    """File name on the card -> content; nothing when nothing was wished."""
    from ...setup.config import Machine

    data = _data(wishes)
    if not data:
        return {}
    try:
        machine = Machine.model_validate(data)
    except ValidationError as err:
        first = err.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        what = f"{where} {first['msg'].removeprefix('Value error, ')}"
        raise SaintError(Code.REQUEST_INVALID, what, fix="Correct this option.") from err
    said = machine.model_dump(mode="json", exclude_unset=True)
    text = yaml.safe_dump(said, sort_keys=False, allow_unicode=True, width=1000)
    return {FILE_NAME: (_HEAD + text).encode()}


def _data(wishes: Wishes) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if wishes.role:
        data["role"] = wishes.role
    if wishes.hostname:
        data["hostname"] = wishes.hostname
    if wishes.simulated:
        data["hardware"] = "sim"
    if wishes.wifi_ssid:
        data["wifi"] = _given(
            ssid=wishes.wifi_ssid, secret=wishes.wifi_secret, country=wishes.wifi_country
        )
    elif wishes.wifi_country:
        what = "--wifi-country needs a network"
        raise SaintError(Code.REQUEST_INVALID, what, fix="Add --wifi-ssid.")
    if wishes.ssh_keys:
        data["ssh"] = {"keys": [key for path in wishes.ssh_keys for key in _keys(path)]}
    if wishes.claim_file:
        data["claim"] = _claim(wishes.claim_file)
    return data


def _given(**fields: str) -> dict[str, str]:
    return {name: value for name, value in fields.items() if value}


def _keys(path: Path) -> list[str]:
    text = read(path)
    if "PRIVATE KEY" in text:
        what = f"{path} is a private key: it stays with you"
        raise SaintError(Code.REQUEST_INVALID, what, fix=f"Name the public one: {path}.pub")
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _claim(path: Path) -> str:
    """The code in the file; a new one is made and kept there for you if there is no file."""
    if path.exists():
        return read(path).strip()
    code = secrets.token_urlsafe(_CLAIM_BYTES)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(code + "\n")
    return code


def read(path: Path) -> str:
    """A small text file that an option names."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as err:
        reason = err.strerror if isinstance(err, OSError) else "it is no text"
        raise SaintError(Code.NOT_FOUND, f"{path} cannot be read: {reason}") from err
