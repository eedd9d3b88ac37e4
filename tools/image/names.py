"""Names and numbers of the image, as pi-gen.conf has them. Where files lie is in places.py."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

_VERSION = re.compile(r"\d[0-9A-Za-z.+~-]{0,31}")
_LINE = re.compile(r"(?P<name>[A-Z][A-Z0-9_]*)=(?P<value>[^\s'\"$`]*)")


@dataclass(frozen=True, slots=True)
class Names:
    """What the builders need of pi-gen.conf; `all` is what templates may use."""

    image: str
    release: str
    version: str
    release_date: str
    compatible: str
    min_hardware_rev: str
    disk_id: str
    firmware_mib: int
    slot_mib: int
    data_mib: int
    all: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> "Names":
        """Read pi-gen.conf; a missing or malformed name is an error that says which."""
        found = dict(_pairs(path))

        def text(name: str) -> str:
            if not found.get(name):
                raise _invalid(path, f"{name} is missing", f"Add a line {name}=...")
            return found[name]

        def number(name: str) -> int:
            value = text(name)
            if not value.isascii() or not value.isdigit() or int(value) == 0:
                raise _invalid(path, f"{name}={value} is not a number of MiB", "Write 64, say.")
            return int(value)

        return cls(
            image=text("IMG_NAME"),
            release=text("RELEASE"),
            version=text("SAINT_VERSION"),
            release_date=text("SAINT_RELEASE_DATE"),
            compatible=text("SAINT_COMPATIBLE"),
            min_hardware_rev=text("SAINT_MIN_HARDWARE_REV"),
            disk_id=text("SAINT_DISK_ID"),
            firmware_mib=number("SAINT_FIRMWARE_MIB"),
            slot_mib=number("SAINT_SLOT_MIB"),
            data_mib=number("SAINT_DATA_MIB"),
            all=found,
        )

    def with_version(self, version: str) -> "Names":
        """The same under another version, e.g. for a trial update."""
        if not _VERSION.fullmatch(version):
            raise SaintError(Code.CONFIG_INVALID, f"'{version}' is no version", fix="Say 1.2.3")
        return replace(self, version=version, all={**self.all, "SAINT_VERSION": version})

    @property
    def stem(self) -> str:
        """How the names of all artefacts begin."""
        return f"{self.image}-{self.version}"


def _pairs(path: Path) -> list[tuple[str, str]]:
    pairs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        matched = _LINE.fullmatch(line.strip())
        if matched is None:
            raise _invalid(path, f"line {number} is '{line}'", "Write NAME=value, without quotes.")
        pairs.append((matched["name"], matched["value"]))
    return pairs


def _invalid(path: Path, what: str, fix: str) -> SaintError:
    return SaintError(Code.CONFIG_INVALID, f"{path.name}: {what}", fix=fix)
