"""Sound in the self-test: devices that work, are gone, or break off; which of them are tried."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.sound.port import PIECE_BYTES
from saint_services.lib.selftest.situation import Situation
from saint_services.lib.selftest.sound_check import sound
from tools.sim.sound import tone

GONE = SaintError(Code.HARDWARE_MISSING, "the microphone 'x' cannot be opened", fix="Plug it in.")
NAMED = Situation(
    devices={"the microphone plughw:1,0": "head (microphone)",
             "the loudspeaker plughw:2,0": "head (loudspeaker)", "the camera": "head (camera)"}
)  # fmt: skip


@dataclass
class Model:
    """A sound device that answers as a test sets it."""

    opening: Exception | None = None
    working: Exception | None = None
    opened: list[str] = field(default_factory=list)
    closed: int = 0
    written: int = 0

    def named(self, name: str) -> "Model":
        self.opened.append(name)
        return self

    def open(self) -> None:
        if self.opening:
            raise self.opening

    def read(self) -> bytes:
        if self.working:
            raise self.working
        return tone(440.0, 0.1)[:PIECE_BYTES]

    def write(self, piece: bytes) -> None:
        if self.working:
            raise self.working
        assert not any(piece)  # silence
        self.written += 1

    def close(self) -> None:
        self.closed += 1


def card(root: Path, number: int, name: str, ways: str) -> None:
    folder = root / "sys/class/sound"
    (folder / f"card{number}").mkdir(parents=True)
    (folder / f"card{number}" / "id").write_text(name)
    for way in ways:
        (folder / f"pcmC{number}D0{way}").mkdir()


def test_devices_of_roles_are_tried_and_closed(tmp_path: Path) -> None:
    microphone, loudspeaker = Model(), Model()
    found = sound(tmp_path, NAMED, microphone.named, loudspeaker.named)
    assert found.state == "passed"
    assert "Microphone plughw:1,0: it records, -15 dB." in found.text
    assert "Loudspeaker plughw:2,0: it plays." in found.text
    assert (microphone.closed, loudspeaker.closed, loudspeaker.written) == (1, 1, 10)


def test_without_roles_every_card_is_tried(tmp_path: Path) -> None:
    card(tmp_path, 0, "vc4hdmi", "p")
    card(tmp_path, 2, "Device", "cp")
    microphone, loudspeaker = Model(), Model()
    assert sound(tmp_path, Situation(), microphone.named, loudspeaker.named).state == "passed"
    assert microphone.opened == ["plughw:2,0"]
    assert loudspeaker.opened == ["plughw:2,0"]  # HDMI needs a screen


def test_jack_is_not_opened_as_its_sound_would_be_pulses_on_gpio12(tmp_path: Path) -> None:
    card(tmp_path, 0, "Headphones", "p")
    loudspeaker = Model()
    assert sound(tmp_path, Situation(), Model().named, loudspeaker.named).state == "not_connected"
    assert loudspeaker.opened == []


def test_nothing_is_opened_while_the_robot_is_driven(tmp_path: Path) -> None:
    card(tmp_path, 2, "Device", "cp")
    device = Model()
    found = sound(tmp_path, Situation(is_driven=True), device.named, device.named)
    assert (found.state, found.text) == ("skipped", "Not tried: the robot is driven.")
    assert device.opened == []


def test_no_card_is_nothing_that_failed(tmp_path: Path) -> None:
    found = sound(tmp_path, Situation(), Model().named, Model().named)
    assert (found.state, found.text) == ("not_connected", "No sound card is plugged in.")


def test_device_that_a_role_uses_now_works(tmp_path: Path) -> None:
    busy = SaintError(Code.HARDWARE_MISSING, "it cannot be opened: Device or resource busy")
    found = sound(tmp_path, NAMED, Model(opening=busy).named, Model().named)
    assert (found.state, "it is in use now" in found.text) == ("passed", True)


@pytest.mark.parametrize(
    ("model", "said", "fix"),
    [
        (Model(opening=GONE), "cannot be opened", "Plug it in."),
        (Model(working=OSError(19, "No such device")), "plughw:1,0: No such device", "plug it in"),
    ],
)
def test_device_that_fails_is_named_and_the_other_is_tried(
    tmp_path: Path, model: Model, said: str, fix: str
) -> None:
    found = sound(tmp_path, NAMED, model.named, Model().named)
    assert found.state == "failed"
    assert said in found.text
    assert "Loudspeaker plughw:2,0: it plays." in found.text
    assert fix in found.fix
    assert model.closed == 1
