"""Motors on a CAN bus in a role configuration: what is refused, shared, listed and compared."""

from typing import Any

import pytest
from pydantic import ValidationError

from saint_services.lib.api.adoption import Peripheral
from saint_services.lib.role_config.hardware import compare, hardware
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.resources import conflict

VESC: dict[str, Any] = {"port": "can0", "driver": "vesc", "id": 68}
MOTOR = {"type": "vesc", "device": "left"}


def role(name: str = "tracks", *, pins: Any = None, **nodes: Any) -> RoleConfig:
    return RoleConfig.model_validate(
        {
            "role": name,
            "version": "1",
            "topic_prefix": f"/saint/{name}",
            "gpio_mapping": {"left_motor": MOTOR} if pins is None else pins,
            "can_devices": nodes or {"left": VESC},
        }
    )


def test_four_motors_may_be_on_one_bus_each_with_its_tachometer() -> None:
    names = ("front_left", "front_right", "rear_left", "rear_right")
    pins: dict[str, Any] = {}
    for name in names:
        pins[f"{name}_motor"] = {"type": "vesc", "device": name}
        pins[f"{name}_encoder"] = {"type": "vesc_encoder", "device": name}
    nodes = {name: VESC | {"id": 60 + at} for at, name in enumerate(names)}
    assert set(role(pins=pins, **nodes).can_devices) == set(names)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"port": "eth0"}, "port"),
        ({"port": "/etc/passwd"}, "port"),
        ({"id": 253}, "id"),  # ours, when it is opened
        ({"id": -1}, "id"),
        ({"pole_pairs": 0}, "pole_pairs"),
        ({"gear": 0}, "gear"),
        ({"brake_current_a": -1}, "brake_current_a"),
        ({"hottest_fet_c": 200}, "hottest_fet_c"),
        ({"driver": "odrive"}, "driver"),
    ],
)
def test_setting_out_of_range_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        role(left=VESC | change)


def test_motor_names_a_device_of_its_kind() -> None:
    with pytest.raises(ValidationError, match="device names 'right', which is not in"):
        role(pins={"left_motor": {"type": "vesc", "device": "right"}})
    with pytest.raises(ValidationError, match="device is missing"):
        role(pins={"left_motor": {"type": "vesc"}})


def test_two_motors_or_two_names_of_one_vesc_are_refused() -> None:
    with pytest.raises(ValidationError, match="motor of left"):
        role(pins={"left_motor": MOTOR, "right_motor": MOTOR})
    with pytest.raises(ValidationError, match="VESC 68 on can0"):
        role(left=VESC, right=VESC)
    role(left=VESC, right=VESC | {"port": "can1"})


def test_roles_share_an_interface_and_no_vesc_and_no_serial_adapter() -> None:
    one = role()
    assert conflict([one], role("head", left=VESC | {"id": 56})) == ""
    assert "the VESC 68 on can0 is used by tracks" in conflict([one], role("head"))
    serial = {"port": "/dev/ttyACM0"}
    held, wanted = role(left=VESC | serial), role("head", left=VESC | serial | {"id": 56})
    assert "the serial line /dev/ttyACM0 is used by tracks" in conflict([held], wanted)


@pytest.mark.parametrize(
    ("port", "found", "verdict"),
    [
        ("can0", [("can", "can0")], "unknown"),
        ("can0", [("can", "can1")], "missing"),
        ("can0", [], "missing"),
        ("/dev/serial/by-id/x", [("serial", "/dev/serial/by-id/x")], "unknown"),
        ("/dev/serial/by-id/x", [], "missing"),
        ("/dev/ttyACM0", [], "unknown"),
    ],
)
def test_bus_is_compared_with_what_the_node_has(
    port: str, found: list[tuple[str, str]], verdict: str
) -> None:
    needs = hardware(role(left=VESC | {"port": port}))
    (use,) = needs.devices
    assert (use.kind, use.place, use.drives) == ("can", f"{port}:68", ["left_motor"])
    peripherals = [
        Peripheral(type=kind, address=address, description="", responsive=True)
        for kind, address in found
    ]
    (finding,) = compare(needs, (), peripherals)
    assert (finding.verdict, finding.what) == (verdict, f"VESC at CAN {port}:68")
