"""The server's key in a backup file, sealed with a passphrase. Not here: the rest of the file
(commands.py), how a key is sealed (lib/sealing.py, in adoptiond).
"""

from pathlib import Path
from typing import Annotated

import typer

from ...lib.api import keys
from ...lib.api.keys import KeyImport, Passphrase
from ...lib.backup import archive
from ...lib.backup.sealed_key import key_in, with_key
from ...lib.errors import Code, SaintError
from ..connect import RobotAddress, request
from ..remote import RemoteRobot

WithKeys = Annotated[
    bool, typer.Option("--with-keys", help="Include the server's key, sealed with a passphrase.")
]
RestoreKeys = Annotated[
    bool,
    typer.Option("--with-keys", help="Also restore the server's key; prompts for its passphrase."),
]
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file", help="File whose first line is the passphrase. Default: prompt."
    ),
]


def read_passphrase(file: Path | None, *, is_new: bool) -> str:
    """Read the passphrase from a file or the terminal; a new one is typed twice."""
    if file is None:
        given: str = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=is_new)
        return given
    try:
        return file.read_text(encoding="utf-8").partition("\n")[0]
    except (OSError, UnicodeDecodeError) as err:
        raise typer.BadParameter(f"{file} cannot be read: {err}") from err


async def add_key(robot: RobotAddress, raw: bytes, passphrase: str) -> bytes:
    """Return the backup with the sealed key added."""
    _check_encrypted(robot)
    sealed = await request(robot, keys.EXPORT, Passphrase(passphrase=passphrase))
    content = archive.unpack(raw)
    daemons, of = with_key(content.daemons, sealed), content.manifest
    return archive.pack(daemons, robot=of.robot, version=of.version, created=of.created)


async def restore_key(robot: RobotAddress, raw: bytes, passphrase: str) -> None:
    """Give the server the key of the backup."""
    _check_encrypted(robot)
    sealed = key_in(archive.unpack(raw).daemons).sealed
    await request(robot, keys.IMPORT, KeyImport(sealed=sealed, passphrase=passphrase))


def _check_encrypted(robot: RobotAddress) -> None:
    if isinstance(robot, RemoteRobot) and robot.tls is None:
        text = "a passphrase is not sent over an unencrypted connection"
        raise SaintError(Code.REFUSED, text, fix="Use https:// in the address, or log in there.")
