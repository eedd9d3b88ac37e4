"""Makes saint.yaml, which `image flash` writes to the card, of options and files.

Secrets come from files or are prompted for; every process on this computer could read them as
arguments. Not here: what the settings mean (saint_services/setup).
"""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ...lib.config import write_yaml
from ...lib.errors import Code, SaintError

FILE_NAME = "saint.yaml"
_HEAD = "# Settings of this machine. It moves secrets to its data partition when it starts.\n"
_CLAIM_BYTES = 24


@dataclass(frozen=True, slots=True)
class CardOptions:
    """Options of `image flash`, unchecked."""

    role: str = ""
    hostname: str = ""
    wifi_ssid: str = ""
    wifi_country: str = ""
    wifi_secret: str = ""
    ssh_keys: tuple[Path, ...] = ()
    claim_file: Path | None = None
    simulated: bool = False


def files(options: CardOptions) -> dict[str, bytes]:
    """Return the content of each file by its name on the card; empty without options."""
    from ...setup import sources
    from ...setup.config import Machine
    from ...setup.kept_settings import KeptSettings

    data = _data(options)
    if not data:
        return {}
    try:
        machine = Machine.model_validate(data)
    except ValidationError as err:
        first = err.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        what = f"{where} {first['msg'].removeprefix('Value error, ')}"
        raise SaintError(Code.REQUEST_INVALID, what, fix="Correct this option.") from err
    fields = machine.model_dump(mode="json", exclude_unset=True)
    text = _HEAD + write_yaml(fields)
    read_back = sources.read({FILE_NAME: text}, KeptSettings(), "")  # as the machine will
    if read_back.problems or read_back.machine != machine:
        reason = "; ".join(read_back.problems) or "it means something else"
        raise SaintError(Code.REQUEST_INVALID, f"these options make no valid {FILE_NAME}: {reason}")
    return {FILE_NAME: text.encode()}


def _data(options: CardOptions) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if options.role:
        data["role"] = options.role
    if options.hostname:
        data["hostname"] = options.hostname
    if options.simulated:
        data["hardware"] = "sim"
    if options.wifi_ssid:
        data["wifi"] = _given(
            ssid=options.wifi_ssid, secret=options.wifi_secret, country=options.wifi_country
        )
    elif options.wifi_country:
        what = "--wifi-country needs a network"
        raise SaintError(Code.REQUEST_INVALID, what, fix="Add --wifi-ssid.")
    if options.ssh_keys:
        data["ssh"] = {"keys": [key for path in options.ssh_keys for key in _keys(path)]}
    if options.claim_file:
        data["claim"] = _claim(options.claim_file)
    return data


def _given(**fields: str) -> dict[str, str]:
    return {name: value for name, value in fields.items() if value}


def _keys(path: Path) -> list[str]:
    text = read(path)
    if "PRIVATE KEY" in text:
        what = f"{path} is a private key, which must not leave this computer"
        raise SaintError(Code.REQUEST_INVALID, what, fix=f"Name the public key: {path}.pub")
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _claim(path: Path) -> str:
    """Return the code in the file; make the file with a new code if it is missing."""
    if path.exists():
        return read(path).strip()
    code = secrets.token_urlsafe(_CLAIM_BYTES)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(code + "\n")
    return code


def read(path: Path) -> str:
    """Read a small text file that an option names. Raises not_found."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as err:
        reason = err.strerror if isinstance(err, OSError) else "it is not a text file"
        raise SaintError(Code.NOT_FOUND, f"{path} cannot be read: {reason}") from err
