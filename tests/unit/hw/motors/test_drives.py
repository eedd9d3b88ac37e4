"""Motors and encoders by their names in the manifest; what is left when one cannot be opened."""

from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.guard.ports import carry_out
from saint_services.lib.hw import will_of
from saint_services.lib.hw.motors.drives import Drives
from saint_services.lib.hw.motors.roboclaw import duties
from saint_services.lib.role_config.model import RoleConfig
from tools.sim.board import SimBoard
from tools.sim.chips.base import ChipFault
from tools.sim.chips.roboclaw import RoboClawPeer, open_peer, serial_file

TWIN = {"pin": 12, "reverse_pin": 13, "enable_pins": [5, 6], "frequency": 20000}
PINS: dict[str, dict[str, Any]] = {
    "bts7960": {"type": "bts7960", **TWIN},
    "drv8833": {"type": "drv8833", **TWIN, "enable_pins": [16]},
    "tb6612": {
        "type": "tb6612",
        "pin": 12,
        "direction_pins": [20, 21],
        "enable_pins": [16],
        "frequency": 20000,
    },
    "hbridge": {"type": "hbridge", "pin": 12, "direction_pin": 20, "frequency": 20000},
    "roboclaw": {"type": "roboclaw", "device": "drive", "channel": 1},
}


def config(pin: dict[str, Any], **others: dict[str, Any]) -> RoleConfig:
    return RoleConfig.model_validate(
        {
            "role": "tracks",
            "version": "1",
            "topic_prefix": "/saint/tracks",
            "gpio_mapping": {"left_motor": pin, **others},
            "serial_devices": {"drive": {"port": "/dev/ttyACM0", "driver": "roboclaw"}},
        }
    )


@pytest.fixture
def board(tmp_path: Path) -> SimBoard:
    return SimBoard(tmp_path)


def levels(board: SimBoard, *pins: int) -> list[float]:
    return [board.bank.read(pin).value for pin in pins]


@pytest.mark.parametrize("kind", ["bts7960", "drv8833"])
def test_twin_bridge_has_pulses_on_one_pin_only(board: SimBoard, kind: str) -> None:
    motor = Drives(board, config(PINS[kind])).motor("left_motor")
    motor.set(0.25)
    assert levels(board, 12, 13) == [0.25, 0.0]
    motor.set(-2.0)
    assert levels(board, 12, 13) == [0.0, 1.0]
    motor.stop()
    assert levels(board, 12, 13) == [0.0, 0.0]


def test_twin_bridge_that_is_mounted_the_other_way(board: SimBoard) -> None:
    motor = Drives(board, config(PINS["bts7960"] | {"reversed": True})).motor("left_motor")
    motor.set(0.25)
    assert levels(board, 12, 13) == [0.0, 0.25]


def test_twin_bridge_never_drives_both_pins() -> None:
    """The other pin is zero before this one is not, whatever the order of commands."""
    from saint_services.lib.hw.motors.hbridge import TwinPwmBridge

    now = {"a": 0.0, "b": 0.0}

    class Pin:
        def __init__(self, name: str) -> None:
            self.name = name

        def set_duty(self, duty: float) -> None:
            now[self.name] = duty
            assert min(now.values()) == 0.0
            assert 0.0 <= duty <= 1.0

    motor = TwinPwmBridge(Pin("a"), Pin("b"))  # type: ignore[arg-type]
    for duty in (0.5, -0.5, 0.0, -1.0, 1.0, 0.2, 7.0, -7.0, float("nan"), 0.1, -0.1):
        motor.set(duty)


def test_twin_bridge_rests_the_other_pin_again_after_a_failed_write() -> None:
    from saint_services.lib.hw.motors.hbridge import TwinPwmBridge

    written: list[tuple[str, float]] = []
    broken: set[str] = set()

    class Pin:
        def __init__(self, name: str) -> None:
            self.name = name

        def set_duty(self, duty: float) -> None:
            written.append((self.name, duty))
            if self.name in broken and duty:
                raise OSError(5, "Input/output error")

    motor = TwinPwmBridge(Pin("ahead"), Pin("back"))  # type: ignore[arg-type]
    motor.set(0.5)
    broken.add("back")
    with pytest.raises(OSError, match="Input"):
        motor.set(-0.5)
    written.clear()
    motor.set(0.5)
    assert written == [("back", 0.0), ("ahead", 0.5)]


def test_bridge_with_two_direction_pins(board: SimBoard) -> None:
    motor = Drives(board, config(PINS["tb6612"])).motor("left_motor")
    motor.set(0.5)
    assert levels(board, 12, 20, 21, 16) == [0.5, 1.0, 0.0, 1.0]
    motor.set(-0.5)
    assert levels(board, 12, 20, 21, 16) == [0.5, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("kind", ["bts7960", "drv8833", "tb6612", "hbridge"])
def test_closed_motor_has_no_torque_and_its_driver_sleeps(board: SimBoard, kind: str) -> None:
    motor = Drives(board, config(PINS[kind])).motor("left_motor")
    motor.set(1.0)
    motor.close()
    assert set(levels(board, 12, 13, 16, 5, 6)) == {0.0}
    assert {pin.used_by for pin in board.pins()} == {"", "SPI0"}
    assert (motor.current_a, motor.problem) == (None, "")


@pytest.mark.parametrize("kind", ["drv8833", "tb6612"])
def test_two_motors_of_one_board_share_its_enable_pin(board: SimBoard, kind: str) -> None:
    """Most boards have two bridges and one pin that lets both sleep."""
    moved = {"pin": 18, "direction_pins": [4, 7]} if kind == "tb6612" else {"pin": 18}
    if kind == "drv8833":
        moved["reverse_pin"] = 19
    drives = Drives(board, config(PINS[kind], right_motor=PINS[kind] | moved))
    left, right = drives.motor("left_motor"), drives.motor("right_motor")
    assert levels(board, 16) == [1.0]
    left.close()
    assert levels(board, 16) == [1.0]
    right.set(0.5)
    right.close()
    assert levels(board, 16) == [0.0]
    assert {pin.used_by for pin in board.pins()} == {"", "SPI0"}
    drives.motor("left_motor")
    assert levels(board, 16) == [1.0]


@pytest.mark.parametrize("kind", ["bts7960", "tb6612"])
def test_motor_that_cannot_be_opened_leaves_nothing_open(tmp_path: Path, kind: str) -> None:
    class Short(SimBoard):
        def output(self, pin: int, used_by: str) -> Any:
            if pin in (6, 16):
                raise SaintError(Code.HARDWARE_MISSING, "GPIO cannot be opened")
            return super().output(pin, used_by)

    board = Short(tmp_path)
    with pytest.raises(SaintError, match="cannot be opened"):
        Drives(board, config(PINS[kind])).motor("left_motor")
    assert {pin.used_by for pin in board.pins()} == {"", "SPI0"}


@pytest.mark.parametrize("kind", ["bts7960", "drv8833", "tb6612", "hbridge"])
def test_motors_of_a_dead_process_are_made_safe(tmp_path: Path, kind: str) -> None:
    dead = SimBoard(tmp_path)
    Drives(dead, config(PINS[kind])).motor("left_motor").set(-1.0)
    assert carry_out([will_of(dead, config(PINS[kind]), "role-tracksd")]) == []
    board = SimBoard(tmp_path)
    assert levels(board, 12, 13) == [0.0, 0.0]
    enables = list(PINS[kind].get("enable_pins", ()))
    assert levels(board, *enables) == [0.0] * len(enables)


def test_controller_of_a_dead_process_is_stopped(tmp_path: Path) -> None:
    peer = RoboClawPeer(tmp_path / serial_file("/dev/ttyACM0"))
    peer.received(duties(0x80, 1.0, -1.0))
    assert carry_out([will_of(SimBoard(tmp_path), config(PINS["roboclaw"]), "x")]) == []
    assert (peer.duty(1), peer.duty(2)) == (0.0, 0.0)


def test_lost_controller_is_reported_and_the_others_are_safe(tmp_path: Path) -> None:
    RoboClawPeer(tmp_path / serial_file("/dev/ttyACM0")).set_fault(ChipFault.UNPLUGGED)
    board = SimBoard(tmp_path)
    board.bank.write(12, 1.0)
    other = PINS["hbridge"]
    failures = carry_out([will_of(board, config(PINS["roboclaw"], right_motor=other), "x")])
    assert [text.rpartition(": ")[2] for text in failures] == ["the device is not plugged in"]
    assert board.bank.read(12).value == 0.0


def test_roboclaw_has_one_line_for_motors_and_encoders(board: SimBoard, tmp_path: Path) -> None:
    encoder = {"type": "roboclaw_encoder", "device": "drive", "channel": 1}
    drives = Drives(board, config(PINS["roboclaw"], left_encoder=encoder))
    motor, counter = drives.motor("left_motor"), drives.encoder("left_encoder")
    assert counter is not None
    assert motor._line is counter._line  # type: ignore[attr-defined]
    counter.close()
    motor.close()
    open_peer(tmp_path, "/dev/ttyACM0").close()


@pytest.mark.parametrize("name", ["left_motor", "no_motor"])
def test_what_is_no_motor_is_refused(board: SimBoard, name: str) -> None:
    servo = {"type": "servo", "pin": 12}
    with pytest.raises(SaintError, match=f"gpio_mapping.{name} is no motor; drivers are hbridge"):
        Drives(board, config(servo)).motor(name)


def test_encoder_of_two_pins_and_none(board: SimBoard) -> None:
    pins = {"type": "quadrature", "pin": 22, "pin_b": 27}
    drives = Drives(board, config(PINS["hbridge"], left_encoder=pins))
    assert drives.encoder("right_encoder") is None
    encoder = drives.encoder("left_encoder")
    assert encoder is not None
    assert encoder.count == 0
    encoder.close()
    with pytest.raises(SaintError, match="needs pin and pin_b"):
        Drives(board, config(PINS["hbridge"], left_encoder=pins | {"pin_b": None})).encoder(
            "left_encoder"
        )
