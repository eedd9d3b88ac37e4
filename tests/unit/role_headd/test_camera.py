"""The head's camera from the role's side: its process runs while it is on, is started again when
it ends or hangs, and what it says is checked. The programs here stand for that process.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from saint_services.lib.generated.std_msgs import Bool
from saint_services.lib.generated.topics import HEAD_CAMERA_CMD
from saint_services.lib.role import side_process
from saint_services.lib.role_config.model import Camera
from saint_services.role_headd.camera_process import CameraProcess
from saint_services.role_headd.camera_wire import CameraOrder, CameraReport
from tests.unit.role.role_rig import Rig, load_role

SETTINGS = Camera(enabled=True, resolution=(160, 120), framerate=30)
ORDER = CameraOrder(hardware="real", node_name="eye", settings=SETTINGS)
_SEEN = 'import os,sys,time\nprint(\'{"has_pictures":true,"pictures":1,"damaged":2}\',flush=True)\n'
PROGRAMS = {
    "works": _SEEN + "sys.stdin.read()",
    "misses": 'import sys\nprint(\'{"problem":"no camera"}\',flush=True)\nsys.stdin.read()',
    "ends": _SEEN + "sys.exit(3)",
    "crashes": _SEEN + "os.abort()",
    "hangs": _SEEN + "os.close(1)\nwhile True: time.sleep(9)",
    "sleeps": "import sys\nsys.stdin.read()",
    "talks": "import sys\nwhile True: sys.stdout.write('x' * 65536)",
    "lies": 'print(\'{"pictures": "many"}\', flush=True)',
}


def program(name: str) -> tuple[str, ...]:
    return (sys.executable, "-Sc", PROGRAMS[name])


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    play(monkeypatch, "works")
    rig = Rig(tmp_path, "head", load_role("head", camera=SETTINGS))
    yield rig
    rig.close()


def play(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let the camera's process be this program."""
    defaults = (program(name), side_process.SILENCE_S)
    monkeypatch.setattr(CameraProcess.__init__, "__defaults__", defaults)


def until(rig: Rig, condition: Callable[[], object]) -> None:
    """Wait for the camera's thread, which runs in real time."""
    deadline_s = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < deadline_s
        rig.clock.from_threads.get(timeout=20.0)()


def switch(rig: Rig, is_on: bool) -> None:
    rig.send(HEAD_CAMERA_CMD, Bool(is_on))


def active(rig: Rig) -> bool:
    rig.clock.advance(0.06)
    found: bool = rig.bus.sent["/saint/head/state"][-1].camera_active
    return found


def run(rig: Rig) -> CameraProcess:
    found = rig.session._camera._run  # type: ignore[attr-defined]
    assert isinstance(found, CameraProcess)
    return found


def test_camera_is_off_until_it_is_switched_on(rig: Rig) -> None:
    assert not active(rig)
    assert rig.session._camera._run is None  # type: ignore[attr-defined]


def test_camera_that_is_on_is_active_once_pictures_come(rig: Rig) -> None:
    switch(rig, True)
    until(rig, lambda: active(rig))
    assert rig.counters["camera_damaged"] == 2


def test_switching_off_ends_the_process(rig: Rig) -> None:
    switch(rig, True)
    until(rig, lambda: active(rig))
    ending = run(rig)
    switch(rig, False)
    assert not active(rig)
    assert ending.join()


def test_switching_on_twice_starts_one_process(rig: Rig) -> None:
    switch(rig, True)
    first = run(rig)
    switch(rig, True)
    assert run(rig) is first


def test_problem_degrades_the_head_and_it_goes_on(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(monkeypatch, "misses")
    switch(rig, True)
    until(rig, lambda: rig.session.report().reason)
    report = rig.session.report()
    assert report.reason == "no camera"
    assert report.ready
    assert not active(rig)
    switch(rig, False)
    assert rig.session.report().reason == ""


def test_end_of_the_assignment_ends_the_process(rig: Rig) -> None:
    switch(rig, True)
    until(rig, lambda: active(rig))
    ending = run(rig)
    rig.session.close()
    assert ending.join()


def test_head_without_a_camera_counts_the_command(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "head", load_role("head", camera=Camera(enabled=False)))
    switch(rig, True)
    assert rig.counters["camera_refused"] == 1
    rig.close()


class Reports:
    """What one process of the camera reports."""

    def __init__(self, name: str, silence_s: float = 20.0) -> None:
        self.all: list[CameraReport] = []
        self._came = threading.Condition()
        self.process = CameraProcess(ORDER, self._take, program(name), silence_s)

    def _take(self, report: CameraReport) -> None:
        with self._came:
            self.all.append(report)
            self._came.notify()

    def until(self, is_there: Callable[[list[CameraReport]], object]) -> None:
        with self._came:
            assert self._came.wait_for(lambda: is_there(self.all), 20.0), self.all


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("ends", "ended (exit code 3)"),
        ("crashes", "ended (SIGABRT)"),
        ("talks", "sent no report"),
        ("lies", "failed (ValidationError)"),
    ],
)
def test_process_that_ends_or_talks_nonsense_is_reported_and_started_again(
    name: str, says: str
) -> None:
    reports = Reports(name)
    reports.until(lambda all: sum(says in each.problem for each in all) >= 2)
    reports.process.close()
    assert reports.process.join()


def test_process_that_hangs_is_ended_by_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_process, "_END_S", 0.2)
    reports = Reports("hangs")
    reports.until(lambda all: any("stopped reporting" in each.problem for each in all))
    reports.process.close()
    monkeypatch.undo()
    assert reports.process.join()


def test_process_that_is_silent_is_started_again() -> None:
    reports = Reports("sleeps", silence_s=0.1)
    reports.until(lambda all: sum("was silent for 0.1 s" in each.problem for each in all) >= 2)
    reports.process.close()
    assert reports.process.join()


def test_program_that_is_missing_is_reported() -> None:
    all_reports: list[str] = []
    came = threading.Event()

    def take(report: CameraReport) -> None:
        all_reports.append(report.problem)
        came.set()

    process = CameraProcess(ORDER, take, ("/nowhere/python",))
    assert came.wait(20.0)
    assert all_reports[0] == "the camera's process does not start (No such file or directory)"
    process.close()
    assert process.join()


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_descriptors_are_given_back() -> None:
    before = descriptors()
    for _ in range(3):
        reports = Reports("works")
        reports.until(lambda all: all)
        reports.process.close()
        assert reports.process.join()
    assert descriptors() <= before + 1
