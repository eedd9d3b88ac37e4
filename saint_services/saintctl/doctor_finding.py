"""How a check of `saintctl doctor` ends."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from .doctor_facts import Facts


class State(StrEnum):
    """How a check ends."""

    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    NOT_HERE = "not applicable"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check says."""

    state: State
    text: str
    fix: str = ""


Check = Callable[[Facts], Finding]


def good(text: str) -> Finding:
    return Finding(State.GOOD, text)


def warn(text: str, fix: str) -> Finding:
    return Finding(State.WARN, text, fix)


def bad(text: str, fix: str) -> Finding:
    return Finding(State.BAD, text, fix)


def not_here(text: str) -> Finding:
    return Finding(State.NOT_HERE, text)
