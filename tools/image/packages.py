"""Reads the package lists of image/: groups in brackets, one name per line, `#` comments."""

from pathlib import Path

from saint_services.lib.errors import Code, SaintError


def read(path: Path) -> dict[str, list[str]]:
    """Group -> names, in the order of the file. A name that comes twice is an error."""
    groups: dict[str, list[str]] = {}
    seen: set[str] = set()
    group: list[str] | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) > 1:
            raise _invalid(path, number, f"'{line}' has more than one name")
        word = words[0]
        if word.startswith("[") and word.endswith("]"):
            group = groups.setdefault(word[1:-1], [])
        elif group is None:
            raise _invalid(path, number, f"{word} stands before any [group]")
        elif word in seen:
            raise _invalid(path, number, f"{word} is named twice")
        else:
            seen.add(word)
            group.append(word)
    return groups


def names(path: Path) -> list[str]:
    """All names, whatever their group."""
    return [name for group in read(path).values() for name in group]


def _invalid(path: Path, number: int, what: str) -> SaintError:
    return SaintError(Code.CONFIG_INVALID, f"{path.name}, line {number}: {what}")
