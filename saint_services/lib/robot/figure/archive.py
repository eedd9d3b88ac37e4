"""Reads what an owner uploads as a figure, a URDF or a zip with a URDF and its meshes, and writes
the zip that is stored: nothing but the URDF and the meshes that it names, the same content always
the same bytes. Trusts nothing; nothing is unpacked to a disk. Pure. Not here: where it is stored
(store.py), which joint shows which part (bindings.py).
"""

import hashlib
import io
import posixpath
import stat
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from ...errors import Code, SaintError
from .. import urdf as models
from .meshes import KINDS, MOST_TRIANGLES, kind_of, triangles
from .xml_check import check_xml

MOST_UPLOAD_BYTES = 8 << 20
MOST_UNPACKED_BYTES = 16 << 20
# In Base64 it passes through the control plane and a backup, which take 1 MiB.
MOST_STORED_BYTES = 600 << 10
MOST_FILES = 400
MOST_LINKS = 256
if TYPE_CHECKING:
    import zipfile  # else where it is needed: routerd has no figure of the owner's to read, mostly

_DATE = (1980, 1, 1, 0, 0, 0)
_STORED, _DEFLATED = 0, 8  # as zipfile numbers them
_ENCRYPTED = 0x1
_ZIP = b"PK"
# All exceptions of zipfile for damaged or malicious files.
_BROKEN = (
    *(zlib.error, EOFError, NotImplementedError, RuntimeError, OSError),
    *(ValueError, OverflowError, IndexError, KeyError, AttributeError, struct.error),
)


@dataclass(frozen=True, slots=True)
class FigureFiles:
    """A figure's URDF, and its meshes by their names in the archive."""

    name: str  # of the URDF in the archive
    urdf: bytes
    meshes: dict[str, bytes] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)  # as the URDF names it -> mesh

    @property
    def digest(self) -> str:
        """The checksum that the robot's file names."""
        found = hashlib.sha256()
        for name, data in sorted(self.files.items()):
            found.update(f"{name}\0{len(data)}\0".encode() + data)
        return found.hexdigest()[:16]

    @property
    def served(self) -> dict[str, str]:
        """Names of meshes as pages request them."""
        return {f"mesh{at}.{kind_of(name)}": name for at, name in enumerate(sorted(self.meshes))}

    def page_text(self) -> str:
        """Return the URDF with the meshes' names as pages request them."""
        robot = ElementTree.fromstring(self.urdf)
        names = {mesh: served for served, mesh in self.served.items()}
        for mesh in robot.iter("mesh"):
            mesh.set("filename", names[self.references[mesh.get("filename", "")]])
        return ElementTree.tostring(robot, encoding="unicode")

    @property
    def files(self) -> dict[str, bytes]:
        """Everything by its name."""
        return {self.name: self.urdf, **self.meshes}

    def packed(self) -> bytes:
        """Return the zip that is stored."""
        return zipped(self.files)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a zip; the same content gives the same bytes."""
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in sorted(files.items()):
            info = zipfile.ZipInfo(name, _DATE)
            archive.writestr(info, data, zipfile.ZIP_DEFLATED, compresslevel=9)
    return out.getvalue()


def received(data: bytes) -> FigureFiles:
    """Return the figure in an upload, checked whole. Raises config_invalid or too_large."""
    found = opened(data)
    count = check_figure(found)
    if count > MOST_TRIANGLES:
        sizes = {name: triangles(name, mesh) for name, mesh in found.meshes.items()}
        worst = max(sizes, key=lambda name: sizes[name])
        raise SaintError(
            Code.TOO_LARGE,
            f"the meshes have {count} triangles, at most {MOST_TRIANGLES} are drawn; most has"
            f" {worst[-80:]} with {sizes[worst]}",
            fix="Simplify them: in Blender the modifier Decimate, in MeshLab Quadric Edge Collapse"
            " Decimation.",
        )
    if (size := len(found.packed())) > MOST_STORED_BYTES:
        raise SaintError(
            Code.TOO_LARGE,
            f"the figure has {size >> 10} KiB packed, at most {MOST_STORED_BYTES >> 10} are stored",
            fix="Simplify its meshes, or save them as binary STL or GLB without textures.",
        )
    return found


def check_figure(found: FigureFiles) -> int:
    """Check URDF and meshes; return the number of triangles. Raises config_invalid."""
    model = models.parse(found.urdf, found.name)
    if len(model.links) > MOST_LINKS:
        raise _invalid(f"{found.name} has {len(model.links)} links, at most {MOST_LINKS} are drawn")
    return sum(triangles(name, data) for name, data in found.meshes.items())


def opened(data: bytes) -> FigureFiles:
    """Return the URDF and the meshes that it names. Raises config_invalid or too_large."""
    if len(data) > MOST_UPLOAD_BYTES:
        text = f"the file has {len(data)} bytes, a figure has at most {MOST_UPLOAD_BYTES}"
        raise SaintError(Code.TOO_LARGE, text)
    if not data.startswith(_ZIP):
        return _chosen("robot.urdf", data, {})
    members = unpacked(data)
    urdfs = [name for name in members if kind_of(name) == "urdf"]
    if len(urdfs) == 1:
        return _chosen(urdfs[0], members[urdfs[0]], members)
    if not urdfs and any(kind_of(name) == "xacro" for name in members):
        text, fix = "the archive holds a .xacro and no .urdf", "Run: xacro robot.xacro > robot.urdf"
        raise SaintError(Code.CONFIG_INVALID, text, fix=fix)
    names = ", ".join(sorted(urdfs)[:5]) or "none"
    raise _invalid(f"the archive must hold one .urdf, it holds {names}")


def unpacked(data: bytes) -> dict[str, bytes]:
    """Return the files of a zip by their names. Raises config_invalid or too_large."""
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return dict(_members(archive))
    except (zipfile.BadZipFile, *_BROKEN) as err:
        raise _invalid("the file is no zip, or it is damaged") from err


def _members(archive: "zipfile.ZipFile") -> Iterator[tuple[str, bytes]]:
    members = [each for each in archive.infolist() if not each.is_dir()]
    if len(members) > MOST_FILES:
        raise _invalid(f"the archive holds {len(members)} files, at most {MOST_FILES} are possible")
    seen: set[str] = set()
    total = 0
    for member in members:
        name = _plain(member)
        if name in seen:
            raise _invalid(f"the archive holds {name[:80]!r} twice")
        seen.add(name)
        if kind_of(name) not in (*KINDS, "urdf", "xacro", "yaml"):
            continue
        with archive.open(member) as file:
            content = file.read(MOST_UNPACKED_BYTES + 1 - total)
        total += len(content)
        if total > MOST_UNPACKED_BYTES:
            text = f"the archive has more than {MOST_UNPACKED_BYTES >> 20} MB when it is unpacked"
            raise SaintError(Code.TOO_LARGE, text, fix="Simplify its meshes.")
        yield name, content


def _plain(member: "zipfile.ZipInfo") -> str:
    """Return a member's name, which stays in the archive."""
    name, shown = member.filename, repr(member.filename[:80])
    is_inside = posixpath.normpath(name) == name.removeprefix("./") and not name.startswith("/")
    if not is_inside or "\\" in name or ":" in name or name.split("/")[0] == "..":
        raise _invalid(f"{shown} leads out of the archive, or is no plain name")
    if not name.isprintable() or len(name) > 240:
        raise _invalid(f"{shown} is no plain name")
    mode = member.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise _invalid(f"{shown} is a link or a device")
    if member.flag_bits & _ENCRYPTED or member.compress_type not in (_STORED, _DEFLATED):
        raise _invalid(f"{shown} is encrypted, or compressed in an unusual way")
    return name.removeprefix("./")


def _chosen(name: str, data: bytes, members: Mapping[str, bytes]) -> FigureFiles:
    """Return a URDF with those meshes that it names."""
    if len(data) > models.LARGEST_BYTES:
        raise _invalid(f"{name} is longer than {models.LARGEST_BYTES >> 10} KiB")
    counts = check_xml(data, name, has_numbers=True)
    if max(counts["link"], counts["joint"]) > MOST_LINKS:
        raise _invalid(f"{name} has more than {MOST_LINKS} links or joints")
    try:
        robot = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError) as err:
        raise _invalid(f"{name} is not XML: {err}") from err
    found: dict[str, str] = {}
    missing: list[str] = []
    for mesh in robot.iter("mesh"):
        reference = mesh.get("filename", "")
        if place := _place(name, reference, members):
            found[reference] = place
        else:
            missing.append(reference)
    if missing:
        names = ", ".join(dict.fromkeys(each[-60:] or "a mesh without a name" for each in missing))
        text = f"{name} names meshes that are not in the archive: {names[:300]}"
        raise SaintError(
            Code.CONFIG_INVALID,
            text,
            fix="Upload a zip with the URDF and the folder of its meshes.",
        )
    used = {place: members[place] for place in found.values()}
    return FigureFiles(name, data, used, found)


def _place(urdf: str, reference: str, members: Mapping[str, bytes]) -> str:
    """Return the member that a URDF means; empty for none. Raises config_invalid for a name that
    leads out of the archive."""
    scheme, has_scheme, rest = reference.partition("://")
    if has_scheme and scheme != "package":
        raise _invalid(f"{urdf} names {reference[:80]!r}, which is not in the archive")
    wanted = rest if has_scheme else posixpath.join(posixpath.dirname(urdf), reference)
    plain = posixpath.normpath(wanted)
    if plain.startswith(("..", "/")) or "\\" in plain or "\0" in plain:
        raise _invalid(f"{urdf} names {reference[:80]!r}, which leads out of the archive")
    if plain in members or not has_scheme:
        return plain if plain in members and kind_of(plain) != "urdf" else ""
    inside = plain.partition("/")[2] or plain  # without the package's name
    likely = [each for each in members if f"/{each}".endswith((f"/{plain}", f"/{inside}"))]
    return min(likely, key=lambda each: (not each.endswith(plain), len(each), each), default="")


def _invalid(sentence: str) -> SaintError:
    return SaintError(Code.CONFIG_INVALID, sentence)
