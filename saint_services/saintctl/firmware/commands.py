"""`saintctl firmware`: releases, which machine runs which release, and roll-outs."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...lib.api import Done, firmware
from ...lib.api.endpoint import WatchRequest
from ...lib.api.firmware import (
    ControlAction,
    FirmwareCheck,
    FirmwareReport,
    Release,
    RolloutPlan,
    RolloutRequest,
    RolloutState,
)
from ...lib.api.update_policy import (
    CHECK_SOURCE,
    GET_POLICY,
    SET_POLICY,
    SourceStatus,
    UpdatePolicy,
)
from ...lib.api.webd.nodes import FIRMWARE_CHECK
from ...lib.errors import Code, SaintError
from ..connect import RobotAddress, client, run_request, runtime_directory
from ..console import AsJson, print_facts, print_json, run
from ..remote import RemoteRobot
from ..row_command import help_of, row_command
from . import view

if TYPE_CHECKING:
    from rich.live import Live

app = typer.Typer(help="Releases: upload, roll out, roll back.", no_args_is_help=True)

_SILENCE_S = 10.0  # otad sends a report every 2 s at least
_RECONNECT_S = 60.0  # the server itself restarts when it is updated
_LARGEST_AUTHORITY_BYTES = 1 << 16
_ENDED = (RolloutState.DONE, RolloutState.HALTED, RolloutState.CANCELLED)


@app.command()
def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Show which release each machine runs, the releases on the server, and the roll-out."""
    report = run_request(context.obj, firmware.STATUS, as_json)
    if as_json:
        print_json(report)
    else:
        _print(report)


@row_command(app, "check", FIRMWARE_CHECK)
def print_check(reply: FirmwareCheck) -> None:
    print(reply.message)


@app.command()
def upload(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A release: a file that ends with .raucb")],
    as_json: AsJson = False,
) -> None:
    """Upload a release to the server, which checks it before offering it."""
    release = run(_upload(context.obj, file, not as_json), as_json)
    print_json(release) if as_json else print_release(release)


@row_command(app, "fetch", CHECK_SOURCE)
def print_source(source: SourceStatus) -> None:
    """Look for a release at your address now, and download a newer one."""
    print(f"{source.text}.")


@row_command(app, "import", firmware.IMPORT, path=typer.Argument())
def print_imported(release: Release) -> None:
    """Import a release from a USB stick or another path on the server."""
    print_release(release)


@row_command(app, "remove", firmware.DELETE, version=typer.Argument())
def print_removed(reply: Done) -> None:
    """Delete a release from the server."""
    print(reply.message)


@app.command()
def rollout(
    context: typer.Context,
    version: Annotated[str, typer.Argument(help=help_of(RolloutRequest, "version"))] = "",
    canary: Annotated[
        str, typer.Option(metavar="NODE", help=help_of(RolloutRequest, "canary"))
    ] = "",
    server_last: Annotated[
        bool | None,
        typer.Option("--server-last/--server-first", help=help_of(RolloutRequest, "server_last")),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help=help_of(RolloutRequest, "force"))] = False,
    detach: Annotated[bool, typer.Option("--detach", help="Do not wait for the end.")] = False,
    as_json: AsJson = False,
) -> None:
    """Install a release on all machines, one after the other, and wait for the end. Exit code 1:
    the roll-out was halted or cancelled."""
    fields = {"version": version, "canary": canary, "server_last": server_last, "force": force}
    plan = run_request(context.obj, firmware.ROLLOUT, as_json, **fields)
    if as_json and detach:
        print_json(plan)
    if not detach:
        plan = run(_watch(context.obj, as_json, until_end=True), as_json) or plan
    if not as_json:
        print(view.rollout_line(plan))
    if plan.state in (RolloutState.HALTED, RolloutState.CANCELLED):
        raise typer.Exit(1)


@row_command(app, "pause", firmware.CONTROL, fixed={"action": ControlAction.PAUSE})
def print_paused(plan: RolloutPlan) -> None:
    """Pause the roll-out; a machine that is installing finishes."""
    print(view.rollout_line(plan))


@row_command(app, "resume", firmware.CONTROL, fixed={"action": ControlAction.RESUME})
def print_resumed(plan: RolloutPlan) -> None:
    """Resume the roll-out; after a halt, retry the machine that failed."""
    print(view.rollout_line(plan))


@row_command(app, "cancel", firmware.CONTROL, fixed={"action": ControlAction.CANCEL})
def print_cancelled(plan: RolloutPlan) -> None:
    """Cancel the roll-out; machines keep the release that they have."""
    print(view.rollout_line(plan))


@row_command(app, "rollback", firmware.CONTROL, fixed={"action": ControlAction.ROLLBACK})
def print_rollback(plan: RolloutPlan) -> None:
    """Roll all machines back to the previous release."""
    print(view.rollout_line(plan))


def _authority(path: str | None) -> str | None:
    """Return the content of the file that --authority names."""
    return _read_authority(path) if path else path


def _read_authority(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return file.read(_LARGEST_AUTHORITY_BYTES).decode("ascii")
    except (OSError, UnicodeDecodeError) as err:
        raise typer.BadParameter(f"{path} cannot be read as a certificate: {err}") from err


@row_command(
    app,
    "settings",
    SET_POLICY,
    reads=GET_POLICY,
    releases_from=typer.Option("--from", metavar="ADDRESS"),
    authority=typer.Option(metavar="FILE", callback=_authority),
)
def print_settings(policy: UpdatePolicy) -> None:
    """Show what the owner decides about updates, or change what the options name."""
    print_facts(view.policy_facts(policy))


@app.command()
def watch(context: typer.Context, as_json: AsJson = False) -> None:
    """Show what all machines do until Ctrl-C; with --json one line per change."""
    with contextlib.suppress(KeyboardInterrupt):
        run(_watch(context.obj, as_json, until_end=False), as_json)


def print_release(release: Release) -> None:
    size = view.size(release.size_bytes)
    print(f"Release {release.version} is on the server ({size}); its signature is trusted.")
    print(f"Install it with: saintctl firmware rollout {release.version}")


async def _upload(robot: RobotAddress, file: Path, is_shown: bool) -> Release:
    from .upload import send

    listener = (
        robot if isinstance(robot, RemoteRobot) else runtime_directory(robot) / "otad-files.sock"
    )
    if not (is_shown and sys.stderr.isatty()):
        return await send(listener, file, lambda _, __: None)
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(),
               TransferSpeedColumn())  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(file.name, total=None)

        def show_progress(sent: int, total: int) -> None:
            text = "the server checks the file" if sent == total else file.name
            progress.update(task, completed=sent, total=total, description=text)

        return await send(listener, file, show_progress)


async def _watch(robot: RobotAddress, as_json: bool, *, until_end: bool) -> RolloutPlan | None:
    """Show every change. Return the roll-out as it ended."""
    before: FirmwareReport | None = None
    with _screen(as_json) as live:
        async with contextlib.aclosing(_reports(robot)) as reports:
            async for report in reports:
                if report != before:
                    _show(before, report, live, as_json)
                before = report
                if until_end and report.plan and report.plan.state in _ENDED:
                    return report.plan
    return None


async def _reports(robot: RobotAddress) -> AsyncGenerator[FirmwareReport]:
    """Yield every change, also across a restart of the server."""
    loop = asyncio.get_running_loop()
    received_s = loop.time()
    while True:
        try:
            async with client(robot, "otad") as otad:
                stream = otad.follow(firmware.WATCH, WatchRequest(), silence_s=_SILENCE_S)
                async with contextlib.aclosing(stream) as reports:
                    async for report in reports:
                        received_s = loop.time()
                        yield report
        except SaintError as err:
            if err.code is not Code.DAEMON_UNREACHABLE or loop.time() - received_s > _RECONNECT_S:
                raise
        await asyncio.sleep(1.0)


@contextlib.contextmanager
def _screen(as_json: bool) -> "Iterator[Live | None]":
    """Yield a live display of the terminal; None for --json and where stdout is no terminal."""
    if as_json or not sys.stdout.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(highlight=False), auto_refresh=False) as live:
        yield live


def _show(
    before: FirmwareReport | None, report: FirmwareReport, live: "Live | None", as_json: bool
) -> None:
    if as_json:
        print(report.model_dump_json(), flush=True)
    elif live:
        live.update(view.overview(report), refresh=True)
    else:
        for line in view.changes(before, report):
            print(line, flush=True)


def _print(report: FirmwareReport) -> None:
    from rich.console import Console

    Console(highlight=False).print(view.overview(report))
