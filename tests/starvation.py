"""Tests with deadlines of milliseconds (marked `timed`), on a computer that had no time for them:
when one failed while the kernel kept the processor from us, it is tried again, and the summary says
so. A failure on a computer that had time is a failure at once. Not here: which tests those are.
"""

import contextlib
import os
from pathlib import Path
from typing import Any

import pytest
from _pytest.outcomes import TEST_OUTCOME
from _pytest.runner import runtestprotocol

TRIES = 3
WITHHELD_S = 0.05  # the shortest deadline of a timed test
_SCHEDSTAT = Path("/proc/thread-self/schedstat")  # Linux: time on a processor, time waiting for one
_STAT = Path("/proc/stat")  # the eighth of a processor's times: what a host gave to other guests
_TRIED_AGAIN = "tried again"


def withheld_s() -> float:
    """How long this thread was ready and did not run, so far, and each processor of a virtual
    machine did not; 0.0 where nobody counts it."""
    return _waited_s() + _stolen_s()


def _waited_s() -> float:
    try:
        return int(_SCHEDSTAT.read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def _stolen_s() -> float:
    try:
        ticks = int(_STAT.read_text().split("\n", 1)[0].split()[8])
        return ticks / os.sysconf("SC_CLK_TCK") / (os.cpu_count() or 1)
    except (OSError, IndexError, ValueError):
        return 0.0


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    if item.get_closest_marker("timed") is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _reports(item, nextitem):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _reports(item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    """Of the last try."""
    reported: list[tuple[str, object]] = []
    while True:
        before_s = withheld_s()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        lost_s = withheld_s() - before_s
        has_failed = any(report.failed for report in reports)
        if not has_failed or lost_s < WITHHELD_S or len(reported) == TRIES - 1:
            reports[-1].user_properties.extend(reported)
            return reports
        reported.append((_TRIED_AGAIN, f"the computer withheld {lost_s:.1f} s"))
        if reports[0].failed:
            # A fixture, perhaps one of many tests: else its failure would be kept. What it leaves
            # at its end is of the try that has failed.
            with contextlib.suppress(*TEST_OUTCOME):
                item.session._setupstate.teardown_exact(None)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    lines = [
        f"{report.nodeid}: {words}"
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, words in getattr(report, "user_properties", ())
        if name == _TRIED_AGAIN
    ]
    if lines:
        terminalreporter.section("tried again, because this computer was too busy")
        for line in sorted(lines):
            terminalreporter.line(line)
