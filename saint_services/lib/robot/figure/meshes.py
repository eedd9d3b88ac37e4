"""Counts the triangles of a mesh, and refuses what is no mesh: STL, OBJ, DAE, GLB. Pure."""

import json
import math
import struct
from array import array
from collections.abc import Callable, Mapping
from xml.etree import ElementTree

from ...errors import Code, SaintError
from .xml_check import check_xml

MOST_TRIANGLES = 20_000  # of a figure: what an older phone draws twice, with the ghost
_HEADER, _FACET = 84, 50  # of a binary STL, bytes
_GLB_MAGIC, _GLB_JSON = 0x46546C67, 0x4E4F534A
_TRIANGLES = 4  # mode of a primitive; strips and fans have 5 and 6
_TOO_MANY = 10**9


def triangles(name: str, data: bytes) -> int:
    """Return how many triangles a mesh has. Raises config_invalid."""
    count = _COUNTERS.get(kind_of(name))
    if count is None:
        known = ", ".join(each.upper() for each in _COUNTERS)
        raise _fault(name, f"is no mesh that is drawn; known are {known}")
    try:
        found = count(data, name)
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError,
            struct.error, RecursionError, ElementTree.ParseError) as err:  # fmt: skip
        raise _fault(name, "is damaged, or is not what its ending says") from err
    if not 0 < found < _TOO_MANY:
        raise _fault(name, "holds no triangles")
    return found


def kind_of(name: str) -> str:
    """Return a file's ending."""
    return name.rpartition(".")[2].lower()


def _stl(data: bytes, name: str) -> int:
    if len(data) >= _HEADER:
        (count,) = struct.unpack_from("<I", data, 80)
        if len(data) == _HEADER + count * _FACET:
            if count <= MOST_TRIANGLES:  # more are refused unread
                _check_facets(data, count, name)
            return int(count)
    text = data.decode("ascii")
    if not text.lstrip().startswith("solid"):
        raise ValueError
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["vertex"]:
            _check_finite(map(float, words[1:4]), name)
    return text.count("endfacet")


def _check_facets(data: bytes, count: int, name: str) -> None:
    for at in range(_HEADER, _HEADER + count * _FACET, _FACET):
        _check_finite(struct.unpack_from("<12f", data, at)[3:], name)


def _obj(data: bytes, name: str) -> int:
    found = 0
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["f"]:
            found += max(0, len(words) - 3)
        elif words[:1] == ["v"]:
            _check_finite(map(float, words[1:4]), name)
    return found


def _dae(data: bytes, name: str) -> int:
    check_xml(data, name)
    found = 0
    for element in ElementTree.fromstring(data).iter():
        tag = element.tag.rpartition("}")[2]
        if tag in ("triangles", "trifans", "tristrips"):
            found += int(element.get("count", "0"))
        elif tag in ("polylist", "polygons"):
            counts = element.find("{*}vcount")
            words = (counts.text or "").split() if counts is not None else []
            found += sum(max(0, int(word) - 2) for word in words) or int(element.get("count", "0"))
        elif tag == "float_array":
            _check_finite(map(float, (element.text or "").split()), name)
    return found


def _glb(data: bytes, name: str) -> int:
    magic, _, length = struct.unpack_from("<III", data, 0)
    size, kind = struct.unpack_from("<II", data, 12)
    if magic != _GLB_MAGIC or kind != _GLB_JSON or length != len(data):
        raise ValueError
    scene = json.loads(data[20 : 20 + size])
    if any("uri" in each for key in ("buffers", "images") for each in scene.get(key, ())):
        raise _fault(name, "refers to other files; save it as one file (GLB with everything in it)")
    if scene.get("extensionsRequired"):
        what = str(scene["extensionsRequired"][0])[:60]
        raise _fault(name, f"needs {what}, which the page cannot draw; save it without compression")
    found = 0
    for mesh in scene.get("meshes", ()):
        for part in mesh["primitives"]:
            place = part.get("indices", part["attributes"]["POSITION"])
            count = int(scene["accessors"][place]["count"])
            found += count // 3 if part.get("mode", _TRIANGLES) == _TRIANGLES else count
    return found


def _check_finite(values: "map[float] | tuple[float, ...]", name: str) -> None:
    if not all(map(math.isfinite, array("d", values))):
        raise _fault(name, "has numbers that are not finite")


def _fault(name: str, sentence: str) -> SaintError:
    return SaintError(Code.CONFIG_INVALID, f"{name[-80:]} {sentence}")


_COUNTERS: Mapping[str, Callable[[bytes, str], int]] = {
    "stl": _stl, "obj": _obj, "dae": _dae, "glb": _glb,
}  # fmt: skip
KINDS = tuple(_COUNTERS)
