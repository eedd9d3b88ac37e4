"""How a check of `saintctl doctor` ends."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from .facts import Facts

T = TypeVar("T")


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


def about(
    otherwise: str, read: Callable[[Facts], T | None]
) -> Callable[[Callable[[T], Finding]], Check]:
    """A check that judges one fact. Where nothing is known of it, there is nothing to judge:
    `otherwise` says why.
    """

    def of(judge: Callable[[T], Finding]) -> Check:
        def check(facts: Facts) -> Finding:
            fact = read(facts)
            return not_here(otherwise) if fact is None else judge(fact)

        return check

    return of
