"""Reads the text of unit files: section, key, value, place. Not here: what they mean."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from saint_services.lib.errors import Code, SaintError


@dataclass(frozen=True, slots=True)
class Setting:
    """One `Key=value` and its place."""

    path: Path
    number: int
    section: str
    key: str
    value: str

    def fault(self, text: str) -> SaintError:
        """An error that names the place."""
        return _fault(self.path, self.number, text)


def _fault(path: Path, number: int, text: str) -> SaintError:
    return SaintError(Code.CONFIG_INVALID, f"{path}, line {number}: {text}")


def read(path: Path) -> list[Setting]:
    """All settings of one file, in order. Raises SaintError with file and line."""
    settings: list[Setting] = []
    section = ""
    for number, line in _logical_lines(path):
        if line.startswith("["):
            if not line.endswith("]"):
                raise _fault(path, number, f"{line!r} is not a section")
            section = line[1:-1]
            continue
        key, equals, value = line.partition("=")
        if not equals or not key.strip():
            raise _fault(path, number, f"{line!r} is neither a section nor Key=value")
        if not section:
            raise _fault(path, number, f"{key.strip()} stands before the first section")
        settings.append(Setting(path, number, section, key.strip(), value.strip()))
    return settings


def _logical_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines without comments; a backslash at the end joins the next line with a space."""
    joined, first = "", 0
    for number, raw in enumerate(_text(path).splitlines(), start=1):
        line = raw.strip()
        if line.startswith(("#", ";")) or not (line or joined):
            continue
        first = first if joined else number
        if line.endswith("\\"):
            joined += line[:-1].rstrip() + " "
            continue
        yield first, joined + line
        joined = ""
    if joined:
        raise _fault(path, first, "the file ends inside a continued line")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as err:
        raise SaintError(Code.CONFIG_INVALID, f"{path} cannot be read: {err}") from err
