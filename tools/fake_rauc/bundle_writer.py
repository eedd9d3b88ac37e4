"""Writes signed bundles for tests and for the simulated robot: the outer form of a RAUC bundle of
format "verity", with a payload of a few bytes instead of a file system. Needs openssl on PATH.
Not here: real releases (tools/image).
"""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from saint_services.otad.releases.verity import BLOCK_BYTES, hash_tree

_LIMIT_S = 30.0
_LEAST_BLOCKS = 2
COMPATIBLE = "saint-os-rpi-arm64"


@dataclass(frozen=True, slots=True)
class Keys:
    """A certificate authority (`ca` is a keyring) and a signer whom it vouches for."""

    ca: Path
    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What the manifest says."""

    version: str
    compatible: str = COMPATIBLE
    release_date: str = "2026-01-15"
    changelog: str = ""
    payload: bytes = b"nothing"
    meta: dict[str, str] = field(default_factory=dict)  # more lines of [meta.saint]


def make_keys(folder: Path, maker: str = "SAINT.OS simulation") -> Keys:
    """New keys in `folder`, or those that are there already."""
    keys = Keys(folder / "ca.pem", folder / "signer.pem", folder / "signer.key")
    if keys.certificate.exists():
        return keys
    folder.mkdir(parents=True, exist_ok=True)
    ca_key, request = folder / "ca.key", folder / "signer.csr"
    for path in (ca_key, keys.key):
        _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(path))
        path.chmod(0o600)
    new = ("req", "-new", "-sha256")
    _openssl(*new, "-x509", "-days", "7300", "-key", str(ca_key), "-out", str(keys.ca),
             "-subj", f"/O={maker}/CN=Certificate authority")  # fmt: skip
    _openssl(*new, "-key", str(keys.key), "-out", str(request),
             "-subj", f"/O={maker}/CN=Signer")  # fmt: skip
    _openssl("x509", "-req", "-sha256", "-days", "7300", "-in", str(request),
             "-CA", str(keys.ca), "-CAkey", str(ca_key), "-CAcreateserial",
             "-out", str(keys.certificate))  # fmt: skip
    return keys


def write_bundle(path: Path, release: Release, keys: Keys) -> Path:
    """A whole bundle."""
    payload = _padded(release.payload)
    salt = os.urandom(32)
    aside = path.with_name(f".{path.name}.payload")
    aside.write_bytes(payload)
    try:
        with aside.open("rb") as file:
            tree = hash_tree(file, len(payload), salt)
    finally:
        aside.unlink()
    text = manifest(release, root=tree.root, salt=salt, tree_bytes=len(tree.blocks))
    path.write_bytes(sealed(payload + tree.blocks, text, keys))
    return path


def manifest(release: Release, *, root: bytes, salt: bytes, tree_bytes: int) -> str:
    """In the form of GLib's key files."""
    meta = {
        "release-date": release.release_date,
        "changelog": _escaped(release.changelog),
        **release.meta,
    }
    lines = [
        "[update]",
        f"compatible={release.compatible}",
        f"version={release.version}",
        "",
        "[bundle]",
        "format=verity",
        f"verity-hash={root.hex()}",
        f"verity-salt={salt.hex()}",
        f"verity-size={tree_bytes}",
        "",
        "[image.rootfs]",
        "filename=rootfs.img",
        "",
        "[meta.saint]",
        *(f"{key}={value}" for key, value in meta.items() if value),
    ]
    return "\n".join(lines) + "\n"


def sealed(content: bytes, text: str, keys: Keys) -> bytes:
    """Payload and tree with the signed manifest behind them."""
    signature = _openssl(
        "cms", "-sign", "-binary", "-nodetach", "-nosmimecap", "-md", "sha256", "-outform", "DER",
        "-signer", str(keys.certificate), "-inkey", str(keys.key), given=text.encode(),
    )  # fmt: skip
    return content + signature + len(signature).to_bytes(8, "big")


def _padded(payload: bytes) -> bytes:
    blocks = max(_LEAST_BLOCKS, -(-len(payload) // BLOCK_BYTES))
    return payload.ljust(blocks * BLOCK_BYTES, b"\0")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def _openssl(*arguments: str, given: bytes = b"") -> bytes:
    program = shutil.which("openssl")
    if program is None:
        raise FileNotFoundError("openssl is not installed; on Debian: apt-get install openssl")
    command = [program, *arguments]
    done = subprocess.run(command, input=given, capture_output=True, timeout=_LIMIT_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stderr.decode(errors='replace')}")
    return done.stdout
