"""The components of an image: Debian's packages, the pages' libraries, and what is ours."""

import base64
import email.parser
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from saint_services.lib.errors import Code, SaintError

from . import licences
from .bill import Component, Hash, Kind, License, LicenseChoice, Property, Reference
from .dpkg import Package

_LIBRARY_SECTIONS = {"libs", "python", "perl", "oldlibs", "localization"}
_HASHES = {"sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"}


def system(name: str, version: str, moment: str = "") -> Component:
    """The image as a whole; `moment` is when Debian's archive was as its packages are."""
    snapshot = Property(name="debian:snapshot", value=moment)
    return Component(
        type="operating-system",
        bom_ref=f"{name}@{version}",
        name=name,
        version=version,
        licenses=_licenses(["Apache-2.0"]),
        properties=(snapshot,) if moment else None,
    )


def services(version: str) -> Component:
    """Our own programs in it, and their pages."""
    return Component(
        type="application",
        bom_ref=f"saint_services@{version}",
        name="saint_services",
        version=version,
        description="The robot's daemons, saintctl and the admin pages",
        licenses=_licenses(["Apache-2.0"]),
    )


def writer(version: str) -> Component:
    """What wrote the bill: a tool of this repository."""
    return Component(
        type="application",
        bom_ref=f"tools/release@{version}",
        name="tools/release",
        version=version,
    )


def debian(package: Package, tree: Path, release: str) -> Component:
    """A package of Debian's."""
    found = licences.of(tree, package.name)
    properties = [Property(name="debian:source", value=_source(package))]
    if package.built_using:
        properties.append(Property(name="debian:built-using", value=package.built_using))
    reference = Reference(type="website", url=package.homepage)
    return Component(
        type=_kind(package),
        bom_ref=debian_ref(package),
        name=package.name,
        version=package.version,
        description=package.summary or None,
        licenses=_licenses(found),
        purl=_purl(package, release),
        external_references=(reference,) if package.homepage else None,
        properties=tuple(properties),
    )


def debian_ref(package: Package) -> str:
    """How a Debian package is named within the bill."""
    return f"deb:{package.name}@{package.version}"


def wheels(tree: Path) -> Iterator[Component]:
    """Python packages that Debian lacks, by what they say of themselves."""
    for record in sorted(tree.glob("usr/lib/python3/dist-packages/*.dist-info/RECORD")):
        metadata = email.parser.Parser().parsestr(
            (record.parent / "METADATA").read_text(encoding="utf-8"), headersonly=True
        )
        name, version = metadata["Name"], metadata["Version"]
        licence = metadata["License-Expression"] or metadata["License"]
        yield Component(
            type="library",
            bom_ref=f"pypi:{name}@{version}",
            name=name,
            version=version,
            description=metadata["Summary"],
            licenses=_licenses([licence] if licence else []),
            purl=f"pkg:pypi/{quote(name.lower())}@{quote(version)}",
        )


def web(lock: Path) -> Iterator[Component]:
    """What web/package-lock.json pins for the pages, by its hashes; not what checks them."""
    try:
        content = json.loads(lock.read_text(encoding="utf-8"))
        packages: dict[str, dict[str, str]] = content["packages"]
    except (OSError, ValueError, KeyError) as err:
        raise SaintError(Code.NOT_FOUND, f"{lock} cannot be read: {err}") from err
    for place, entry in sorted(packages.items()):
        if not place or "dev" in entry:
            continue  # the project itself, and what never leaves a developer's computer
        name, version = place.removeprefix("node_modules/"), entry["version"]
        kind, _, digest = entry["integrity"].partition("-")
        value = base64.b64decode(digest).hex()
        yield Component(
            type="library",
            bom_ref=f"npm:{name}@{version}",
            name=name,
            version=version,
            hashes=(Hash.model_validate({"alg": _HASHES[kind], "content": value}),),
            licenses=_licenses([entry["license"]] if "license" in entry else [], known=True),
            purl=f"pkg:npm/{quote(name, safe='/')}@{quote(version)}",
        )


def _kind(package: Package) -> Kind:
    if package.name.startswith(("firmware-", "raspi-firmware", "u-boot-")):
        return "firmware"
    if package.section.endswith("kernel"):
        return "operating-system"
    return "library" if package.section.split("/")[-1] in _LIBRARY_SECTIONS else "application"


def _source(package: Package) -> str:
    return f"{package.source}@{package.source_version}"


def _purl(package: Package, release: str) -> str:
    """https://github.com/package-url/purl-spec, type deb."""
    version = quote(package.version, safe=":~")
    upstream = quote(_source(package), safe=":~")
    qualifiers = f"arch={package.architecture}&distro={release}&upstream={upstream}"
    return f"pkg:deb/debian/{quote(package.name, safe='')}@{version}?{qualifiers}"


def _licenses(names: list[str], *, known: bool = False) -> tuple[LicenseChoice, ...] | None:
    """`known`: the names come from a place that only has SPDX identifiers."""
    spdx = (known or licences.is_spdx(name) for name in names)
    found = [
        LicenseChoice(license=License(id=name) if is_spdx else License(name=name))
        for name, is_spdx in zip(names, spdx, strict=True)
    ]
    return tuple(found) or None
