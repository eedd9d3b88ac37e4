"""`saintctl doctor`: looks at the whole robot and names what to do about what is wrong."""

import json
from typing import Annotated

import typer

from ..console import AsJson, print_table, run
from .checks import CHECKS
from .facts import gather
from .finding import Finding, State

_MARKS = {
    State.GOOD: "[green]good[/]",
    State.WARN: "[yellow]look[/]",
    State.BAD: "[red]bad[/]",
    State.NOT_HERE: "[dim]n/a[/]",
}
_ORDER = [State.BAD, State.WARN, State.GOOD, State.NOT_HERE]


def doctor(
    context: typer.Context,
    every: Annotated[
        bool, typer.Option("--all", help="Also what is well and what does not apply here.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look at the whole robot; exit code 1 when something is bad."""
    facts = run(gather(context.obj), as_json)
    found = {name: check(facts) for name, check in CHECKS.items()}
    if as_json:
        rows = [
            {"check": name, "state": str(f.state), "text": f.text, "fix": f.fix}
            for name, f in found.items()
        ]
        print(json.dumps({"checks": rows}, indent=2))
    else:
        _print(found, every)
    if any(finding.state is State.BAD for finding in found.values()):
        raise typer.Exit(1)


def _print(found: dict[str, Finding], every: bool) -> None:
    shown = [
        (name, finding)
        for name, finding in found.items()
        if every or finding.state in (State.BAD, State.WARN)
    ]
    shown.sort(key=lambda each: _ORDER.index(each[1].state))
    rows = [(_MARKS[f.state], name, _words(f)) for name, f in shown]
    print_table(("", "check", "what, and what to do"), rows, "Nothing is wrong.")
    counts = {state: sum(f.state is state for f in found.values()) for state in _ORDER}
    words = f"{counts[State.GOOD]} good, {counts[State.WARN]} to look at, {counts[State.BAD]} bad"
    print(f"{len(found)} checks: {words}, {counts[State.NOT_HERE]} not applicable here.")


def _words(finding: Finding) -> str:
    text = finding.text.replace("[", "\\[")
    return f"{text}\n[dim]{finding.fix}[/]" if finding.fix else text
