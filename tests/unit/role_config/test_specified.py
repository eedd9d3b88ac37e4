"""The specification's form of a role configuration: converted, and refused in its own words."""

import hashlib
from pathlib import Path

import pytest
import yaml

from saint_services.lib.errors import SaintError
from saint_services.lib.robot.manifest import RobotRole, read_role
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.parsing import parse_role_config
from saint_services.lib.role_config.reading import read_role_config
from saint_services.otad.adapters.roles import load_roles as downloads
from saint_services.routerd.adapters import load_roles as targets

HEAD = """\
# head.yaml
role: head
version: "1.2.0"

gpio_mapping:
  pan_servo:
    pin: 12
    type: pwm
    frequency: 50
  tilt_servo:
    pin: 13
    type: pwm
    frequency: 50
  roll_servo:
    pin: 18
    type: pwm
    frequency: 50

i2c_devices:
  - bus: 1
    address: 0x68
    driver: mpu6050
    purpose: imu

camera:
  enabled: true
  resolution: [640, 480]
  framerate: 30

limits:
  pan: [-180, 180]
  tilt: [-90, 90]
  roll: [-45, 45]
  max_speed: 1.0
"""
ARM = """\
role: arms
instance: left
version: "1"
gpio_mapping:
  joint_0_servo: {pin: 12, type: pwm}
  joint_1_servo: {pin: 13, type: pwm}
  gripper_servo: {pin: 18, type: pwm}
limits: {joint_1: [0, 90], max_speed: 0.5}
"""


def read(text: str) -> RoleConfig:
    return read_role_config(text, "head.yaml")[0]


def test_head_of_the_specification_is_read() -> None:
    head = read(HEAD)
    pins = {name: (pin.type, pin.pin, pin.frequency) for name, pin in head.gpio_mapping.items()}
    assert pins == {
        "pan": ("servo", 12, 50), "tilt": ("servo", 13, 50), "roll": ("servo", 18, 50)
    }  # fmt: skip
    assert {name: field.limits for name, field in head.fields.items()} == {
        "pan": (-180, 180), "tilt": (-90, 90), "roll": (-45, 45)
    }  # fmt: skip
    imu = head.i2c_devices["imu"]
    assert (imu.bus, imu.address, imu.driver, imu.required) == (1, 0x68, "mpu6050", False)
    assert (head.camera.enabled, head.camera.resolution, head.camera.framerate) == (
        True, (640, 480), 30
    )  # fmt: skip
    assert (head.target, head.version, head.topic_prefix) == ("head", "1.2.0", "/saint/head")
    assert head.homing is None, "it moves nothing by itself"


def test_fields_are_those_of_the_shipped_head() -> None:
    shipped = read(Path("manifests/roles/head.yaml").read_text(encoding="utf-8"))
    ours = read(HEAD)
    for name, field in ours.fields.items():
        assert field == shipped.fields[name]
    for name in ("pan", "tilt"):
        assert ours.gpio_mapping[name] == shipped.gpio_mapping[name]
    assert ours.commands == {"cmd": shipped.commands["cmd"]}
    assert ours.camera == shipped.camera


def test_face_has_its_command() -> None:
    shipped = read(Path("manifests/roles/head.yaml").read_text(encoding="utf-8"))
    face = "  jaw_servo: {pin: 5, type: pwm}\n  eye_pan_servo: {pin: 6, type: pwm}\n\ni2c"
    head = read(HEAD.replace("\ni2c", face, 1))
    assert head.commands == shipped.commands
    assert head.fields["jaw"] == shipped.fields["jaw"]
    assert head.fields["eye_pan"] == shipped.fields["eye_pan"]


def test_arm_is_read_and_slowed_down() -> None:
    arm = read(ARM)
    assert arm.target == "arms.left"
    assert arm.fields["joint_1"].path == "target_positions[1]"
    assert (arm.fields["joint_1"].limits, arm.fields["joint_1"].neutral) == ((0, 90), 0)
    assert arm.fields["joint_1"].max_rate == 60
    assert arm.fields["gripper"].command == "gripper"


@pytest.mark.parametrize(
    ("limits", "pulses"),
    [((-20, 20), (1278, 1722)), ((0, 90), (1500, 2500)), ((-180, 90), (500, 2500))],
)
def test_pulses_reach_no_further_than_the_limits(
    limits: tuple[int, int], pulses: tuple[int, int]
) -> None:
    head = read(HEAD.replace("pan: [-180, 180]", f"pan: {list(limits)}"))
    assert head.gpio_mapping["pan"].pulse_us == pulses


def test_neutral_lies_within_limits_without_a_zero() -> None:
    head = read(HEAD.replace("tilt: [-90, 90]", "tilt: [10, 50]"))
    assert head.fields["tilt"].neutral == 30


def test_text_is_that_of_the_manifests_and_older_nodes_read_it() -> None:
    config, text = read_role_config(HEAD, "head.yaml")
    assert parse_role_config(text, "head.yaml").config == config
    assert parse_role_config(text, "head.yaml").left_out == ()
    assert "pwm" not in text


def test_manifest_of_ours_stays_byte_for_byte() -> None:
    text = Path("manifests/roles/arms_left.yaml").read_text(encoding="utf-8")
    assert read_role_config(text, "arms_left.yaml")[1] == text


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("pin: 12", "pin: 31", "line 7: gpio_mapping.pan_servo.pin must be at most 27, not 31"),
        ("    type: pwm\n    frequency: 50\n  tilt", "    type: servo\n  tilt",
         "gpio_mapping.pan_servo.type must be one of 'pwm', not 'servo'"),
        ("roll_servo", "rol_servo", "gpio_mapping.rol_servo is not known; servos are pan_servo,"),
        ("  roll_servo:\n    pin: 18\n    type: pwm\n    frequency: 50\n", "",
         "gpio_mapping.roll_servo is missing"),
        ("  roll: [-45, 45]", "  jaw: [0, 1]", "limits.jaw has no servo: gpio_mapping.jaw_servo"),
        ("tilt: [-90, 90]", "tilt: [90, -90]", "tilt must rise"),
        ("max_speed: 1.0", "max_speed: 2", "limits.max_speed must be at most 1"),
        ("driver: mpu6050", "driver: mpu9999", "i2c_devices[0].driver must be"),
        ("frequency: 50\n  roll", "freqency: 50\n  roll", "gpio_mapping.tilt_servo.freqency"),
        ("role: head", "role: tracks", "role must be one of 'head' or 'arms', not 'tracks'"),
    ],
)  # fmt: skip
def test_fault_is_named_in_the_words_of_the_file(old: str, new: str, said: str) -> None:
    assert old in HEAD
    with pytest.raises(SaintError) as refused:
        read(HEAD.replace(old, new, 1))
    assert said in str(refused.value)


def test_field_may_not_have_the_name_that_routes_give_to_eye_pan() -> None:
    text = Path("manifests/roles/head.yaml").read_text(encoding="utf-8")
    with pytest.raises(SaintError, match="eyes must be eye_pan and eye_tilt"):
        read(text.replace("  eye_pan: {command", "  eyes: {command"))


def test_arm_without_a_joint_in_its_row_is_refused() -> None:
    with pytest.raises(SaintError, match="joint_0_servo and those behind it in a row"):
        read(ARM.replace("joint_0_servo", "joint_3_servo"))


def test_every_reader_of_a_robot_takes_it(tmp_path: Path) -> None:
    roles = tmp_path / "roles"
    roles.mkdir()
    (roles / "head.yaml").write_text(HEAD, encoding="utf-8")
    entry = RobotRole(role="head", config="roles/head.yaml", i2c_addresses={"imu": 0x69})
    config, text = read_role(tmp_path, entry)
    assert yaml.safe_load(text)["i2c_devices"]["imu"]["address"] == 0x69
    assert config.i2c_devices["imu"].address == 0x69
    assert set(targets(roles).fields["head"]) == {"pan", "tilt", "roll"}
    (file,) = downloads(tmp_path)
    assert (file.name, file.version) == ("head", "1.2.0")
    assert file.checksum == hashlib.sha256(file.body).hexdigest()
    assert b"servo" in file.body
