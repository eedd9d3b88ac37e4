"""`saintctl livelink senders`, `accept`, `revoke`, `code` and `check`: which capture senders may
move the robot.
"""

from dataclasses import dataclass
from typing import Annotated

import typer

from ...lib.api import livelink
from ...lib.api.endpoint import Endpoint
from ...lib.api.livelink import SenderInfo, SenderList, SenderRef
from ...lib.config.spelling import hint
from ...lib.errors import Code, SaintError
from ..connect import RobotAddress, run_request
from ..console import AsJson, fail, print_json, print_table
from ..row_command import row_command

_BY = {"person": "accepted", "settings": "in livelinkd.yaml", "code": "has the code"}

Name = Annotated[str, typer.Argument(metavar="SUBJECT", help="See `senders`.")]
Ip = Annotated[str, typer.Option("--ip", help="If several addresses send this subject.")]
Format = Annotated[str, typer.Option("--format", help="If it is sent in several formats.")]


@dataclass(frozen=True, slots=True)
class SenderChoice:
    """The sender that a command names; an empty address or format matches any."""

    subject: str
    ip: str
    format: str

    def matches(self, sender: SenderInfo) -> bool:
        return (
            sender.subject_name == self.subject
            and self.ip in ("", sender.ip)
            and self.format in ("", sender.format)
        )


def add_to(app: typer.Typer) -> None:
    """Add the commands to `saintctl livelink`."""
    row_command(app, "senders", livelink.LIST_SENDERS)(print_senders)
    for command in (accept, revoke, code):
        app.command()(command)
    check = typer.Argument(metavar="known|all")
    row_command(app, "check", livelink.SET_SENDER_CHECK, accept=check)(print_check)


def accept(
    context: typer.Context,
    subject: Name,
    ip: Ip = "",
    format_: Format = "",
    as_json: AsJson = False,
) -> None:
    """Let a sender drive through the routes from now on, also after restarts."""
    _decide(context.obj, livelink.ACCEPT_SENDER, SenderChoice(subject, ip, format_), as_json)


def revoke(
    context: typer.Context,
    subject: Name,
    ip: Ip = "",
    format_: Format = "",
    as_json: AsJson = False,
) -> None:
    """Stop what a sender drives; it must be accepted again."""
    _decide(context.obj, livelink.REVOKE_SENDER, SenderChoice(subject, ip, format_), as_json)


def code(
    context: typer.Context,
    new: Annotated[
        bool, typer.Option("--new", help="Make a new code; the old one is no longer accepted.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the code: a sender whose subject's name ends with it is accepted automatically."""
    row = livelink.RENEW_SENDER_CODE if new else livelink.GET_SENDER_CODE
    reply = run_request(context.obj, row, as_json)
    if as_json:
        print_json(reply)
        return
    print(f"{reply.code}: call the subject Anna-{reply.code} in the capture app.")


def print_check(reply: SenderList) -> None:
    """Let only known senders drive, or all of them (for a closed network)."""
    print_senders(reply)


def _decide(
    robot: RobotAddress, row: Endpoint[SenderRef, SenderList], choice: SenderChoice, as_json: bool
) -> None:
    """Accept or revoke the chosen sender and print all senders."""
    known = run_request(robot, livelink.LIST_SENDERS, as_json)
    if row is livelink.ACCEPT_SENDER:
        sender = _only_match(known.waiting, choice, "waits", as_json)
    else:
        sender = _only_match(known.accepted, choice, "is accepted", as_json)
    fields = sender.model_dump(include={"format", "ip", "subject_name"})
    reply = run_request(robot, row, as_json, **fields)
    print_json(reply) if as_json else print_senders(reply)


def _only_match(
    senders: list[SenderInfo], choice: SenderChoice, state: str, as_json: bool
) -> SenderInfo:
    """Return the sender that the choice matches; end the program unless there is exactly one."""
    subject = choice.subject
    found = [each for each in senders if choice.matches(each)]
    if len(found) == 1:
        return found[0]
    if found:
        message = f"{len(found)} senders of {subject!r} match"
        fix = "Choose one with --ip and --format."
        raise fail(SaintError(Code.REQUEST_INVALID, message, fix=fix), as_json)
    near = hint(subject, {each.subject_name for each in senders})
    message = f"no sender of {subject!r} {state}{near}"
    fix = "saintctl livelink senders lists them."
    raise fail(SaintError(Code.NOT_FOUND, message, fix=fix), as_json)


def print_senders(reply: SenderList) -> None:
    """List the senders that wait to be accepted and move nothing, and the accepted ones."""
    if reply.accept == "all":
        print("The check is off: every sender may move the robot (saintctl livelink check known).")
    rows = [_row(each) for each in (*reply.waiting, *reply.accepted)]
    columns = ("state", "subject", "format", "from", "device", "rate", "first values")
    print_table(columns, rows, "No sender is waiting, and none was accepted.")


def _row(sender: SenderInfo) -> tuple[str, ...]:
    values = "  ".join(f"{name} {value:+.2f}" for name, value in list(sender.values.items())[:3])
    is_waiting = not sender.accepted_by
    return (
        "waits, moves nothing" if is_waiting else _BY.get(sender.accepted_by, sender.accepted_by),
        "every subject" if sender.subject_name == "*" else sender.subject_name,
        sender.format,
        sender.ip,
        sender.device,
        f"{sender.frame_rate:.0f} Hz" if is_waiting else "",
        values,
    )
