"""Reads a release and checks its integrity: a RAUC bundle of format "verity", that is payload, hash
tree, signed manifest (CMS, DER) and the size of the latter in the last eight bytes. Not here:
whether its signature is trusted; the installer decides that (adapters).
"""

import configparser
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from packaging.version import InvalidVersion, Version

from ...lib.errors import Code, SaintError
from . import cms
from .hardware import is_minimum
from .verity import BLOCK_BYTES, hash_tree, tree_bytes

_SIZE_BYTES = 8
_LARGEST_SIGNATURE_BYTES = 1 << 20
_LONGEST_TEXT = 20_000
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+~-]{0,31}", re.ASCII)
_HEX = re.compile(r"([0-9a-f]{2})+", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_ESCAPES = {"n": "\n", "t": "\t", "s": " ", "r": "\r", "\\": "\\"}


@dataclass(frozen=True, slots=True)
class Manifest:
    """The signed description of the bundle."""

    version: str
    compatible: str
    root: bytes  # of the hash tree
    salt: bytes
    tree_bytes: int
    release_date: str = ""  # ISO 8601; empty when the maker gave none
    changelog: str = ""
    min_hardware_rev: str = ""


@dataclass(frozen=True, slots=True)
class BundleLayout:
    """The layout of the file."""

    manifest: Manifest
    payload_bytes: int
    size_bytes: int


def read(path: Path, compatible: str) -> Manifest:
    """Return the manifest of a bundle that is complete, undamaged and for this robot. Raises
    release_invalid. Blocks."""
    try:
        with path.open("rb") as file:
            parts = read_parts(file)
            _check_compatible(parts.manifest, compatible)
            _check_payload(file, parts)
            return parts.manifest
    except OSError as err:
        raise SaintError(Code.INTERNAL, f"{path} cannot be read: {err.strerror}") from err


def read_parts(file: BinaryIO) -> BundleLayout:
    """Return manifest and layout; check that the sizes in the manifest fit the file."""
    size = file.seek(0, os.SEEK_END)
    signature = _signature(file, size)
    end = size - _SIZE_BYTES - len(signature)
    try:
        text = cms.signed_content(signature).decode()
    except (ValueError, UnicodeDecodeError) as err:
        raise refusal(f"the bundle's signed manifest cannot be read ({err})") from err
    manifest = read_manifest(text)
    payload = end - manifest.tree_bytes
    if payload <= 0 or payload % BLOCK_BYTES or tree_bytes(payload) != manifest.tree_bytes:
        raise refusal(f"the bundle is cut off: its {size} bytes do not match its manifest")
    return BundleLayout(manifest, payload, size)


def _signature(file: BinaryIO, size: int) -> bytes:
    if size < BLOCK_BYTES + _SIZE_BYTES:
        raise refusal(f"a file of {size} bytes is not a bundle")
    file.seek(size - _SIZE_BYTES)
    length = int.from_bytes(file.read(_SIZE_BYTES), "big")
    if not 0 < length <= min(_LARGEST_SIGNATURE_BYTES, size - _SIZE_BYTES):
        raise refusal("the end of the file is missing, or the file is not a bundle")
    file.seek(size - _SIZE_BYTES - length)
    return file.read(length)


def read_manifest(text: str) -> Manifest:
    """Parse the manifest as RAUC writes it (a key file of GLib)."""
    parser = configparser.RawConfigParser(
        delimiters=("=",), comment_prefixes=("#",), strict=True, empty_lines_in_values=False
    )
    try:
        parser.read_string(text)
        if parser.get("bundle", "format", fallback="") != "verity":
            raise refusal("the bundle's format is not verity")
        manifest = Manifest(
            version=parser.get("update", "version"),
            compatible=parser.get("update", "compatible"),
            root=_hex(parser.get("bundle", "verity-hash")),
            salt=_hex(parser.get("bundle", "verity-salt")),
            tree_bytes=int(parser.get("bundle", "verity-size")),
            release_date=parser.get("meta.saint", "release-date", fallback=""),
            changelog=_text(parser.get("meta.saint", "changelog", fallback="")),
            min_hardware_rev=_text(parser.get("meta.saint", "min-hardware-rev", fallback=""))[:64],
        )
    except (configparser.Error, ValueError) as err:
        reason = str(err).partition("\n")[0][:200]
        raise refusal(f"the bundle's manifest is not valid: {reason}") from err
    check_version(manifest.version)
    if manifest.release_date and not _DATE.fullmatch(manifest.release_date):
        raise refusal(f"the release date is {manifest.release_date[:40]!r}, not like 2026-01-31")
    if not is_minimum(manifest.min_hardware_rev):
        given = manifest.min_hardware_rev[:40]
        raise refusal(f"the oldest hardware revision is {given!r}, not like 1.2")
    return manifest


def check_version(version: str) -> None:
    """Check that a version can be part of paths and addresses, and can be compared."""
    try:
        if _VERSION.fullmatch(version):
            Version(version)
            return
    except InvalidVersion:
        pass
    raise refusal(f"the version is {version[:40]!r}, not like 1.2.0")


def _check_compatible(manifest: Manifest, compatible: str) -> None:
    if manifest.compatible != compatible:
        given = manifest.compatible[:80]
        raise refusal(f"the bundle is for {given!r}, this robot's machines are {compatible!r}")


def _check_payload(file: BinaryIO, parts: BundleLayout) -> None:
    file.seek(0)
    try:
        tree = hash_tree(file, parts.payload_bytes, parts.manifest.salt)
    except ValueError as err:
        raise refusal(f"the bundle is cut off: {err}") from err
    is_same = tree.root == parts.manifest.root
    if not is_same or file.read(parts.manifest.tree_bytes) != tree.blocks:
        raise refusal("the bundle's content does not match its manifest: damaged or changed")


def _hex(text: str) -> bytes:
    if not _HEX.fullmatch(text) or len(text) != 64:
        raise ValueError(f"{text[:80]!r} is not 64 hexadecimal digits")
    return bytes.fromhex(text)


def _text(raw: str) -> str:
    """Undo GLib's backslash escapes of line ends and the like."""
    text = re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), raw[:_LONGEST_TEXT])
    return "".join(c for c in text if c.isprintable() or c in "\n\t")


def refusal(reason: str) -> SaintError:
    """Return the error for a bundle that is refused."""
    return SaintError(Code.RELEASE_INVALID, reason)
