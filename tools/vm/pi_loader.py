"""A model of how a Pi's firmware finds what it starts, by the documentation of config.txt:
`include`, `kernel`, `os_prefix`, which counts only where boot loader and device tree are, and
overlays beside them only where a README is. Not modelled: sections, all other settings.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_CONFIG = "config.txt"
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Started:
    """Files of the boot partition by path, and the folder that counts, with its slash."""

    files: Mapping[str, bytes]
    prefix: str

    def read(self, name: str) -> bytes:
        """Return a boot file that the firmware loads. Raises KeyError when it is missing."""
        if name.startswith("overlays/") and f"{self.prefix}overlays/README" not in self.files:
            return self.files[name]
        return self.files[self.prefix + name]


def started(files: Mapping[str, bytes], tree: str) -> Started:
    """Return what a board with this device tree starts from."""
    settings = dict(_settings(files, _CONFIG, _DEEPEST))
    prefix, kernel = settings.get("os_prefix", ""), settings.get("kernel", "kernel8.img")
    is_viable = prefix + kernel in files and prefix + tree in files
    return Started(files, prefix if is_viable else "")


def _settings(files: Mapping[str, bytes], name: str, depth: int) -> Iterator[tuple[str, str]]:
    text = files.get(name, b"").decode("utf-8", "replace")
    for line in (raw.strip() for raw in text.splitlines()):
        if line.startswith("include ") and depth:
            yield from _settings(files, line.removeprefix("include ").strip(), depth - 1)
        elif "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            yield key, value
