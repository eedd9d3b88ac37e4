"""Moves the leader arms of a robot of `make run` as a hand would: by a recording, a sequence file,
on their simulated servos. An open clutch is closed first, by two squeezes of the gripper. Not here:
what else is played (feed.py).
"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from saint_services.lib.api.sequences import JointSequence
from saint_services.lib.bus import Bus, Sample
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.robot.manifest import load
from saint_services.lib.role_config.bus_servos import BUS_SERVO
from saint_services.lib.role_config.model import RoleConfig
from saint_services.role_leaderd.logic import scale_of
from saint_services.routerd.sequences.course import SequenceCourse

from .sim.chips.servo_bus import ServoBusPeer, servo_file
from .sim.chips.x_bus import peer_of

ROOT = Path(__file__).resolve().parents[1]
RECORDING = ROOT / "tests" / "data" / "so101-wave.json"
STEP_S = 0.01
_HAND_TICKS = 25.0  # in a step: 2500 positions a second
_SQUEEZES = (0.5, 0.03, 0.5, 0.03, 0.5)  # of the gripper
_GRIPPER = "gripper"


def recording() -> JointSequence:
    """Read the movement of a hand."""
    return JointSequence.model_validate(json.loads(RECORDING.read_text(encoding="utf-8")))


@dataclass
class LeaderHand:
    """A hand that moves one leader's servos."""

    config: RoleConfig
    peer: ServoBusPeer
    sequence: JointSequence
    is_closed: bool = False  # the clutch, as the leader reports it
    _places: dict[str, float] = field(default_factory=dict)

    def receive(self, sample: Sample[InputSample]) -> None:
        """Follow the clutch of this leader."""
        message = sample.message
        if message.source == f"leader:{self.config.instance}" and tuple(message.names) == (
            "clutch",
        ):
            self.is_closed = bool(message.values[0])

    def poses(self) -> Iterator[dict[str, float]]:
        """Yield where the hand wants the joints, in steps, endlessly."""
        while True:
            course = SequenceCourse(self.sequence)
            first = self._named(course.pose())
            yield from self._way(first)
            if not self.is_closed and _GRIPPER in first:
                for share in _SQUEEZES:
                    yield from self._way(first | {_GRIPPER: share})
                yield from self._way(first)
            at_s = 0.0
            while not course.is_over:
                at_s += STEP_S
                course.advance(at_s, True)
                yield self._named(course.pose())

    def step(self, pose: dict[str, float]) -> None:
        """Put the shafts of the servos where a pose has them."""
        assert self.config.lead
        for name, value in pose.items():
            pin = self.config.gpio_mapping[name]
            servo = self.peer.servo(pin.servo_id or 0)
            ticks = scale_of(name, pin, self.config.lead).ticks(value)
            servo.shaft = float(ticks + servo.get("homing_offset"))
            self._places[name] = value

    def _way(self, goal: dict[str, float]) -> Iterator[dict[str, float]]:
        """Yield the way from where the joints are, none faster than a hand."""
        start = {name: self._places.get(name, value) for name, value in self._measured().items()}
        ways = {name: goal[name] - start[name] for name in goal}
        steps = max(1, *(round(abs(self._in_ticks(n, w)) / _HAND_TICKS) for n, w in ways.items()))
        for number in range(1, steps + 1):
            yield {name: start[name] + way * number / steps for name, way in ways.items()}

    def _measured(self) -> dict[str, float]:
        assert self.config.lead
        return {
            name: scale_of(name, pin, self.config.lead).value(
                self.peer.servo(pin.servo_id or 0).position
            )
            for name, pin in self.config.gpio_mapping.items()
            if pin.type == BUS_SERVO and name in self.sequence.joints
        }

    def _in_ticks(self, name: str, way: float) -> float:
        assert self.config.lead
        scale = scale_of(name, self.config.gpio_mapping[name], self.config.lead)
        return scale.ticks(way) - scale.ticks(0.0)

    def _named(self, values: tuple[float, ...]) -> dict[str, float]:
        return dict(zip(self.sequence.joints, values, strict=True))


def hands(root: Path, robot: str) -> list[LeaderHand]:
    """Return a hand for each leader of a running robot. Blocks."""
    found: list[LeaderHand] = []
    for config in load(ROOT / "manifests", robot).roles.values():
        for line in config.serial_devices.values() if config.lead else ():
            for path in root.glob(f"*/hw/{servo_file(line.port, line.protocol)}"):
                found.append(LeaderHand(config, peer_of(path), recording()))
    return found


async def move_leaders(root: Path, robot: str, bus: Bus) -> None:
    """Move all leaders until cancelled; return at once where there are none."""
    found = await asyncio.to_thread(hands, root, robot)
    for hand in found:
        bus.subscribe(topics.INPUT_AUTONOMOUS, hand.receive)
    loop = asyncio.get_running_loop()
    due_s, courses = loop.time(), [(hand, hand.poses()) for hand in found]
    while courses:
        for hand, poses in courses:
            hand.step(next(poses))
        due_s = max(due_s + STEP_S, loop.time())
        await asyncio.sleep(due_s - loop.time())
