"""`saintctl image`: writes the image to a card and verifies cards. Not here: how a card is written
(lib/flash).
"""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from ...lib.errors import Code, SaintError
from ...lib.flash.block_map import beside
from ...lib.flash.compare import compare
from ...lib.flash.disks import Disk, Disks
from ...lib.flash.preset import with_files
from ...lib.flash.source import ImageFile
from ...lib.flash.writer import Progress, Target, Written
from ...lib.machine.service_manager import Directories
from ..console import AsJson, fail, print_table
from . import settings, signing

app = typer.Typer(help="The image: write it to a card, verify a card.", no_args_is_help=True)

_INTERRUPTED = 130  # exit code of shells for Ctrl-C
_BUILT = ("saint-os-*.img.zst", "saint-os-*.img.xz", "saint-os-*.img")
_SLOT = ".rootfs.img"  # built beside the image; one partition of it, which no card starts from

Card = Annotated[Path, typer.Argument(metavar="DEVICE", help="/dev/sdX, or a file to write into")]
Image = Annotated[
    Path | None, typer.Option("--image", help="Default: the newest in build/image of a checkout.")
]


@app.command("list")
def show(as_json: AsJson = False) -> None:
    """List the disks of this computer, and which may be overwritten."""
    try:
        disks = Disks().find()
    except SaintError as err:
        raise fail(err, as_json) from None
    if as_json:
        print(json.dumps([_as_data(disk) for disk in disks], indent=2))
        return
    shown = [disk for disk in disks if disk.connection != "loop"]
    print_table(
        ("device", "size", "model", "kind", "may be overwritten"), map(_row, shown), "None."
    )


def _as_data(disk: Disk) -> dict[str, object]:
    return {
        "device": str(disk.path),
        "size_bytes": disk.size_bytes,
        "model": disk.model,
        "connection": disk.connection,
        "refusal": disk.refusal,
    }


def _row(disk: Disk) -> tuple[str, ...]:
    verdict = f"[yellow]no: {disk.refusal}[/]" if disk.refusal else "[green]yes[/]"
    return str(disk.path), _gb(disk.size_bytes), disk.model, disk.connection, verdict


@app.command()
def flash(
    device: Card,
    image: Image = None,
    role: Annotated[str, typer.Option(help="server, node or both. Default: node.")] = "",
    hostname: Annotated[str, typer.Option(help="Its name on the network.")] = "",
    wifi_ssid: Annotated[
        str, typer.Option(help="Wi-Fi network to join; the password is prompted for.")
    ] = "",
    wifi_country: Annotated[str, typer.Option(help="Country of use: GB, DE, ...")] = "",
    wifi_secret_file: Annotated[
        Path | None, typer.Option(help="Read the Wi-Fi password from this file.")
    ] = None,
    ssh_key: Annotated[
        list[Path] | None, typer.Option(help="Public key that may log in. Repeatable.")
    ] = None,
    claim_file: Annotated[
        Path | None, typer.Option(help="File with the server's claim code; created if missing.")
    ] = None,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Simulate the pins. Needs tools/sim.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the image and its settings to a card, and read it back."""
    try:
        disk = _target(device)
        source = ImageFile(image or _newest())
        options = settings.CardOptions(
            role=role,
            hostname=hostname,
            wifi_ssid=wifi_ssid,
            wifi_country=wifi_country,
            wifi_secret=_wifi_secret(wifi_ssid, wifi_secret_file),
            ssh_keys=tuple(ssh_key or ()),
            claim_file=claim_file,
            simulated=simulated,
        )
        files = settings.files(options)
        if not yes:
            _confirm(device, disk)
        _flash(device, source, files, as_json)
    except SaintError as err:
        raise fail(err, as_json) from None


@app.command()
def verify(
    device: Card,
    image: Image = None,
    as_json: AsJson = False,
) -> None:
    """Compare a card that has not been started yet with its image."""
    try:
        source = ImageFile(image or _newest())
        with _progress("Comparing", source.size_bytes) as show:
            block_map = beside(source.path)
            found = compare(
                source.chunks(), device, lambda _: show(source.position_bytes), block_map
            )
        place = found.first_difference_bytes
        if place is not None:
            raise SaintError(
                Code.HARDWARE_FAULT,
                f"{device} differs from {source.path.name} at {place >> 20} MiB",
                fix="A started machine has changed its card; otherwise write the card again.",
            )
    except SaintError as err:
        raise fail(err, as_json) from None
    if as_json:
        print(json.dumps({"device": str(device), "has_own_settings": found.has_own_settings}))
        return
    own = ", with settings of its own" if found.has_own_settings else ""
    print(f"{device} holds {source.path.name}{own}.")


@app.command()
def keys(as_json: AsJson = False) -> None:
    """Show which key signs a bundle built here, and whom an image trusts."""
    try:
        found = signing.describe(Directories.from_environment().share)
    except SaintError as err:
        raise fail(err, as_json) from None
    if as_json:
        print(json.dumps({**asdict(found), "development_keys": str(found.development_keys)}))
        return
    print("\n".join(signing.sentences(found)))


def _flash(device: Path, source: ImageFile, files: dict[str, bytes], as_json: bool) -> None:
    started = time.monotonic()
    try:
        written = _write(device, source, files)
    except KeyboardInterrupt:
        warning = f"\n{device} is incomplete and does not start. Write it again."
        print(warning, file=sys.stderr)
        raise typer.Exit(_INTERRUPTED) from None
    seconds = time.monotonic() - started
    if as_json:
        facts = {"device": str(device), "size_bytes": written.size_bytes, "sha256": written.sha256}
        print(json.dumps({**facts, "seconds": round(seconds, 1), "settings": sorted(files)}))
        return
    print(
        f"{device} holds {source.path.name}: {_gb(written.size_bytes)}, {seconds:.0f} s, read back."
    )
    if not files:
        print("It has no settings: it will be a node without Wi-Fi and ssh.")


def _write(device: Path, source: ImageFile, files: dict[str, bytes]) -> Written:
    with Target(device) as target:
        chunks = with_files(source.chunks(), files, datetime.now())
        with _progress("Writing", source.size_bytes) as show:
            block_map = beside(source.path)
            written = target.write(chunks, lambda _: show(source.position_bytes), block_map)
        with _progress("Reading back", written.size_bytes) as show:
            target.verify(written, show)
    return written


def _target(device: Path) -> Disk | None:
    """Return the disk; None for a file. Raises refused for a disk that must not be overwritten."""
    if device.is_block_device():
        return Disks().named(device)
    is_new_file = not device.exists() and device.parent.is_dir()
    if device.resolve().is_relative_to("/dev") or not (device.is_file() or is_new_file):
        what = f"there is no disk {device}"
        fix = "saintctl image list shows the disks that may be overwritten."
        raise SaintError(Code.NOT_FOUND, what, fix=fix)
    return None


def _newest() -> Path:
    built = Directories.from_environment().share / "build" / "image"
    fitting = (path for pattern in _BUILT for path in built.glob(pattern))
    found = [path for path in fitting if not path.name.endswith(_SLOT)]
    if not found:
        what = f"there is no image in {built}"
        raise SaintError(Code.NOT_FOUND, what, fix="Name one with --image, or run make image.")
    return max(found, key=lambda path: path.stat().st_mtime)


def _wifi_secret(ssid: str, file: Path | None) -> str:
    if file is not None:
        return settings.read(file).strip("\r\n")
    if not ssid:
        return ""
    if not sys.stdin.isatty():
        what = f"the password of {ssid} cannot be prompted for without a terminal"
        raise SaintError(Code.REQUEST_INVALID, what, fix="Name a file with --wifi-secret-file.")
    typed: str = typer.prompt(
        f"Password of {ssid} (empty for an open network)", default="", hide_input=True,
        show_default=False,
    )  # fmt: skip
    return typed


def _confirm(device: Path, disk: Disk | None) -> None:
    if disk is None and (not device.exists() or not device.stat().st_size):
        return
    about = f" ({_gb(disk.size_bytes)}, {disk.model}, {disk.connection})" if disk else ""
    if not sys.stdin.isatty():
        what = f"{device}{about} would be overwritten, and there is no terminal to confirm it"
        raise SaintError(Code.REQUEST_INVALID, what, fix="Add --yes to overwrite it.")
    typer.confirm(f"Everything on {device}{about} will be lost. Continue?", abort=True)


@contextmanager
def _progress(verb: str, total: int) -> Iterator[Progress]:
    """Show a progress bar on stderr; stdout has only the result."""
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description:<12}"),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.TimeRemainingColumn(elapsed_when_finished=True),
    )
    with progress.Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(verb, total=total)
        yield lambda done: bar.update(task, completed=done)


def _gb(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:.1f} GB"
