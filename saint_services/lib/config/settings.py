"""Loads a settings file into a checked pydantic model. A bool setting also accepts on/off/yes/no.
Not here: which part of YAML is supported (yaml_text.py).
"""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ..errors import Code, SaintError
from ..strict import StrictModel
from . import validation
from .document import LARGEST_BYTES, Document

T = TypeVar("T", bound=BaseModel)


class Settings(StrictModel):
    """Base of every daemon's Config: unknown keys are errors, numbers are finite."""


def load(model: type[T], path: Path, *, required: bool = False) -> T:
    """Load the settings in `path`; defaults if the file does not exist (unless it is required)."""
    try:
        text = read_text(path)
    except SaintError as err:
        if required or err.code is not Code.CONFIG_MISSING:
            raise
        return check(model, Document({}), str(path))
    return parse(model, text, str(path))


def read_text(path: Path) -> str:
    """Read a settings file; raise SaintError when there is none, or when it is no text."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except FileNotFoundError:
        raise SaintError(Code.CONFIG_MISSING, f"{path} does not exist") from None
    except OSError as err:
        raise _fault(f"{path} cannot be read: {err.strerror}") from err
    try:
        return data.decode()
    except UnicodeDecodeError as err:
        line = data.count(b"\n", 0, err.start) + 1
        raise _fault(f"{path}, line {line}: the file is not UTF-8 text") from err


def parse(model: type[T], text: str, name: str) -> T:
    """Parse settings from text; errors call it `name`."""
    if not text.strip():
        raise _fault(f"{name}, line 1: the file is empty; write a setting or remove the file")
    return check(model, read_yaml(text, name), name)


def read_yaml(text: str, name: str) -> Document:
    """Parse YAML to plain data with line numbers; a text with only comments is an empty group."""
    from . import yaml_text  # the library needs 1 MB, and not every daemon reads YAML

    return yaml_text.read(text, name)


def write_yaml(data: object) -> str:
    """Format plain data as YAML that read_yaml reads back unchanged."""
    from . import yaml_text

    return yaml_text.write(data)


def check(model: type[T], document: Document, name: str) -> T:
    """Validate settings that were parsed already."""
    if not isinstance(document.data, dict):
        what = validation.shown(document.data)
        raise _fault(
            f"{name}, line {document.line(())}: must contain 'key: value' pairs, not {what}"
        )
    try:
        return model.model_validate(document.data)
    except ValidationError as err:
        found = validation.faults(err, model, document.data)
    first = min(found, key=lambda fault: (fault.is_missing, _line(document, fault)))
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    raise _fault(f"{name}, line {_line(document, first)}: {first}{more}")


def _line(document: Document, fault: validation.ValidationFault) -> int:
    return document.line(fault.place or fault.path)


def _fault(sentence: str) -> SaintError:
    return SaintError(Code.CONFIG_INVALID, sentence)
