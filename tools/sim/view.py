"""Reads what `saintctl sim` shows from the folders of a simulated robot."""

import json
import os
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from saint_services.lib.errors import SaintError
from saint_services.lib.role_config.devices import SERVO_LINES
from saint_services.lib.role_config.model import RoleConfig

from . import breaking
from .bodies.observer import BodyObserver
from .bodies.plant import Plant
from .breaking import name_of
from .chips.servo_bus import servo_file, switches_of
from .chips.spi import read_lights
from .chips.x_bus import peer_of
from .faults import Faults
from .observe import read_display

REPORT = "robot.json"  # of make run in its root, of a single node in its own folder
_MARKS = ("robot.lock", "*/robot.lock")


@dataclass(frozen=True, slots=True)
class SimNode:
    """A simulated node."""

    name: str
    node_id: str
    role: str
    state: str
    faults: dict[str, str]

    @property
    def fault_text(self) -> str:
        """Return the faults as text for a table."""
        return ", ".join(f"{device} {fault}" for device, fault in self.faults.items()) or "-"


@dataclass(frozen=True, slots=True)
class Body:
    """State of a device that moves or shines, as text."""

    name: str
    kind: str
    asked: str
    value: str
    speed: str
    current: str
    fault: str


def is_simulated(root: Path) -> bool:
    """Return True for a folder that make run or a single node has made."""
    return any(True for mark in _MARKS for _ in root.glob(mark))


def nodes(root: Path) -> list[SimNode]:
    """List all nodes with simulated pins below the folder."""
    whole = _report(root / REPORT)
    found = [path.parents[1] for path in sorted(root.glob("*/config/noded.yaml"))]
    return [_node(folder, whole) for folder in found]


def bodies(hw: Path) -> list[Body]:
    """Read the present state of every device of the node."""
    broken = breaking.broken(hw)
    found: list[Body] = []
    supplies: list[Plant] = []
    roles = breaking.roles_of(hw)
    for role in roles:
        if plant := _plant(hw, role):
            found += _moving(hw, role, plant, broken)
            supplies.append(plant)
    if supplies:
        current = f"{sum(plant.current_a for plant in supplies):.2f} A"
        voltage, fault = f"{supplies[0].supply_v:.2f} V", broken.get("supply", "")
        found.append(Body("supply", "battery", "", voltage, "", current, fault))
    for role in roles:
        found += _bus_servos(hw, role, broken)
    for name, kind in breaking.devices(hw).items():
        if supplies and name not in (body.name for body in found):
            found.append(Body(name, kind, "", "", "", "", broken.get(name, "")))
    return found + [light for role in roles for light in _lights(hw, role)]


def _plant(hw: Path, role: RoleConfig) -> Plant | None:
    observer = BodyObserver(hw, role=role.target)
    plant = observer.observe()
    observer.close()
    return plant


def _moving(hw: Path, role: RoleConfig, plant: Plant, broken: dict[str, str]) -> list[Body]:
    found = []
    for wheel in plant.wheels:
        name, motor = name_of(hw, role, wheel.name), wheel.motor
        way, speed = motor.position * wheel.count_m, motor.speed * wheel.count_m
        figures = f"{motor.duty:+.0%}", f"{way:.3f} m", f"{speed:+.2f} m/s"
        fault = broken.get(name, "")
        found.append(Body(name, "motor", *figures, f"{motor.current_a:.2f} A", fault))
    for joint in plant.joints:
        name, unit, servo = name_of(hw, role, joint.name), joint.field.unit, joint.servo
        command = f"{joint.scale.value(servo.pulse_us):.1f} {unit}" if servo.pulse_us else "limp"
        figures = command, f"{joint.value:.1f} {unit}", f"{joint.speed:+.1f} {unit}/s"
        fault = broken.get(name, "")
        found.append(Body(name, "servo", *figures, f"{servo.current_a:.2f} A", fault))
    for stepper in plant.steppers:
        name = name_of(hw, role, stepper.name)
        switch = "at its switch" if stepper.is_switch_closed else ""
        figures = switch, f"{stepper.position:.1f} {stepper.field.unit}", ""
        found.append(Body(name, "stepper", *figures, "", broken.get(name, "")))
    return found


def _bus_servos(hw: Path, role: RoleConfig, broken: dict[str, str]) -> list[Body]:
    """Read the servos of a role's serial lines."""
    found = []
    for device, line in role.serial_devices.items():
        path = hw / servo_file(line.port, line.protocol)
        if line.driver not in SERVO_LINES or not path.exists():
            continue
        pins = [(part, s) for part, s in role.gpio_mapping.items() if s.device == device]
        parts = {spec.servo_id: part for part, spec in pins if spec.servo_id is not None}
        peer, faults = peer_of(path), Faults(hw, role.target)
        peer.switches = switches_of(faults.read, parts)
        for servo_id, part in parts.items():
            name, servo = name_of(hw, role, part), peer.servo(servo_id)
            command = f"{servo.get('goal_position')}" if servo.is_driven else "limp"
            load = f"{servo.load:.0%}"
            fault = broken.get(name, "")
            found.append(Body(name, "bus_servo", command, f"{servo.position}", "", load, fault))
        peer.close()
        faults.close()
    return found


def screen(hw: Path) -> tuple[str, ...]:
    """Read the lines of the node's display; empty where it has none."""
    for role in breaking.roles_of(hw):
        for device in role.i2c_devices.values():
            if device.driver == "ssd1306":
                return read_display(hw, device.bus, device.address).lines
    return ()


def _lights(hw: Path, role: RoleConfig) -> list[Body]:
    """Read the colour of each light, counting equal neighbours."""
    found = []
    for name, device in role.spi_devices.items():
        if device.driver == "ws2812":
            lit = read_lights(hw, device.bus, device.select, device.order)
            runs = [(colour, len(list(same))) for colour, same in groupby(lit)]
            text = ", ".join(f"{count} x {_colour_name(colour)}" for colour, count in runs)
            found.append(Body(name, "lights", "", text, "", "", ""))
    return found


def _colour_name(colour: tuple[int, int, int]) -> str:
    return f"#{bytes(colour).hex()}" if any(colour) else "dark"


def to_json(entries: list[Any]) -> str:
    """Encode entries for programs."""
    return json.dumps([asdict(entry) for entry in entries], indent=2)


def _node(folder: Path, whole: dict[str, Any]) -> SimNode:
    name = folder.name
    own = _report(folder / REPORT)
    machine = (whole | own).get("machines", {}).get(name, {})
    is_running = any(daemon["pid"] for daemon in machine.get("daemons", {}).values())
    try:
        role = ", ".join(each.target for each in breaking.roles_of(folder / "hw"))
        faults = breaking.broken(folder / "hw")
    except SaintError:
        role, faults = "", {}
    state = ("running, alone" if own else "running") if is_running else "stopped"
    return SimNode(name, f"sim_{name}", role, state, faults)


def _report(path: Path) -> dict[str, Any]:
    """Read a launcher's report of its processes; empty when it has ended."""
    try:
        report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return report if _is_alive(int(report.get("pid", 0))) else {}


def _is_alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
