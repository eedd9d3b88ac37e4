"""Reads what Debian's package manager knows of a root tree. What a licence is called is in
licences.py.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

_STATUS = Path("var/lib/dpkg/status")
_LISTS = Path("var/lib/dpkg/info")
# Texts: a package is there without them, and not there with nothing but them.
_TEXTS = ("doc/", "man/", "locale/", "info/", "bug/", "lintian/", "doc-base/")
_INSTALLED = "install ok installed"
_SOURCE = re.compile(r"(?P<name>\S+)(?: \((?P<version>[^)]+)\))?")


@dataclass(frozen=True, slots=True)
class Package:
    """One installed package."""

    name: str
    version: str
    architecture: str
    source: str
    source_version: str
    section: str
    homepage: str
    summary: str
    depends: tuple[tuple[str, ...], ...]  # each with its alternatives
    provides: tuple[str, ...]
    built_using: str  # "glibc (= 2.41-12)": linked in, so its licence counts too


def installed(tree: Path) -> list[Package]:
    """All installed packages by name."""
    path = tree / _STATUS
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as err:
        what = f"{path} cannot be read: {err.strerror}"
        raise SaintError(Code.NOT_FOUND, what, fix="Name a Debian root tree.") from err
    fields = map(_fields, text.split("\n\n"))
    found = [_package(each) for each in fields if each.get("Status") == _INSTALLED]
    if not found:
        raise SaintError(Code.NOT_FOUND, f"{path} lists no installed package")
    return sorted(found, key=lambda package: package.name)


def forget_removed(tree: Path) -> list[str]:
    """Strike packages from the tree's list of which an image builder removed every file; their
    names. Needs dpkg's lists of files, which an image need not keep.
    """
    path = tree / _STATUS
    paragraphs = path.read_text(encoding="utf-8").split("\n\n")
    gone = [name for name in _listed(tree) if not _is_there(tree, name)]
    kept = [each for each in paragraphs if _fields(each).get("Package") not in gone]
    path.write_text("\n\n".join(kept), encoding="utf-8")
    return gone


def _listed(tree: Path) -> list[str]:
    """Packages with a list of files; libc6:arm64.list belongs to libc6."""
    return sorted({path.stem.partition(":")[0] for path in (tree / _LISTS).glob("*.list")})


def _is_there(tree: Path, name: str) -> bool:
    lists = [*(tree / _LISTS).glob(f"{name}.list"), *(tree / _LISTS).glob(f"{name}:*.list")]
    lines = [line for path in lists for line in path.read_text(encoding="utf-8").splitlines()]
    folders = {line.rpartition("/")[0] for line in lines}  # every folder is listed before its files
    files = [line for line in lines if line not in folders and line != "/."]
    texts = tuple(f"/usr/share/{folder}" for folder in _TEXTS)
    counting = [line for line in files if not line.startswith(texts)]
    return not counting or any(os.path.lexists(tree / line.lstrip("/")) for line in counting)


def _fields(paragraph: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in paragraph.splitlines():
        if not line.startswith((" ", "\t")):
            name, _, value = line.partition(":")
            fields[name] = value.strip()
    return fields


def _package(fields: dict[str, str]) -> Package:
    name, version = fields["Package"], fields["Version"]
    source = _SOURCE.match(fields.get("Source", "")) or _SOURCE.match(name)
    assert source  # a package has a name
    needed = ", ".join(filter(None, (fields.get("Pre-Depends"), fields.get("Depends"))))
    return Package(
        name=name,
        version=version,
        architecture=fields["Architecture"],
        source=source["name"],
        source_version=source["version"] or version,
        section=fields.get("Section", ""),
        homepage=fields.get("Homepage", ""),
        summary=fields.get("Description", ""),
        depends=tuple(tuple(_names(part, "|")) for part in needed.split(",") if part.strip()),
        provides=tuple(_names(fields.get("Provides", ""), ",")),
        built_using=fields.get("Built-Using", "") or fields.get("Static-Built-Using", ""),
    )


def _names(text: str, between: str) -> Iterator[str]:
    """'libc6 (>= 2.38) | other:any' -> libc6, other."""
    for part in text.split(between):
        if words := part.split():
            yield words[0].partition(":")[0].partition("(")[0]


def dependencies(packages: list[Package]) -> dict[str, list[str]]:
    """Package -> those installed ones that it needs."""
    names = {package.name for package in packages}
    providers = {name: each.name for each in reversed(packages) for name in each.provides}
    found: dict[str, list[str]] = {}
    for package in packages:
        needed = set()
        for alternatives in package.depends:
            present = [name if name in names else providers.get(name) for name in alternatives]
            needed.update([name for name in present if name][:1])
        found[package.name] = sorted(needed - {package.name})
    return found
