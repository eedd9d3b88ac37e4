"""Parses YAML to plain data with the line of every key, and formats it. Supported is the JSON-like
part of YAML 1.2: no anchors, tags or several documents; `on`, `no`, 1:30 and dates are plain text.
So no value silently changes its meaning, and no input makes parsing expensive. Imported by
settings.py on demand: the library needs 1 MB.
"""

import re
from dataclasses import dataclass
from typing import Any

import yaml

from ..errors import Code, SaintError
from . import validation
from .document import LARGEST_BYTES, Document, Place

_DEEPEST = 40
_INTEGER = re.compile(r"[-+]?[0-9]{1,400}|0x[0-9a-fA-F]{1,300}|0o[0-7]{1,400}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
# Of libyaml, where it is there: ten times as fast.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def read(text: str, name: str) -> Document:
    """Parse YAML to plain data with line numbers; a text with only comments is an empty group."""
    if len(text) > LARGEST_BYTES:
        raise _fault(f"{name} is longer than {LARGEST_BYTES} bytes")
    try:
        document = _Reader(name).read(text)
    except yaml.YAMLError as err:
        line, what = _syntax(err, text)
        raise _fault(f"{name}, line {line}: {what}") from err
    except UnicodeError as err:
        raise _fault(f"{name}, line 1: the file is not UTF-8 text") from err
    return document


def write(data: object) -> str:
    """Format plain data as YAML that read() reads back unchanged."""
    dumped: str = yaml.dump(data, Dumper=_YamlWriter, sort_keys=False, allow_unicode=True)
    return dumped


class _YamlWriter(_DUMPER):  # type: ignore[misc]  # which of the two is known at run time
    """Quotes every text that would be read back as another value."""


def _text_node(writer: Any, text: str) -> yaml.ScalarNode:
    is_plain = text.isprintable() and isinstance(scalar(text), str)
    style = None if is_plain else '"'
    node: yaml.ScalarNode = writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)
    return node


_YamlWriter.add_representer(str, _text_node)


def _fault(sentence: str) -> SaintError:
    return SaintError(Code.CONFIG_INVALID, sentence)


def _syntax(error: yaml.YAMLError, text: str) -> tuple[int, str]:
    """Return line and description of a YAML syntax error."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        mark = error.problem_mark
        lines = text.splitlines()
        rest = lines[mark.line][mark.column :] if mark.line < len(lines) else ""
        line = min(mark.line + 1, len(lines))
        if rest.startswith("\t"):
            return line, "a tab stands where only spaces may indent"
        return line, f"this is not YAML: {error.problem}"
    position = getattr(error, "position", 0)
    return text.count("\n", 0, position) + 1, "this is not YAML: a character is not allowed"


@dataclass(slots=True)
class _OpenNode:
    """A group or list that has not ended yet."""

    value: dict[str, Any] | list[Any]
    place: Place
    key: str | None = None  # of the next value


class _Reader:
    """Builds data from parser events. Not recursive: depth is limited by a count, not by the
    stack.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._open: list[_OpenNode] = []
        self._document = Document()
        self._documents = 0

    def read(self, text: str) -> Document:
        for event in yaml.parse(text, Loader=_LOADER):
            mark: Any = event.start_mark
            self._accept(event, mark.line + 1)
        if not self._documents:
            self._document.data = {}
        return self._document

    def _accept(self, event: Any, line: int) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            self._refuse(self._documents > 1, line, "a second document starts here")
        elif isinstance(event, yaml.NodeEvent):
            self._refuse(isinstance(event, yaml.AliasEvent), line, "aliases are not supported")
            self._refuse(bool(event.anchor), line, "anchors are not supported")
            self._refuse(bool(getattr(event, "tag", None)), line, "tags are not supported")
            self._node(event, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()

    def _node(self, event: Any, line: int) -> None:
        around = self._open[-1] if self._open else None
        if around and isinstance(around.value, dict) and around.key is None:
            self._key(around, event, line)
            return
        place = _place(around)
        self._document.lines.setdefault(place, line)
        value = self._value(event, line)
        if around is None:
            self._document.data = value
        elif isinstance(around.value, list):
            around.value.append(value)
        else:
            around.value[str(around.key)] = value
            around.key = None
        if isinstance(value, dict | list):
            self._refuse(len(self._open) >= _DEEPEST, line, "nested too deeply")
            self._open.append(_OpenNode(value, place))

    def _key(self, around: _OpenNode, event: Any, line: int) -> None:
        self._refuse(not isinstance(event, yaml.ScalarEvent), line, "a key must be plain text")
        key = event.value
        around.key = key
        place = _place(around)
        if key in around.value:
            first = self._document.line(place)
            what = f"{validation.dotted(place)} is set twice, first in line {first}"
            self._refuse(True, line, what)
        self._document.lines[place] = line

    def _value(self, event: Any, line: int) -> Any:
        if isinstance(event, yaml.MappingStartEvent):
            return {}
        if isinstance(event, yaml.SequenceStartEvent):
            return []
        return scalar(event.value) if event.implicit[0] else event.value

    def _refuse(self, is_refused: bool, line: int, what: str) -> None:
        if is_refused:
            raise _fault(f"{self._name}, line {line}: {what}")


def _place(around: _OpenNode | None) -> Place:
    if around is None:
        return ()
    if isinstance(around.value, list):
        return (*around.place, len(around.value))
    return (*around.place, str(around.key))


def scalar(text: str) -> Any:
    """Return the value of an unquoted scalar (YAML 1.2 core schema)."""
    if text in _SPECIAL:
        return _SPECIAL[text]
    if _INTEGER.fullmatch(text):
        return int(text, {"0x": 16, "0o": 8}.get(text[:2], 10))
    return float(text) if _FLOAT.fullmatch(text) else text
