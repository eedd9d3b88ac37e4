"""The sound from the role's side: its process runs while programs read, what it says is passed on,
and everything else of the role goes on. The programs here stand for that process.
"""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.role.sound import role_sound
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.sound import Sound
from tests.unit.role.role_rig import Rig, load_role

BOTH = Sound(microphone="plughw:1,0", loudspeaker="plughw:1,0")
STATE, INFO = "/saint/head/sound/state", "/saint/head/microphone/audio_info"
_SAYS = "import sys\nprint('{}', flush=True)\nsys.stdin.read()\n"
RECORDING = '{"recording": true, "damaged": 2, "foreign": 1}'
MISSING = '{"microphone_problem": "the microphone cannot be opened"}'


def play(monkeypatch: pytest.MonkeyPatch, report: str) -> None:
    """Let the process be a program that reports this."""
    program = (sys.executable, "-Sc", _SAYS.replace("{}", report))
    monkeypatch.setattr(role_sound.RoleSound.__init__, "__defaults__", (program,))


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    play(monkeypatch, RECORDING)
    rig = Rig(tmp_path, "head", load_role("head", sound=BOTH))
    yield rig
    rig.close()


def sound(rig: Rig) -> role_sound.RoleSound:
    found = [each for each in rig.session._resources if isinstance(each, role_sound.RoleSound)]
    return found[0]


def readers(rig: Rig, *, state: bool = False, audio: bool = False) -> None:
    """Let programs read these topics, or none."""
    for publisher, has_readers in ((sound(rig)._publish, state), (sound(rig)._audio, audio)):
        publisher._publisher.has_readers = has_readers  # type: ignore[misc]


def until(rig: Rig, condition: Callable[[], object]) -> None:
    """Wait for the process' thread, which runs in real time."""
    deadline_s = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < deadline_s
        rig.clock.from_threads.get(timeout=20.0)()


def newest(rig: Rig) -> Any:
    rig.clock.advance(0.5)
    return rig.bus.sent[STATE][-1]


def test_process_runs_while_a_program_reads(rig: Rig) -> None:
    readers(rig)
    rig.clock.advance(10.0)
    assert sound(rig)._process is None
    readers(rig, audio=True)
    rig.clock.advance(0.6)
    process = sound(rig)._process
    assert process is not None
    readers(rig)
    rig.clock.advance(4.0)
    assert sound(rig)._process is process  # who comes back soon
    rig.clock.advance(1.6)
    assert sound(rig)._process is None
    assert process.join()


def test_state_says_what_the_process_reports(rig: Rig) -> None:
    readers(rig, state=True)
    rig.clock.advance(0.6)
    until(rig, lambda: sound(rig)._newest.recording)
    state = newest(rig)
    assert (state.has_microphone, state.has_loudspeaker, state.recording) == (True, True, True)
    assert state.dropped == 3
    assert rig.counters["sound_damaged"] == 2


def test_form_of_the_sound_is_published_once(rig: Rig) -> None:
    (info,) = rig.bus.sent[INFO]
    assert (info.channels, info.sample_rate, info.sample_format) == (1, 16_000, "S16LE")
    assert (info.bitrate, info.coding_format) == (256_000, "wave")


def test_missing_device_degrades_the_role_and_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(monkeypatch, MISSING)
    rig = Rig(tmp_path, "head", load_role("head", sound=BOTH))
    rig.clock.advance(0.6)
    until(rig, lambda: rig.session.report().reason)
    report = rig.session.report()
    assert report.reason == "the microphone cannot be opened"
    assert report.ready
    assert newest(rig).microphone_problem == report.reason
    readers(rig)
    rig.clock.advance(6.0)
    assert rig.session.report().reason == ""
    rig.close()


def test_end_of_the_assignment_ends_the_process(rig: Rig) -> None:
    rig.clock.advance(0.6)
    process = sound(rig)._process
    assert process is not None
    rig.session.close()
    assert process.join()


def test_role_without_sound_publishes_none(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "head", load_role("head"))
    assert STATE not in rig.bus.sent
    rig.close()


@pytest.mark.parametrize("name", ["$(reboot)", "a b", "x" * 65, "plughw:1;0"])
def test_device_has_a_name_of_alsa(name: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        RoleConfig.model_validate(
            {"role": "parts", "version": "1", "topic_prefix": "/saint/parts",
             "sound": {"microphone": name}}
        )  # fmt: skip


def test_bus_without_the_messages_costs_the_sound_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ROS 2's own library knows only the packages of its installation."""

    def refuse(*_: Any) -> None:
        raise SaintError(Code.BUS_UNAVAILABLE, "this ROS 2 installation has no AudioData")

    monkeypatch.setattr(role_sound.RoleSound, "__init__", refuse)
    rig = Rig(tmp_path, "head", load_role("head", sound=BOTH))
    report = rig.session.report()
    assert (report.ready, report.reason) == (True, "this ROS 2 installation has no AudioData")
    rig.close()
