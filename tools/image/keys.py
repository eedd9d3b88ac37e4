"""Who signs bundles, and whom a device trusts.

Real releases: SAINT_SIGN_CERT and SAINT_SIGN_KEY name the signer, image/trust/*.pem are the
authorities. Without them a development authority is made in the cache; its private key never
leaves this machine, and an image built here trusts it in addition to the real ones.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

from .places import Places
from .tree import Tree

# A Pi has no clock of its own: certificates begin long before any release.
_NOT_BEFORE = "20200101000000Z"
_NOT_AFTER = "20691231235959Z"
_CONFIG = """\
[req]
distinguished_name = name
prompt = no
[name]
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[signer]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = emailProtection, codeSigning
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
"""


@dataclass(frozen=True, slots=True)
class Signer:
    """What signs a bundle."""

    certificate: Path
    key: Path


def signer(places: Places, tree: Tree, environment: Mapping[str, str] = os.environ) -> Signer:
    """The one that the environment names, or the development one."""
    certificate = environment.get("SAINT_SIGN_CERT", "")
    key = environment.get("SAINT_SIGN_KEY", "")
    if bool(certificate) != bool(key):
        raise SaintError(
            Code.CONFIG_INVALID,
            "only one of SAINT_SIGN_CERT and SAINT_SIGN_KEY is set",
            fix="Set both to sign a release, or none to sign with the development key.",
        )
    if certificate:
        for path in (certificate, key):
            if not Path(path).is_file():
                raise SaintError(Code.CONFIG_MISSING, f"there is no file {path}")
        return Signer(Path(certificate).absolute(), Path(key).absolute())
    _ensure_development(places.keys, tree)
    return Signer(places.keys / "signer.cert.pem", places.keys / "signer.key.pem")


def keyring(places: Places, tree: Tree) -> bytes:
    """The authorities that a device trusts: those of image/trust, and while there is none, or
    SAINT_TRUST_DEVELOPMENT=1 says so, the development one."""
    trusted = [path.read_bytes() for path in sorted((places.image / "trust").glob("*.pem"))]
    if not trusted or os.environ.get("SAINT_TRUST_DEVELOPMENT") == "1":
        _ensure_development(places.keys, tree)
        trusted.append((places.keys / "authority.cert.pem").read_bytes())
    return b"".join(trusted)


def _ensure_development(folder: Path, tree: Tree) -> None:
    if (folder / "signer.cert.pem").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    config = folder / "openssl.cnf"
    config.write_text(_CONFIG)
    for name in ("authority", "signer"):
        key = folder / f"{name}.key.pem"
        make_key = ["openssl", "genpkey", "-algorithm", "EC", "-out", str(key)]
        tree.run([*make_key, "-pkeyopt", "ec_paramgen_curve:P-256"])
        key.chmod(0o600)
        subject = f"/O=SAINT.OS development/CN={name} {os.urandom(4).hex()}"
        ask: list[str | Path] = ["openssl", "req", "-new", "-config", config, "-key", key]
        tree.run([*ask, "-subj", subject, "-out", folder / f"{name}.csr"])
        sign: list[str | Path] = ["openssl", "x509", "-req", "-in", folder / f"{name}.csr"]
        sign += ["-extfile", config, "-extensions", name]
        sign += ["-not_before", _NOT_BEFORE, "-not_after", _NOT_AFTER]
        if name == "authority":
            sign += ["-key", key]
        else:
            sign += ["-CA", folder / "authority.cert.pem", "-CAkey", folder / "authority.key.pem"]
        tree.run([*sign, "-out", folder / f"{name}.cert.pem"])
        (folder / f"{name}.csr").unlink()
