"""Builds the replies of RAUC 1.13 about bundles and slots, in its own types."""

import uuid
from datetime import UTC, datetime

from dbus_fast import Variant

from .bundle import Manifest
from .slots import LETTERS


def slot_name(letter: str) -> str:
    """As system.conf names it."""
    return f"rootfs.{LETTERS.index(letter)}"


def now() -> str:
    """As RAUC writes times."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def installed(
    manifest: Manifest, sha256: str, before: dict[str, str | int]
) -> dict[str, str | int]:
    """What RAUC notes in its status file."""
    said = {"bundle.build": manifest.build, "bundle.description": manifest.description}
    kept = {key: value for key, value in before.items() if key.startswith("activated.")}
    return {
        "bundle.compatible": manifest.compatible,
        "bundle.version": manifest.version,
        **{key: text for key, text in said.items() if text},
        "bundle.hash": manifest.sha256,
        "status": "ok",
        "sha256": sha256,
        "size": manifest.payload_bytes,
        "installed.transaction": str(uuid.uuid4()),
        "installed.timestamp": now(),
        "installed.count": int(before.get("installed.count", 0)) + 1,
        **kept,
    }


def described(manifest: Manifest) -> dict[str, Variant]:
    """Groups are variants inside variants: RAUC builds them so."""
    update = {"version": manifest.version, "compatible": manifest.compatible}
    update |= {"build": manifest.build} if manifest.build else {}
    update |= {"description": manifest.description} if manifest.description else {}
    image = {
        "slot-class": Variant("s", "rootfs"),
        "filename": Variant("s", "rootfs.img"),
        "checksum": Variant("s", manifest.sha256),
        "size": Variant("t", manifest.payload_bytes),
        "hooks": Variant("as", []),
        "adaptive": Variant("as", []),
    }
    form = {
        "format": Variant("s", "verity"),
        "verity-size": Variant("t", manifest.tree_bytes),
        "verity-salt": Variant("s", manifest.salt.hex()),
        "verity-hash": Variant("s", manifest.root.hex()),
    }
    texts = {key: Variant("s", text) for key, text in update.items()}
    return {
        "update": Variant("v", Variant("a{sv}", texts)),
        "images": Variant("v", Variant("aa{sv}", [image])),
        "manifest-hash": Variant("s", manifest.sha256),
        "bundle": Variant("v", Variant("a{sv}", form)),
        "meta": Variant("v", Variant("a{sa{ss}}", manifest.meta)),
    }
