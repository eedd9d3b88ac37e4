"""`saintctl backup`: everything that was set on the robot in one file, and back again. Asks webd,
which asks all others.
"""

import asyncio
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ...lib.api.backup import BackupInfo, Confirm, RestoreReply
from ...lib.backup import archive
from ...lib.errors import Code, SaintError
from ...lib.state import write_atomic
from ..connect import Place, client
from ..console import AsJson, print_facts, print_json, print_table, run
from ..estop.confirm import RemoveStop, confirmed, query
from . import key as backup_key
from .key import PassphraseFile, WithKeys

app = typer.Typer(help="The whole robot in one file.", no_args_is_help=True)

_LIMIT_S = 180.0  # every daemon in turn, started first where it does not run
_PATH = "/api/backup"

File = Annotated[Path, typer.Argument(help="A backup, a file that ends with .zip")]


@app.command()
def create(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="Where to; made of name and time")] = None,
    force: Annotated[bool, typer.Option(help="Replace a file that is there.")] = False,
    with_keys: WithKeys = False,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Write a backup of the robot."""
    passphrase = backup_key.asked(passphrase_file, is_new=True) if with_keys else ""
    path = run(_create(context.obj, file, force, passphrase))
    print(f"The backup is in {path}.")


@app.command()
def show(context: typer.Context, file: File, as_json: AsJson = False) -> None:
    """What is in a backup, and what of it the robot, if one is there, would leave out."""
    info = run(_show(context.obj, file), as_json)
    if as_json:
        print_json(info)
        return
    _print(info)


@app.command()
def restore(
    context: typer.Context,
    file: File,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    remove_stop: RemoveStop = None,
    with_keys: WithKeys = False,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Set everything as it is in a backup. What is set now can be brought back by `undo`."""
    raw, info = run(_looked_into(context.obj, file), as_json)
    if not yes:
        _print(info)
        typer.confirm("Restore it?", abort=True)
    if with_keys:
        passphrase = backup_key.asked(passphrase_file, is_new=False)
        run(backup_key.brought_back(context.obj, raw, passphrase), as_json)
    send = partial(_restore, context.obj, raw)
    _tell(run(confirmed(send, remove_stop), as_json), as_json)


@app.command()
def undo(context: typer.Context, remove_stop: RemoveStop = None, as_json: AsJson = False) -> None:
    """As it was before the last restore or factory reset."""
    send = partial(_undo, context.obj)
    _tell(run(confirmed(send, remove_stop), as_json), as_json)


async def _create(place: Place, file: Path | None, force: bool, passphrase: str) -> Path:
    async with client(place, "webd") as webd:
        raw = await webd.fetch(_PATH, timeout_s=_LIMIT_S)
    if passphrase:
        raw = await backup_key.added(place, raw, passphrase)
    return await asyncio.to_thread(_write, raw, file, force)


def _write(raw: bytes, file: Path | None, force: bool) -> Path:
    path = file or Path(_name(raw))
    if path.is_dir():
        path = path / _name(raw)
    if path.exists() and not force:
        raise SaintError(Code.CONFLICT, f"{path} is there already", fix="Add --force.")
    try:
        write_atomic(path.absolute(), raw, 0o600)
    except OSError as err:
        raise SaintError(Code.REFUSED, f"{path} cannot be written: {err.strerror}") from err
    return path


def _name(raw: bytes) -> str:
    manifest = archive.unpack(raw).manifest
    robot = "".join(c if c.isascii() and c.isalnum() else "-" for c in manifest.robot)
    return f"{robot.strip('-') or 'robot'}-backup-{datetime.now():%Y%m%d-%H%M%S}.zip"


async def _show(place: Place, file: Path) -> BackupInfo:
    raw = await asyncio.to_thread(_read, file)
    try:
        async with client(place, "webd") as webd:
            return await webd.send(f"{_PATH}?check=1", raw, BackupInfo, timeout_s=_LIMIT_S)
    except SaintError as err:
        if err.code is not Code.DAEMON_UNREACHABLE:
            raise
        content = await asyncio.to_thread(archive.unpack, raw)
        return archive.info(content, ["No robot was asked whether it would take this."])


async def _looked_into(place: Place, file: Path) -> tuple[bytes, BackupInfo]:
    raw = await asyncio.to_thread(_read, file)
    async with client(place, "webd") as webd:
        info = await webd.send(f"{_PATH}?check=1", raw, BackupInfo, timeout_s=_LIMIT_S)
    return raw, info


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            raw = opened.read(archive.LARGEST_BYTES + 1)
    except OSError as err:
        message = f"{file} cannot be read: {err.strerror}"
        raise SaintError(Code.NOT_FOUND, message, fix="Check the path.") from err
    archive.unpack(raw)  # what is no backup is not sent at all
    return raw


async def _restore(place: Place, raw: bytes, names: list[str]) -> RestoreReply:
    async with client(place, "webd") as webd:
        return await webd.send(f"{_PATH}{query(names)}", raw, RestoreReply, timeout_s=_LIMIT_S)


async def _undo(place: Place, names: list[str]) -> RestoreReply:
    async with client(place, "webd") as webd:
        path = "/api/v1/maintenance/undo_restore"
        body = Confirm(confirm=names)
        return await webd.post(path, body, RestoreReply, timeout_s=_LIMIT_S)


def _print(info: BackupInfo) -> None:
    print_facts(
        [("robot", info.robot), ("made", info.created), ("release", info.version or "unknown")]
    )
    rows = [(c.daemon, c.section, str(c.entries or ""), str(c.bytes)) for c in info.contents]
    print_table(("daemon", "part", "entries", "bytes"), rows, "It is empty.")
    for name in info.confirm:
        print(f"careful: {name} would no longer stop the robot as it does")
    for note in info.notes:
        print(f"note: {note}")
    for sentence in info.outside:
        print(f"not in it: {sentence}")


def _tell(reply: RestoreReply, as_json: bool) -> None:
    if as_json:
        print_json(reply)
        return
    print(f"Restored: {', '.join(reply.restored) or 'nothing yet'}.")
    for note in reply.notes:
        print(f"note: {note}")
    if reply.waiting:
        print(f"{', '.join(reply.waiting)} did not answer; theirs follows as soon as they do.")
