"""Random robots: roles of every kind with parts of any names, units and ranges."""

from typing import Any

from hypothesis import strategies as st

from saint_services.lib.generated.saint_msgs import PartCommand
from saint_services.lib.role_config.model import RoleConfig

FACE = (
    "jaw", "mouth", "eye_pan", "eye_tilt", "eye_pan_left", "eye_pan_right", "eye_tilt_left",
    "brow", "brow_left", "brow_right", "lid_upper_left", "lid_upper_right", "lid_lower",
    "lip_left", "lip_right", "neck_pan", "neck_tilt", "neck_roll", "head_pan", "tail", "tail_tilt",
    "ear_left", "horn_2", "wing_pan", "grip", "base", "part_x", "joint_0",
)  # fmt: skip
NAMES = st.one_of(
    st.sampled_from(FACE), st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True)
).filter(lambda name: name != "eyes" and not name.startswith("joint_"))  # reserved words
NUMBERS = st.floats(-400, 400).map(lambda value: round(value, 3))
LIMITS = st.tuples(NUMBERS, NUMBERS).filter(lambda pair: pair[0] < pair[1])
RATES = st.floats(1e-3, 5000)


@st.composite
def parts(draw: st.DrawFn, most: int = 12) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return outputs of parts with their hardware, by name."""
    found = {}
    for channel, name in enumerate(draw(st.lists(NAMES, max_size=most, unique=True))):
        kind = draw(st.sampled_from(["deg", "ratio", "velocity", "switch", "light"]))
        output: dict[str, Any] = {"command": "parts", "kind": kind}
        hardware = {"type": "pca9685", "device": "chip", "channel": channel}
        if kind in ("deg", "ratio"):
            limits = draw(LIMITS) if kind == "deg" else (0, 1)
            neutral = {"neutral": limits[0]}
            output |= {"kind": "position", "unit": kind, "limits": limits, "on_loss": "hold"}
            output |= {"max_rate": draw(RATES)} | neutral
        elif kind == "velocity":
            output |= {"unit": "ratio", "limits": (-1, 1), "max_rate": 1, "on_loss": "ramp_to_zero"}
        elif kind == "switch":
            hardware = {"type": "switch", "device": "chip", "channel": channel}
        else:
            hardware = {"type": "dimmer", "device": "chip", "channel": channel}
        found[name] = (output, hardware)
    return found


def _role(
    role: str, instance: str, fields: dict[str, Any], pins: dict[str, Any], **more: Any
) -> RoleConfig:
    prefix = f"/saint/{role}/{instance}" if instance else f"/saint/{role}"
    topic = f"{prefix}/cmd" if role == "parts" else f"{prefix}/parts/cmd"
    return RoleConfig.model_validate(
        {
            "role": role,
            "instance": instance,
            "version": "1.0.0",
            "topic_prefix": prefix,
            "commands": {
                "cmd": {"topic": f"{prefix}/cmd", "type": "saint_msgs/msg/HeadCommand"},
                "parts": {"topic": topic, "type": PartCommand.TYPE},
            }
            if role != "parts"
            else {"parts": {"topic": topic, "type": PartCommand.TYPE}},
            "fields": fields,
            "gpio_mapping": pins,
            "i2c_devices": {"chip": {"bus": 1, "address": 0x40, "driver": "pca9685"}},
        }
        | more
    )


@st.composite
def joints(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    """Return fields of a role's own, which turn."""
    return {
        name: {
            "command": "cmd",
            "path": name,
            "kind": "position",
            "unit": "deg",
            "limits": draw(LIMITS),
            "max_rate": draw(RATES),
            "on_loss": "hold",
        }
        for name in names
    }


@st.composite
def robots(draw: st.DrawFn) -> dict[str, RoleConfig]:
    """Return the roles of a robot, by target."""
    found: list[RoleConfig] = []
    if draw(st.booleans()):
        names = draw(st.lists(st.sampled_from(["pan", "tilt", "roll"]), unique=True))
        own, more = draw(joints(names)), draw(parts(6))
        found.append(_mixed("head", "", own, more, draw(st.booleans())))
    for side in draw(st.lists(st.sampled_from(["left", "right", "tail"]), unique=True)):
        own = draw(joints([f"joint_{n}" for n in range(draw(st.integers(0, 9)))]))
        found.append(_mixed("arms", side, own, draw(parts(4)), is_seen=False))
    if draw(st.booleans()):
        pins = {
            "left_motor": {"type": "hbridge", "pin": 12, "direction_pin": 5},
            "right_motor": {"type": "hbridge", "pin": 13, "direction_pin": 6},
        }
        geometry = {
            "track_width_m": draw(st.floats(0.01, 5)),
            "wheel_radius_m": draw(st.floats(0.005, 2)),
            "ticks_per_turn": 100,
            "top_speed_mps": 1,
        }
        given = draw(st.sampled_from([geometry, None]))
        found.append(_role("tracks", "", {}, pins, **({"geometry": given} if given else {})))
    for instance in draw(st.lists(st.sampled_from(["face", "tail", "left_2"]), unique=True)):
        found.append(_mixed("parts", instance, {}, draw(parts()), is_seen=False))
    return {role.target: role for role in found}


def _mixed(
    role: str, instance: str, own: dict[str, Any], more: dict[str, Any], is_seen: bool
) -> RoleConfig:
    more = {name: each for name, each in more.items() if name not in own}
    pins = {name: {"type": "servo", "pin": 20 + at} for at, name in enumerate(own) if at < 8}
    own = {name: each for name, each in own.items() if name in pins}
    fields = own | {name: output for name, (output, _) in more.items()}
    gpio = pins | {name: hardware for name, (_, hardware) in more.items()}
    camera = {"camera": {"enabled": True}} if is_seen else {}
    return _role(role, instance, fields, gpio, **camera)
