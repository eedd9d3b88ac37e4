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
from ..connect import Place, asked
from ..console import AsJson, fail, print_json, print_table

_BY = {"person": "accepted", "settings": "in livelinkd.yaml", "code": "has the code"}

Name = Annotated[str, typer.Argument(metavar="SUBJECT", help="As `senders` shows it.")]
Ip = Annotated[str, typer.Option("--ip", help="Where several addresses send this subject.")]
Format = Annotated[str, typer.Option("--format", help="Where it comes in several formats.")]


@dataclass(frozen=True, slots=True)
class Named:
    """The sender that a command means; an empty address or format is any."""

    subject: str
    ip: str
    format: str

    def fits(self, sender: SenderInfo) -> bool:
        """Whether it may be this one."""
        return (
            sender.subject_name == self.subject
            and self.ip in ("", sender.ip)
            and self.format in ("", sender.format)
        )


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (senders, accept, revoke, code, check):
        app.command()(command)


def senders(context: typer.Context, as_json: AsJson = False) -> None:
    """List the senders that wait to be accepted and move nothing, and the accepted ones."""
    _show(asked(context.obj, livelink.LIST_SENDERS, as_json), as_json)


def accept(
    context: typer.Context,
    subject: Name,
    ip: Ip = "",
    format_: Format = "",
    as_json: AsJson = False,
) -> None:
    """Let a sender drive through the routes from now on; kept over restarts."""
    _decide(context.obj, livelink.ACCEPT_SENDER, Named(subject, ip, format_), as_json)


def revoke(
    context: typer.Context,
    subject: Name,
    ip: Ip = "",
    format_: Format = "",
    as_json: AsJson = False,
) -> None:
    """End what a sender drives; it must be accepted again."""
    _decide(context.obj, livelink.REVOKE_SENDER, Named(subject, ip, format_), as_json)


def code(
    context: typer.Context,
    new: Annotated[bool, typer.Option("--new", help="Make another; the old one ends.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the code: a subject whose name ends with it is accepted by itself."""
    row = livelink.RENEW_SENDER_CODE if new else livelink.GET_SENDER_CODE
    reply = asked(context.obj, row, as_json)
    if as_json:
        print_json(reply)
        return
    print(f"{reply.code}: call the subject Anna-{reply.code} in the capture app.")


def check(
    context: typer.Context,
    which: Annotated[str, typer.Argument(metavar="known|all")],
    as_json: AsJson = False,
) -> None:
    """Let only known senders drive, or all of them (for a closed network)."""
    _show(asked(context.obj, livelink.SET_SENDER_CHECK, as_json, accept=which), as_json)


def _decide(
    place: Place, row: Endpoint[SenderRef, SenderList], named: Named, as_json: bool
) -> None:
    """Accept or revoke the sender that is meant, and show all senders."""
    known = asked(place, livelink.LIST_SENDERS, as_json)
    if row is livelink.ACCEPT_SENDER:
        one = _the_one(known.waiting, named, "waits", as_json)
    else:
        one = _the_one(known.accepted, named, "is accepted", as_json)
    fields = one.model_dump(include={"format", "ip", "subject_name"})
    _show(asked(place, row, as_json, **fields), as_json)


def _the_one(among: list[SenderInfo], named: Named, state: str, as_json: bool) -> SenderInfo:
    """Return the only sender that fits what was given."""
    subject = named.subject
    found = [each for each in among if named.fits(each)]
    if len(found) == 1:
        return found[0]
    if found:
        message = f"{len(found)} senders of {subject!r} fit"
        fix = "Name one with --ip and --format."
        raise fail(SaintError(Code.REQUEST_INVALID, message, fix=fix), as_json)
    near = hint(subject, {each.subject_name for each in among})
    message = f"no sender of {subject!r} {state}{near}"
    fix = "saintctl livelink senders lists them."
    raise fail(SaintError(Code.NOT_FOUND, message, fix=fix), as_json)


def _show(reply: SenderList, as_json: bool) -> None:
    if as_json:
        print_json(reply)
        return
    if reply.accept == "all":
        print("The check is off: every sender may move the robot (saintctl livelink check known).")
    rows = [_row(each) for each in (*reply.waiting, *reply.accepted)]
    columns = ("state", "subject", "format", "from", "device", "rate", "first values")
    print_table(columns, rows, "No sender waits, and none was accepted.")


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
