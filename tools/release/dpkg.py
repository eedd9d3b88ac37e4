"""Reads what Debian's package manager knows of a root tree. What a licence is called is in
licences.py.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

_STATUS = Path("var/lib/dpkg/status")
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
