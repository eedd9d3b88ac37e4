"""Real-time priority of a daemon: named by its unit, applied to all threads, refusals are harmless.
The processes are real; where this computer permits no such priority their tests are left out.
"""

import os
import signal
import subprocess
import sys

import pytest

from saint_services.lib.machine import realtime
from tools.launch.services.realtime import is_permitted

needs_permission = pytest.mark.skipif(
    not is_permitted(2), reason="this computer permits no real-time priority"
)
_THREADS = """
import gc, os, sys, threading
from saint_services.lib.machine import realtime
gate, seen = threading.Event(), []
def report():
    gate.wait(5)
    seen.append((os.sched_getscheduler(0), os.sched_getparam(0).sched_priority))
early = threading.Thread(target=report)
early.start()
taken = realtime.raise_priority({"SAINT_REALTIME": "2"})
late = threading.Thread(target=report)
late.start()
gate.set()
early.join(); late.join(); report()
print(taken, all(each == (os.SCHED_RR, 2) for each in seen), len(seen), sys.getswitchinterval(),
      gc.get_freeze_count() > 1000)
"""
_LEAVES = """
import os, threading
from saint_services.lib.machine import realtime
realtime.raise_priority({"SAINT_REALTIME": "2"})
seen = []
def work():
    realtime.drop_priority()
    seen.append(os.sched_getscheduler(0) == os.SCHED_OTHER)
beside = threading.Thread(target=work)
beside.start(); beside.join()
print(seen[0], os.sched_getscheduler(0) == os.SCHED_RR)
"""
_SPINS = """
import resource
from saint_services.lib.machine import realtime
resource.setrlimit(resource.RLIMIT_RTTIME, (100_000, 1_000_000))
realtime.raise_priority({"SAINT_REALTIME": "1"})
def spin_without_end():
    while True: pass
spin_without_end()
"""


def run(program: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=15, check=False
    )


@needs_permission
def test_all_threads_take_it_before_and_after() -> None:
    done = run(_THREADS)
    assert done.stdout.split() == ["True", "True", "3", "0.0005", "True"], done.stderr


@needs_permission
def test_thread_leaves_it_for_itself_alone() -> None:
    done = run(_LEAVES)
    assert done.stdout.split() == ["True", "True"], done.stderr


@needs_permission
def test_thread_that_never_sleeps_is_ended_and_says_where() -> None:
    done = run(_SPINS)
    assert done.returncode == -signal.SIGXCPU
    assert "in spin_without_end" in done.stderr


def refuse(*_: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def must_not(*_: object) -> None:
    raise AssertionError("no priority was requested")


@pytest.mark.parametrize("environment", [{}, {"SAINT_REALTIME": ""}])
def test_without_a_priority_nothing_changes(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    monkeypatch.setattr(os, "sched_setscheduler", must_not)
    assert not realtime.raise_priority(environment)


@pytest.mark.parametrize("text", ["0", "50", "99", "-1", "2.0", "high", "²"])
def test_invalid_priority_is_not_applied(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(os, "sched_setscheduler", must_not)
    assert not realtime.raise_priority({"SAINT_REALTIME": text})


def test_refusal_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    before = sys.getswitchinterval()
    assert not realtime.raise_priority({"SAINT_REALTIME": "2"})
    assert sys.getswitchinterval() == before
