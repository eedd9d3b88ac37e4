"""The order of Debian's version numbers (Debian Policy, section 5.6.12)."""

import re
from functools import total_ordering
from itertools import zip_longest

_PARTS = re.compile(r"(\D*)(\d*)")


@total_ordering
class DebianVersion:
    """One version, comparable with others: epoch, upstream version, revision."""

    def __init__(self, text: str) -> None:
        epoch, colon, rest = text.partition(":")
        if not colon:
            epoch, rest = "0", text
        upstream, _, revision = rest.rpartition("-") if "-" in rest else (rest, "", "0")
        self._key = (int(epoch) if epoch.isdigit() else 0, _Part(upstream), _Part(revision))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DebianVersion) and self._key == other._key

    def __lt__(self, other: "DebianVersion") -> bool:
        return self._key < other._key

    def __hash__(self) -> int:
        return hash(str(self._key))


class _Part:
    """Text and numbers in turns; a tilde sorts before everything, even the end."""

    def __init__(self, text: str) -> None:
        pairs = _PARTS.findall(text)
        self._turns = [(letters, int(digits or "0")) for letters, digits in pairs]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Part) and not self < other and not other < self

    def __lt__(self, other: "_Part") -> bool:
        for ours, theirs in zip_longest(self._turns, other._turns, fillvalue=("", 0)):
            mine, its = _ranks(ours[0]), _ranks(theirs[0])
            if mine != its:
                return mine < its
            if ours[1] != theirs[1]:
                return ours[1] < theirs[1]
        return False


def _ranks(letters: str) -> list[int]:
    """Tilde, end, letters, all else."""
    ranks = [-1 if c == "~" else ord(c) if c.isalpha() else ord(c) + 256 for c in letters]
    return [*ranks, 0]
