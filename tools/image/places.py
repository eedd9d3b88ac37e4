"""Where the builder reads and writes. What the image is called is in names.py."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from saint_services.saintctl.image.signing import development_keys

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Places:
    """Folders of one build. The cache may be deleted at any time, the keys never."""

    source: Path  # the checkout
    cache: Path
    out: Path
    tools: Path | None  # a ready tools tree that the user named
    keys: Path  # development keys: nobody else's image trusts them

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Places":
        """SAINT_CACHE, SAINT_KEYS and SAINT_TOOLS_TREE, or the usual places."""
        home = environment.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        named = environment.get("SAINT_TOOLS_TREE", "")
        return cls(
            source=ROOT,
            cache=Path(environment.get("SAINT_CACHE") or Path(home) / "saint-os").absolute(),
            out=Path(environment.get("SAINT_IMAGE_OUT") or ROOT / "build" / "image").absolute(),
            tools=Path(named).absolute() if named else None,
            keys=development_keys(environment),
        )

    @property
    def image(self) -> Path:
        """The definition: mkosi.conf, packages.list, boot, initrd."""
        return self.source / "image"

    @property
    def former_keys(self) -> Path:
        """Where development keys lay until they moved out of the cache."""
        return self.cache / "development-keys"

    @property
    def work(self) -> Path:
        """What only one build needs."""
        return self.cache / "work"
