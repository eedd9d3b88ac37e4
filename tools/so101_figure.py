"""Makes the real look of the SO-101 arm: takes URDF and meshes of a public package, simplifies the
meshes to what a robot stores and a phone draws, and writes a zip.

    make build/so101.zip
    saintctl robot figure set build/so101.zip

Nothing of it is part of this project: TheRobotStudio's model (Apache-2.0) in Physical AI's package
physicalai-so101-plugin. Its joints have LeRobot's names. Collision shapes are left out: they are
the same fine meshes.
"""

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from saint_services.lib.robot.figure.archive import received, zipped
from saint_services.lib.robot.figure.meshes import MOST_TRIANGLES

LIB = Path(__file__).resolve().parents[1] / "build" / "figures" / "lib"
MODEL = Path("urdf") / "so101-follower" / "so101_follower.urdf"
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_HEADER = 80  # bytes of a binary STL before the number of facets
_CELL_M = 0.0005
_FEWEST = 200  # triangles of a small part
_MOST = 0.95 * MOST_TRIANGLES  # a part may keep a few more than requested
_LEFT_OUT = ("collision", "inertial")


def triangles_of(stl: bytes) -> "np.ndarray[Any, Any]":
    """Return the corners of a binary STL: (triangles, 3 corners, 3 coordinates)."""
    count = int.from_bytes(stl[_HEADER : _HEADER + 4], "little")
    found: np.ndarray[Any, Any] = np.frombuffer(stl, _FACET, count, _HEADER + 4)["corners"]
    return found


def stl_of(corners: "np.ndarray[Any, Any]") -> bytes:
    """Return a binary STL."""
    facets = np.zeros(len(corners), _FACET)
    facets["corners"] = corners
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    facets["normal"] = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
    return bytes(_HEADER) + len(corners).to_bytes(4, "little") + facets.tobytes()


def welded(corners: "np.ndarray[Any, Any]") -> tuple["np.ndarray[Any, Any]", ...]:
    """Return points and faces: corners of one cell become their mean, and what has no area left is
    left out. Else the tiny faces of roundings keep the library from going on.
    """
    flat = corners.reshape(-1, 3).astype(np.float64)
    cells, where = np.unique(np.floor(flat / _CELL_M), axis=0, return_inverse=True)
    points = np.zeros((len(cells), 3))
    np.add.at(points, where.ravel(), flat)
    points /= np.bincount(where.ravel())[:, None]
    faces = where.reshape(-1, 3).astype(np.int32)
    has_area = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    return points.astype(np.float32), faces[has_area]


def simplified(stl: bytes, share: float) -> bytes:
    """Return a mesh with about this share of its triangles."""
    corners = triangles_of(stl)
    points, faces = welded(corners)
    left = max(_FEWEST, round(share * len(corners)))
    if left < len(faces):
        fast = importlib.import_module("fast_simplification")
        points, faces = fast.simplify(points, faces, target_count=left)
    return stl_of(points[faces])


def figure(urdf: bytes, meshes: dict[str, bytes]) -> bytes:
    """Return the zip of a URDF and its meshes, simplified as much as a robot needs."""
    robot = ElementTree.fromstring(urdf)
    for link in robot.iter("link"):
        for name in _LEFT_OUT:
            for each in link.findall(name):
                link.remove(each)
    used = {mesh.get("filename", "") for mesh in robot.iter("mesh")}
    total = sum(len(triangles_of(meshes[name])) for name in used)
    share = _MOST / total
    files = {name: simplified(meshes[name], share) for name in sorted(used)}
    text = ElementTree.tostring(robot, encoding="utf-8", xml_declaration=True)
    return zipped({"so101.urdf": text, **files})


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("file", type=Path, help="the zip to write")
    target = parser.parse_args().file
    if not LIB.is_dir():
        print("The package is not here: make build/so101.zip fetches it.", file=sys.stderr)
        return 1
    sys.path.append(str(LIB))
    model = LIB / MODEL
    meshes = {
        str(path.relative_to(model.parent)): path.read_bytes()
        for path in (model.parent / "assets").glob("*.stl")
    }
    data = figure(model.read_bytes(), meshes)
    found = received(data)  # as a robot checks it
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    print(f"{target}: {len(found.meshes)} meshes, {len(data) >> 10} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
