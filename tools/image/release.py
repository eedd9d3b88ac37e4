"""Makes the signed bundle of a slot once: what `make bundle` leaves and what a card carries for its
server are the same file. Not here: how a bundle is written (bundle.py), where it lies on the disk
(disk.py).
"""

import os
from collections.abc import Mapping
from pathlib import Path

from saint_services.saintctl.image import signing

from . import bundle, keys
from .names import Names
from .places import Places
from .stages import sha256
from .tree import Tree


def path(places: Places, names: Names) -> Path:
    """Where the bundle of this release lies."""
    return places.out / f"{names.stem}.raucb"


def is_trusted(places: Places, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the image takes updates that this build can sign. Without SAINT_SIGN_CERT the
    development key signs, which an image with real authorities does not trust."""
    is_signed = bool(environment.get("SAINT_SIGN_CERT"))
    return is_signed or signing.trusts_development(places.image, environment)


def ensure(slot: Path, places: Places, names: Names, tree: Tree) -> Path:
    """The bundle of this slot and its manifest.json; made where slot or signer changed. Two bundles
    of one slot differ, and a server refuses a second one of the same version."""
    target, made_of = path(places, names), path(places, names).with_suffix(".made-of")
    signer = keys.signer(places, tree)
    facts = f"{sha256(slot)} {sha256(signer.certificate)}\n"
    manifest = places.out / "manifest.json"
    is_made = target.is_file() and made_of.is_file() and made_of.read_text() == facts
    changes = bundle.changes((places.source / "CHANGELOG.md").read_text(), names.version)
    if not is_made:
        made_of.unlink(missing_ok=True)
        contents = bundle.Contents(slot, changes, signer, keys.keyring(places, tree))
        bundle.make(contents, places, names, tree, target=target)
        made_of.write_text(facts)
    manifest.write_text(bundle.manifest(target, places, names, changes) + "\n")
    return target
