"""`saintctl selftest`: has a node test its machine, prints the result, writes the report file."""

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ...lib.api import selftest as rows
from ...lib.api.endpoint import Nothing
from ...lib.api.selftest import JUMPERS, Jumper, RunNodeSelfTest, RunSelfTest, SelfTestReport
from ...lib.errors import Code, SaintError
from ...lib.selftest.result import WORDS
from ...lib.selftest.situation import wires
from ...lib.state import write_atomic
from ..connect import RobotAddress, checked_params, client, request
from ..console import AsJson, fail, print_json, print_table, run
from ..remote import RemoteRobot
from ..row_command import help_of
from . import local

FILE = "saint-selftest.txt"
_MARKS = {
    "passed": "[green]pass[/]",
    "failed": "[red]fail[/]",
    "not_connected": "[dim]not connected[/]",
    "skipped": "[dim]skipped[/]",
}
Node = Annotated[str, typer.Argument(metavar="[NODE]", help="Node to test. Default: this machine.")]
JumperChoice = StrEnum("JumperChoice", {name: name for name in JUMPERS})  # type: ignore[misc]
Wire = Annotated[JumperChoice | None, typer.Option("--jumper", help=help_of(RunSelfTest, "jumper"))]
Yes = Annotated[
    bool, typer.Option("--yes", help="Nothing but the wire is connected; ask no question.")
]
ReportFile = Annotated[
    Path | None, typer.Option("--report", help=f"Name of the report file. Default: {FILE}.")
]


def selftest(
    context: typer.Context,
    node: Node = "",
    jumper: Wire = None,
    yes: Yes = False,
    last: Annotated[bool, typer.Option("--last", help="Only show the last report.")] = False,
    report: ReportFile = None,
    as_json: AsJson = False,
) -> None:
    """Test the board, its header, network and card, and write a report to send: no serial number,
    address or password is in it. Nothing is driven, but with --jumper: bytes or pulses go over a
    wire between two pins. Exit code 1: a check failed."""
    wire = next((each for each in JUMPERS if each == jumper), None)
    if wire and not yes and not last:
        _confirm(wire)
    found = run(_found(context.obj, node, wire, is_last=last), as_json)
    if as_json:
        print_json(found)
    else:
        _print(found)
    if found.began and (report or not as_json):
        _write(report or Path(FILE), found.document, as_json)
    if found.failed:
        raise typer.Exit(1)


def _confirm(jumper: Jumper) -> None:
    """Have the person take everything else off; ends the program without a yes."""
    wire = next(each.wire for each in wires() if each.name == jumper)
    print(f"Take everything off these pins, then connect {wire} with a wire.")
    if not typer.confirm("Is nothing but the wire connected to them?"):
        raise typer.Exit(2)


async def _found(
    robot: RobotAddress, node: str, jumper: Jumper | None, *, is_last: bool
) -> SelfTestReport:
    if node:
        params = checked_params(
            RunNodeSelfTest, node_id=node, jumper=jumper, only_jumper=jumper is not None
        )
        if is_last:
            which = rows.LAST.params(node_id=params.node_id)
            return await request(robot, rows.LAST, which)
        return await request(robot, rows.RUN, params)
    if isinstance(robot, RemoteRobot):
        text = "which machine of that robot is to be tested is not named"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Name a node: saintctl selftest NODE.")
    return await _here(robot, jumper, is_last=is_last)


async def _here(robot: str, jumper: Jumper | None, *, is_last: bool) -> SelfTestReport:
    """Have this machine's node test it; a machine without a node is tested by this program."""
    wanted = RunSelfTest(jumper=jumper, only_jumper=jumper is not None)
    try:
        async with client(robot, "noded") as noded:
            if is_last:
                return await noded.request(rows.LAST_HERE, Nothing())
            return await noded.request(rows.RUN_HERE, wanted)
    except SaintError as err:
        if err.code is not Code.DAEMON_UNREACHABLE:
            raise
        if jumper or is_last or not await asyncio.to_thread(local.is_device):
            fix = "Name a node of the robot: saintctl selftest NODE."
            raise SaintError(err.code, "no node runs on this machine", fix=fix) from err
    return await asyncio.to_thread(local.self_tested)


def _print(found: SelfTestReport) -> None:
    if not found.began:
        print("This machine was not tested since its node started.")
        return
    rows_ = [
        (_MARKS[check.state], check.title, _text(check.text, check.fix)) for check in found.checks
    ]
    print_table(("", "check", "what, and what to do"), rows_, "")
    counts = dict.fromkeys(WORDS.values(), 0)
    for check in found.checks:
        counts[WORDS[check.state]] += 1
    print(", ".join(f"{count} {word}" for word, count in counts.items()) + ".")
    print(f"With a wire between two pins: saintctl selftest --jumper {', '.join(JUMPERS)}.")


def _text(text: str, fix: str) -> str:
    text, fix = text.replace("[", "\\["), fix.replace("[", "\\[")
    return f"{text}\n[dim]{fix}[/]" if fix else text


def _write(path: Path, document: str, as_json: bool) -> None:
    try:
        write_atomic(path, document.encode(), mode=0o644)
    except OSError as err:
        text = f"the report {path} cannot be written: {err.strerror or err}"
        fix = "Name another file with --report."
        raise fail(SaintError(Code.REQUEST_INVALID, text, fix=fix), as_json) from None
    if not as_json:
        print(f"Report to send: {path}")
