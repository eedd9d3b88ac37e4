"""The bound of a distance, against alternating projections: a second way that needs no axes."""

import math
import random

import pytest

from saint_services.lib.kinematics.poses import HERE, origin
from saint_services.lib.kinematics.shapes import (
    Block,
    ball_gap,
    block,
    gap,
    gap_to_plane,
    standing,
    swept,
    widened,
)
from saint_services.lib.robot.body import cover
from saint_services.lib.robot.urdf import UrdfShape
from saint_services.lib.role_config.body import Shape


def nearest(shape: Block, point: list[float]) -> list[float]:
    r, c = shape.pose[:9], shape.pose[9:]
    way = [p - q for p, q in zip(point, c, strict=True)]
    local = [sum(r[3 * k + i] * way[k] for k in range(3)) for i in range(3)]
    kept = [min(max(x, -h), h) for x, h in zip(local, shape.half, strict=True)]
    return [c[k] + sum(r[3 * k + i] * kept[i] for i in range(3)) for k in range(3)]


def distance(a: Block, b: Block) -> float:
    """The distance of the boxes less both radii, by projecting onto one and the other."""
    p = list(a.pose[9:])
    for _ in range(400):
        q = nearest(b, p)
        p = nearest(a, q)
    return math.dist(p, q) - a.radius - b.radius


def random_block(chance: random.Random) -> Block:
    angles = (chance.uniform(-3, 3), chance.uniform(-3, 3), chance.uniform(-3, 3))
    xyz = (chance.uniform(-0.3, 0.3), chance.uniform(-0.3, 0.3), chance.uniform(-0.3, 0.3))
    half = tuple(chance.choice((0.0, 0.02, chance.uniform(0, 0.2))) for _ in range(3))
    radius = chance.choice((0.0, 0.03))
    return block(Shape(xyz=xyz, rpy=angles, half=half, radius=radius))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(4))
def test_bound_is_at_most_the_distance_and_not_far_below(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(40):
        a, b = random_block(chance), random_block(chance)
        bound, true = gap(a, b), distance(a, b)
        assert gap(b, a) == pytest.approx(bound, rel=0.1, abs=5e-3)
        apart = true + a.radius + b.radius
        if apart > 1e-4:  # the boxes do not overlap
            assert bound <= true + 1e-6
            assert bound + a.radius + b.radius > 0.9 * apart
            assert ball_gap(a, b) <= true + 1e-9
        else:
            assert bound <= 1e-6


def test_faces_edges_and_corners_have_their_distance() -> None:
    cube = block(Shape(half=(0.1, 0.1, 0.1)))
    beside = block(Shape(xyz=(0.25, 0.0, 0.0), half=(0.1, 0.1, 0.1)))
    edge = block(Shape(xyz=(0.3, 0.3, 0.0), half=(0.1, 0.1, 0.1)))
    corner = block(Shape(xyz=(0.3, 0.3, 0.3), half=(0.1, 0.1, 0.1)))
    inside = block(Shape(xyz=(0.15, 0.0, 0.0), half=(0.1, 0.1, 0.1)))
    assert gap(cube, beside) == pytest.approx(0.05)
    assert gap(cube, edge) == pytest.approx(0.1 * math.sqrt(2))
    assert gap(cube, corner) == pytest.approx(0.1 * math.sqrt(3))
    assert gap(cube, inside) == pytest.approx(-0.05)


def test_spheres_have_their_distance_in_any_direction() -> None:
    a = block(Shape(radius=0.1))
    b = block(Shape(xyz=(0.3, 0.2, -0.4), radius=0.2))
    assert gap(a, b) == pytest.approx(math.sqrt(0.29) - 0.3)


def test_plane_is_measured_to_the_lowest_corner() -> None:
    tilted = block(Shape(xyz=(0, 0, 0.5), rpy=(math.pi / 4, 0, 0), half=(0.1, 0.1, 0.1)))
    assert gap_to_plane(tilted, (0, 0, 1), 0.0) == pytest.approx(0.5 - 0.1 * math.sqrt(2))
    assert gap_to_plane(tilted, (0, 0, 1), 0.45) < 0.0


@pytest.mark.parametrize("kind", ["box", "sphere", "cylinder", "capsule"])
def test_cover_contains_the_shape(kind: str) -> None:
    size = {"box": (0.1, 0.2, 0.3), "sphere": (0.1,), "cylinder": (0.05, 0.1)}.get(
        kind, (0.05, 0.1)
    )
    shape = UrdfShape(kind, size, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    covered = block(cover(shape))
    pose = origin(shape.xyz, shape.rpy)
    chance = random.Random(3)
    for _ in range(200):
        if kind == "box":
            point = tuple(chance.choice((-0.5, 0.5)) * edge for edge in size)
        elif kind == "sphere":
            angle = chance.uniform(0, 7)
            point = (size[0] * math.cos(angle), 0.0, size[0] * math.sin(angle))
        else:
            angle = chance.uniform(0, 7)
            end = chance.choice((-0.5, 0.5)) * size[1]
            point = (size[0] * math.cos(angle), size[0] * math.sin(angle), end)
        there = [sum(pose[3 * k + i] * point[i] for i in range(3)) + pose[9 + k] for k in range(3)]
        assert math.dist(nearest(covered, there), there) <= covered.radius + 1e-9


def test_swept_shape_covers_every_place_between() -> None:
    shape = block(Shape(xyz=(0.1, 0, 0), rpy=(0.3, 0.2, 0.1), half=(0.03, 0.02, 0.01)))
    axis = (0.0, 1.0, 0.0)
    whole = swept(shape, axis, 0.0, 0.04)
    for way in (0.0, 0.01, 0.04):
        moved = Block((*shape.pose[:10], shape.pose[10] + way, shape.pose[11]), *_rest(shape))
        for x in (-1, 1):
            for y in (-1, 1):
                corner = [
                    moved.pose[9 + k]
                    + x * moved.pose[3 * k] * shape.half[0]
                    + y * moved.pose[3 * k + 1] * shape.half[1]
                    for k in range(3)
                ]
                assert math.dist(nearest(whole, corner), corner) < 1e-9


def _rest(shape: Block) -> tuple[tuple[float, float, float], float, float]:
    return shape.half, shape.radius, shape.ball_m


def test_widened_and_standing_shapes_keep_their_bounds() -> None:
    a, b = block(Shape(half=(0.1, 0.1, 0.1))), block(Shape(xyz=(0.5, 0, 0), radius=0.1))
    assert gap(widened(a, 0.05), b) == pytest.approx(gap(a, b) - 0.05)
    moved = standing(a, origin((0.1, 0.0, 0.0)))
    assert moved.pose == origin((0.1, 0.0, 0.0))
    assert standing(a, HERE).pose == a.pose
