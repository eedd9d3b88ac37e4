"""An owner's figure for tests: a head on a base, with meshes of each kind, as archives."""

import io
import json
import struct
import zipfile
from collections.abc import Mapping

URDF = """<robot name="mine">
  <link name="base_link"/>
  <link name="skull"><visual><geometry><mesh filename="package://mine/meshes/skull.stl"/></geometry>
    </visual><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="chin"/>
  <joint name="neck_yaw" type="revolute"><parent link="base_link"/><child link="skull"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="4" velocity="3" effort="1"/></joint>
  <joint name="mouth" type="revolute"><parent link="skull"/><child link="chin"/>
    <axis xyz="0 1 0"/><limit lower="0" upper="0.5" velocity="3" effort="1"/></joint>
  <joint name="propeller" type="continuous"><parent link="chin"/><child link="blade"/>
    <axis xyz="0 1 0"/></joint>
  <link name="blade"/>
</robot>"""


def stl(count: int = 2, first: float = 0.0) -> bytes:
    """Return a binary STL of so many triangles."""
    facet = struct.pack("<12fH", 0, 0, 1, first, 0, 0, 1, 0, 0, 0, 1, 0, 0)
    return b"\0" * 80 + struct.pack("<I", count) + facet * count


def glb(scene: Mapping[str, object]) -> bytes:
    """Return a GLB of a scene without data."""
    text = json.dumps(scene).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<IIIII", 0x46546C67, 2, 20 + len(text), len(text), 0x4E4F534A) + text


ASCII_STL = (
    b"solid a\nfacet normal 0 0 1\nouter loop\n"
    + b"vertex 0 0 0\n" * 3
    + (b"endloop\nendfacet\nendsolid a\n")
)
OBJ = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3 4\n"
DAE = b"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"><library_geometries>
<geometry><mesh><source><float_array count="3">0 0 1</float_array></source><triangles count="5"/>
<polylist count="1"><vcount>4</vcount></polylist></mesh></geometry></library_geometries>
</COLLADA>"""
GLB = glb(
    {
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [{"count": 4}, {"count": 6}],
    }
)


def zipped(files: Mapping[str, bytes | str]) -> bytes:
    """Return an archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def figure(urdf: str = URDF, **more: bytes | str) -> bytes:
    """Return the archive of the figure, as a ROS package has it."""
    files: dict[str, bytes | str] = {
        "mine/urdf/mine.urdf": urdf,
        "mine/meshes/skull.stl": stl(),
        "mine/README.md": "read me",
    }
    return zipped(files | more)
