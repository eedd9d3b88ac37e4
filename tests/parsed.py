"""The same text is parsed once in a process. A robot reads its manifests and its model at each
start, and the tests start hundreds: this was two thirds of the time that a start took. Not here:
validation against each other, which each start does again.
"""

import functools
import pickle
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from saint_services.lib.config import yaml_text
from saint_services.lib.robot import urdf

_TEXTS = 256  # far more than there are manifests; those of random tests push each other out
P = ParamSpec("P")
T = TypeVar("T")


def once() -> None:
    """From now on, for all tests of this process."""
    yaml_text.read = _remembered(yaml_text.read)
    urdf.parse = _remembered(urdf.parse)


def _remembered(parse: Callable[P, T]) -> Callable[P, T]:
    """Return a function that returns what `parse` does, each time an object of its own."""

    @functools.lru_cache(_TEXTS)
    def parsed(*arguments: P.args, **more: P.kwargs) -> bytes:
        return pickle.dumps(parse(*arguments, **more))

    @functools.wraps(parse)
    def remembered(*arguments: P.args, **more: P.kwargs) -> T:
        made: T = pickle.loads(parsed(*arguments, **more))
        return made

    return remembered
