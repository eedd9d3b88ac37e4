"""Writes the folder of releases that robots follow by HTTPS (`releases_from`): manifest.json with
the newest, and every bundle below archive/, exactly as otad serves them to its nodes. Any web
server that serves files will do. Not here: signing (tools/image), uploading the folder.
"""

import hashlib
import shutil
from pathlib import Path

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.state import write_atomic
from saint_services.otad.releases import bundle
from saint_services.otad.releases.incoming import IMAGE
from saint_services.otad.releases.repository import CHANGELOG, CHECKSUM
from saint_services.otad.views import FirmwarePart, ManifestFile

MANIFEST = "manifest.json"


def publish(path: Path, folder: Path) -> str:
    """Add a bundle to the folder and name it in the manifest; return its version. The manifest is
    replaced last, so a robot never reads of a bundle that is not there.
    """
    manifest = _manifest(path)
    with path.open("rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    place = folder / "archive" / f"v{manifest.version}"
    _check_new(place, checksum)
    place.mkdir(parents=True, exist_ok=True)
    aside = place / f".{IMAGE}.new"
    shutil.copyfile(path, aside)
    aside.replace(place / IMAGE)
    write_atomic(place / CHECKSUM, f"{checksum}  {IMAGE}\n".encode(), mode=0o644)
    write_atomic(place / CHANGELOG, f"{manifest.changelog}\n".encode(), mode=0o644)
    part = FirmwarePart(
        version=manifest.version,
        release_date=manifest.release_date,
        checksum_sha256=checksum,
        min_hardware_rev=manifest.min_hardware_rev,
        changelog=manifest.changelog,
        size_bytes=path.stat().st_size,
    )
    listed = ManifestFile(firmware=part, configs={}, supported_roles=[])
    text = listed.model_dump_json(indent=2) + "\n"
    write_atomic(folder / MANIFEST, text.encode(), mode=0o644)
    return manifest.version


def _manifest(path: Path) -> bundle.Manifest:
    try:
        with path.open("rb") as file:
            return bundle.read_parts(file).manifest
    except OSError as err:
        raise SaintError(Code.NOT_FOUND, f"{path} cannot be read: {err.strerror}") from err


def _check_new(place: Path, checksum: str) -> None:
    """Robots that have half of a bundle go on with the other half: a published one stays."""
    try:
        known = (place / CHECKSUM).read_text(encoding="utf-8").split()[0]
    except (OSError, IndexError):
        return
    if known != checksum:
        raise SaintError(
            Code.CONFLICT,
            f"{place} has another bundle of this version",
            fix="Give the new release another version.",
        )
