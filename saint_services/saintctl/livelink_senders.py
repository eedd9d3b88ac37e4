"""`saintctl livelink senders`, `accept`, `revoke`, `code` and `check`: which capture senders may
move the robot.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from ..lib.api.livelink import SenderCode, SenderInfo, SenderList, SenderRef, SetCheck
from ..lib.errors import Code, SaintError
from ..lib.spelling import hint
from .connect import TIMEOUT_S, Place, ask, client, tell
from .console import AsJson, fail, print_json, print_table, run
from .livelink_record import request

_DAEMON = "livelinkd"
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
    _show(run(ask(context.obj, _DAEMON, "/senders", SenderList), as_json), as_json)


def accept(
    context: typer.Context,
    subject: Name,
    ip: Ip = "",
    format_: Format = "",
    as_json: AsJson = False,
) -> None:
    """Let a sender drive through the routes from now on; kept over restarts."""
    _decide(context.obj, "accept", Named(subject, ip, format_), as_json)


def revoke(
    context: typer.Context,
    subject: Name,
    ip: Ip = "",
    format_: Format = "",
    as_json: AsJson = False,
) -> None:
    """End what a sender drives; it must be accepted again."""
    _decide(context.obj, "revoke", Named(subject, ip, format_), as_json)


def code(
    context: typer.Context,
    new: Annotated[bool, typer.Option("--new", help="Make another; the old one ends.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the code: a subject whose name ends with it is accepted by itself."""
    reply = run(_code(context.obj, new), as_json)
    if as_json:
        print_json(reply)
        return
    print(f"{reply.code}: call the subject Anna-{reply.code} in the capture app.")


async def _code(place: Place, is_new: bool) -> SenderCode:
    async with client(place, _DAEMON) as daemon:
        if is_new:
            return await daemon.post("/senders/code", None, SenderCode, timeout_s=TIMEOUT_S)
        return await daemon.get("/senders/code", SenderCode, timeout_s=TIMEOUT_S)


def check(
    context: typer.Context,
    which: Annotated[str, typer.Argument(metavar="known|all")],
    as_json: AsJson = False,
) -> None:
    """Let only known senders drive, or all of them (for a closed network)."""
    body = request(SetCheck, as_json, accept=which)
    reply = run(tell(context.obj, _DAEMON, "/senders/check", body, SenderList), as_json)
    _show(reply, as_json)


def _decide(place: Place, verb: Literal["accept", "revoke"], named: Named, as_json: bool) -> None:
    """Accept or revoke the sender that is meant, and show all senders."""
    known = run(ask(place, _DAEMON, "/senders", SenderList), as_json)
    if verb == "accept":
        body = _the_one(known.waiting, named, "waits", as_json)
    else:
        body = _the_one(known.accepted, named, "is accepted", as_json)
    _show(run(tell(place, _DAEMON, f"/senders/{verb}", body, SenderList), as_json), as_json)


def _the_one(among: list[SenderInfo], named: Named, state: str, as_json: bool) -> SenderRef:
    """Return the only sender that fits what was given."""
    subject = named.subject
    found = [each for each in among if named.fits(each)]
    if len(found) == 1:
        one = found[0]
        return request(
            SenderRef, as_json, format=one.format, ip=one.ip, subject_name=one.subject_name
        )
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
