"""What all tests share: no coroutine of ours may block its loop; random tests say their seed."""

import asyncio
import functools
import gc
import os
import random
from collections.abc import Generator

import pytest
from blockbuster import BlockBuster
from hypothesis import HealthCheck, settings

from tests import examples, parsed, starvation

# One seed per run, printed below and taken again from the environment.
SEED = int(os.environ.get("SAINT_TEST_SEED", random.SystemRandom().randrange(1 << 32)))

# What a simulated board is opened by, in the tests' own processes and in those that they start.
os.environ["SAINT_SIMULATION"] = "tools.sim"

parsed.once()

settings.register_profile(
    "saint",
    deadline=None,  # a shared machine's pauses are no failures; pytest-timeout bounds each test
    max_examples=examples.TRIED,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    print_blob=True,
)
settings.load_profile("saint")


def pytest_configure(config: pytest.Config) -> None:
    if not config.pluginmanager.is_registered(starvation):
        config.pluginmanager.register(starvation)
    if config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = SEED


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays: looking for garbage in it takes a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: tests wait about as long as they compute, so one more than processors."""
    return (os.cpu_count() or 1) + 1


def pytest_report_header(config: pytest.Config) -> str:
    seed = config.getoption("hypothesis_seed")
    return f"random seed: {seed} (again with SAINT_TEST_SEED={seed})"


@functools.cache
def _guard() -> BlockBuster:
    """Made once in a process: that takes longer than to switch it on and off."""
    guard = BlockBuster("saint_services")
    # Binding one's own socket happens once, before anybody waits for this loop.
    binder = "saint_services/lib/machine/service_manager.py"
    for name in ("os.stat", "os.unlink", "os.mkdir"):
        guard.functions[name].can_block_in(binder, "bind")
        guard.functions[name].can_block_in("tools/sim/can_bus.py", ("__init__", "_bind", "close"))
    return guard


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Seed each test; in an async one, blocking I/O called by our code raises where it is called.

    A hook: as fixtures these two would take as long as a short test does.
    """
    random.seed(SEED)
    if not asyncio.iscoroutinefunction(getattr(item, "function", None)):
        return (yield)
    guard = _guard()
    guard.activate()
    try:
        return (yield)
    finally:
        guard.deactivate()
