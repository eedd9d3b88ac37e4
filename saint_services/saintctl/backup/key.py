"""The server's key in a backup file, sealed with a passphrase. Not here: the rest of the file
(backup.py), how a key is sealed (lib/crypto/sealing.py, in adoptiond).
"""

from pathlib import Path
from typing import Annotated

import typer

from ...lib.api import keys
from ...lib.api.keys import KeyImport, Passphrase
from ...lib.backup import archive
from ...lib.backup.sealed_key import key_in, with_key
from ...lib.errors import Code, SaintError
from ..connect import Place, do
from ..server import Server

WithKeys = Annotated[
    bool, typer.Option("--with-keys", help="Also the server's key, sealed with a passphrase.")
]
PassphraseFile = Annotated[
    Path | None, typer.Option("--passphrase-file", help="Its first line; else it is asked for.")
]


def asked(file: Path | None, *, is_new: bool) -> str:
    """The passphrase of a file, or as it is typed; a new one is typed twice."""
    if file is None:
        given: str = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=is_new)
        return given
    try:
        return file.read_text(encoding="utf-8").partition("\n")[0]
    except (OSError, UnicodeDecodeError) as err:
        raise typer.BadParameter(f"{file} cannot be read: {err}") from err


async def added(place: Place, raw: bytes, passphrase: str) -> bytes:
    """The backup with the sealed key in it."""
    _check_way(place)
    sealed = await do(place, keys.EXPORT, Passphrase(passphrase=passphrase))
    content = archive.unpack(raw)
    daemons, of = with_key(content.daemons, sealed), content.manifest
    return archive.pack(daemons, robot=of.robot, version=of.version, created=of.created)


async def brought_back(place: Place, raw: bytes, passphrase: str) -> None:
    """Give the server the key that the backup holds."""
    _check_way(place)
    sealed = key_in(archive.unpack(raw).daemons).sealed
    await do(place, keys.IMPORT, KeyImport(sealed=sealed, passphrase=passphrase))


def _check_way(place: Place) -> None:
    if isinstance(place, Server) and place.tls is None:
        text = "a passphrase does not go over a connection that is not encrypted"
        raise SaintError(Code.REFUSED, text, fix="Name the robot with https:// or log in there.")
