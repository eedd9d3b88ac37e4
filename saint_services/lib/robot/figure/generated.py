"""Makes a figure from the parts of a robot: two tracks, a torso, heads and arms of boxes, and a
small body for any other part. It moves as the robot does, its sizes are invented. The same robot
gives the same text. Pure. Not here: the text itself (urdf_text.py).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...role_config.devices import MOTORS
from ...role_config.model import RoleConfig, TrackGeometry
from ..urdf import Vector
from .arm import draw_arm
from .builder import FigureBuilder, FigurePart, Joints, Share, motion_of
from .face import draw_face
from .features import axis_of, feature_of
from .urdf_text import FORWARD, HERE, LEFT, RIGHT, UP, Drawn, JointMotion

BASE = "base_link"
WHEELS = ("left_motor", "right_motor")  # of the tracks
_FLAT = (1.5708, 0.0, 0.0)  # a cylinder that lies across
_NUMBER = re.compile(r"\d+")
_IN_A_ROW, _STEP_M = 5, 0.12
_AXES = {"tilt": RIGHT, "roll": FORWARD}
_SLIDE = Share(0.05, is_turn=False, axis=UP)
_USUAL = TrackGeometry(track_width_m=0.5, wheel_radius_m=0.08, ticks_per_turn=1, top_speed_mps=1)


@dataclass(frozen=True, slots=True)
class GeneratedFigure:
    """A figure as text, which joint shows which part, and the link of each part."""

    text: str
    joints: Joints
    links: dict[tuple[str, str], str]


def generate(name: str, roles: Mapping[str, RoleConfig]) -> GeneratedFigure:
    """Return the figure of a robot."""
    made = _Assembly(name, roles)
    made.assemble()
    builder = made.builder
    return GeneratedFigure(builder.urdf.text(), builder.joints, builder.links)


class _Assembly:
    def __init__(self, name: str, roles: Mapping[str, RoleConfig]) -> None:
        self._roles = roles
        self.builder = FigureBuilder(name)
        self._base = self.builder.urdf.link(BASE)
        self._top_m = 0.05  # of what stands on the ground
        self._front_m = 0.15
        self._others: list[FigurePart] = []

    def assemble(self) -> None:
        """Add everything, from the ground up."""
        tracks = [(name, role) for name, role in self._roles.items() if role.role == "tracks"]
        arms = [(name, role) for name, role in self._roles.items() if role.role == "arms"]
        for number, (target, role) in enumerate(tracks):
            self._tracks(target, role, number)
        if not tracks:
            plinth = Drawn((0.3, 0.3, 0.05), "body", (0.0, 0.0, 0.025))
            self.builder.urdf.draw(self._base, plinth)
        faces = [found for each in self._roles.items() if (found := self._face_of(*each))]
        carrier, height_m = self._torso(bool(arms) or bool(tracks and faces))
        for number, (target, role) in enumerate(arms):
            self._arm(target, role, carrier, number, height_m)
        for number, (target, slots) in enumerate(faces):
            place = (0.0, (number + 1) // 2 * 0.35 * (-1) ** number, height_m)
            self._head(target, slots, carrier, place)
        self._rows()

    def _tracks(self, target: str, role: RoleConfig, number: int) -> None:
        geometry = role.geometry or _USUAL
        width = min(max(geometry.track_width_m, 0.05), 3.0)
        radius = min(max(geometry.wheel_radius_m, 0.01), 1.0)
        x = -1.6 * width * number
        centre = (x, 0.0, radius + 0.18 * width)
        draw = self.builder.urdf.draw
        draw(self._base, Drawn((1.2 * width, 0.76 * width, 0.32 * width), "body", centre))
        for motor, sign in zip(WHEELS, (1.0, -1.0), strict=True):
            y = sign * width / 2.0
            belt = Drawn((1.4 * width, 0.2 * width, 2.0 * radius), "track", (x, y, radius))
            draw(self._base, belt)
            pin = role.gpio_mapping.get(motor)
            wheel = Drawn((radius, 0.22 * width), "metal", HERE, _FLAT)
            place = (x + 0.54 * width, y, radius)
            if pin is None or pin.type not in MOTORS or motor in role.fields:
                draw(self._base, Drawn(wheel.size, "metal", place, _FLAT))
                continue
            part = FigurePart(target, motor)
            self.builder.part(part, self._base, place, JointMotion("continuous", LEFT), wheel)
        shown = ("linear", "angular") if len(self.builder.joints.get(target, {})) == 2 else ()
        self._keep(target, role, shown)
        self._top_m = max(self._top_m, radius + 0.34 * width)
        self._front_m = max(self._front_m, x + 0.7 * width)

    def _face_of(self, target: str, role: RoleConfig) -> tuple[str, dict[str, FigurePart]] | None:
        """Return what of a role is a face; all else is kept for the rows."""
        if role.role in ("tracks", "arms"):
            return None
        slots: dict[str, FigurePart] = {}
        for name, spec in role.fields.items():
            what = feature_of(name, is_head=role.role == "head")
            if what and what not in slots and spec.kind == "position":
                slots[what] = FigurePart(target, name, spec)
        _leave_unused(slots)
        self._keep(target, role, [part.name for part in slots.values()])
        return (target, slots) if slots or role.role == "head" else None

    def _keep(self, target: str, role: RoleConfig, shown: Iterable[str]) -> None:
        names = set(shown)
        self._others += [
            FigurePart(target, name, spec)
            for name, spec in role.fields.items()
            if name not in names
        ]

    def _torso(self, is_wanted: bool) -> tuple[str, float]:
        """Return what carries heads and arms, and how high heads stand on it."""
        if not is_wanted:
            return self._base, self._top_m
        box = Drawn((0.22, 0.3, 0.45), "body", (0.0, 0.0, 0.225))
        return self.builder.fixed("torso", self._base, (0.0, 0.0, self._top_m), box), 0.45

    def _head(
        self, target: str, slots: Mapping[str, FigurePart], carrier: str, place: Vector
    ) -> None:
        role = self._roles[target]
        head = draw_face(self.builder, target.replace(".", "_"), carrier, place, slots)
        if role.role != "head":
            return
        if any("imu" in (name, device.purpose) for name, device in role.i2c_devices.items()):
            self.builder.fixed("head_imu", head, (0.0, 0.0, 0.1))
        if role.camera.enabled:
            self.builder.fixed("head_camera", head, (0.11, 0.0, 0.17))

    def _arm(
        self, target: str, role: RoleConfig, carrier: str, number: int, height_m: float
    ) -> None:
        side = {"left": 1.0, "right": -1.0}.get(role.instance, (-1.0) ** number)
        x = 0.0 if role.instance in ("left", "right") else -0.12 * (1 + number // 2)
        parts = [FigurePart(target, name, spec) for name, spec in role.fields.items()]
        grip = role.grip.field if role.grip else "gripper"
        gripper = next((part for part in parts if part.name == grip), None)
        joints = [part for part in parts if part is not gripper and part.is_position]
        joints.sort(key=lambda part: [int(each) for each in _NUMBER.findall(part.name)])
        place = (x, 0.2 * side, height_m - 0.05)
        draw_arm(self.builder, carrier, place, joints, gripper)
        shown = [part.name for part in (*joints, *([gripper] if gripper else ()))]
        self._keep(target, role, shown)

    def _rows(self) -> None:
        """Stand what is part of nothing else in rows before the robot."""
        for number, part in enumerate(self._others):
            row, column = divmod(number, _IN_A_ROW)
            in_row = min(len(self._others) - row * _IN_A_ROW, _IN_A_ROW)
            x = self._front_m + _STEP_M * (row + 1)
            y = _STEP_M * ((in_row - 1) / 2.0 - column)
            self.builder.urdf.draw(
                self._base,
                Drawn((_STEP_M, _STEP_M, 0.01), "body", (x, y, 0.005)),
            )
            self._small(part, (x, y, 0.01))

    def _small(self, part: FigurePart, place: Vector) -> None:
        x, y, z = place
        kind = part.spec.kind if part.spec else ""
        if not part.is_position:
            shape = {
                "light": Drawn((0.02,), "light", (0.0, 0.0, 0.02)),
                "velocity": Drawn((0.025, 0.03), "metal", (0.0, 0.0, 0.025), _FLAT),
            }.get(kind, Drawn((0.03, 0.03, 0.03), "metal", (0.0, 0.0, 0.015)))
            self.builder.part(part, self._base, place, None, shape, has_label=True)
            return
        case = Drawn((0.04, 0.02, 0.035), "body", (x, y, z + 0.0175))
        self.builder.urdf.draw(self._base, case)
        axis = _AXES.get(axis_of(part.name), UP)
        horn = Drawn((0.045, 0.012, 0.008), "arm", (0.015, 0.0, 0.004))
        motion = motion_of(part, axis, _SLIDE)
        above = (x, y, z + 0.035)
        self.builder.part(part, self._base, above, motion, horn, has_label=True)


def _leave_unused(slots: dict[str, FigurePart]) -> None:
    """Leave a part for both sides to the rows where each side has its own."""
    for what in [each for each in slots if "." not in each]:
        if f"{what}.left" in slots and f"{what}.right" in slots:
            del slots[what]
