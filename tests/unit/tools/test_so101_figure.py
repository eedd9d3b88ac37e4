"""The real look of the SO-101: meshes made smaller, and a zip that a robot takes. The package's own
files are not here (make build/so101.zip).
"""

import importlib.util
import itertools
import sys
from typing import Any

import numpy as np
import pytest

from saint_services.lib.robot.figure.archive import received
from tools.so101_figure import LIB, MODEL, figure, simplified, stl_of, triangles_of, welded

URDF = b"""<robot name="one"><link name="base">
  <inertial><mass value="1"/></inertial>
  <visual><geometry><mesh filename="assets/a.stl"/></geometry></visual>
  <collision><geometry><mesh filename="assets/fine.stl"/></geometry></collision>
</link></robot>"""


def net(count: int, size_m: float) -> "np.ndarray[Any, Any]":
    """Return a flat square of 2 * count^2 triangles."""
    step = size_m / count
    found = []
    for x, y in itertools.product(range(count), repeat=2):
        corners = [(x, y, 0), (x + 1, y, 0), (x + 1, y + 1, 0), (x, y + 1, 0)]
        found += [corners[:3], [corners[0], *corners[2:]]]
    return np.array(found, np.float32) * step


def test_stl_keeps_corners_and_has_normals() -> None:
    corners = net(2, 0.1)
    stl = stl_of(corners)
    assert len(stl) == 84 + 50 * 8
    assert (triangles_of(stl) == corners).all()
    assert stl[84:96] == np.array([0, 0, 1], "<f4").tobytes()


def test_corners_of_one_cell_are_one_point_and_empty_faces_are_left_out() -> None:
    points, faces = welded(net(100, 0.01))  # a tenth of a millimetre each
    assert len(points) < 500
    assert 0 < len(faces) < 1500
    assert all(len(set(face)) == 3 for face in faces.tolist())


def test_figure_has_no_collision_shapes_and_a_robot_takes_it() -> None:
    found = received(figure(URDF, {"assets/a.stl": stl_of(net(5, 0.1)), "assets/fine.stl": b""}))
    assert list(found.meshes) == ["assets/a.stl"]
    assert b"collision" not in found.urdf
    assert b"inertial" not in found.urdf


def test_package_s_own_mesh_becomes_as_small_as_requested() -> None:
    if not LIB.is_dir():
        pytest.skip("the public model: make build/so101.zip fetches it")
    if importlib.util.find_spec("fast_simplification") is None:
        sys.path.append(str(LIB))
    stl = ((LIB / MODEL).parent / "assets" / "upper_arm_so101_v1.stl").read_bytes()
    assert len(triangles_of(simplified(stl, 0.1))) <= 0.105 * len(triangles_of(stl))
