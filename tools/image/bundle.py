"""Makes a signed update bundle of a slot image, and the manifest.json that stands beside it.

What a robot's server does with them is otad's part.
"""

import hashlib
import json
import re
import shutil
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import yaml

from . import templates
from .keys import Signer
from .names import Names
from .places import Places
from .stages import sha256
from .tree import Tree

# 32 KiB: of a changed 4 KiB block a device fetches the whole squashfs block around it; larger ones
# make the bundle 4 % smaller, and a small update three times as large on the wire.
_SQUASHFS = "-comp zstd -Xcompression-level 9 -b 32k"
# RAUC refuses a bundle whose signature exceeds 64 KiB; the manifest, with these words in it, is
# signed, and every device fetches it before it knows whether it wants the release.
CHANGES_BYTES_MOST = 16 << 10


@dataclass(frozen=True, slots=True)
class Contents:
    """What goes into a bundle."""

    slot: Path
    changelog: str
    signer: Signer
    keyring: bytes


def make(contents: Contents, places: Places, names: Names, tree: Tree, *, target: Path) -> None:
    """Bundle, sign, and check the signature as a device will.

    Two bundles of one slot differ (salt, time of signing); their slots do not.
    """
    folder = places.work / "bundle"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "content").mkdir(parents=True)
    shutil.copyfile(contents.slot, folder / "content" / "rootfs.img")
    template = places.image / "bundle" / "manifest.raucm.j2"
    text = templates.render(template, names, changelog=_one_line(contents.changelog))
    (folder / "content" / "manifest.raucm").write_text(text)
    keyring = folder / "keyring.pem"
    keyring.write_bytes(contents.keyring)
    target.unlink(missing_ok=True)
    signer = contents.signer
    command: list[str | Path] = ["rauc", "bundle", f"--cert={signer.certificate}"]
    command += [f"--key={signer.key}", f"--keyring={keyring}", f"--mksquashfs-args={_SQUASHFS}"]
    signer.visible_in(tree).run([*command, folder / "content", target], timeout_s=600)
    tree.run(["rauc", "info", f"--keyring={keyring}", target])
    shutil.rmtree(folder)


def _one_line(text: str) -> str:
    """As RAUC's manifest writes text of several lines."""
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def manifest(bundle: Path, places: Places, names: Names, changelog: str) -> str:
    """manifest.json in the specification's format."""
    roles = places.source / "manifests" / "roles"
    configs = {path.stem: _config(path) for path in sorted(roles.glob("*.yaml"))}
    return json.dumps(
        {
            "firmware": {
                "version": names.version,
                "release_date": names.release_date,
                "checksum_sha256": sha256(bundle),
                "min_hardware_rev": names.min_hardware_rev,
                "changelog": changelog,
                "size_bytes": bundle.stat().st_size,
            },
            "configs": configs,
            "supported_roles": sorted(configs),
        },
        indent=2,
    )


def _config(path: Path) -> dict[str, str]:
    content = path.read_bytes()
    version = str(yaml.safe_load(content)["version"])
    return {"version": version, "checksum": hashlib.sha256(content).hexdigest()}


def changes(changelog: str, version: str) -> str:
    """The newest entries of one version, from CHANGELOG.md, as many as fit into CHANGES_BYTES_MOST
    and how many are left out; RAUC takes no empty text."""
    lines: list[str] = []
    is_inside = False
    for line in changelog.splitlines():
        if line.startswith("## "):
            is_inside = line.removeprefix("## ").split()[:1] == [version]
        elif is_inside:
            lines.append(line)
    entries = re.split(r"\n(?=- )", "\n".join(lines).strip())
    sizes = accumulate(len(entry.encode()) + 1 for entry in entries)
    kept = sum(size <= CHANGES_BYTES_MOST for size in sizes)
    text = "\n".join(entries[:kept])
    if kept < len(entries):
        text += f"\n- Earlier changes left out: {len(entries) - kept}. All are in CHANGELOG.md."
    return text.strip() or f"Version {version}."
