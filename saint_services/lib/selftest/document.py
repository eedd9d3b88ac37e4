"""Writes the report file of a self-test, for a person to send. Pure. Nothing in it names this very
machine, its owner or its networks.
"""

import textwrap
from collections.abc import Iterable, Sequence

from ..api.selftest import SelfTestCheck
from .result import WORDS

_WIDTH = 96
_REDACTED = "(left out)"


def redacted(check: SelfTestCheck, secrets: Iterable[str]) -> SelfTestCheck:
    """Return a check without these texts, in whatever case they stand."""
    return check.model_copy(
        update={"text": _without(check.text, secrets), "fix": _without(check.fix, secrets)}
    )


def _without(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        at = text.lower().find(secret.lower())
        while at >= 0:
            text = f"{text[:at]}{_REDACTED}{text[at + len(secret) :]}"
            at = text.lower().find(secret.lower(), at + len(_REDACTED))
    return text


def document(machine: str, release: str, began: str, checks: Sequence[SelfTestCheck]) -> str:
    """Return the report as text."""
    counts = dict.fromkeys(WORDS.values(), 0)
    for check in checks:
        counts[WORDS[check.state]] += 1
    lines = [
        "SAINT.OS self-test",
        f"machine: {machine or 'unknown'}",
        f"release: {release or 'unknown'}",
        f"time:    {began}",
        "result:  " + ", ".join(f"{count} {word}" for word, count in counts.items()),
        "",
    ]
    for check in checks:
        lines += _lines(check)
    return "\n".join(lines) + "\n"


def _lines(check: SelfTestCheck) -> list[str]:
    indent = " " * 15
    head = f"{WORDS[check.state]:<14} {check.title}: {check.text}"
    found = textwrap.wrap(head, _WIDTH, subsequent_indent=indent)
    if check.fix:
        marked = f"{indent}-> {check.fix}"
        found += textwrap.wrap(marked, _WIDTH, subsequent_indent=f"{indent}   ")
    return found
