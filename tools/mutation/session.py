"""Judges many mutants of one module with the same tests, collected once: a child of this session
for each, which runs them until one fails. The test that noticed the last one comes first.
"""

import importlib
import mmap
import os
import pickle
import resource
import signal
import struct
import sys
from collections.abc import Iterator, Sequence

import pytest

from .runner import LIMIT_S, PLAIN, Verdict, silence, wait_for
from .swap import swap

_SURVIVED, _FAILED, _IMPOSSIBLE = 0, 1, 7
_MOST_BYTES = 3 << 30  # a mutant that collects without end
_SPARE_S, _PATIENCE = 2, 4  # of processor time: a busy machine slows these tests, and ends none


def judge_all(
    module: str, sources: Sequence[str], tests: Sequence[str]
) -> Iterator[tuple[Verdict | None, str]]:
    """Yield what each source came to, and the test that noticed it; None: it cannot be judged in
    this way. The first source is that of the file as it is.
    """
    sys.stdout.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _session(module, sources, tests, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as found:
        for _ in sources:
            yield pickle.load(found)  # of our own child; it raises EOFError where that has ended
    os.waitpid(child, 0)


def _session(module: str, sources: Sequence[str], tests: Sequence[str], writing: int) -> None:
    """In the child: never returns."""
    try:
        silence()
        pytest.main([*PLAIN, *tests], plugins=[_Loop(module, sources, writing)])
    finally:
        os._exit(0)


class _Loop:
    """The plugin: the collected tests run once for each mutant."""

    def __init__(self, module: str, sources: Sequence[str], writing: int) -> None:
        self._module, self._sources, self._writing = module, sources, writing
        self._noticed = mmap.mmap(-1, 4)  # shared with the children: the place of a test
        self._limit_s = 300

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests on each mutant instead of once."""
        if session.testsfailed:
            return True
        order = list(session.items)
        for source in self._sources:
            verdict, place = self._judge(session, order, source)
            name = ""
            if place is not None:
                name = order[place].nodeid
                order.insert(0, order.pop(place))
            os.write(self._writing, pickle.dumps((verdict, name)))
        return True

    def _judge(
        self, session: pytest.Session, order: list[pytest.Item], source: str
    ) -> tuple[Verdict | None, int | None]:
        self._noticed[:] = struct.pack("i", -1)
        child = os.fork()
        if child == 0:
            self._child(session, order, source)
        before_s = _children_s()
        code = wait_for(child, LIMIT_S)
        if self._limit_s == 300:  # the file as it is
            self._limit_s = int(_SPARE_S + _PATIENCE * (_children_s() - before_s))
        (place,) = struct.unpack("i", self._noticed[:])
        verdicts: dict[int | None, Verdict | None] = {
            _SURVIVED: "survived",
            _IMPOSSIBLE: None,
            None: "timeout",
            -signal.SIGXCPU: "timeout",
        }
        return verdicts.get(code, "killed"), place if place >= 0 else None

    def _child(self, session: pytest.Session, order: list[pytest.Item], source: str) -> None:
        """In the child: never returns."""
        code = _FAILED
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (self._limit_s, self._limit_s + 5))
            resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
            code = self._run(session, order, source)
        finally:
            os._exit(code)

    def _run(self, session: pytest.Session, order: list[pytest.Item], source: str) -> int:
        if not swap(importlib.import_module(self._module), source):
            return _IMPOSSIBLE
        for place, item in enumerate(order):
            following = order[place + 1] if place + 1 < len(order) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                self._noticed[:] = struct.pack("i", place)
                return _FAILED
        return _SURVIVED


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
