"""Any robot over one to three nodes is either refused, with line and key, or every node opens its
roles by the real drivers, drives them, stops and is safe; no pin, channel or address ever has two
owners. The server and the node decide alike.
"""

import json
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from saint_services.lib import config as texts
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.saint_msgs import PartCommand
from saint_services.lib.generated.topics import PARTS_CMD
from saint_services.lib.guard.ports import carry_out
from saint_services.lib.hw import will_of
from saint_services.lib.robot.manifest import RobotDescription
from saint_services.lib.robot.placing import misplaced
from saint_services.lib.robot.source import checked
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.ownership import pins
from saint_services.noded.lifecycle import model
from saint_services.noded.lifecycle.model import Assignment
from saint_services.noded.lifecycle.node import NodeLifecycle, fresh, step
from tests.unit.role.role_rig import Rig

pytestmark = [pytest.mark.timeout(180), pytest.mark.slow]  # each example opens boards

MANIFESTS = Path(__file__).resolve().parents[2] / "manifests"
PI_4 = {12: 0, 13: 1}
_pins = st.integers(4, 27)
_pulsed = st.sampled_from([12, 13, 18])  # the last has no PWM
_on_chip = st.fixed_dictionaries(
    {"device": st.sampled_from(["near", "far"]), "channel": st.integers(0, 3)}
)


def _part(field: dict[str, Any], kind: str, place: st.SearchStrategy[Any]) -> Any:
    return place.map(lambda where: (field, {"type": kind} | where))


_POSITION = {"kind": "position", "unit": "deg", "limits": [-30, 30], "max_rate": 300,
             "on_loss": "neutral"}  # fmt: skip
_SPEED = {"kind": "velocity", "unit": "ratio", "limits": [-1, 1], "max_rate": 50,
          "on_loss": "ramp_to_zero"}  # fmt: skip
_BROKEN = _POSITION | {"limits": [30, -30]}
_enables = st.lists(_pins, max_size=1)
_parts = st.one_of(
    _part(_POSITION, "pca9685", _on_chip),
    _part(_POSITION, "pca9685", _on_chip),
    _part(_BROKEN, "pca9685", _on_chip),
    _part(_POSITION, "servo", st.fixed_dictionaries({"pin": _pulsed})),
    _part(_SPEED, "pca9685", _on_chip),
    _part({"kind": "switch"}, "switch", st.fixed_dictionaries({"pin": _pins})),
    _part({"kind": "light"}, "dimmer", _on_chip),
    _part(
        _SPEED, "hbridge",
        st.fixed_dictionaries({"pin": _pulsed, "direction_pin": _pins, "enable_pins": _enables}),
    ),
    _part(
        _SPEED, "tb6612",
        st.fixed_dictionaries(
            {"pin": _pulsed, "direction_pins": st.tuples(_pins, _pins).map(list),
             "enable_pins": _enables}
        ),
    ),
)  # fmt: skip
_chips = st.fixed_dictionaries(
    {
        "near": st.integers(0x40, 0x42),
        "far": st.integers(0x40, 0x42),
        "mux": st.none() | st.integers(0, 2),
        "rest": st.sampled_from(["", "", "imu", "meter"]),
        "line": st.sampled_from(["", "", "/dev/ttyAMA0", "/dev/serial0", "/dev/ttyACM0"]),
    }
)
_roles = st.lists(
    st.tuples(st.lists(_parts, min_size=1, max_size=3), _chips), min_size=1, max_size=3
)


def _role(instance: str, parts: list[Any], chips: dict[str, Any]) -> dict[str, Any]:
    names = [f"part_{at}" for at in range(len(parts))]
    used = {output.get("device") for _, output in parts}
    devices: dict[str, Any] = {
        name: {"bus": 1, "address": chips[name], "driver": "pca9685"}
        for name in ("near", "far")
        if name in used
    }
    if "far" in devices and chips["mux"] is not None:
        devices["far"]["mux"] = {"channel": chips["mux"]}
    if chips["rest"]:
        driver = {"imu": "mpu6050", "meter": "ina219"}[chips["rest"]]
        devices[chips["rest"]] = {"bus": 1, "address": 0x41, "driver": driver}
    config: dict[str, Any] = {
        "commands": {"cmd": {"topic": f"/saint/parts/{instance}/cmd", "type": PartCommand.TYPE}},
        "fields": {
            name: field | {"command": "cmd"} for name, (field, _) in zip(names, parts, strict=True)
        },
        "gpio_mapping": {name: output for name, (_, output) in zip(names, parts, strict=True)},
        "i2c_devices": devices,
    }
    if chips["line"]:
        config["serial_devices"] = {"claw": {"port": chips["line"], "driver": "roboclaw"}}
    return {"role": "parts", "instance": instance, "config": config}


@given(wanted=_roles, places=st.lists(st.integers(0, 2), min_size=3, max_size=3))
@settings(max_examples=60, deadline=None)
def test_robot_is_refused_with_line_and_key_or_runs_on_every_node(
    wanted: list[tuple[list[Any], dict[str, Any]]], places: list[int]
) -> None:
    entries = [_role(f"r{at}", parts, chips) for at, (parts, chips) in enumerate(wanted)]
    nodes: dict[int, list[str]] = {}
    for at, place in zip(range(len(entries)), places, strict=False):
        nodes.setdefault(place, []).append(f"parts.r{at}")
    whole = json.loads(json.dumps({"name": "ANY", "roles": entries}))  # nothing is shared
    text = texts.write_yaml(whole)
    try:
        robot = checked(MANIFESTS, text, "robot.yaml")
    except SaintError as err:
        _is_at_its_line(err.message, text)
        event("refused by the check")
        return
    for targets in nodes.values():
        problem = misplaced(robot, text, "robot.yaml", targets, PI_4)
        node = _adopted(robot, targets)
        if problem:
            _is_at_its_line(problem, text)
            assert len(node.held) < len(targets)  # the node refuses what the server does
            event("refused for a node")
        else:
            assert len(node.held) == len(targets)
            _have_one_owner_each([robot.roles[target] for target in targets])
            for target in targets:
                _works(robot.roles[target])
            event("driven")


def _is_at_its_line(message: str, text: str) -> None:
    """The sentence names a line, and that line belongs to the key that the sentence names."""
    found = re.match(r"robot\.yaml, line (\d+): (.*)", message)
    assert found, message
    line = text.splitlines()[int(found[1]) - 1]
    keys = re.findall(r"[a-z_]+[a-z0-9_]*", line)
    assert any(key in found[2] for key in keys), (message, line)


def _adopted(robot: RobotDescription, targets: list[str]) -> NodeLifecycle:
    """A node that is given these roles one after the other, and reports each as ready."""
    node, _ = step(fresh("pi_1", PI_4), model.RolesLoaded())
    ready = model.RoleReport(ready=True, safe=True, estop=False)
    for number, target in enumerate(targets, 1):
        assignment = Assignment(robot.roles[target], "")
        node, _ = step(node, model.AdoptRequested(number, "pi_1", assignment, adds=number > 1))
        for slot, life in list(node.lives.items()):
            if life.candidate:
                node, _ = step(node, model.RoleReported(life.attempt, ready), slot)
                node, _ = step(node, model.StoreResult(life.attempt), slot)
    return node


def _have_one_owner_each(roles: list[RoleConfig]) -> None:
    places: Counter[object] = Counter()
    shared: dict[int, set[str]] = {}
    for role in roles:
        for spec in role.gpio_mapping.values():
            own = pins(spec) - set(spec.enable_pins)
            places.update(("pin", pin) for pin in own)
            for pin in spec.enable_pins:
                shared.setdefault(pin, set()).add(f"{role.target} {spec.type}")
            if spec.device:
                chip = role.i2c_devices[spec.device]
                places[chip.place, spec.channel] += 1
            if spec.type in ("servo", "hbridge", "tb6612"):
                places.update(("pwm", PI_4[pin]) for pin in spec.pwm_pins)
        places.update(chip.place for chip in role.i2c_devices.values())
        places.update(("line", line.port) for line in role.serial_devices.values())
    assert not [place for place, count in places.items() if count > 1]
    assert all(len(kinds) == 1 for kinds in shared.values())  # bridges of one kind in one role
    assert not [pin for pin in shared if ("pin", pin) in places]


def _works(role: RoleConfig) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(Path(folder), "parts", role)
        rig.beat()
        names = tuple(role.fields)
        message = PartCommand(names=names, values=(1.0,) * len(names))
        topic = PARTS_CMD.at(instance=role.instance)
        rig.live(0.2, lambda: rig.send(topic, message))
        assert rig.session.commands
        rig.estop(True, 1)
        assert rig.session.is_safe
        assert carry_out([will_of(rig.board, role, "role-partsd")]) == []
        rig.close()
