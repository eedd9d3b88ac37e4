"""The guard turn by turn: its clock stands still between them, so that nothing depends on how busy
the machine is. Numbers are typed by hand. Not here: real processes and threads (test_daemon.py).
"""

import contextlib
import errno
import os
import selectors
import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from saint_services.guardd import daemon
from saint_services.guardd.config import Config
from saint_services.guardd.daemon import GuardService
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.guard import wire
from saint_services.lib.guard.beat import Beat, new_memory
from saint_services.lib.guard.will import Will, WillFiles, Write, WriteKind
from saint_services.lib.machine.service_manager import bind
from saint_services.lib.records import Records

MOTOR, ENABLE = 12, 24
MS = 1_000_000
needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts handles")


class Clock:
    """A clock that the test sets; it begins one second after the start of the machine."""

    def __init__(self) -> None:
        self.now_ns = 1000 * MS


class Role:
    """A role process, played by the test."""

    def __init__(self, bench: "Bench", name: str, *writes: Write) -> None:
        self.bench = bench
        self.will = Will(f"role-{name}", name, writes or (bench.motor,))
        self.connection = bench.connect()
        memory = new_memory()
        self.beat = Beat(memory)
        self.send({"do": "guard", "will": self.will.as_json()}, memory)
        os.close(memory)

    def send(self, message: dict[str, object], *descriptors: int) -> None:
        wire.send(self.connection, message, descriptors)
        self.bench.turn()

    def moves(self) -> None:
        self.beat.beat(self.bench.clock.now_ns, True)

    def answers(self) -> list[dict[str, object]]:
        return answers(self.connection)

    @property
    def file(self) -> Path:
        return self.bench.wills / f"{self.will.name}.will"


def answers(connection: socket.socket) -> list[dict[str, object]]:
    """Return the messages that arrived."""
    try:
        return wire.MessageSplitter().fed(connection.recv(65_536))
    except BlockingIOError:
        return []


def handles() -> int:
    """Count the handles of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(65_536) == b""
    except BlockingIOError:
        return False


@contextlib.contextmanager
def forbids(monkeypatch: pytest.MonkeyPatch, path: str, number: int) -> Iterator[None]:
    """Have the system refuse to open this path."""
    real = os.open

    def opened(name: Any, *arguments: Any, **more: Any) -> int:
        if name == path:
            raise OSError(number, os.strerror(number))
        return real(name, *arguments, **more)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", opened)
        yield


class Bench:
    """A guard that runs one turn at a time."""

    def __init__(self, root: Path, config: Config | None = None) -> None:
        self.clock = Clock()
        self.root = root
        self.wills = root / "wills"
        self.pins = Records(root / "pins", 28)
        self.motor = Write(WriteKind.RECORD, str(root / "pins"), MOTOR)
        self.pwm = root / "pwm"
        self.pwm.symlink_to("/dev/full")  # it opens, and refuses what is written
        self.refusing = Write(WriteKind.FILE, str(self.pwm), 0, b"0")
        self.notified: list[dict[str, Any]] = []
        self.reboots: list[str] = []
        self.logged: list[tuple[str, dict[str, Any]]] = []
        self.listener = bind(root, "guardd")
        self.guard = GuardService(self.listener, WillFiles(str(self.wills)), config or Config())
        self._open: list[socket.socket] = [self.listener]

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(str(self.root / wire.SOCKET))
        connection.setblocking(False)
        self._open.append(connection)
        self.turn()
        return connection

    def node(self) -> socket.socket:
        connection = self.connect()
        wire.send(connection, {"do": "watch"})
        self.turn()
        return connection

    def turn(self) -> None:
        """Handle what has arrived; no time passes."""
        while found := self.guard._selector.select(0):
            for key, _ in found:
                key.data()

    def look(self, later_ms: float = 0.0) -> float:
        """Look after this time; returns after how many milliseconds the guard looks again."""
        self.clock.now_ns += round(later_ms * MS)
        return (self.guard._look() - self.clock.now_ns) / MS

    @property
    def duty(self) -> float:
        return self.pins.read(MOTOR).value

    def close(self) -> None:
        for each in self._open:
            each.close()
        self.pins.close()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    found = Bench(tmp_path)
    around(found, monkeypatch)
    yield found
    found.guard._close()
    found.close()


def around(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def note(text: str, **fields: Any) -> None:
        bench.logged.append((text, fields))

    monkeypatch.setattr(daemon, "monotonic_ns", lambda: bench.clock.now_ns)
    monkeypatch.setattr(
        daemon.service_manager, "notify", lambda **fields: bench.notified.append(fields)
    )
    monkeypatch.setattr(daemon, "request_reboot", bench.reboots.append)
    monkeypatch.setattr(daemon, "_log", SimpleNamespace(warning=note, error=note))


def driving(bench: Bench, name: str = "x", *writes: Write) -> Role:
    role = Role(bench, name, *writes)
    assert role.answers() == [{"event": "guarded"}]
    role.moves()
    bench.pins.write(MOTOR, 0.7)
    return role


class TestLook:
    def test_beating_role_keeps_its_outputs(self, bench: Bench) -> None:
        role = driving(bench)
        bench.look(150)
        assert (bench.duty, role.beat.trips) == (0.7, 0)
        assert role.beat.guard_ns == 1150 * MS

    def test_silent_role_is_tripped_after_150_ms(self, bench: Bench) -> None:
        node, role = bench.node(), driving(bench)
        bench.look(150.001)
        assert (bench.duty, role.beat.trips) == (0.0, 1)
        why = "its process stood still for 150 ms"
        assert answers(node) == [{"event": "carried_out", "target": "x", "why": why, "failed": ""}]
        assert bench.logged == [("will carried out", {"role": "role-x", "why": why, "failed": ""})]

    def test_tripped_role_is_tripped_at_every_look_and_reported_once(self, bench: Bench) -> None:
        node, role = bench.node(), driving(bench)
        bench.look(151)
        answers(node)
        bench.pins.write(MOTOR, 0.5)
        role.moves()
        bench.look(1)
        assert (bench.duty, role.beat.trips, answers(node)) == (0.0, 2, [])

    def test_new_failure_of_a_tripped_role_is_reported(self, bench: Bench) -> None:
        node, role = bench.node(), driving(bench, "x", bench.motor, bench.refusing)
        bench.look(151)
        (report,) = answers(node)
        assert "pwm" in str(report["failed"])
        bench.look(1)
        assert answers(node) == []
        bench.pwm.unlink()
        bench.pwm.write_text("1")
        bench.look(1)
        (report,) = answers(node)
        assert report["failed"] == "" and role.beat.trips == 3

    def test_only_the_node_is_notified(self, bench: Bench) -> None:
        other = bench.connect()
        role = driving(bench)
        bench.look(151)
        assert (answers(other), role.answers()) == ([], [])

    def test_next_look_is_sooner_while_something_moves(self, bench: Bench) -> None:
        assert bench.look() == 50.0
        role = driving(bench)
        assert bench.look() == 20.0
        role.beat.beat(bench.clock.now_ns, False)
        assert bench.look() == 50.0

    def test_service_manager_is_notified_at_every_look(self, bench: Bench) -> None:
        bench.look()
        bench.look()
        assert bench.notified == [{"WATCHDOG": 1}] * 2

    def test_move_makes_it_look_at_once(self, bench: Bench) -> None:
        role = driving(bench)
        bench.clock.now_ns += 100 * MS
        role.send({"do": "move"})
        assert role.beat.guard_ns == 1100 * MS

    def test_pin_that_refuses_for_two_seconds_restarts_the_machine_once(self, bench: Bench) -> None:
        driving(bench, "x", bench.refusing)
        bench.look(151)
        bench.look(2000)
        assert bench.reboots == []
        bench.look(0.001)
        assert bench.reboots == ["outputs could not be made safe"]
        assert bench.logged[-1] == (
            "pins refuse their safe state: this machine has to restart",
            {},
        )
        bench.look(1)
        assert len(bench.reboots) == 1


class TestRefusal:
    """A role whose outputs the guard cannot reach is not guarded."""

    def role(self, bench: Bench, *writes: Write) -> Role:
        return Role(bench, "x", bench.motor, *writes)

    @needs_proc
    def test_device_that_the_guard_may_not_open_refuses_the_will(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        forbidden = Write(WriteKind.SERIAL, "/dev/ttyACM0", 115_200, b"stop")
        with forbids(monkeypatch, "/dev/ttyACM0", errno.EPERM):
            before = handles()
            role = self.role(bench, forbidden)
            why = "/dev/ttyACM0: Operation not permitted"
            assert role.answers() == [{"event": "refused", "why": why}]
        # The two ends of the connection, and the role's own mapping.
        assert handles() == before + 3
        assert not role.file.exists()
        assert bench.logged == [("will refused", {"role": "role-x", "why": why})]
        role.moves()
        bench.pins.write(MOTOR, 0.7)
        bench.look(1000)
        assert bench.duty == 0.7  # nobody guards it

    def test_pin_of_this_machine_that_is_not_there_refuses_the_will(self, bench: Bench) -> None:
        gone = Write(WriteKind.FILE, str(bench.root / "duty"), 0, b"0")
        (answer,) = self.role(bench, gone).answers()
        assert answer == {
            "event": "refused", "why": f"{bench.root / 'duty'}: No such file or directory"
        }  # fmt: skip

    def test_device_that_is_not_plugged_in_does_not(self, bench: Bench) -> None:
        gone = Write(WriteKind.SERIAL, str(bench.root / "ttyACM0"), 115_200, b"stop")
        assert self.role(bench, gone).answers() == [{"event": "guarded"}]

    def test_device_that_is_plugged_in_later_is_opened_when_an_output_begins_to_move(
        self, bench: Bench
    ) -> None:
        line = bench.root / "ttyACM0"
        role = self.role(bench, Write(WriteKind.SERIAL, str(line), 115_200, b"stop"))
        os.mkfifo(line)
        reader = os.open(line, os.O_RDONLY | os.O_NONBLOCK)
        role.moves()
        role.send({"do": "move"})
        line.unlink()  # so that only an open port reaches it
        bench.look(151)
        assert os.read(reader, 100) == b"stop"
        os.close(reader)

    def test_device_that_is_plugged_in_later_and_forbidden_ends_the_motion(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        node, line = bench.node(), str(bench.root / "ttyACM0")
        role = self.role(bench, Write(WriteKind.SERIAL, line, 115_200, b"stop"))
        with forbids(monkeypatch, line, errno.EPERM):
            role.moves()
            bench.pins.write(MOTOR, 0.7)
            role.send({"do": "move"})
        (report,) = answers(node)
        assert report["why"] == f"the guard cannot reach {line}: Operation not permitted"
        assert (bench.duty, role.beat.trips) == (0.0, 2)  # at once, and at the look that follows


class TestEnableLine:
    @pytest.fixture
    def bench(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
        line = Write(WriteKind.RECORD, str(tmp_path / "pins"), ENABLE)
        found = Bench(tmp_path, Config(line))
        around(found, monkeypatch)
        yield found
        found.guard._close()
        found.close()

    def writes(self, bench: Bench) -> int:
        return bench.pins.read(ENABLE).writes

    def test_it_toggles_every_10_ms_while_a_role_is_well(self, bench: Bench) -> None:
        assert bench.look() == 10.0
        assert self.writes(bench) == 0
        Role(bench, "x")
        for count in (1, 2, 3):
            assert bench.look(10) == 10.0
            assert self.writes(bench) == count

    def test_it_rests_while_a_role_is_tripped(self, bench: Bench) -> None:
        driving(bench)
        bench.look(151)
        assert bench.pins.read(ENABLE).value == 0.0
        before = self.writes(bench)
        bench.look(10)
        assert self.writes(bench) == before


class TestStop:
    @pytest.mark.parametrize("said", [{"active": True}, {}, {"active": 0}, {"active": None}])
    def test_role_that_moves_60_ms_later_is_tripped(
        self, bench: Bench, said: dict[str, object]
    ) -> None:
        node, role = bench.node(), driving(bench)
        bench.clock.now_ns += 10 * MS
        wire.send(node, {"do": "stop", **said})
        bench.turn()
        role.moves()
        bench.look(60)
        assert bench.duty == 0.7
        bench.look(0.001)
        assert bench.duty == 0.0
        (report,) = answers(node)
        assert report["why"] == "it still moved 60 ms after the e-stop"

    def test_stop_that_is_over_trips_nothing(self, bench: Bench) -> None:
        node, role = bench.node(), driving(bench)
        for active in (True, False):
            wire.send(node, {"do": "stop", "active": active})
            bench.turn()
        role.moves()
        bench.look(61)
        assert bench.duty == 0.7

    def test_stop_makes_it_look_at_once(self, bench: Bench) -> None:
        node, role = bench.node(), driving(bench)
        bench.clock.now_ns += 100 * MS
        wire.send(node, {"do": "stop", "active": True})
        bench.turn()
        assert role.beat.guard_ns == 1100 * MS


class TestEndOfARole:
    def test_closed_connection_trips_and_forgets_it(self, bench: Bench) -> None:
        node, role = bench.node(), driving(bench)
        assert role.file.exists()
        role.connection.close()
        bench.turn()
        assert bench.duty == 0.0 and not role.file.exists()
        assert [each["why"] for each in answers(node)] == ["its connection ended"]
        bench.pins.write(MOTOR, 0.5)
        bench.look(1000)
        assert bench.duty == 0.5  # nobody guards it any more

    def test_will_that_could_not_be_carried_out_stays(self, bench: Bench) -> None:
        role = driving(bench, "x", bench.refusing)
        role.connection.close()
        bench.turn()
        assert role.file.exists()

    def test_leaving_at_rest_changes_no_output(self, bench: Bench) -> None:
        role, other = Role(bench, "x"), Role(bench, "y")
        role.answers()
        bench.pins.write(MOTOR, 0.3)
        role.send({"do": "leave"})
        assert role.answers() == [{"event": "left"}]
        assert (bench.duty, role.beat.trips) == (0.3, 0)
        assert not role.file.exists() and other.file.exists()

    def test_leaving_in_motion_stops_its_outputs(self, bench: Bench) -> None:
        node, role = bench.node(), driving(bench)
        role.send({"do": "leave"})
        assert bench.duty == 0.0 and not role.file.exists()
        assert [each["why"] for each in answers(node)] == [
            "it left before its outputs were at rest"
        ]

    def test_process_that_ended_trips_it(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        alive, ended = os.pipe()
        monkeypatch.setattr("saint_services.guardd.adapters._process", lambda _: alive)
        node, role = bench.node(), driving(bench)
        assert bench.duty == 0.7
        os.close(ended)
        bench.turn()
        assert bench.duty == 0.0 and not role.file.exists()
        assert [each["why"] for each in answers(node)] == ["its process ended"]
        role.connection.close()
        bench.turn()  # it is gone already
        assert answers(node) == []

    @pytest.mark.parametrize("is_process_first", [False, True])
    def test_end_of_process_and_connection_in_one_turn_is_one_end(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch, is_process_first: bool
    ) -> None:
        alive, ended = os.pipe()
        monkeypatch.setattr("saint_services.guardd.adapters._process", lambda _: alive)
        node, role = bench.node(), driving(bench)
        for is_process in (is_process_first, not is_process_first):
            if is_process:
                os.close(ended)
            else:
                role.connection.close()
        bench.turn()
        assert bench.duty == 0.0 and not role.file.exists()
        assert len(answers(node)) == role.beat.trips == 1

    def test_next_process_is_guarded_as_the_one_before(self, bench: Bench) -> None:
        watched = len(bench.guard._selector.get_map())
        for _ in range(2):
            role = driving(bench)
            role.connection.close()
            bench.turn()
            assert bench.duty == 0.0
            assert len(bench.guard._selector.get_map()) == watched

    def test_machine_without_process_descriptors_watches_the_connection(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("saint_services.guardd.adapters._process", lambda _: None)
        role = driving(bench)
        role.connection.close()
        bench.turn()
        assert bench.duty == 0.0

    def test_second_process_of_a_name_ends_the_first(self, bench: Bench) -> None:
        node, first = bench.node(), driving(bench)
        second = Role(bench, "x")
        assert [each["why"] for each in answers(node)] == ["another process took its place"]
        assert (bench.duty, first.beat.trips, second.beat.trips) == (0.0, 1, 0)
        first.connection.close()
        bench.turn()
        assert second.file.exists() and second.beat.trips == 0
        assert second.beat.guard_ns == 1000 * MS

    @needs_proc
    def test_its_handles_are_given_back(self, bench: Bench) -> None:
        bench.turn()
        before = handles()
        role = driving(bench)
        role.beat.close()
        role.connection.close()
        bench.turn()
        assert handles() == before


class TestNode:
    def send(self, bench: Bench, node: socket.socket, target: str) -> list[dict[str, object]]:
        wire.send(node, {"do": "make_safe", "target": target, "id": 7})
        bench.turn()
        return answers(node)

    def test_it_has_one_roles_outputs_made_safe(self, bench: Bench) -> None:
        node, role, other = bench.connect(), driving(bench), Role(bench, "y")
        assert self.send(bench, node, "x") == [{"event": "made_safe", "id": 7, "failed": ""}]
        assert (bench.duty, role.beat.trips, other.beat.trips) == (0.0, 1, 0)
        assert role.file.exists()

    def test_reply_names_what_failed(self, bench: Bench) -> None:
        driving(bench, "x", bench.refusing, bench.refusing)
        (answer,) = self.send(bench, bench.connect(), "x")
        assert str(answer["failed"]).count("; ") == 1

    def test_wills_that_were_left_are_carried_out_too(self, bench: Bench) -> None:
        files = WillFiles(str(bench.wills))
        files.store(Will("role-x", "x", (bench.motor,)))
        files.store(Will("role-z", "z", (bench.refusing,)))
        bench.pins.write(MOTOR, 0.7)
        node = bench.connect()
        assert self.send(bench, node, "y") == [{"event": "made_safe", "id": 7, "failed": ""}]
        assert bench.duty == 0.7
        assert self.send(bench, node, "x") == [{"event": "made_safe", "id": 7, "failed": ""}]
        assert bench.duty == 0.0 and not (bench.wills / "role-x.will").exists()
        (answer,) = self.send(bench, node, "z")
        assert "pwm" in str(answer["failed"])
        assert (bench.wills / "role-z.will").exists()
        assert [text for text, _ in bench.logged] == ["left will carried out"] * 2


class TestConnections:
    def test_thirty_two_are_the_most(self, bench: Bench) -> None:
        first = [bench.connect() for _ in range(32)]
        last = bench.connect()
        assert is_closed(last) and not any(map(is_closed, first))
        first[0].close()
        bench.turn()
        assert not is_closed(bench.connect())

    def test_nonsense_ends_it_and_its_role(self, bench: Bench) -> None:
        node, role = bench.node(), driving(bench)
        role.send({"do": "x" * 60})
        assert is_closed(role.connection) and bench.duty == 0.0
        (report,) = answers(node)
        assert report["why"] == f"unknown request '{'x' * 40}'"

    @pytest.mark.parametrize("will", [[], "x", 7, None])
    def test_will_that_is_none_ends_it_alone(self, bench: Bench, will: object) -> None:
        connection, role = bench.connect(), driving(bench)
        wire.send(connection, {"do": "guard", "will": will})
        bench.turn()
        assert is_closed(connection) and not is_closed(role.connection)

    @needs_proc
    def test_descriptors_without_a_will_are_closed_with_it(self, bench: Bench) -> None:
        bench.turn()
        before = handles()
        connection = bench.connect()
        memory = new_memory()
        wire.send(connection, {"do": "watch"}, [memory, memory])
        os.close(memory)
        bench.turn()
        connection.close()
        bench.turn()
        assert handles() == before

    def test_message_in_two_parts_keeps_its_descriptors(self, bench: Bench) -> None:
        connection, memory = bench.connect(), new_memory()
        will = Will("role-x", "x", (bench.motor,))
        whole = wire.encoded({"do": "guard", "will": will.as_json()})
        socket.send_fds(connection, [whole[:10]], [memory])
        bench.turn()
        connection.send(whole[10:])
        bench.turn()
        os.close(memory)
        assert answers(connection) == [{"event": "guarded"}]

    def test_peer_that_does_not_read_loses_its_answers(self, bench: Bench) -> None:
        node = bench.node()
        for _ in range(3000):
            wire.send(node, {"do": "make_safe", "target": "y" * 10, "id": "z" * 1000})
            bench.turn()
        assert len(node.recv(1_000_000)) > 1000


class Selector(selectors.DefaultSelector):
    """Records how long the guard waits, and ends it after some turns."""

    waits_ms: list[float]
    guard: GuardService
    clock: Clock

    def select(self, timeout: float | None = None) -> Any:
        assert timeout is not None
        self.waits_ms.append(round(timeout * 1000, 3))
        self.clock.now_ns += round(timeout * 1e9) if len(self.waits_ms) % 2 else 15 * MS
        if len(self.waits_ms) == 4:
            self.guard.end()
        return super().select(0)


class TestRun:
    def test_it_looks_when_it_is_due_and_waits_meanwhile(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        guard, node = bench.guard, bench.connect()
        selector = guard._selector
        monkeypatch.setattr(
            Selector, "__init__", lambda self: selectors.DefaultSelector.__init__(self)
        )
        noted = Selector()
        noted.waits_ms, noted.guard, noted.clock = [], guard, bench.clock
        for key in selector.get_map().values():
            noted.register(key.fileobj, key.events, key.data)
        selector.close()
        guard._selector = noted
        wire.send(node, {"do": "make_safe", "target": "y", "id": 7})
        guard.run()
        assert wire.MessageSplitter().fed(node.recv(65_536)) == [
            {"event": "made_safe", "id": 7, "failed": ""}
        ]
        # At once; after 50 ms, of which 15 pass; the rest; and so on.
        assert noted.waits_ms == [0.0, 50.0, 35.0, 50.0]
        assert bench.notified == [{"WATCHDOG": 1}] * 2
        monkeypatch.setattr(guard, "_close", lambda: None)

    def test_it_begins_with_what_a_guard_before_it_left(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        WillFiles(str(bench.wills)).store(Will("role-x", "x", (bench.motor,)))
        bench.pins.write(MOTOR, 0.7)
        bench.guard.end()
        bench.guard.run()
        assert bench.duty == 0.0 and not (bench.wills / "role-x.will").exists()
        monkeypatch.setattr(bench.guard, "_close", lambda: None)

    def test_at_its_end_what_moves_is_stopped_and_what_rests_keeps_its_place(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        enable = Write(WriteKind.RECORD, str(bench.root / "pins"), ENABLE)
        node, moving, resting = bench.node(), driving(bench), Role(bench, "y", enable)
        resting.beat.beat(bench.clock.now_ns, False)
        bench.pins.write(ENABLE, 0.3)
        guard = bench.guard
        files, guard._files = guard._files, SimpleNamespace(load=list)  # type: ignore[assignment]
        guard.end()
        guard.run()
        guard._files = files
        assert (bench.duty, bench.pins.read(ENABLE).value) == (0.0, 0.3)
        assert (moving.beat.trips, resting.beat.trips) == (1, 0)
        assert moving.file.exists() and resting.file.exists()
        (report,) = wire.MessageSplitter().fed(node.recv(65_536))
        assert report["why"] == "the guard was stopped"
        assert is_closed(node)
        with pytest.raises((RuntimeError, ValueError)):
            guard._selector.select(0)
        monkeypatch.setattr(guard, "_close", lambda: None)

    @needs_proc
    def test_at_its_end_it_gives_every_handle_back(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = handles()
        role = driving(bench)
        role.beat.close()
        bench.guard.end()
        bench.guard.run()
        role.connection.close()
        assert handles() == before - 1  # the selector's own
        monkeypatch.setattr(bench.guard, "_close", lambda: None)


class TestMain:
    @pytest.fixture
    def began(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
        """Return the steps of a start, in their order."""
        found: list[str] = []
        guards: list[GuardService] = []

        def run(guard: GuardService) -> None:
            guards.append(guard)
            found.append("run")

        monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
        monkeypatch.delenv("SAINT_ENABLE_LINE", raising=False)
        monkeypatch.setattr(daemon.log, "setup", found.append)
        monkeypatch.setattr(
            daemon.service_manager, "notify", lambda **fields: found.append(repr(fields))
        )
        monkeypatch.setattr(daemon.realtime, "raise_priority", lambda: found.append("priority"))
        monkeypatch.setattr(daemon, "lock_memory", lambda: bool(found.append("memory")))
        monkeypatch.setattr(
            daemon, "_log", SimpleNamespace(warning=found.append, error=lambda *_, **__: None)
        )
        monkeypatch.setattr(daemon.signal, "signal", lambda number, _: found.append(number.name))
        monkeypatch.setattr(daemon.GuardService, "run", run)
        yield found
        for guard in guards:
            listeners = [key.fileobj for key in guard._selector.get_map().values()]
            guard._close()
            for each in listeners:
                assert isinstance(each, socket.socket)
                each.close()

    def test_it_is_ready_before_it_runs(self, began: list[str], tmp_path: Path) -> None:
        daemon.main()
        assert began == [
            *("guardd", "SIGTERM", "SIGINT", "memory"),
            "memory is not locked: the guard may wait for a disk",
            *("priority", "{'READY': 1, 'STATUS': 'guarding'}", "run"),
        ]
        assert (tmp_path / "guardd.sock").exists()

    def test_it_does_not_warn_when_its_memory_is_locked(
        self, began: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(daemon, "lock_memory", lambda: True)
        daemon.main()
        assert began[:4] == ["guardd", "SIGTERM", "SIGINT", "priority"]

    def test_it_uses_the_socket_that_was_passed_in(
        self, began: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        passed = bind(tmp_path, "passed")
        passed.setblocking(True)
        monkeypatch.setattr(daemon.service_manager, "listen_sockets", lambda: {"api": [passed]})
        daemon.main()
        assert not passed.getblocking()
        assert not (tmp_path / "guardd.sock").exists()

    def test_what_it_cannot_start_with_ends_it_with_2(
        self, began: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object) -> None:
            raise SaintError(Code.CONFIG_INVALID, "no")

        monkeypatch.setattr(daemon.service_manager, "bind", refuse)
        with pytest.raises(SystemExit) as caught:
            daemon.main()
        assert caught.value.code == 2

    def test_signal_ends_it(self, began: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        handlers: list[Any] = []
        monkeypatch.setattr(daemon.signal, "signal", lambda _, handler: handlers.append(handler))
        ended: list[GuardService] = []
        monkeypatch.setattr(daemon.GuardService, "end", lambda self: ended.append(self))
        daemon.main()
        for each in handlers:
            each(None, None)
        assert len(ended) == 2 and ended[0] is ended[1]
