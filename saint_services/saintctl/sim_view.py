"""What `saintctl sim` shows, read from the folders of a simulated robot. Not here: starting,
breaking.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..lib.errors import SaintError

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
        """For a table."""
        return ", ".join(f"{device} {fault}" for device, fault in self.faults.items()) or "-"


@dataclass(frozen=True, slots=True)
class Body:
    """A device that moves, in words."""

    name: str
    kind: str
    asked: str
    value: str
    speed: str
    current: str
    fault: str


def is_simulated(root: Path) -> bool:
    """True for a folder that make run or a single node has made."""
    return any(True for mark in _MARKS for _ in root.glob(mark))


def nodes(root: Path) -> list[SimNode]:
    """All nodes with simulated pins below the folder."""
    whole = _report(root / REPORT)
    found = [path.parents[1] for path in sorted(root.glob("*/config/noded.yaml"))]
    return [_node(folder, whole) for folder in found]


def bodies(hw: Path) -> list[Body]:
    """Everything that hangs on the node's pins, as it is now."""
    from ..lib.hw.sim import breaking
    from ..lib.hw.sim.outlook import Outlook

    breaking.role_of(hw)  # says what is missing
    broken = breaking.broken(hw)
    outlook = Outlook(hw)
    plant = outlook.look()
    outlook.close()
    if plant is None:
        return []
    found = [
        Body(
            w.name, "motor", f"{w.motor.duty:+.0%}",
            f"{w.motor.position * w.count_m:.3f} m", f"{w.motor.speed * w.count_m:+.2f} m/s",
            f"{w.motor.current_a:.2f} A", broken.get(w.name, ""),
        )
        for w in plant.wheels
    ]  # fmt: skip
    for joint in plant.joints:
        unit, pulse_us = joint.field.unit, joint.servo.pulse_us
        asked = f"{joint.scale.value(pulse_us):.1f} {unit}" if pulse_us else "limp"
        speed, current = f"{joint.speed:+.1f} {unit}/s", f"{joint.servo.current_a:.2f} A"
        value, fault = f"{joint.value:.1f} {unit}", broken.get(joint.name, "")
        found.append(Body(joint.name, "servo", asked, value, speed, current, fault))
    supply = f"{plant.supply_v:.2f} V", "", f"{plant.current_a:.2f} A", broken.get("supply", "")
    found.append(Body("supply", "battery", "", *supply))
    for name, kind in breaking.devices(hw).items():
        if name not in (body.name for body in found):
            found.append(Body(name, kind, "", "", "", "", broken.get(name, "")))
    return found


def to_json(entries: list[Any]) -> str:
    """For programs."""
    return json.dumps([asdict(entry) for entry in entries], indent=2)


def _node(folder: Path, whole: dict[str, Any]) -> SimNode:
    from ..lib.hw.sim import breaking

    name = folder.name
    own = _report(folder / REPORT)
    machine = (whole | own).get("machines", {}).get(name, {})
    is_running = any(daemon["pid"] for daemon in machine.get("daemons", {}).values())
    try:
        role, faults = breaking.role_of(folder / "hw").target, breaking.broken(folder / "hw")
    except SaintError:
        role, faults = "", {}
    state = ("running, alone" if own else "running") if is_running else "stopped"
    return SimNode(name, f"sim_{name}", role, state, faults)


def _report(path: Path) -> dict[str, Any]:
    """What a launcher says of its processes; nothing when it has ended."""
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
