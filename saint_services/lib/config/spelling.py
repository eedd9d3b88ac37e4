"""Suggests the known name that a misspelled name probably means ("did you mean ...?")."""

import difflib
from collections.abc import Iterable
from itertools import islice

LONGEST_NAME = 64  # longer names are not typing errors, and comparing them takes quadratic time
MOST_NAMES = 512


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that was probably meant; empty if none is near."""
    if len(word) > LONGEST_NAME:
        return ""
    names = islice((name for name in known if len(name) <= LONGEST_NAME), MOST_NAMES)
    choices = {name.lower(): name for name in names}
    found = difflib.get_close_matches(word.lower(), choices, n=1, cutoff=0.6)
    return choices[found[0]] if found else ""


def hint(word: str, known: Iterable[str]) -> str:
    """Return the suggestion for the end of an error; empty if no name is near."""
    meant = nearest(word, known)
    return f"; did you mean {meant!r}?" if meant else ""


def hint_or_all(word: str, known: Iterable[str]) -> str:
    """Return the suggestion, or all known names if none is near."""
    names = [name for name in known if name]
    return hint(word, names) or f"; known: {', '.join(names)}"
