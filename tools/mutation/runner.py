"""Runs the tests on one mutant, in a child of this process: everything that no mutant changes is
imported once, and a change cannot outlive its child.
"""

import gc
import importlib
import importlib.abc
import importlib.util
import os
import select
import signal
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Literal

Verdict = Literal["killed", "timeout", "survived"]

PLAIN = ("-x", "-q", "-p", "no:cacheprovider", "--no-header", "-W", "ignore")
LIMIT_S = 240.0  # a busy machine needs a minute for all tests
_WARM = (
    *("pytest", "hypothesis.stateful", "pydantic", "yaml", "typer.testing", "blockbuster"),
    *("saint_services.lib.api.routing", "saint_services.lib.daemon", "saint_services.lib.ipc"),
    *("saint_services.lib.bus.local", "saint_services.lib.generated.topics"),
    *("saint_services.saintctl.console", "saint_services.lib.config.yaml_text"),
    *("saint_services.lib.wagon.can_frames", "saint_services.lib.wagon.board_link"),
    *("saint_services.lib.hw.vesc.messages", "saint_services.rcd.protocols.crsf"),
)


def warm_up() -> None:
    """Import what takes long and is not changed."""
    for name in _WARM:
        importlib.import_module(name)
    gc.freeze()  # the children share these pages


def judge(
    module: str, source: str, stages: Sequence[Sequence[str]], limit_s: float = LIMIT_S
) -> Verdict:
    """Do the tests notice that `module` is `source` now? They run stage by stage."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _test(module, source, stages)
    return _verdict(child, limit_s)


def _test(module: str, source: str, stages: Sequence[Sequence[str]]) -> None:
    """In the child: never returns."""
    code = 3
    try:
        os.setsid()  # whatever a test starts ends with it
        silence()
        if module in sys.modules:  # the modules that imported it must do so again
            for name in [name for name in sys.modules if name.startswith("saint_services")]:
                del sys.modules[name]
        sys.meta_path.insert(0, _Changed(module, source))
        import pytest

        for tests in stages:
            code = int(pytest.main([*PLAIN, *tests]))
            if code:
                break
    finally:
        os._exit(code)


def silence() -> None:
    """Print nothing from here on."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)


def _verdict(child: int, limit_s: float) -> Verdict:
    code = wait_for(child, limit_s)
    if code is None:
        return "timeout"
    return "killed" if code else "survived"


def wait_for(child: int, limit_s: float) -> int | None:
    """Return how a child ended, below 0 by a signal; None: it had to be ended."""
    ended = os.pidfd_open(child)
    try:
        ready, _, _ = select.select([ended], [], [], limit_s)
        if not ready:
            os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    finally:
        os.close(ended)
    return os.waitstatus_to_exitcode(status) if ready else None


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the mutant instead of the module."""

    def __init__(self, module: str, source: str) -> None:
        self._module, self._source = module, source

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self._module:
            return None
        return importlib.util.spec_from_loader(name, self)

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def get_code(self, name: str) -> CodeType:
        """For a test that runs the module as a program."""
        return compile(self._source, f"<mutant of {name}>", "exec")

    def exec_module(self, module: ModuleType) -> None:
        exec(self.get_code(self._module), module.__dict__)


def name_of(path: Path) -> str:
    """saint_services/routerd/routes/plan.py -> saint_services.routerd.routes.plan"""
    return ".".join(path.with_suffix("").parts)
