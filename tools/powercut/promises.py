"""What must be on the disk after a cut: every kept promise, or something promised since.

Pure. Not here: how a fact is read from the disk (facts.py).
"""

from collections.abc import Sequence

from .disks.recording import Mark

ABSENT = ""


def broken(marks: Sequence[Mark], settled: int, facts: dict[str, str]) -> list[str]:
    """Sentences about facts that a cut at that moment may not have left."""
    found = []
    for fact in sorted({mark.fact for mark in marks}):
        allowed = allowed_values(marks, settled, fact)
        value = facts.get(fact, ABSENT)
        if allowed is not None and value not in allowed:
            wanted = " or ".join(sorted(map(repr, allowed)))
            found.append(f"{fact} is {value!r}, must be {wanted}")
    return found


def allowed_values(marks: Sequence[Mark], settled: int, fact: str) -> set[str] | None:
    """The values that a fact may have; None: any.

    The last kept promise, and everything begun since: a request may have been obeyed before its
    answer came. A promise counts as kept only if the answer was there at the cut.
    """
    allowed: set[str] | None = None
    for mark in marks:
        if mark.fact != fact:
            continue
        if mark.at > settled:
            # Begun after the moment, perhaps: requests of that time may already be on the disk.
            break
        if mark.is_kept:
            allowed = {mark.value} if mark.value is not None else None
        elif allowed is not None:
            allowed = None if mark.value is None else allowed | {mark.value}
    return allowed
