"""Power cuts in the middle of a write, and what the next boot of the node finds."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from saint_services.noded.lifecycle.model import RoleLoaded
from saint_services.noded.state import NodeFiles


class PowerCutError(BaseException):
    """The power is off: nothing of the process runs, so nothing may catch this."""


class PowerCut:
    """Cuts the power at the n-th operation on the disk."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
        self.left = at
        for owner, name in (
            (os, "open"),
            (os, "write"),
            (os, "fsync"),
            (Path, "replace"),
            (Path, "unlink"),
        ):
            monkeypatch.setattr(owner, name, self._counted(getattr(owner, name)))

    def _counted(self, real: Callable[..., object]) -> Callable[..., object]:
        def counted(*args: object, **kwargs: object) -> object:
            if self.left == 0:
                raise PowerCutError
            self.left -= 1
            return real(*args, **kwargs)

        return counted


def survives(
    directory: Path, work: Callable[[NodeFiles], object], at: int
) -> tuple[bool, tuple[RoleLoaded, ...]]:
    """Return whether the work was done before the cut, and what the next boot finds."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        files = NodeFiles(directory)
        cut = PowerCut(monkeypatch, at)
        try:
            work(files)
            is_done = True
        except PowerCutError:
            is_done = False
        cut.left = 10**9
    return is_done, NodeFiles(directory).load_roles().roles
