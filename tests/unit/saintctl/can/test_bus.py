"""`can dump` and `can send` on a simulated bus."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.lib.guard.will import Will, WillFiles, Write, WriteKind, wills_folder
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.vesc import messages as vesc
from saint_services.lib.simulation import VARIABLE
from saint_services.saintctl.app import app
from saint_services.saintctl.can import bus
from saint_services.saintctl.can.lines import described
from tools.sim.can_bus import SimCan

STATUS = CanFrame(0x90A, bytes.fromhex("00003039ffcb036c"), True)


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimCan]:
    monkeypatch.setenv(VARIABLE, "tools.sim")
    monkeypatch.setenv("SAINT_HW", f"sim:{tmp_path}")
    with closing(SimCan(tmp_path, "can0")) as port:
        yield port


def run(tmp_path: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["--run", str(tmp_path), "can", *words])


def sent(port: SimCan) -> list[str]:
    return [described(frame)["message"] for frame in port.receive()]


@pytest.mark.parametrize(
    ("words", "frame"),
    [
        (("estop",), CanFrame(0x303, b"\xe5")),
        (("PING", "vesc_id=68", "sender_id=10"), CanFrame(0x1144, b"\x0a", True)),
        (("ARM", "arm=false"), CanFrame(0x301, b"\0")),
        (
            ("DRIVE", "speed=0", "steer=0", "mode=2", "flags=0"),
            CanFrame(0x300, b"\0\0\0\0\2\0\0\0"),
        ),
        (("SET_CURRENT", "vesc_id=68", "value=0"), CanFrame(0x144, bytes(4), True)),
    ],
)
def test_message_that_moves_nothing_is_sent(
    tmp_path: Path, other: SimCan, words: tuple[str, ...], frame: CanFrame
) -> None:
    result = run(tmp_path, "send", "can0", *words)
    assert result.exit_code == 0, result.output
    assert other.receive() == [frame]


@pytest.mark.parametrize(
    "words",
    [
        ("SET_RPM", "vesc_id=68", "value=900"),
        ("SET_RPM", "vesc_id=68", "value=0"),  # it brakes
        ("SET_CURRENT_BRAKE", "vesc_id=255", "value=1"),
        ("DRIVE", "speed=1", "steer=0", "mode=2", "flags=0"),
        ("ARM", "arm=true"),
        ("GAINS", "kp=1", "ki=0", "kd=0"),
    ],
)
def test_message_that_may_move_needs_a_word_of_its_own(
    tmp_path: Path, other: SimCan, words: tuple[str, ...]
) -> None:
    result = run(tmp_path, "send", "can0", *words)
    assert result.exit_code == 2 and "--motion" in result.stderr
    assert other.receive() == []
    assert run(tmp_path, "send", "can0", "--motion", *words).exit_code == 0
    assert sent(other) == [words[0]]


def test_repeated_command_ends_with_the_motor_at_rest(tmp_path: Path, other: SimCan) -> None:
    words = ("--motion", "--seconds", "0.1", "SET_DUTY", "vesc_id=68", "value=0.1")
    assert run(tmp_path, "send", "can0", *words).exit_code == 0
    names = sent(other)
    assert len(names) >= 3 and set(names[:-1]) == {"SET_DUTY"} and names[-1] == "SET_CURRENT"


def test_bus_that_a_role_drives_is_left_to_it(tmp_path: Path, other: SimCan) -> None:
    write = Write(WriteKind.SIM_I2C, str(tmp_path / "can-can0"), 0x144, bytes(4))
    WillFiles(wills_folder(str(tmp_path))).store(Will("role-tracksd", "tracks", (write,)))
    words = ("SET_RPM", "vesc_id=68", "value=900", "--motion")
    result = run(tmp_path, "send", "can0", *words)
    assert result.exit_code == 5 and "role-tracksd drives motors on can0" in result.stderr
    assert other.receive() == []
    assert run(tmp_path, "send", "can0", "estop").exit_code == 0
    assert run(tmp_path, "send", "can1", *words).exit_code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("TURN",),
        ("SET_RPM", "value=1"),
        ("SET_RPM", "vesc_id=68", "value"),
        ("SET_RPM", "vesc_id=68", "value=fast"),
        ("SET_RPM", "vesc_id=68", "value=1.5"),
        ("DRIVE", "speed=2000", "steer=0", "mode=0", "flags=0"),
    ],
)
def test_message_that_cannot_be_sent_is_a_wrong_usage(
    tmp_path: Path, other: SimCan, words: tuple[str, ...]
) -> None:
    assert run(tmp_path, "send", "can0", "--motion", *words).exit_code == 2
    assert other.receive() == []


class Repeating:
    """A bus on which one frame after the other arrives."""

    def __init__(self, port: SimCan, other: SimCan) -> None:
        self._port, self._other = port, other

    def fileno(self) -> int:
        return self._port.fileno()

    def receive(self) -> list[CanFrame]:
        self._other.send(STATUS)
        return self._port.receive()

    def close(self) -> None:
        self._port.close()


@pytest.mark.parametrize("as_log", [False, True])
def test_dump_prints_messages_or_lines_of_a_log(
    tmp_path: Path, other: SimCan, monkeypatch: pytest.MonkeyPatch, as_log: bool
) -> None:
    make = bus.opened
    monkeypatch.setattr(bus, "opened", lambda *given: Repeating(make(*given), other))  # type: ignore[arg-type]
    result = run(tmp_path, "dump", "can0", "--frames", "3", *(["--log"] if as_log else []))
    lines = result.stdout.splitlines()
    assert result.exit_code == 0 and len(lines) == 3
    if as_log:
        assert lines[0].endswith(" can0 0000090A#00003039FFCB036C")
        assert float(lines[0][1:].split(")")[0]) > 1.7e9
    else:
        line = json.loads(lines[0])
        assert line.pop("t_us") > 0
        assert line == described(STATUS)


def test_dump_ends_after_its_time(tmp_path: Path, other: SimCan) -> None:
    result = run(tmp_path, "dump", "can0", "--seconds", "0.1")
    assert (result.exit_code, result.stdout) == (0, "")


def test_bus_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAINT_HW", raising=False)
    for words in (("dump", "can9"), ("send", "can9", "estop"), ("dump", "/dev/nowhere")):
        result = run(tmp_path, *words)
        assert result.exit_code == 3 and words[1] in result.stderr


def test_rest_of_a_motion_is_known_for_every_command() -> None:
    for row in vesc.TABLE:
        frame = CanFrame(row.number << 8 | 10, b"\1" * row.layout.size, True)
        rest = bus.rest_of(frame)
        assert (rest == CanFrame(0x10A, bytes(4), True)) == row.name.startswith("SET_")
