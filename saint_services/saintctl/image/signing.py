"""Which keys sign a bundle that is built here, and whom an image of this checkout trusts. The
builder (tools/image) follows the same rules. Not here: making keys (image/trust/README.md).
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...lib.errors import Code, SaintError

GUIDE = "image/trust/README.md"


@dataclass(frozen=True, slots=True)
class Signing:
    """Keys of this computer and authorities of this checkout."""

    signer: str  # empty: the development key
    development_keys: Path
    has_development_keys: bool
    authorities: tuple[str, ...]
    trusts_development: bool


def development_keys(environment: Mapping[str, str] = os.environ) -> Path:
    """Their folder, outside of every cache: SAINT_KEYS, or beside the user's other data."""
    data = environment.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    usual = Path(data) / "saint-os" / "development-keys"
    return Path(environment.get("SAINT_KEYS") or usual).absolute()


def authorities(image: Path) -> list[Path]:
    """Certificates that an image built of this folder trusts."""
    return sorted((image / "trust").glob("*.pem"))


def trusts_development(image: Path, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether such an image takes updates signed with the development key."""
    return not authorities(image) or environment.get("SAINT_TRUST_DEVELOPMENT") == "1"


def describe(checkout: Path, environment: Mapping[str, str] = os.environ) -> Signing:
    """All of it. Raises not_found outside of a checkout."""
    image = checkout / "image"
    if not (checkout / GUIDE).is_file():
        what = f"{checkout} is no checkout of SAINT.OS"
        raise SaintError(Code.NOT_FOUND, what, fix="Run this where images are built.")
    folder = development_keys(environment)
    return Signing(
        signer=environment.get("SAINT_SIGN_CERT", ""),
        development_keys=folder,
        has_development_keys=folder.is_dir(),
        authorities=tuple(str(path.relative_to(checkout)) for path in authorities(image)),
        trusts_development=trusts_development(image, environment),
    )


def sentences(signing: Signing) -> list[str]:
    """The same for people, and how to sign a release for robots of others."""
    folder, trusted = signing.development_keys, list(signing.authorities)
    made = "" if signing.has_development_keys else ", which the first build makes"
    trusted += ["the development key of this computer"] * signing.trusts_development
    said = [
        f"make bundle signs with {signing.signer or f'the development key in {folder}{made}'}.",
        f"An image built here trusts {', '.join(trusted)}.",
    ]
    if signing.trusts_development:
        said.append(
            f"Keep a copy of {folder}: robots that trust this key take no other update, "
            "and must be flashed again when it is lost."
        )
    if not signing.signer:
        said.append(
            f"To sign a release: make an authority and a signer ({GUIDE}), then run "
            "SAINT_SIGN_CERT=<certificate> SAINT_SIGN_KEY=<key> make bundle."
        )
    return said
