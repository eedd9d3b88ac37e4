"""Results of the checks of `saintctl doctor`."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from .facts import DoctorFacts

T = TypeVar("T")


class CheckState(StrEnum):
    """State of a check."""

    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    NOT_HERE = "not applicable"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Outcome of one check: its text, and the remedy of a fault."""

    state: CheckState
    text: str
    fix: str = ""


Check = Callable[[DoctorFacts], CheckResult]


def good(text: str) -> CheckResult:
    return CheckResult(CheckState.GOOD, text)


def warn(text: str, fix: str) -> CheckResult:
    return CheckResult(CheckState.WARN, text, fix)


def bad(text: str, fix: str) -> CheckResult:
    return CheckResult(CheckState.BAD, text, fix)


def not_here(text: str) -> CheckResult:
    return CheckResult(CheckState.NOT_HERE, text)


def about(
    otherwise: str, read: Callable[[DoctorFacts], T | None]
) -> Callable[[Callable[[T], CheckResult]], Check]:
    """Return a decorator for a check of one fact. While the fact is unknown, the check is not
    applicable, for the reason `otherwise`.
    """

    def of(judge: Callable[[T], CheckResult]) -> Check:
        def check(facts: DoctorFacts) -> CheckResult:
            fact = read(facts)
            return not_here(otherwise) if fact is None else judge(fact)

        return check

    return of
