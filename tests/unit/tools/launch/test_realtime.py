"""Real-time priorities: who has one, how it is guarded, and what the launcher does about it."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from saint_services.lib.machine.realtime import VARIABLE
from tools.launch.services import realtime
from tools.launch.services.realtime import Limits
from tools.launch.unit_files import parsing, units

ROOT = Path(__file__).resolve().parents[4]
FOLDER = ROOT / "systemd"
PRIORITIES = {
    "saint-guardd.service": 4,
    "saint-rcd.service": 2,
    "saint-routerd.service": 2,
    "saint-role-armsd.service": 2,
    "saint-role-headd.service": 2,
    "saint-role-legsd.service": 2,
    "saint-role-wagond.service": 2,
    "saint-role-leaderd.service": 2,
    "saint-role-partsd.service": 2,
    "saint-role-tracksd.service": 2,
    "saint-role-armsd@2.service": 2,
    "saint-role-headd@2.service": 2,
    "saint-role-legsd@2.service": 2,
    "saint-role-wagond@2.service": 2,
    "saint-role-leaderd@2.service": 2,
    "saint-role-partsd@2.service": 2,
    "saint-role-tracksd@2.service": 2,
    "saint-noded.service": 3,  # above what it has to make safe
}


def test_control_has_priorities_and_nothing_else() -> None:
    shipped = units.load(FOLDER).services
    requests = {name: unit.environment.get(VARIABLE, "0") for name, unit in shipped.items()}
    permitted = {name: unit.realtime.priority for name, unit in shipped.items()}
    assert {name: number for name, number in permitted.items() if number} == PRIORITIES
    assert requests == {name: str(number) for name, number in permitted.items()}


@pytest.mark.parametrize("name", sorted(PRIORITIES.keys() - {"saint-guardd.service"}))
def test_process_that_never_sleeps_is_ended_before_the_watchdog(name: str) -> None:
    unit = units.load(FOLDER).services[name]
    assert 1.0 <= unit.realtime.warn_s < unit.realtime.kill_s < unit.watchdog_s == 5.0
    assert unit.restarts


@pytest.mark.parametrize("name", PRIORITIES)
def test_sandbox_lets_it_take_the_priority(name: str) -> None:
    """The shared drop-in forbids it, and the last line counts."""
    path = FOLDER / name.replace("@2", "@")
    files = (path, *units.drop_ins(path))
    said = [s.value for file in files for s in parsing.read(file) if s.key == "RestrictRealtime"]
    assert said == ["yes", "no"]


def test_limits_are_read_as_systemd_reads_them(tmp_path: Path) -> None:
    (tmp_path / "saint.target").write_text("[Unit]\n")
    text = "[Unit]\nPartOf=saint.target\n[Service]\nExecStart=/bin/true\n"
    (tmp_path / "saint-a.service").write_text(text)
    (tmp_path / "saint-b.service").write_text(f"{text}LimitRTPRIO=7\nLimitRTTIME=1s:1500ms\n")
    (tmp_path / "saint-c.service").write_text(f"{text}LimitRTTIME=2s\n")
    found = [unit.realtime for unit in units.load(tmp_path).services.values()]
    assert found == [Limits(), Limits(7, 1.0, 1.5), Limits(0, 2.0, 2.0)]


def test_request_is_left_out_where_it_would_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = {VARIABLE: "2", "A": "1"}
    monkeypatch.setattr(realtime, "is_permitted", lambda _priority: False)
    assert realtime.environment(Limits(2), wanted) == {"A": "1"}
    monkeypatch.setattr(realtime, "is_permitted", lambda _priority: True)
    assert realtime.environment(Limits(2), wanted) == wanted
    assert realtime.environment(Limits(), wanted) == {"A": "1"}  # the unit allows none


def test_checking_permission_changes_nothing() -> None:
    realtime.is_permitted.cache_clear()
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    realtime.is_permitted(2)
    assert (os.sched_getscheduler(0), os.sched_getparam(0)) == before


def test_process_gets_its_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(realtime, "is_permitted", lambda _priority: True)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        realtime.apply(process.pid, Limits(2, 1.0, 1.5))
        assert resource.prlimit(process.pid, resource.RLIMIT_RTTIME) == (1_000_000, 1_500_000)
        process.kill()
        process.wait(5)
        realtime.apply(process.pid, Limits(2, 1.0, 1.5))  # it has ended: nothing to guard
