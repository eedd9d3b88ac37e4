"""What all tests share: no coroutine of ours may block its loop; random tests say their seed."""

import asyncio
import gc
import os
import random
from collections.abc import Generator, Iterator

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import HealthCheck, settings

from tests import starvation

# One seed per run, printed below and taken again from the environment.
SEED = int(os.environ.get("SAINT_TEST_SEED", random.SystemRandom().randrange(1 << 32)))

# What a simulated board is opened by, in the tests' own processes and in those that they start.
os.environ["SAINT_SIMULATION"] = "tools.sim"

settings.register_profile(
    "saint",
    deadline=None,  # a shared machine's pauses are no failures; pytest-timeout bounds each test
    max_examples=int(os.environ.get("SAINT_TEST_EXAMPLES", "60")),
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


@pytest.fixture(autouse=True)
def seeded() -> None:
    random.seed(SEED)


@pytest.fixture(autouse=True)
def unblocked(request: pytest.FixtureRequest) -> Iterator[None]:
    """In an async test, blocking I/O called by our code raises where it is called."""
    if not asyncio.iscoroutinefunction(getattr(request, "function", None)):
        yield
        return
    with blockbuster_ctx("saint_services") as guard:
        # Binding one's own socket happens once, before anybody waits for this loop.
        binder = "saint_services/lib/machine/service_manager.py"
        for name in ("os.stat", "os.unlink", "os.mkdir"):
            guard.functions[name].can_block_in(binder, "bind")
        yield
