"""Odometry against a path that is known exactly: 100 m of figure of eight, through the role, its
encoder drivers and edges on simulated pins.
"""

import math
from itertools import pairwise
from pathlib import Path

from saint_services.lib.role.motion.odometry import Odometer
from tests.unit.role.role_rig import Rig

WAY_M, WIDTH_M = 100.0, 0.5
RADIUS_M = WAY_M / 2.0 / math.tau  # two circles, first to the left, then to the right
COUNTS_PER_M = 2048 / (math.tau * 0.08)
SPEED_MPS, STEP_S = 2.0, 0.02
ALLOWED_M = 0.1  # 0.1 percent of the way
_LEVELS = ((False, False), (True, False), (True, True), (False, True))
_PINS = ((17, 27), (23, 24))  # A, B of the left and the right encoder


def ways_at(way_m: float) -> tuple[float, float]:
    """Return the travel of both tracks for a travel of the vehicle."""
    first, second = min(way_m, WAY_M / 2.0), max(0.0, way_m - WAY_M / 2.0)
    bend = WIDTH_M / 2.0 / RADIUS_M
    return first * (1 - bend) + second * (1 + bend), first * (1 + bend) + second * (1 - bend)


def place_at(way_m: float) -> tuple[float, float]:
    """Return the place of the vehicle, by geometry."""
    if way_m <= WAY_M / 2.0:
        angle = way_m / RADIUS_M
        return RADIUS_M * math.sin(angle), RADIUS_M * (1.0 - math.cos(angle))
    angle = (way_m - WAY_M / 2.0) / RADIUS_M
    return RADIUS_M * math.sin(angle), -RADIUS_M * (1.0 - math.cos(angle))


class Wheels:
    """Turns the simulated encoders as a vehicle would that follows the path exactly."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._counts = [0, 0]

    def go(self, way_m: float) -> None:
        """Send all edges up to this travel."""
        for side, way in enumerate(ways_at(way_m)):
            end = math.floor(way * COUNTS_PER_M)
            for before, after in pairwise(range(self._counts[side], end + 1)):
                old, new = _LEVELS[before % 4], _LEVELS[after % 4]
                line = 0 if old[0] != new[0] else 1
                self._rig.board.bank._edge(_PINS[side][line], new[line], 0)
            self._counts[side] = max(end, self._counts[side])


def test_figure_of_eight_of_100_m_is_known_within_a_thousandth(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "tracks")
    wheels = Wheels(rig)
    worst_m = 0.0
    steps = round(WAY_M / SPEED_MPS / STEP_S)
    for step in range(1, steps + 1):
        wheels.go(step * STEP_S * SPEED_MPS)
        rig.clock.advance(STEP_S)
        if step % 50 == 0:
            rig.session._measure(rig.clock.now)  # type: ignore[attr-defined]
            odometer = rig.session._odometer  # type: ignore[attr-defined]
            x, y = place_at(step * STEP_S * SPEED_MPS)
            worst_m = max(worst_m, math.hypot(odometer.x_m - x, odometer.y_m - y))
    rig.clock.advance(0.06)
    pose = rig.bus.sent["/saint/tracks/odom"][-1].pose.pose
    heading = 2.0 * math.atan2(pose.orientation.z, pose.orientation.w)
    print(f"largest error {worst_m * 1000:.2f} mm on {WAY_M:.0f} m")
    assert worst_m < ALLOWED_M
    assert math.hypot(pose.position.x, pose.position.y) < ALLOWED_M  # it ends where it began
    assert abs(heading) < 0.01
    rig.close()


def test_arcs_are_exact_however_coarse_the_steps() -> None:
    """Four steps on the whole figure: an integration by chords would be metres off."""
    odometer = Odometer(WIDTH_M)
    for quarter in range(4):
        before, after = ways_at(quarter * 25.0), ways_at((quarter + 1) * 25.0)
        odometer.travel(after[0] - before[0], after[1] - before[1])
        x, y = place_at((quarter + 1) * 25.0)
        assert math.hypot(odometer.x_m - x, odometer.y_m - y) < 1e-9
