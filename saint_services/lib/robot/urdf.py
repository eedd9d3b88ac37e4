"""Parses a robot model (URDF): links with their simple collision shapes and joints, checked to form
one tree. Not here: what is drawn (the pages read it), which field moves a joint (manifest.py).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from ..errors import Code, SaintError

LARGEST_BYTES = 1 << 20
_KINDS = ("revolute", "continuous", "prismatic", "fixed")
_BOUNDED = ("revolute", "prismatic")
_SHAPES = {"box": 3, "cylinder": 2, "capsule": 2, "sphere": 1, "mesh": 0}  # and their numbers

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class UrdfJoint:
    """A joint. Limits are in rad or m; both are 0 without limits."""

    name: str
    kind: str
    parent: str
    child: str
    lower: float = 0.0
    upper: float = 0.0
    velocity: float = 0.0
    effort: float = 0.0
    axis: Vector = (1.0, 0.0, 0.0)
    xyz: Vector = (0.0, 0.0, 0.0)  # of the origin, metres
    rpy: Vector = (0.0, 0.0, 0.0)  # of the origin, radians
    mimics: str = ""  # the joint whose motion is copied, times `multiplier`, plus `offset`
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class UrdfShape:
    """A collision shape of a link. `size` are a box's edges, a cylinder's or capsule's radius and
    length, a sphere's radius; a mesh has none."""

    kind: str
    size: tuple[float, ...]
    xyz: Vector
    rpy: Vector


@dataclass(frozen=True, slots=True)
class UrdfModel:
    """Links and joints of a robot."""

    name: str
    root: str
    links: frozenset[str]
    joints: dict[str, UrdfJoint]
    shapes: dict[str, tuple[UrdfShape, ...]] = field(default_factory=dict)  # by link


def load(path: Path) -> UrdfModel:
    """Load a model. Raises config_missing or config_invalid. Blocks."""
    return parse(read(path), str(path))


def read(path: Path) -> bytes:
    """Read the file of a model. Raises config_missing or config_invalid. Blocks."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except OSError as err:
        raise SaintError(Code.CONFIG_MISSING, f"{path} cannot be read: {err.strerror}") from err
    if len(data) > LARGEST_BYTES:
        raise _fault(str(path), f"is longer than {LARGEST_BYTES} bytes")
    return data


def parse(data: bytes, name: str) -> UrdfModel:
    """Parse a model from bytes; errors call it `name`."""
    try:
        text = data.decode()  # always UTF-8, whatever the file declares
    except UnicodeDecodeError as err:
        raise _fault(name, "is not UTF-8 text") from err
    if "<!" in text.replace("<!--", ""):  # entities can expand without limit
        raise _fault(name, "has a document type or entities, which are not supported")
    try:
        robot = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as err:
        raise _fault(name, f"is not XML: {err}") from err
    if robot.tag != "robot" or not robot.get("name"):
        raise _fault(name, "must be a <robot name=...>")
    bodies = robot.findall("link")
    links = [_named(link, name) for link in bodies]
    joints = [_joint(element, name) for element in robot.findall("joint")]
    for names in (links, [joint.name for joint in joints]):
        for twice in names:
            if names.count(twice) > 1:
                raise _fault(name, f"names {twice} twice")
    for joint in joints:
        if joint.mimics and joint.mimics not in (other.name for other in joints):
            raise _fault(name, f"joint {joint.name} mimics {joint.mimics}, which does not exist")
    root = _root(links, joints, name)
    shapes = {link: tuple(_shapes(each, name)) for each, link in zip(bodies, links, strict=True)}
    by_name = {joint.name: joint for joint in joints}
    return UrdfModel(robot.get("name", ""), root, frozenset(links), by_name, shapes)


def _joint(element: ElementTree.Element, name: str) -> UrdfJoint:
    joint = _named(element, name)
    kind = element.get("type", "")
    if kind not in _KINDS:
        raise _fault(
            name, f"joint {joint} is {kind or 'of no type'}; known are {', '.join(_KINDS)}"
        )
    limit = element.find("limit")
    if limit is None and kind in _BOUNDED:
        raise _fault(name, f"joint {joint} is {kind} and has no <limit>")
    lower, upper, velocity, effort = (
        _number(limit, key, f"joint {joint}", name)
        for key in ("lower", "upper", "velocity", "effort")
    )
    if kind in _BOUNDED and (lower >= upper or velocity <= 0.0 or effort <= 0.0):
        raise _fault(name, f"joint {joint}: lower < upper, velocity > 0, effort > 0 must hold")
    axis = _vector(element.find("axis"), "xyz", "1 0 0", f"joint {joint}", name)
    if kind != "fixed" and not math.isclose(math.hypot(*axis), 1.0, abs_tol=1e-6):
        raise _fault(name, f"joint {joint}: the axis must be of length 1")
    parent, child = (_end(element, end, joint, name) for end in ("parent", "child"))
    mimic = element.find("mimic")
    mimics = mimic.get("joint", "") if mimic is not None else ""
    multiplier, offset = (
        _number(mimic, key, f"joint {joint}, mimic", name, default)
        for key, default in (("multiplier", "1"), ("offset", "0"))
    )
    xyz, rpy = _origin(element, f"joint {joint}", name)
    return UrdfJoint(
        name=joint,
        kind=kind,
        parent=parent,
        child=child,
        lower=lower,
        upper=upper,
        velocity=velocity,
        effort=effort,
        axis=axis,
        xyz=xyz,
        rpy=rpy,
        mimics=mimics,
        multiplier=multiplier,
        offset=offset,
    )


def _origin(element: ElementTree.Element, what: str, name: str) -> tuple[Vector, Vector]:
    origin = element.find("origin")
    xyz = _vector(origin, "xyz", "0 0 0", f"{what}, origin", name)
    return xyz, _vector(origin, "rpy", "0 0 0", f"{what}, origin", name)


def _shapes(link: ElementTree.Element, name: str) -> Iterator[UrdfShape]:
    what = f"link {link.get('name')}, collision"
    for collision in link.findall("collision"):
        parts = list(collision.iterfind("geometry/*"))
        if len(parts) != 1 or parts[0].tag not in _SHAPES:
            known = ", ".join(_SHAPES)
            raise _fault(name, f"{what}: the geometry must be one of {known}")
        shape = parts[0]
        size: tuple[float, ...] = ()
        if shape.tag == "box":
            size = _vector(shape, "size", "", what, name)
        elif shape.tag != "mesh":
            keys = ("radius", "length")[: _SHAPES[shape.tag]]
            size = tuple(_number(shape, key, f"{what}, {key}", name) for key in keys)
        if any(number <= 0.0 for number in size):
            raise _fault(name, f"{what}: the size must be positive")
        yield UrdfShape(shape.tag, size, *_origin(collision, what, name))


def _root(links: list[str], joints: list[UrdfJoint], name: str) -> str:
    """Return the root: every other link has one parent and is connected to it."""
    parents: dict[str, str] = {}
    for joint in joints:
        for end in (joint.parent, joint.child):
            if end not in links:
                raise _fault(name, f"joint {joint.name} names the link {end}, which does not exist")
        if joint.child in parents:
            raise _fault(name, f"link {joint.child} has two parents")
        parents[joint.child] = joint.parent
    roots = [link for link in links if link not in parents]
    if len(roots) != 1:
        raise _fault(name, f"must have one link without a parent, has {len(roots)}")
    for link in links:
        above, steps = link, 0
        while above in parents and steps <= len(links):
            above, steps = parents[above], steps + 1
        if above != roots[0]:
            raise _fault(name, f"link {link} is its own ancestor")
    return roots[0]


def _named(element: ElementTree.Element, name: str) -> str:
    found = element.get("name", "")
    if not found:
        raise _fault(name, f"has a <{element.tag}> without a name")
    return found


def _end(element: ElementTree.Element, end: str, joint: str, name: str) -> str:
    found = element.find(end)
    link = found.get("link", "") if found is not None else ""
    if not link:
        raise _fault(name, f"joint {joint} has no {end}")
    return link


def _number(
    element: ElementTree.Element | None, key: str, what: str, name: str, default: str = "0"
) -> float:
    text = element.get(key, default) if element is not None else default
    return _floats(text, 1, f"{what}, {key}", name)[0]


def _vector(
    element: ElementTree.Element | None, key: str, default: str, what: str, name: str
) -> Vector:
    text = element.get(key, default) if element is not None else default
    x, y, z = _floats(text, 3, f"{what}, {key}", name)
    return x, y, z


def _floats(text: str, count: int, what: str, name: str) -> tuple[float, ...]:
    try:
        found = tuple(float(word) for word in text.split())
    except ValueError:
        found = ()
    if len(found) != count or not all(math.isfinite(number) for number in found):
        raise _fault(name, f"{what}: {text!r} is not {count} finite number{'s'[: count - 1]}")
    return found


def _fault(name: str, sentence: str) -> SaintError:
    return SaintError(Code.CONFIG_INVALID, f"{name} {sentence}")
