"""The self-test on a model of a Pi 5: what its kernel says of itself with Raspberry Pi OS."""

from pathlib import Path

import pytest

from saint_services.lib.machine.device_tree import RUNNING
from saint_services.lib.selftest import header_checks, passive, system_facts
from saint_services.lib.selftest.boards import BoardTable
from saint_services.lib.selftest.header_checks import OURS, RASPBERRY_PI_OS
from saint_services.lib.selftest.header_facts import HeaderFacts, SerialFacts
from saint_services.lib.selftest.situation import Situation
from saint_services.lib.selftest.system_checks import board_of, functions
from tests.unit.lib.selftest.conftest import REPOSITORY, Tested

TABLE = BoardTable.read(REPOSITORY)
PI_5 = b"raspberrypi,5-model-b\0brcm,bcm2712\0"


def pi_5(root: Path, *, with_their_system: bool) -> Path:
    """Turn the kernel's files of a board into those of a Pi 5."""
    tree = root / RUNNING
    tree.mkdir(parents=True, exist_ok=True)
    (tree / "compatible").write_bytes(PI_5)
    (tree / "model").write_bytes(b"Raspberry Pi 5 Model B Rev 1.1\0")
    if with_their_system:
        (root / "etc").mkdir(exist_ok=True)
        (root / "etc/rpi-issue").write_text("Raspberry Pi reference 2026-06-18\n")
    return root


@pytest.mark.parametrize(
    ("with_their_system", "state", "says"),
    [(True, "passed", "table for Raspberry Pi OS"), (False, "failed", "Raspberry Pi OS alone")],
)
def test_board_is_known_with_raspberry_pi_os_alone(
    tmp_path: Path, with_their_system: bool, state: str, says: str
) -> None:
    facts = system_facts.read(pi_5(tmp_path, with_their_system=with_their_system))
    newer = TABLE.pi_os_board(facts.compatible)
    found = board_of(facts, TABLE.board(facts.compatible), newer)
    assert (found.state, says in found.text) == (state, True), found


def test_functions_are_listed_with_what_works_and_why_not(tmp_path: Path) -> None:
    facts = system_facts.read(pi_5(tmp_path, with_their_system=True))
    (found,) = functions(facts, TABLE.limits(facts.compatible))
    assert found.state == "passed"
    works, _, fails = found.text.partition("Does not: ")
    assert "ribbon-cable camera (picamera2)" in works
    assert "releases of SAINT.OS (there are no slots; apt updates the system" in fails
    assert "pigpiod (it does not know this board's pins)" in fails


def test_functions_of_the_image_are_not_those_of_raspberry_pi_os(tmp_path: Path) -> None:
    facts = system_facts.read(pi_5(tmp_path, with_their_system=False))
    assert functions(facts, TABLE.limits(facts.compatible)) == []


def test_firmware_of_a_pi_5_lies_below_another_bus(tmp_path: Path) -> None:
    folder = tmp_path / "sys/devices/platform/soc@107c000000/soc@107c000000:firmware"
    folder.mkdir(parents=True)
    (folder / "get_throttled").write_text("50000\n")
    assert system_facts.read(tmp_path).supply.throttled == 0x50000


def test_whole_self_test_of_a_pi_5_names_its_own_lines(root: Path, tested: Tested) -> None:
    pi_5(root, with_their_system=True)
    found = tested()
    assert found["board"].state == "passed"
    assert found["functions"].state == "passed"
    assert found["device_tree"].state == "skipped"
    assert passive._config_lines(root) is RASPBERRY_PI_OS


def test_missing_parts_name_the_lines_of_the_right_system() -> None:
    nothing = HeaderFacts(serial=SerialFacts(), pwm_problem="There is no hardware PWM")
    here = Situation()
    theirs = {each.name: each for each in header_checks.header(nothing, here, RASPBERRY_PI_OS)}
    ours = {each.name: each for each in header_checks.header(nothing, here, OURS)}
    assert "dtparam=uart0=on" in theirs["serial"].fix
    assert "dtparam=i2c_arm=on" in theirs["i2c1"].fix
    assert "pwm-2chan" in theirs["pwm"].fix
    assert (theirs["i2c0"].state, ours["i2c0"].state) == ("skipped", "failed")
    assert not any("saint-" in each.fix for each in theirs.values())
    assert "saint-uart" in ours["serial"].fix
