"""`saintctl firmware`: releases, which machine runs which, and rolling one out."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...lib.api import firmware
from ...lib.api.endpoint import Nothing
from ...lib.api.firmware import (
    ControlAction,
    FirmwareCheck,
    FirmwareReport,
    Release,
    RolloutPlan,
    RolloutState,
)
from ...lib.errors import Code, SaintError
from ..access.users import NOTHING
from ..connect import Place, asked, client, runtime_directory, tell
from ..console import AsJson, print_json, run
from ..server import Server
from . import view as view

if TYPE_CHECKING:
    from rich.live import Live

app = typer.Typer(help="Releases: upload, roll out, go back.", no_args_is_help=True)

_SILENCE_S = 10.0  # otad speaks every 2 s at least
_RECONNECT_S = 60.0  # the server itself restarts when it is updated
_ENDED = (RolloutState.DONE, RolloutState.HALTED, RolloutState.CANCELLED)


@app.command()
def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Which release runs where, which releases there are, how the roll-out goes."""
    report = asked(context.obj, firmware.STATUS, as_json)
    if as_json:
        print_json(report)
    else:
        _print(report)


@app.command()
def check(context: typer.Context, as_json: AsJson = False) -> None:
    """Whether every machine runs the newest release that lies on the server."""
    path = "/api/v1/management/firmware_check"
    found = run(tell(context.obj, "webd", path, NOTHING, FirmwareCheck), as_json)
    print_json(found) if as_json else print(found.message)


@app.command()
def upload(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A release, a file that ends with .raucb")],
    as_json: AsJson = False,
) -> None:
    """Bring a release to the server; it is checked there before it is offered."""
    release = run(_upload(context.obj, file, not as_json), as_json)
    _tell_release(release, as_json)


@app.command("import")
def import_(
    context: typer.Context,
    path: Annotated[str, typer.Argument(help="A path on the server, e.g. on a USB stick")],
    as_json: AsJson = False,
) -> None:
    """Take a release from a USB stick or another path of the server."""
    release = asked(context.obj, firmware.IMPORT, as_json, path=path)
    _tell_release(release, as_json)


@app.command()
def remove(context: typer.Context, version: str, as_json: AsJson = False) -> None:
    """Delete a release that nobody needs any more."""
    done = asked(context.obj, firmware.DELETE, as_json, version=version)
    print_json(done) if as_json else print(done.message)


@app.command()
def rollout(
    context: typer.Context,
    version: Annotated[str, typer.Argument(help="The newest where it is left out")] = "",
    canary: Annotated[str, typer.Option(metavar="NODE", help="The node that goes first")] = "",
    server_last: Annotated[
        bool | None,
        typer.Option("--server-last/--server-first", help="As configured where not given"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Also an older release")] = False,
    detach: Annotated[bool, typer.Option("--detach", help="Do not wait for its end")] = False,
    as_json: AsJson = False,
) -> None:
    """Install a release on all machines, one after the other; waits until it has ended."""
    wanted = {"version": version, "canary": canary, "server_last": server_last, "force": force}
    plan = asked(context.obj, firmware.ROLLOUT, as_json, **wanted)
    if as_json and detach:
        print_json(plan)
    if not detach:
        plan = run(_watch(context.obj, as_json, until_end=True), as_json) or plan
    if not as_json:
        print(view.rollout_line(plan))
    if plan.state in (RolloutState.HALTED, RolloutState.CANCELLED):
        raise typer.Exit(1)


def _add_control(action: ControlAction, help_text: str) -> None:
    def control(context: typer.Context, as_json: AsJson = False) -> None:
        plan = asked(context.obj, firmware.CONTROL, as_json, action=action)
        print_json(plan) if as_json else print(view.rollout_line(plan))

    app.command(action.value, help=help_text)(control)


for _action, _help in {
    ControlAction.PAUSE: "Begin with no further machine; the one that installs goes on.",
    ControlAction.RESUME: "Go on after a pause; after a halt, try the machine that failed again.",
    ControlAction.CANCEL: "End the roll-out; machines keep what they have.",
    ControlAction.ROLLBACK: "Bring all machines back to the release before.",
}.items():
    _add_control(_action, _help)


@app.command()
def watch(context: typer.Context, as_json: AsJson = False) -> None:
    """Follow what all machines do until Ctrl-C; with --json one line per change."""
    with contextlib.suppress(KeyboardInterrupt):
        run(_watch(context.obj, as_json, until_end=False), as_json)


def _tell_release(release: Release, as_json: bool) -> None:
    if as_json:
        print_json(release)
        return
    print(f"Release {release.version} is here ({view.size(release.size_bytes)}), its signature is"
          f" trusted.\nInstall it with: saintctl firmware rollout {release.version}")  # fmt: skip


async def _upload(given: Place, file: Path, is_shown: bool) -> Release:
    from .upload import send

    door = given if isinstance(given, Server) else runtime_directory(given) / "otad-files.sock"
    if not (is_shown and sys.stderr.isatty()):
        return await send(door, file, lambda _, __: None)
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(),
               TransferSpeedColumn())  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(file.name, total=None)

        def tell_progress(sent: int, total: int) -> None:
            words = "the server checks it" if sent == total else file.name
            progress.update(task, completed=sent, total=total, description=words)

        return await send(door, file, tell_progress)


async def _watch(given: Place, as_json: bool, *, until_end: bool) -> RolloutPlan | None:
    """Show every change; returns the roll-out as it ended."""
    before: FirmwareReport | None = None
    with _screen(as_json) as live:
        async with contextlib.aclosing(_reports(given)) as reports:
            async for report in reports:
                if report != before:
                    _show(before, report, live, as_json)
                before = report
                if until_end and report.plan and report.plan.state in _ENDED:
                    return report.plan
    return None


async def _reports(given: Place) -> AsyncGenerator[FirmwareReport]:
    """Every change, also over a restart of the server that is updated itself."""
    loop = asyncio.get_running_loop()
    heard_s = loop.time()
    while True:
        try:
            async with client(given, "otad") as otad:
                stream = otad.follow(firmware.WATCH, Nothing(), silence_s=_SILENCE_S)
                async with contextlib.aclosing(stream) as reports:
                    async for report in reports:
                        heard_s = loop.time()
                        yield report
        except SaintError as err:
            if err.code is not Code.DAEMON_UNREACHABLE or loop.time() - heard_s > _RECONNECT_S:
                raise
        await asyncio.sleep(1.0)


@contextlib.contextmanager
def _screen(as_json: bool) -> "Iterator[Live | None]":
    """A part of the terminal that is drawn again and again; none where nobody looks."""
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
