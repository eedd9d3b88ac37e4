"""What `make bundle` left in build/image: the disk, the slot and the signed update of a release."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from tools.image.names import Names
from tools.image.places import Places

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Places.from_environment().out


@dataclass(frozen=True)
class Artefacts:
    """One release."""

    names: Names
    disk: Path
    slot: Path
    bundle: Path

    @classmethod
    def find(cls) -> "Artefacts | None":
        """None while the image has not been built; the bundle may still be missing."""
        names = Names.read(ROOT / "pi-gen.conf")
        found = cls(
            names,
            disk=FOLDER / f"{names.stem}.img",
            slot=FOLDER / f"{names.stem}.rootfs.img",
            bundle=FOLDER / f"{names.stem}.raucb",
        )
        return found if found.disk.is_file() and found.slot.is_file() else None

    @property
    def mark(self) -> str:
        """Differs when the image does; cheap, unlike the hash of its content."""
        facts = [(p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in (self.disk, self.slot)]
        return hashlib.sha256(repr(facts).encode()).hexdigest()[:12]
