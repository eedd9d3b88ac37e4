"""A bill of materials in CycloneDX 1.6 (JSON), as far as we use it: models and the file.

Fields are those of the standard (ECMA-424), left out where we know nothing. Nothing in it
depends on when or where it was made, so the same tree gives the same file.
"""

import uuid
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from saint_services.lib.errors import Code, SaintError

_NAMESPACE = uuid.UUID("6f0f4d0c-5c3a-4b8e-9f5e-2b3b6f0d7a11")  # ours; makes serial numbers


def _field(name: str, default: Any = ...) -> Any:
    """A field that has another name in the file."""
    return Field(default, validation_alias=name, serialization_alias=name)


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class License(_Part):
    """By SPDX identifier or, where there is none, by the name that its package uses."""

    id: str | None = None
    name: str | None = None


class LicenseChoice(_Part):
    """The standard's way to say that a licence follows."""

    license: License


class Hash(_Part):
    """Of what was fetched."""

    alg: Literal["SHA-256", "SHA-384", "SHA-512"]
    content: str


class Property(_Part):
    """What the standard has no field for."""

    name: str
    value: str


class Reference(_Part):
    """A page about a component."""

    type: Literal["website", "license"]
    url: str


Kind = Literal["application", "library", "firmware", "operating-system"]


class Component(_Part):
    """One thing that is in the image."""

    type: Kind
    bom_ref: str = _field("bom-ref")
    name: str
    version: str
    description: str | None = None
    hashes: tuple[Hash, ...] | None = None
    licenses: tuple[LicenseChoice, ...] | None = None
    purl: str | None = None
    external_references: tuple[Reference, ...] | None = _field("externalReferences", None)
    properties: tuple[Property, ...] | None = None


class Tools(_Part):
    """What wrote the bill."""

    components: tuple[Component, ...]


class Metadata(_Part):
    """What the bill is about."""

    tools: Tools
    component: Component


class Dependency(_Part):
    """Who needs whom, by bom-ref."""

    ref: str
    depends_on: tuple[str, ...] | None = _field("dependsOn", None)


class Bill(_Part):
    """The whole file."""

    format: Literal["CycloneDX"] = _field("bomFormat", "CycloneDX")
    spec_version: Literal["1.6"] = _field("specVersion", "1.6")
    serial: str = _field("serialNumber")
    version: int = 1
    metadata: Metadata
    components: tuple[Component, ...]
    dependencies: tuple[Dependency, ...]


def make(metadata: Metadata, components: list[Component], needs: list[Dependency]) -> Bill:
    """A bill whose serial number follows from its content."""
    ordered = tuple(sorted(components, key=lambda each: each.bom_ref))
    content = "\n".join(each.model_dump_json(by_alias=True) for each in ordered)
    serial = uuid.uuid5(_NAMESPACE, f"{metadata.component.bom_ref}\n{content}")
    graph = tuple(sorted(needs, key=lambda each: each.ref))
    return Bill(serial=serial.urn, metadata=metadata, components=ordered, dependencies=graph)


def text(bill: Bill) -> str:
    """The file's content."""
    return bill.model_dump_json(by_alias=True, exclude_none=True, indent=1) + "\n"


def read(path: Path) -> Bill:
    """A bill that we wrote."""
    try:
        return Bill.model_validate_json(path.read_bytes())
    except OSError as err:
        raise SaintError(Code.NOT_FOUND, f"{path}: {err.strerror}") from err
    except ValidationError as err:
        first = err.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        what = f"{path} is no bill of materials of ours: {where}: {first['msg']}"
        raise SaintError(Code.REQUEST_INVALID, what, fix="Name a .cdx.json file.") from err
