"""Finds the words that this project does not use, in code, comments, texts and documents.

`python -m tools.words [PATH ...]` lists each with the place and the word to use instead. Words with
an ordinary use beside the avoided one (keep, take, word, mean, silent) are left to the reader.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

# Avoided (a regular expression of whole words) and what says it in the field's terms.
_INSTEAD = {
    r"tells?|telling|told": "report, publish, notify, log, say",
    r"heard|hears?": "receive",
    r"asked|asks|asking": "request, query",
    r"ask(?=\()": "request, query",
    r"whoever|whosoever": "a noun: the client, the user, anyone with the role",
    r"somebody|someone who|who may": "a user, anyone with the role",
    r"strangers?": "unknown participant, unknown sender",
    r"anew": "again",
    r"mends?|mended": "fix, fixed",
    r"besides|thereby|thereof": "also",
    r"for ever": "until stopped, without limit",
    r"until asked": "until stopped",
    r"rivals?": "contender",
    r"couriers?": "sender",
    r"doors?": "listener",
    r"bells?": "wake-up",
    r"shel(?:f|ves)": "store",
    r"outlook": "forecast",
    r"tellers?": "publisher",
    r"keepers?": "store, holder, owner",
    r"leash(?:es)?": "lease",
    r"life sign": "heartbeat",
    r"(?:go|goes|went|gone) back|way back|gave back|gives back": "rollback, roll back, rejected",
    r"lets? go|letting go": "release",
    r"give[sn]? away|gave away": "export",
    r"wish|wish(?:es|ed)": "request",
    r"heeds?": "follow, apply",
    r"such thing": "not found",
    r"it is taken": "conflict",
    r"so since|its zero": "since, zero offset",
    r"shall": "must, will, choose",
    r"releas(?:e[sd]?|ing) (?:of )?(?:the |its |a )?(?:e-|emergency )?stop": "clear the stop",
    r"stop (?:is |was |be )?released": "stop is cleared",
    r"dies again|end of what it may": "keeps crashing, limit",
}
# What all have in common stands before the choice: within a word nothing is tried.
_AVOIDED = re.compile(
    rf"\b(?:{'|'.join(rf'(?P<w{n}>{words})' for n, words in enumerate(_INSTEAD))})\b", re.IGNORECASE
)
_WORDS_OF = list(_INSTEAD.values())
# Five times as fast: in lower case, a first letter rules a word out. To know files without any.
_ANY = re.compile(rf"\b(?:{'|'.join(_INSTEAD)})\b")
_ENDINGS = {".py", ".js", ".html", ".md", ".yaml", ".service", ".socket", ".sh", ".toml"}
# What the avoided words are the name of, or are said about.
_LEFT_OUT = {"tools/words.py", "tests/unit/tools/test_words.py", "web/package-lock.json"}
_FOREIGN = re.compile(r"node_modules/|/generated/|^tests/data/")

# Fields and messages on the wire keep their names, which clients rely on.
_WIRE = re.compile(
    r"(?<=[.\"'`])(?:asked|rivals|strangers|told)\b"
    r"|\b(?:asked|rivals|strangers|told)(?=\??[:=\"'`])"
    r"|\bRivalStatus\b|\broles_told_by\b"
    r"|\bgo_back\("  # of Playwright
)

# Names are read as words: `last_told`, `LastTold` and `lastTold` are "last told".
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def faults(paths: list[Path]) -> Iterator[str]:
    """Yield `path:line: "word": use ...` for each avoided word in the files."""
    for path in paths:
        shown = path.relative_to(ROOT).as_posix()
        if path.suffix not in _ENDINGS or shown in _LEFT_OUT or _FOREIGN.search(shown):
            continue
        text = path.read_text()
        if not _ANY.search(_as_words(text).lower()):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for word, instead in avoided(line):
                yield f'{shown}:{number}: "{word}": use {instead}'


def avoided(text: str) -> Iterator[tuple[str, str]]:
    """Yield each avoided word of a text and what to use instead."""
    for found in _AVOIDED.finditer(_as_words(_WIRE.sub("", text))):
        yield found[0], _WORDS_OF[int((found.lastgroup or "w0")[1:])]


def _as_words(text: str) -> str:
    return _CAMEL.sub(" ", text).replace("_", " ")


def tracked(arguments: list[str]) -> list[Path]:
    """List the files of the project that lie at or below the arguments (all without any)."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *arguments],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


if __name__ == "__main__":
    found = list(faults(tracked(sys.argv[1:])))
    print("\n".join(found) or "every word is one of the project's")
    sys.exit(bool(found))
