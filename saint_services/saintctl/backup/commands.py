"""`saintctl backup`: writes the robot's settings into a file, and restores them. webd collects them
from all daemons.
"""

import asyncio
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ...lib.api.backup import BackupInfo, RestoreReply
from ...lib.api.routing import Confirming
from ...lib.api.webd.upkeep import UNDO_RESTORE
from ...lib.backup import archive
from ...lib.errors import Code, SaintError
from ...lib.state import write_atomic
from ..connect import RobotAddress, client, request
from ..console import AsJson, print_facts, print_json, print_table, run
from ..estop.confirm import RemoveStop, confirmed, query
from . import key
from .key import PassphraseFile, RestoreKeys, WithKeys

app = typer.Typer(help="The robot's settings in one file.", no_args_is_help=True)

_LIMIT_S = 180.0  # every daemon in turn; some must be started first
_PATH = "/api/backup"

File = Annotated[Path, typer.Argument(help="A backup: a file that ends with .zip")]


@app.command()
def create(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(help="The file to write. Default: made of name and time.")
    ] = None,
    force: Annotated[bool, typer.Option(help="Replace an existing file.")] = False,
    with_keys: WithKeys = False,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Write a backup of the robot."""
    passphrase = key.read_passphrase(passphrase_file, is_new=True) if with_keys else ""
    path = run(_create(context.obj, file, force, passphrase))
    print(f"The backup is in {path}.")


@app.command()
def show(context: typer.Context, file: File, as_json: AsJson = False) -> None:
    """Show what is in a backup, and which parts the robot would leave out."""
    info = run(_show(context.obj, file), as_json)
    if as_json:
        print_json(info)
        return
    _print_info(info)


@app.command()
def restore(
    context: typer.Context,
    file: File,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    remove_stop: RemoveStop = None,
    with_keys: RestoreKeys = False,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Restore a backup. `backup undo` brings the present settings back."""
    raw, info = run(_checked(context.obj, file), as_json)
    if not yes:
        _print_info(info)
        typer.confirm("Restore it?", abort=True)
    if with_keys:
        passphrase = key.read_passphrase(passphrase_file, is_new=False)
        run(key.restore_key(context.obj, raw, passphrase), as_json)
    send = partial(_restore, context.obj, raw)
    _print_restored(run(confirmed(send, remove_stop), as_json), as_json)


@app.command()
def undo(context: typer.Context, remove_stop: RemoveStop = None, as_json: AsJson = False) -> None:
    """Restore the state before the last restore or factory reset."""
    send = partial(_undo, context.obj)
    _print_restored(run(confirmed(send, remove_stop), as_json), as_json)


async def _create(robot: RobotAddress, file: Path | None, force: bool, passphrase: str) -> Path:
    async with client(robot, "webd") as daemon:
        raw = await daemon.fetch(_PATH, timeout_s=_LIMIT_S)
    if passphrase:
        raw = await key.add_key(robot, raw, passphrase)
    return await asyncio.to_thread(_write, raw, file, force)


def _write(raw: bytes, file: Path | None, force: bool) -> Path:
    path = file or Path(_name(raw))
    if path.is_dir():
        path = path / _name(raw)
    if path.exists() and not force:
        raise SaintError(Code.CONFLICT, f"{path} exists already", fix="Add --force to replace it.")
    try:
        write_atomic(path.absolute(), raw, 0o600)
    except OSError as err:
        raise SaintError(Code.REFUSED, f"{path} cannot be written: {err.strerror}") from err
    return path


def _name(raw: bytes) -> str:
    manifest = archive.unpack(raw).manifest
    robot = "".join(c if c.isascii() and c.isalnum() else "-" for c in manifest.robot)
    return f"{robot.strip('-') or 'robot'}-backup-{datetime.now():%Y%m%d-%H%M%S}.zip"


async def _show(robot: RobotAddress, file: Path) -> BackupInfo:
    raw = await asyncio.to_thread(_read, file)
    try:
        async with client(robot, "webd") as daemon:
            return await daemon.send(f"{_PATH}?check=1", raw, BackupInfo, timeout_s=_LIMIT_S)
    except SaintError as err:
        if err.code is not Code.DAEMON_UNREACHABLE:
            raise
        content = await asyncio.to_thread(archive.unpack, raw)
        return archive.info(content, ["No robot was available to check whether it accepts this."])


async def _checked(robot: RobotAddress, file: Path) -> tuple[bytes, BackupInfo]:
    raw = await asyncio.to_thread(_read, file)
    async with client(robot, "webd") as daemon:
        info = await daemon.send(f"{_PATH}?check=1", raw, BackupInfo, timeout_s=_LIMIT_S)
    return raw, info


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            raw = opened.read(archive.LARGEST_BYTES + 1)
    except OSError as err:
        message = f"{file} cannot be read: {err.strerror}"
        raise SaintError(Code.NOT_FOUND, message, fix="Check the path.") from err
    archive.unpack(raw)  # a file that is no backup is not sent
    return raw


async def _restore(robot: RobotAddress, raw: bytes, names: list[str]) -> RestoreReply:
    async with client(robot, "webd") as daemon:
        return await daemon.send(f"{_PATH}{query(names)}", raw, RestoreReply, timeout_s=_LIMIT_S)


async def _undo(robot: RobotAddress, names: list[str]) -> RestoreReply:
    return await request(robot, UNDO_RESTORE, Confirming(confirm=names))


def _print_info(info: BackupInfo) -> None:
    print_facts(
        [("robot", info.robot), ("made", info.created), ("release", info.version or "unknown")]
    )
    rows = [(c.daemon, c.section, str(c.entries or ""), str(c.bytes)) for c in info.contents]
    print_table(("daemon", "part", "entries", "bytes"), rows, "The backup is empty.")
    for name in info.confirm:
        print(f"careful: {name} would no longer stop the robot as it does now")
    for note in info.notes:
        print(f"note: {note}")
    for sentence in info.outside:
        print(f"not included: {sentence}")


def _print_restored(reply: RestoreReply, as_json: bool) -> None:
    if as_json:
        print_json(reply)
        return
    print(f"Restored: {', '.join(reply.restored) or 'nothing yet'}.")
    for note in reply.notes:
        print(f"note: {note}")
    if reply.waiting:
        print(f"{', '.join(reply.waiting)} did not answer; their parts are restored once they do.")
