"""Finds the settings that a daemon runs with: those of its file, else the last good ones, else the
defaults. A wrong file keeps no daemon from its work; `problem` says what is in force instead. Not
here: what is wrong with a file (settings.py).
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel

from ..errors import SaintError
from ..state import last_good, write_atomic
from .document import LARGEST_BYTES
from .settings import load

T = TypeVar("T", bound=BaseModel)

PROBLEM = "settings-problem"  # shown to people who come over ssh (overlays, update-motd.d)


@dataclass(frozen=True, slots=True)
class SettingsInForce(Generic[T]):
    """Settings, and why they are not those of the file; empty: they are. `keep` keeps a copy of the
    file; the daemon calls it once it is ready, for only then the file has proven to be good.
    """

    settings: T
    problem: str = ""
    keep: Callable[[], None] = field(default=lambda: None, compare=False)


def in_force(
    model: type[T], path: Path, state: Path, *, is_on_trial: bool = False
) -> SettingsInForce[T]:
    """Return the settings of `path`, or what holds instead of a wrong file. The last good copy and
    the problem are kept in the folder `state`. Raises SaintError where there are no defaults; and
    on trial, when the release before accepted this very file.
    """
    copy, content = last_good(state / path.name), _content(path)
    try:
        value = load(model, path)
    except SaintError as fault:
        found = _instead(model, copy, fault, is_refused=is_on_trial and _is_same(path, copy))
        _note(state / PROBLEM, found.problem)
        return found
    _note(state / PROBLEM, "")
    return SettingsInForce(value, keep=partial(_keep, content, copy))


def _instead(
    model: type[T], copy: Path, fault: SaintError, *, is_refused: bool
) -> SettingsInForce[T]:
    with contextlib.suppress(SaintError):
        value = load(model, copy, required=True)
        return SettingsInForce(value, f"{fault.message}. The last good settings are in force")
    if is_refused:
        raise fault
    try:
        value = model()
    except ValueError:
        raise fault from None
    return SettingsInForce(value, f"{fault.message}. The defaults are in force")


def _is_same(path: Path, copy: Path) -> bool:
    content = _content(path)
    return content is not None and content == _content(copy)


def _keep(content: bytes | None, copy: Path) -> None:
    """Keep a copy of a good file; without a file, the defaults are what was good."""
    with contextlib.suppress(OSError):  # a full disk; the next start tries again
        if content is None:
            copy.unlink(missing_ok=True)
        elif content != _content(copy):
            write_atomic(copy, content)


def _content(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_BYTES)
    except OSError:
        return None


def _note(path: Path, problem: str) -> None:
    with contextlib.suppress(OSError):
        if not problem:
            path.unlink(missing_ok=True)
        elif _content(path) != (note := f"{problem}.\n".encode()):
            write_atomic(path, note)
