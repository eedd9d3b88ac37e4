"""`saintctl livelink`: subjects of face and body capture, their tuning and formats, and files of
datagrams. Not here: recordings on the robot (record.py), senders (senders.py).
"""

import sys
from typing import Annotated

import typer

from ...lib.api import Done, livelink
from ...lib.api.livelink import FormatList, SubjectDetail, SubjectInfo, SubjectList
from ...lib.api.measurement import Measurement
from ...lib.errors import Code, SaintError
from ..connect import run_request
from ..console import AsJson, dot, fail, print_facts, print_json, print_table
from ..names import Subject
from ..row_command import row_command
from . import record, senders

app = typer.Typer(
    help="Face and body capture: senders, subjects, recordings, formats.", no_args_is_help=True
)

_STALE_MS = 500  # the router's time-out


@row_command(app, "list", livelink.LIST_SOURCES)
def print_subjects(reply: SubjectList) -> None:
    """List every subject that is received, its sender, and what was refused."""
    columns = ("", "subject", "type", "format", "from", "rate", "age", "lost", "properties")
    print_table(columns, [_row(each) for each in reply.sources], "No subject was received yet.")
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


@row_command(app, "show", livelink.GET_SUBJECT)
def print_subject(reply: SubjectDetail) -> None:
    """Show a subject with its newest values, as sent and as the router gets them."""
    about = reply.subject
    print_facts(
        (
            ("subject", f"{about.subject_name}, {about.subject_type}, {about.format}"),
            ("from", f"{about.source_address} {about.device}"),
            ("frames", f"{about.frames}, {about.lost} lost, {about.frame_rate:.0f} a second"),
        )
    )
    rows = [
        (name, f"{value:+.3f}", f"{reply.values.get(name, 0.0):+.3f}", _tuning(reply, name))
        for name, value in reply.output.items()
    ]
    print_table(("value", "tuned", "as sent", ""), rows, "The sender is alive but tracks nothing.")


def _tuning(reply: SubjectDetail, name: str) -> str:
    parts = []
    if name in reply.zero:
        parts.append(f"zero {reply.zero[name]:+.3f}")
    if name in reply.scale:
        parts.append(f"times {reply.scale[name]:g}")
    return ", ".join(parts)


@row_command(app, "measure", livelink.MEASURE)
def print_measurement(reply: Measurement) -> None:
    """Measure for some seconds how a subject's values move: percentiles and noise."""
    print(f"{reply.frames} frames, {reply.tracked} with a face, {reply.rate_hz:.0f} a second")
    columns = ("value", "5 %", "median", "95 %", "noise")
    rows = [
        (name, f"{each.low:.3f}", f"{each.middle:.3f}", f"{each.high:.3f}", f"{each.noise:.4f}")
        for name, each in reply.values.items()
    ]
    print_table(columns, rows, "There was no face.")


@row_command(app, "zero", livelink.ZERO)
def print_zero(reply: SubjectDetail) -> None:
    """Set the zero offset of a subject: it looks straight ahead now."""
    print_subject(reply)


@app.command()
def scale(
    context: typer.Context,
    subject: Subject,
    factors: Annotated[
        list[str], typer.Argument(metavar="NAME=FACTOR...", help="-1 reverses, 1 is as sent.")
    ],
    as_json: AsJson = False,
) -> None:
    """Multiply values of a subject: `scale Anna headYaw=-1 jawOpen=1.5`."""
    given = dict(_factor(text, as_json) for text in factors)
    reply = run_request(context.obj, livelink.SCALE, as_json, subject_name=subject, scale=given)
    print_json(reply) if as_json else print_subject(reply)


def _factor(text: str, as_json: bool) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        return name, float(number)
    except ValueError:
        message = f"{text!r} is not NAME=FACTOR, such as headYaw=-1"
        raise fail(SaintError(Code.REQUEST_INVALID, message), as_json) from None


@row_command(app, "release", livelink.RELEASE)
def print_released(reply: Done) -> None:
    """Give a subject to the next other sender; until one sends, the present sender keeps it."""
    print(reply.message)


@row_command(app, "formats", livelink.LIST_FORMATS)
def print_formats(reply: FormatList) -> None:
    """List the formats and the addresses that they are received on."""
    rows = [(dot(f.enabled), f.format, ", ".join(f.addresses) or "off") for f in reply.formats]
    print_table(("", "format", "received on"), rows, "No format is on.")
    print(f"Limit per sender: {reply.datagrams_per_second} datagrams a second.")


@app.command()
def switch(
    context: typer.Context,
    format_: Annotated[str, typer.Argument(metavar="FORMAT", help="See `formats`.")],
    state: Annotated[str, typer.Argument(metavar="on|off", help="on or off")],
    as_json: AsJson = False,
) -> None:
    """Switch a format on or off, at once and also after restarts."""
    reply = run_request(context.obj, livelink.SET_FORMATS, as_json, formats={format_: state})
    print_json(reply) if as_json else print_formats(reply)


@row_command(
    app,
    "limit",
    livelink.SET_FORMATS,
    fixed={"formats": {}},
    defaults={"datagrams_per_second": ...},
    datagrams_per_second=typer.Argument(metavar="PER_SECOND"),
)
def print_limit(reply: FormatList) -> None:
    """Limit how many datagrams a second one sender may send; faster ones are dropped."""
    print_formats(reply)


senders.add_to(app)
record.add_to(app)


@app.command()
def decode(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")],
    format_: Annotated[str, typer.Option("--format", help="llf, json, vmc, ifacialmocap, lines")],
) -> None:
    """Print every frame in a recording of datagrams, one JSON object per line."""
    from .decode import livelink_decode  # the parsers: no other command needs them

    try:
        code = livelink_decode(format_, file, sys.stdout)
    except SaintError as err:
        raise fail(err) from None
    raise typer.Exit(code)
