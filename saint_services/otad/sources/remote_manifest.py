"""Reads the manifest.json of an address of releases: the form in which otad itself serves it
(views.py), of which the release counts. Pure. Everything in it is hostile; the signature of the
bundle decides.
"""

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...lib.config import validation
from ...lib.errors import Code, SaintError
from ..releases import bundle

LARGEST_BYTES = 64 << 10


class RemoteRelease(BaseModel):
    """The release that the address offers."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    version: str = Field(max_length=32)
    checksum_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size_bytes: int = Field(ge=1, le=1 << 34)


class RemoteManifest(BaseModel):
    """manifest.json, as far as it is used."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    firmware: RemoteRelease | None


def read(raw: bytes, name: str) -> RemoteRelease | None:
    """Return the release that the manifest offers; None: it offers none. Raises SaintError."""
    try:
        found = RemoteManifest.model_validate_json(raw).firmware
    except ValidationError as err:
        fault = validation.faults(err, RemoteManifest, {}, noun="field")[0]
        what = "is not JSON" if fault.path == () else f"is not a list of releases: {fault}"
        raise SaintError(Code.RELEASE_INVALID, f"{name} {what[:200]}") from err
    if found is not None:
        bundle.check_version(found.version)
    return found
