"""The guard at work: a real socket, real processes, simulated pins."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.guardd import logic
from saint_services.guardd.config import Config
from saint_services.guardd.rescue import main as hand
from saint_services.lib.guard import wire
from saint_services.lib.guard.beat import Beat, new_memory
from saint_services.lib.guard.will import Will, WillFiles, Write, WriteKind
from saint_services.lib.records import Records
from tests.guard_rig import guarding
from tests.waiting import block_until

PINS, MOTOR, ENABLE = 28, 12, 24


class Bench:
    """Simulated pins, a guard, and a role process that is played by the test."""

    def __init__(self, root: Path) -> None:
        self.runtime = root / "run"
        self.pins = Records(root / "pins", PINS)
        self.will = Will("role-x", "x", (Write(WriteKind.RECORD, str(root / "pins"), MOTOR),))
        self.lines = wire.MessageSplitter()
        self._open: list[socket.socket] = []

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(5.0)
        connection.connect(str(self.runtime / wire.SOCKET))
        self._open.append(connection)
        return connection

    def guard(self, will: Will | None = None) -> tuple[socket.socket, Beat]:
        """Leave a will; returns the connection and the role's side of the memory."""
        connection, memory = self.connect(), new_memory()
        beat = Beat(memory)
        body = (will or self.will).as_json()
        wire.send(connection, {"do": "guard", "will": body}, [memory])
        os.close(memory)
        assert self.answer(connection) == {"event": "guarded"}
        return connection, beat

    def answer(self, connection: socket.socket) -> dict[str, object]:
        while True:
            if found := self.lines.fed(connection.recv(4096)):
                return found[0]

    def drive(self, connection: socket.socket, beat: Beat) -> None:
        """Begin to move an output."""
        beat.beat(time.monotonic_ns(), True)
        self.pins.write(MOTOR, 0.7)
        wire.send(connection, {"do": "move"})

    @property
    def duty(self) -> float:
        return self.pins.read(MOTOR).value

    def close(self) -> None:
        for connection in self._open:
            connection.close()
        self.pins.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    found = Bench(tmp_path)
    with guarding(found.runtime):
        yield found
        found.close()


def test_end_of_the_connection_carries_the_will_out(bench: Bench) -> None:
    connection, beat = bench.guard()
    bench.drive(connection, beat)
    connection.close()
    block_until(lambda: bench.duty == 0.0)


def test_missing_beat_of_a_moving_role_carries_the_will_out(bench: Bench) -> None:
    connection, beat = bench.guard()
    bench.drive(connection, beat)
    block_until(lambda: bench.duty == 0.0)
    block_until(lambda: beat.trips > 0)


def test_output_that_a_tripped_role_sets_again_is_reset_at_the_next_look(bench: Bench) -> None:
    connection, beat = bench.guard()
    bench.drive(connection, beat)
    block_until(lambda: bench.duty == 0.0)
    bench.pins.write(MOTOR, 0.5)  # a write that was on its way when the process froze
    block_until(lambda: bench.duty == 0.0)


def test_beating_role_keeps_its_outputs(bench: Bench) -> None:
    connection, beat = bench.guard()
    bench.drive(connection, beat)

    def beats_for(seconds: float) -> bool:
        beat.beat(time.monotonic_ns(), True)
        return time.monotonic() - began_s > seconds

    began_s = time.monotonic()
    block_until(lambda: beats_for(0.5))
    assert (bench.duty, beat.trips) == (0.7, 0)


def test_role_that_leaves_at_rest_keeps_its_last_output(bench: Bench) -> None:
    connection, beat = bench.guard()
    bench.pins.write(MOTOR, 0.3)  # a position: nothing of a will
    beat.beat(time.monotonic_ns(), False)
    wire.send(connection, {"do": "leave"})
    assert bench.answer(connection) == {"event": "left"}
    connection.close()
    assert bench.duty == 0.3


def test_role_that_leaves_while_it_moves_is_stopped(bench: Bench) -> None:
    connection, beat = bench.guard()
    bench.drive(connection, beat)
    wire.send(connection, {"do": "leave"})
    bench.answer(connection)
    assert bench.duty == 0.0


def test_will_that_cannot_be_carried_out_outlives_the_role_that_leaves(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "pwm").symlink_to("/dev/full")  # it opens, and refuses what is written
    refused = Write(WriteKind.FILE, str(tmp_path / "pwm"), 0, b"0")
    connection, beat = bench.guard(Will("role-x", "x", (refused,)))
    bench.drive(connection, beat)
    block_until(lambda: beat.trips > 0)  # it stood still
    beat.beat(time.monotonic_ns(), False)
    wire.send(connection, {"do": "leave"})
    assert bench.answer(connection) == {"event": "left"}
    node = bench.connect()
    wire.send(node, {"do": "make_safe", "target": "x", "id": 1})
    assert "No space left" in str(bench.answer(node)["failed"])


def test_killed_process_is_noticed_although_its_connection_is_held_open(bench: Bench) -> None:
    """Another process may hold the descriptor; the process of the role counts."""
    code = (
        "import sys,socket,os,time\n"
        f"sys.path.insert(0, {str(Path(__file__).parents[3])!r})\n"
        "from tests.unit.guardd.test_daemon import Bench\n"
        "from pathlib import Path\n"
        f"bench = Bench(Path({str(bench.runtime.parent)!r}))\n"
        "connection, beat = bench.guard()\n"
        "bench.drive(connection, beat)\n"
        "if os.fork() == 0:\n"
        "    time.sleep(60)\n"
        "print('driving', flush=True)\n"
        "while True: beat.beat(time.monotonic_ns(), True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == b"driving\n"
        assert bench.duty == 0.7
        process.kill()
        block_until(lambda: bench.duty == 0.0)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(5.0)
        if process.stdout:
            process.stdout.close()


def test_stop_takes_the_outputs_of_a_role_that_does_not_obey_it(bench: Bench) -> None:
    connection, beat = bench.guard()
    node = bench.connect()
    wire.send(node, {"do": "watch"})
    bench.drive(connection, beat)
    wire.send(node, {"do": "stop", "active": True})

    def is_stopped() -> bool:
        beat.beat(time.monotonic_ns(), True)  # it lives, and drives on
        return bench.duty == 0.0

    block_until(is_stopped)
    report = bench.answer(node)
    assert report["target"] == "x"
    assert report["why"] == "it still moved 60 ms after the e-stop"


def test_node_has_outputs_made_safe_whatever_the_role_does(bench: Bench) -> None:
    connection, beat = bench.guard()
    bench.drive(connection, beat)
    node = bench.connect()
    wire.send(node, {"do": "make_safe", "target": "x", "id": 7})
    assert bench.answer(node) == {"event": "made_safe", "id": 7, "failed": ""}
    assert bench.duty == 0.0
    assert beat.trips


def test_second_process_of_a_name_ends_the_first_ones_outputs(bench: Bench) -> None:
    first, beat = bench.guard()
    bench.drive(first, beat)
    _, second_beat = bench.guard()
    assert bench.duty == 0.0
    assert (beat.trips, second_beat.trips) == (1, 0)
    first.close()
    second_beat.beat(time.monotonic_ns(), False)
    block_until(lambda: second_beat.guard_ns)
    assert second_beat.trips == 0


@pytest.mark.parametrize(
    "message",
    [
        b"no json\n",
        b"[]\n",
        b'{"do": "dance"}\n',
        b'{"do": "guard"}\n',
        b'{"do": "guard", "will": {"name": "../x", "target": "x", "writes": []}}\n',
        b'{"do": "guard", "will": {"name": "x", "target": "x", "writes": [["file"]]}}\n',
        b"x" * 70_000,
    ],
)
def test_nonsense_ends_its_own_connection_alone(bench: Bench, message: bytes) -> None:
    connection, beat = bench.guard()
    beat.beat(time.monotonic_ns(), False)
    other = bench.connect()
    other.sendall(message)
    assert other.recv(100) == b""
    wire.send(connection, {"do": "leave"})
    assert bench.answer(connection) == {"event": "left"}


def test_memory_that_could_be_shortened_is_refused(bench: Bench, tmp_path: Path) -> None:
    connection = bench.connect()
    with (tmp_path / "memory").open("w+b") as file:
        file.truncate(4096)
        will = bench.will.as_json()
        wire.send(connection, {"do": "guard", "will": will}, [file.fileno()])
        assert connection.recv(100) == b""


def test_new_guard_carries_out_what_an_old_one_left(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    WillFiles(str(bench.runtime / "wills")).store(bench.will)
    bench.pins.write(MOTOR, 1.0)
    with guarding(bench.runtime):
        block_until(lambda: bench.duty == 0.0)
    bench.close()


def test_hand_carries_out_the_will_of_one_unit_or_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path)
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(bench.runtime))
    assert hand([]) == 0  # nothing was ever moved
    WillFiles(str(bench.runtime / "wills")).store(bench.will)
    bench.pins.write(MOTOR, 1.0)
    assert hand(["saint-role-other"]) == 0
    assert bench.duty == 1.0
    assert hand(["saint-role-x"]) == 0
    assert bench.duty == 0.0
    bench.pins.write(MOTOR, 1.0)
    assert hand([]) == 0
    assert bench.duty == 0.0
    bench.close()


def test_hand_says_what_it_could_not_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    will = Will("role-x", "x", (Write(WriteKind.FILE, str(tmp_path / "gone"), 0, b"0"),))
    WillFiles(str(tmp_path / "wills")).store(will)
    assert hand(["saint-role-x"]) == 1
    assert "could not be made safe" in capsys.readouterr().err


def test_damaged_will_does_not_keep_the_others_from_being_carried_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path)
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(bench.runtime))
    WillFiles(str(bench.runtime / "wills")).store(bench.will)
    (bench.runtime / "wills" / "role-a.will").write_bytes(b'{"name": "role-a", "wr')
    bench.pins.write(MOTOR, 1.0)
    hand([])
    assert bench.duty == 0.0
    bench.close()


def test_enable_line_toggles_while_a_role_is_well_and_rests_low_after(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    config = Config(Write(WriteKind.RECORD, str(tmp_path / "pins"), ENABLE))
    with guarding(bench.runtime, config):
        connection, beat = bench.guard()
        beat.beat(time.monotonic_ns(), False)
        block_until(lambda: bench.pins.read(ENABLE).writes >= 20)
        node = bench.connect()
        wire.send(node, {"do": "stop", "active": True})
        wire.send(node, {"do": "make_safe", "target": "y", "id": 1})
        bench.answer(node)
        block_until(lambda: bench.pins.read(ENABLE).value == 0.0)
        writes = bench.pins.read(ENABLE).writes
        wire.send(node, {"do": "make_safe", "target": "y", "id": 2})
        bench.answer(node)
        assert bench.pins.read(ENABLE).writes <= writes + 1
        connection.close()
    bench.close()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", None),
        ("/dev/gpiochip0:24", Write(WriteKind.LINE, "/dev/gpiochip0", 24)),
        ("sim:/run/saint/hw/pins:24", Write(WriteKind.RECORD, "/run/saint/hw/pins", 24)),
    ],
)
def test_enable_line_is_read_from_the_environment(text: str, wanted: Write | None) -> None:
    assert Config.of({"SAINT_ENABLE_LINE": text}).enable_line == wanted


@pytest.mark.parametrize(
    "text", ["-1", "28", "sim:24", "gpiochip0:24", "/dev/gpiochip0:99", "/dev/x:", ":24"]
)
def test_wrong_enable_line_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="SAINT_ENABLE_LINE"):
        Config.of({"SAINT_ENABLE_LINE": text})


def test_pin_that_refuses_its_will_restarts_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logic, "REFUSAL_NS", 50_000_000)
    requests = tmp_path / "reboot"
    requests.mkdir()
    monkeypatch.setenv("SAINT_REBOOT_DIR", str(requests))
    bench = Bench(tmp_path)
    with guarding(bench.runtime):
        (tmp_path / "pwm").symlink_to("/dev/full")  # it opens, and refuses what is written
        refused = Write(WriteKind.FILE, str(tmp_path / "pwm"), 0, b"0")
        connection, beat = bench.guard(Will("role-x", "x", (refused,)))
        bench.drive(connection, beat)
        block_until(lambda: (requests / "request").exists())
        assert "could not be made safe" in (requests / "request").read_text()
        connection.close()
    bench.close()
