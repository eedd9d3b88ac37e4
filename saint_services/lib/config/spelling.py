"""Which known name somebody probably meant, and how a sentence says so."""

import difflib
from collections.abc import Iterable
from itertools import islice

LONGEST_NAME = 64  # longer ones are compared in quadratic time and are no slip of the keyboard
MOST_NAMES = 512


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that was probably meant, else an empty string."""
    if len(word) > LONGEST_NAME:
        return ""
    names = islice((name for name in known if len(name) <= LONGEST_NAME), MOST_NAMES)
    choices = {name.lower(): name for name in names}
    found = difflib.get_close_matches(word.lower(), choices, n=1, cutoff=0.6)
    return choices[found[0]] if found else ""


def hint(word: str, known: Iterable[str]) -> str:
    """The end of a sentence about a name that does not exist; empty when nothing is near."""
    meant = nearest(word, known)
    return f"; did you mean {meant!r}?" if meant else ""


def hint_or_all(word: str, known: Iterable[str]) -> str:
    """The same where all names fit into the sentence when nothing is near."""
    names = [name for name in known if name]
    return hint(word, names) or f"; known: {', '.join(names)}"
