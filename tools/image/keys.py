"""Who signs bundles, and whom a device trusts.

Real releases: SAINT_SIGN_CERT and SAINT_SIGN_KEY name the signer, image/trust/*.pem are the
authorities. Without them a development authority is made beside the user's other data
(Places.keys); its private key never leaves this machine. Robots that trust it take updates from
nobody else, so it is never made again over an older one.
"""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from saint_services.lib.errors import Code, SaintError
from saint_services.saintctl.image import signing

from .places import Places
from .tree import Tree

# A Pi has no clock of its own: certificates begin long before any release.
_NOT_BEFORE = "20200101000000Z"
_NOT_AFTER = "20691231235959Z"
_FILES = ("authority.key.pem", "authority.cert.pem", "signer.key.pem", "signer.cert.pem")
_LOSS = (
    "Keep a copy: robots flashed with an image of this computer take updates signed with it only,"
    " and must be flashed again when it is lost."
)
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

    def visible_in(self, tree: Tree) -> Tree:
        """The tree in which its files can be read: they lie wherever their owner keeps them."""
        return replace(tree, folders=(*tree.folders, self.certificate.parent, self.key.parent))


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
                raise SaintError(Code.NOT_FOUND, f"there is no file {path}")
        return Signer(Path(certificate).absolute(), Path(key).absolute())
    ensure_development(places, tree)
    return Signer(places.keys / "signer.cert.pem", places.keys / "signer.key.pem")


def keyring(places: Places, tree: Tree) -> bytes:
    """The authorities that a device trusts: those of image/trust, and while there is none, or
    SAINT_TRUST_DEVELOPMENT=1 says so, the development one."""
    trusted = [path.read_bytes() for path in signing.authorities(places.image)]
    if signing.trusts_development(places.image):
        ensure_development(places, tree)
        trusted.append((places.keys / "authority.cert.pem").read_bytes())
    return b"".join(trusted)


def ensure_development(places: Places, tree: Tree) -> str:
    """Make the development keys, or bring them from where they lay; a sentence if that was done.
    Raises where only a part of them is left.
    """
    folder, unfinished = places.keys, places.keys.with_name(f"{places.keys.name}.unfinished")
    if folder.exists():
        if missing := [name for name in _FILES if not (folder / name).is_file()]:
            raise SaintError(
                Code.CONFIG_INVALID,
                f"{folder} lacks {', '.join(missing)}",
                fix="Restore the folder from a copy. Without one, remove it: new keys are made,"
                " and every robot of this computer must be flashed again.",
            )
        return ""
    folder.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(unfinished, ignore_errors=True)
    is_moved = (places.former_keys / _FILES[-1]).is_file()
    if is_moved:
        shutil.copytree(places.former_keys, unfinished)
    else:
        unfinished.mkdir()
    unfinished.chmod(0o700)
    if not is_moved:
        _make(unfinished, replace(tree, folders=(*tree.folders, unfinished)))
    unfinished.rename(folder)
    if is_moved:
        shutil.rmtree(places.former_keys)
        return f"The development key has moved from the cache to {folder}. {_LOSS}"
    return f"A development key was made: {folder}. {_LOSS}"


def _make(folder: Path, tree: Tree) -> None:
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
