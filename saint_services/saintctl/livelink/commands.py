"""`saintctl livelink`: subjects of face and body capture, what they are tuned to, what is in a file
of datagrams. Not here: recordings that livelinkd makes (livelink_record.py).
"""

import sys
from typing import Annotated

import typer

from ...lib.api import livelink
from ...lib.api.livelink import FormatList, SubjectDetail, SubjectInfo
from ...lib.errors import Code, SaintError
from ..connect import asked
from ..console import AsJson, dot, fail, print_facts, print_json, print_table
from ..names import Subject
from . import record as livelink_record
from .senders import add_to as add_senders

app = typer.Typer(
    help="Face and body capture: senders, subjects, recordings, formats.", no_args_is_help=True
)
add_senders(app)
app.command()(livelink_record.record)
app.command()(livelink_record.play)
app.command()(livelink_record.recordings)
app.command()(livelink_record.remove)

_STALE_MS = 500  # the router's time-out


@app.command("list")
def show_all(context: typer.Context, as_json: AsJson = False) -> None:
    """Every subject that is heard, whose it is, and what was refused."""
    reply = asked(context.obj, livelink.LIST_SOURCES, as_json)
    if as_json:
        print_json(reply)
        return
    columns = ("", "subject", "type", "format", "from", "rate", "age", "lost", "properties")
    print_table(columns, [_row(each) for each in reply.sources], "No subject was heard yet.")
    if reply.refused:
        print()
        rows = sorted(reply.refused.items(), key=lambda item: -item[1])
        print_table(("refused", "because"), [(str(count), why) for why, count in rows], "")


def _row(subject: SubjectInfo) -> tuple[str, ...]:
    name = subject.subject_name + (" (released)" if subject.is_open else "")
    return (
        dot(subject.tracked and subject.age_ms < _STALE_MS),
        name,
        subject.subject_type,
        subject.format,
        subject.source_address,
        f"{subject.frame_rate:.0f} Hz",
        f"{subject.age_ms} ms",
        str(subject.lost),
        str(len(subject.properties)),
    )


@app.command()
def show(context: typer.Context, subject: Subject, as_json: AsJson = False) -> None:
    """One subject with its newest values, as sent and as the router gets them."""
    reply = asked(context.obj, livelink.GET_SUBJECT, as_json, subject_name=subject)
    _print_detail(reply, as_json)


def _print_detail(reply: SubjectDetail, as_json: bool) -> None:
    if as_json:
        print_json(reply)
        return
    about = reply.subject
    print_facts(
        (
            ("subject", f"{about.subject_name}, {about.subject_type}, {about.format}"),
            ("from", f"{about.source_address} {about.device}"),
            ("frames", f"{about.frames}, {about.lost} lost, {about.frame_rate:.0f} a second"),
        )
    )
    rows = [
        (name, f"{value:+.3f}", f"{reply.values.get(name, 0.0):+.3f}", _tuned(reply, name))
        for name, value in reply.output.items()
    ]
    print_table(("value", "is", "as sent", ""), rows, "Alive, but nothing is tracked.")


def _tuned(reply: SubjectDetail, name: str) -> str:
    parts = []
    if name in reply.zero:
        parts.append(f"zero {reply.zero[name]:+.3f}")
    if name in reply.scale:
        parts.append(f"times {reply.scale[name]:g}")
    return ", ".join(parts)


@app.command()
def zero(
    context: typer.Context,
    subject: Subject,
    clear: Annotated[bool, typer.Option("--clear", help="As sent again")] = False,
    as_json: AsJson = False,
) -> None:
    """The subject looks straight ahead now: that is zero from now on."""
    reply = asked(context.obj, livelink.ZERO, as_json, subject_name=subject, clear=clear)
    _print_detail(reply, as_json)


@app.command()
def scale(
    context: typer.Context,
    subject: Subject,
    factors: Annotated[
        list[str], typer.Argument(metavar="NAME=FACTOR...", help="-1 turns round, 1 is as sent.")
    ],
    as_json: AsJson = False,
) -> None:
    """How much values count, and with which sign: `scale Anna headYaw=-1 jawOpen=1.5`."""
    given = dict(_factor(text, as_json) for text in factors)
    reply = asked(context.obj, livelink.SCALE, as_json, subject_name=subject, scale=given)
    _print_detail(reply, as_json)


def _factor(text: str, as_json: bool) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        return name, float(number)
    except ValueError:
        message = f"{text!r} is not NAME=FACTOR, such as headYaw=-1"
        raise fail(SaintError(Code.REQUEST_INVALID, message), as_json) from None


@app.command()
def release(context: typer.Context, subject: Subject, as_json: AsJson = False) -> None:
    """Give the subject to the next other sender; until one comes, the present one keeps it."""
    reply = asked(context.obj, livelink.RELEASE, as_json, subject_name=subject)
    print_json(reply) if as_json else print(reply.message)


@app.command()
def formats(context: typer.Context, as_json: AsJson = False) -> None:
    """Which formats are on, and where each is heard."""
    _print_formats(asked(context.obj, livelink.LIST_FORMATS, as_json), as_json)


def _print_formats(reply: FormatList, as_json: bool) -> None:
    if as_json:
        print_json(reply)
        return
    rows = [(dot(f.enabled), f.format, ", ".join(f.addresses) or "off") for f in reply.formats]
    print_table(("", "format", "heard at"), rows, "No format is on.")
    print(f"One sender may send {reply.datagrams_per_second} datagrams a second.")


@app.command()
def switch(
    context: typer.Context,
    format_: Annotated[str, typer.Argument(metavar="FORMAT", help="As `formats` shows it.")],
    state: Annotated[str, typer.Argument(metavar="on|off")],
    as_json: AsJson = False,
) -> None:
    """Hear a format, or hear it no more; in force at once, kept over restarts."""
    reply = asked(context.obj, livelink.SET_FORMATS, as_json, formats={format_: state})
    _print_formats(reply, as_json)


@app.command()
def limit(
    context: typer.Context,
    per_second: Annotated[int, typer.Argument(help="A phone sends 60; more are not looked at.")],
    as_json: AsJson = False,
) -> None:
    """How many datagrams a second one sender may send."""
    reply = asked(context.obj, livelink.SET_FORMATS, as_json, datagrams_per_second=per_second)
    _print_formats(reply, as_json)


@app.command()
def decode(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")],
    format_: Annotated[str, typer.Option("--format", help="llf, json, vmc, ifacialmocap, lines")],
) -> None:
    """Print every frame in a recording of datagrams, one JSON object per line."""
    from .decode import livelink_decode

    try:
        code = livelink_decode(format_, file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)
