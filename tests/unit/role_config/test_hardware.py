"""Required hardware of a role, compared with that of a node."""

from pathlib import Path

import pytest

from saint_services.lib import config as settings
from saint_services.lib.api.adoption import Peripheral
from saint_services.lib.api.hardware import HardwareFinding, HeaderPinState, RoleFit
from saint_services.lib.role_config.hardware import compare, hardware
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.sound import Sound

ROLES = Path(__file__).resolve().parents[3] / "manifests" / "roles"


def role(name: str) -> RoleConfig:
    return settings.load(RoleConfig, ROLES / f"{name}.yaml", required=True)


def chip(address: str, description: str, *, kind: str = "i2c", answers: bool = True) -> Peripheral:
    return Peripheral(type=kind, address=address, description=description, responsive=answers)


def held(bcm: int, by: str) -> HeaderPinState:
    return HeaderPinState(
        number=1, pin_number=bcm, pin_name=f"GPIO{bcm}", direction="output",
        current_state="low", in_use=True, used_by=by,
    )  # fmt: skip


def finding(config: RoleConfig, name: str, *found: Peripheral) -> HardwareFinding:
    return next(f for f in compare(hardware(config), (), found) if f.name == name)


def test_head_needs_servo_pins_and_the_bus_of_its_chips() -> None:
    needs = hardware(role("head"))
    uses = {use.bcm: (use.name, use.purpose) for use in needs.pins}
    assert uses == {
        2: ("face, imu", "I2C1 SDA"), 3: ("face, imu", "I2C1 SCL"),
        12: ("pan", "servo"), 13: ("tilt", "servo"),
    }  # fmt: skip
    face = next(device for device in needs.devices if device.name == "face")
    assert (face.place, face.required) == ("1:0x40", True)
    assert face.drives == ["roll", "jaw", "eye_pan", "eye_tilt"]
    assert needs.devices[-1].kind == "camera"


def test_tracks_need_both_pins_of_motors_and_encoders() -> None:
    uses = {use.bcm: use.purpose for use in hardware(role("tracks")).pins}
    assert uses == {5: "direction", 6: "direction", 12: "PWM", 13: "PWM", 17: "encoder A",
                    23: "encoder A", 24: "encoder B", 27: "encoder B"}  # fmt: skip


@pytest.mark.parametrize(
    ("found", "verdict", "words"),
    [
        ((chip("1:0x40", "PCA9685 or INA219?"),), "found", "it answers"),
        ((chip("1:0x40", "unknown"),), "found", "it answers"),
        ((chip("1:0x40", "SHT31?"),), "unknown", "usually SHT31"),
        ((chip("1:0x41", "PCA9685"),), "missing", "nothing answers there"),
        ((), "missing", "does not start without it"),
        ((chip("1:0x40", "PCA9685", answers=False),), "missing", "does not answer now"),
        ((chip("1", "bus is stuck: SDA or SCL is held low", answers=False),), "missing", "stuck"),
        ((chip("1:0x40", "pca9685 (kernel driver)"),), "taken", "kernel"),
        ((chip("1:0x40", "PCA9685", kind="usb"),), "missing", "nothing answers"),
    ],
)
def test_chip_is_judged_by_what_answers_at_its_address(
    found: tuple[Peripheral, ...], verdict: str, words: str
) -> None:
    result = finding(role("head"), "face", *found)
    assert (result.verdict, result.what) == (verdict, "PCA9685 at I2C 1:0x40")
    assert words in result.text


def test_chip_that_may_be_missing_is_said_to_be_dispensable() -> None:
    result = finding(role("head"), "imu")
    assert (result.verdict, result.required) == ("missing", False)
    assert "starts without it" in result.text


def test_camera_is_found_by_any_that_is_there() -> None:
    assert finding(role("head"), "camera").verdict == "missing"
    there = chip("10-0010", "imx219", kind="camera")
    assert finding(role("head"), "camera", there).text == "imx219"


@pytest.mark.parametrize(
    ("device", "cards", "verdict", "words"),
    [
        ("default", ("1:Device Device: microphone, loudspeaker",), "found", "Device"),
        ("plughw:1,0", ("1:Device Device: microphone",), "found", "it is there"),
        ("plughw:CARD=Device", ("1:Device Device: microphone",), "found", "it is there"),
        ("plughw:2,0", ("1:Device Device: microphone",), "missing", "no microphone of that name"),
        ("plughw:1,0", ("1:Device Device: loudspeaker",), "missing", "no microphone"),
        ("default", ("0:microphone microphone: loudspeaker",), "missing", "no microphone"),
        ("default", (), "missing", "the role starts without it"),
    ],
)
def test_microphone_is_judged_by_the_cards(
    device: str, cards: tuple[str, ...], verdict: str, words: str
) -> None:
    config = role("head").model_copy(update={"sound": Sound(microphone=device)})
    found = [chip(*each.split(" ", 1), kind="sound") for each in cards]
    result = finding(config, "microphone", *found)
    assert (result.verdict, result.required) == (verdict, False)
    assert words in result.text
    assert result.what == f"Microphone {device}"


def test_pin_of_another_driver_is_taken_and_the_buttons_gives_way() -> None:
    needs = hardware(role("tracks"))
    pins = [held(12, "fan"), held(13, "right_motor"), held(17, "reset button"), held(5, "")]
    found = {f.what: f for f in compare(needs, pins, ())}
    assert found["GPIO12 (PWM)"].verdict == "taken" and "held by fan" in found["GPIO12 (PWM)"].text
    assert found["GPIO13 (PWM)"].text == "the role holds it"
    assert found["GPIO17 (encoder A)"].text == "the pin is free"
    assert "another program" in found["GPIO5 (direction)"].text


def test_role_is_ready_without_what_it_can_do_without() -> None:
    def fit(*found: Peripheral) -> RoleFit:
        return RoleFit(
            role="head", instance="", findings=compare(hardware(role("head")), (), found)
        )

    assert not fit().is_ready
    assert fit(chip("1:0x40", "PCA9685")).is_ready


def test_spi_display_names_its_lines_and_its_chip_select() -> None:
    config = RoleConfig.model_validate(
        role("console").model_dump()
        | {
            "i2c_devices": {},
            "spi_devices": {
                "display": {
                    "bus": 0,
                    "select": 1,
                    "driver": "st7789",
                    "data_pin": 25,
                    "reset_pin": 24,
                }
            },
        }
    )
    uses = {use.bcm: use.purpose for use in hardware(config).pins}
    assert uses[7] == "SPI0 CE1" and uses[25] == "data" and uses[24] == "reset"
    assert finding(config, "display").verdict == "missing"
    there = chip("0.1", "chip select; SPI does not show presence", kind="spi", answers=False)
    assert finding(config, "display", there).verdict == "unknown"


def test_serial_line_is_known_by_its_lasting_name_only() -> None:
    config = RoleConfig.model_validate(
        role("tracks").model_dump()
        | {"serial_devices": {"drive": {"port": "/dev/ttyAMA0", "driver": "roboclaw"}}}
    )
    assert {use.bcm for use in hardware(config).pins if use.is_bus} == {14, 15}
    assert finding(config, "drive").verdict == "missing"
    line = chip("/dev/ttyAMA0", "UART of the header", kind="serial")
    assert finding(config, "drive", line).verdict == "found"
