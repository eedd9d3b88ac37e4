"""The parts of the guard: the outputs of a role, the enable line, locked memory, settings, the
rescue.
"""

import ctypes
import os
import runpy
import select
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from saint_services.guardd import adapters
from saint_services.guardd.adapters import EnableLine, RoleOutputs, lock_memory
from saint_services.guardd.config import Config
from saint_services.guardd.logic import Reading
from saint_services.guardd.rescue import main as hand
from saint_services.lib.guard import ports
from saint_services.lib.guard.beat import Beat, new_memory
from saint_services.lib.guard.will import Will, WillFiles, Write, WriteKind
from saint_services.lib.records import Records


def descriptors() -> int:
    """Count the descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
def peer() -> socket.socket:
    ours, theirs = socket.socketpair()
    theirs.close()
    return ours


def lines(count: int) -> Will:
    files = (Write(WriteKind.FILE, "/none"),)
    return Will("x", "x", files + tuple(Write(WriteKind.LINE, "/none", n) for n in range(count)))


@pytest.mark.parametrize("count", [0, 2])
def test_role_holds_its_memory_its_lines_and_its_process(peer: socket.socket, count: int) -> None:
    before = descriptors()
    memory = new_memory()
    handed = [os.open(os.devnull, os.O_RDWR) for _ in range(count)]
    side = Beat(memory)
    role = RoleOutputs(lines(count), [memory, *handed], peer)
    assert role.will == lines(count)
    side.beat(5, True)
    assert role.reading() == Reading(5, True)
    side.beat(6, False)
    assert role.reading() == Reading(6, False)
    side.close()
    # The mapping, one for each line, the process; not the memory's descriptor itself.
    assert descriptors() == before + 2 + count
    role.close()
    role.close()
    assert (descriptors(), role.process) == (before, None)
    peer.close()


@pytest.mark.parametrize("given", [0, 1, 3])
def test_role_with_another_number_of_descriptors_is_refused_and_leaks_none(
    peer: socket.socket, given: int
) -> None:
    before = descriptors()
    memory = [new_memory() for _ in range(given)]
    with pytest.raises(ValueError, match=f"x sent {given} descriptors, not 2"):
        RoleOutputs(lines(1), memory, peer)
    assert descriptors() == before
    peer.close()


def test_role_whose_memory_could_be_cut_is_refused(peer: socket.socket) -> None:
    before = descriptors()
    memory = os.memfd_create("x", os.MFD_ALLOW_SEALING)
    os.ftruncate(memory, 4096)
    with pytest.raises(ValueError, match="descriptors"):
        RoleOutputs(lines(0), [memory], peer)
    assert descriptors() == before
    peer.close()


def test_process_of_a_role_is_that_of_its_peer(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        code = f"import socket; s=socket.socket(1); s.connect({str(tmp_path / 's')!r}); input()"
        process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
        connection, _ = listener.accept()
        role = RoleOutputs(lines(0), [new_memory()], connection)
        assert role.process is not None
        assert select.select([role.process], [], [], 0.0)[0] == []
        process.communicate(b"\n", timeout=10.0)
        assert select.select([role.process], [], [], 5.0)[0]
        role.close()
        connection.close()


def test_process_that_has_gone_already_has_no_descriptor(
    peer: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> int:
        raise ProcessLookupError(3, "no such process")

    monkeypatch.setattr(os, "pidfd_open", gone)
    role = RoleOutputs(lines(0), [new_memory()], peer)
    assert role.process is None
    role.close()
    peer.close()


@pytest.mark.parametrize(("module", "name"), [(socket, "SO_PEERCRED"), (os, "pidfd_open")])
def test_computer_that_knows_no_process_descriptors_goes_by_the_connection(
    peer: socket.socket, monkeypatch: pytest.MonkeyPatch, module: object, name: str
) -> None:
    monkeypatch.delattr(module, name)
    role = RoleOutputs(lines(0), [new_memory()], peer)
    assert role.process is None
    role.close()
    peer.close()


def test_enable_line_toggles_and_rests_low(tmp_path: Path) -> None:
    pins = Records(tmp_path / "pins", 25)
    line = EnableLine(Write(WriteKind.RECORD, str(tmp_path / "pins"), 24))
    found = []
    for may_enable in (False, True, True, True, False, False, True, False):
        line.step(may_enable=may_enable)
        found.append((pins.read(24).value, pins.read(24).writes))
    assert found == [
        (0.0, 0), (1.0, 1), (0.0, 2), (1.0, 3), (0.0, 4), (0.0, 4), (1.0, 5), (0.0, 6)
    ]  # fmt: skip
    pins.close()


def test_enable_line_that_is_high_and_not_there_yet_is_made_in_the_pins(tmp_path: Path) -> None:
    EnableLine(Write(WriteKind.RECORD, str(tmp_path / "pins"), 24)).step(may_enable=True)
    assert (tmp_path / "pins").stat().st_size == 25 * 16 * 8


def test_enable_line_of_a_chip_is_requested_low(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[object, ...]] = []

    def request(*given: object) -> int:
        calls.append(given)
        return 77

    monkeypatch.setattr(ports, "request_line", request)
    monkeypatch.setattr(ports, "set_line", lambda *given: calls.append(given))
    line = EnableLine(Write(WriteKind.LINE, "/dev/gpiochip0", 24))
    for _ in range(2):
        line.step(may_enable=True)
    line.step(may_enable=False)
    assert calls == [("/dev/gpiochip0", 24, False), (77, True), (77, False)]


@pytest.mark.parametrize(("result", "is_locked"), [(0, True), (-1, False)])
def test_memory_of_now_and_later_is_locked(
    monkeypatch: pytest.MonkeyPatch, result: int, is_locked: bool
) -> None:
    flags: list[int] = []
    opened: list[object] = []

    class Library:
        def __init__(self, name: object, *, use_errno: bool) -> None:
            opened.append((name, use_errno))

        def mlockall(self, wanted: int) -> int:
            flags.append(wanted)
            return result

    monkeypatch.setattr(ctypes, "CDLL", Library)
    assert lock_memory() is is_locked
    assert (flags, opened) == ([3], [(None, True)])  # MCL_CURRENT | MCL_FUTURE
    monkeypatch.setattr(adapters.sys, "platform", "darwin")
    assert not lock_memory()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", None),
        ("/dev/gpiochip0:0", Write(WriteKind.LINE, "/dev/gpiochip0", 0)),
        ("/dev/gpiochip0:27", Write(WriteKind.LINE, "/dev/gpiochip0", 27)),
        ("sim:/run/pins:7", Write(WriteKind.RECORD, "/run/pins", 7)),
    ],
)
def test_enable_line_of_the_settings(text: str, wanted: Write | None) -> None:
    assert Config.of({"SAINT_ENABLE_LINE": text}).enable_line == wanted
    assert Config.of({}).enable_line is None


@pytest.mark.parametrize("text", ["/dev/gpiochip0:28", "/dev/gpiochip0:", "sim:24", "x:1"])
def test_enable_line_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="SAINT_ENABLE_LINE"):
        Config.of({"SAINT_ENABLE_LINE": text})


def test_hand_carries_out_each_named_will_and_says_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", f"{tmp_path}:/elsewhere")
    files = WillFiles(str(tmp_path / "wills"))
    pins = Records(tmp_path / "pins", 4)
    for pin, name in enumerate(("role-a", "role-b", "role-c")):
        files.store(Will(name, name, (Write(WriteKind.RECORD, str(tmp_path / "pins"), pin),)))
        pins.write(pin, 1.0)
    assert hand(["saint-role-a", "role-c", "saint-role-none"]) == 0
    assert [pins.read(pin).value for pin in range(3)] == [0.0, 1.0, 0.0]
    gone = str(tmp_path / "gone")
    files.store(Will("role-b0", "b", (Write(WriteKind.FILE, gone), Write(WriteKind.FILE, gone))))
    assert hand([]) == 1
    assert [pins.read(pin).value for pin in range(3)] == [0.0, 0.0, 0.0]
    line = f"The outputs could not be made safe: {gone}: No such file or directory\n"
    assert capsys.readouterr().err == 2 * line
    pins.close()


@pytest.mark.filterwarnings("ignore:.*found in sys.modules")
@pytest.mark.parametrize(("unit", "code", "duty"), [("role-x", 0, 1.0), ("role-a", 0, 0.0)])
def test_hand_is_a_program_that_takes_units(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: str, code: int, duty: float
) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["hand", f"saint-{unit}"])
    pins = Records(tmp_path / "pins", 1)
    pins.write(0, 1.0)
    will = Will("role-a", "a", (Write(WriteKind.RECORD, str(tmp_path / "pins")),))
    WillFiles(str(tmp_path / "wills")).store(will)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("saint_services.guardd.rescue", run_name="__main__")
    assert (ended.value.code, pins.read(0).value) == (code, duty)
    pins.close()
