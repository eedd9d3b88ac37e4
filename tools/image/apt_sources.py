"""Which archive the build takes Debian from: SAINT_MIRROR, or what this machine's own apt uses; or
the archive as it was at a moment (SAINT_SNAPSHOT). The same goes for security updates.

Nothing of it is ever written into the repository; the result lands in the cache.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

_DEBIAN_SUITE = re.compile(
    r"(buster|bullseye|bookworm|trixie|forky|sid|unstable|testing|(old)*stable)(-\w+)?"
)
_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

_SNAPSHOTS = "https://snapshot.debian.org/archive"
_MOMENT = re.compile(r"\d{8}T\d{6}Z")


@dataclass(frozen=True, slots=True)
class Archive:
    """Where the packages of the device come from."""

    address: str
    security: str  # empty where none is known
    moment: str  # 20261123T060000Z; empty: as the archive is now

    def sources(self, release: str) -> str:
        """What apt reads."""
        found = [stanza(self.address, release)]
        if self.security:
            found.append(stanza(self.security, f"{release}-security"))
        # The lists of an old moment have expired long since; their signatures are as good as ever.
        past = "Check-Valid-Until: no\n" if self.moment else ""
        return "\n".join(each + past for each in found)


def archive(environment: Mapping[str, str] = os.environ, etc: Path = Path("/etc/apt")) -> Archive:
    """As the environment and this machine's apt say."""
    moment = pinned_moment(environment)
    if not moment:
        return Archive(mirror(environment, etc), _security(environment, etc), "")
    address, security = (f"{_SNAPSHOTS}/{name}/{moment}" for name in ("debian", "debian-security"))
    return Archive(address, security, moment)


def pinned_moment(environment: Mapping[str, str] = os.environ) -> str:
    """Of SAINT_SNAPSHOT; empty: the archive as it is now."""
    moment = environment.get("SAINT_SNAPSHOT", "")
    if moment and not _MOMENT.fullmatch(moment):
        raise SaintError(
            Code.CONFIG_INVALID,
            f"SAINT_SNAPSHOT={moment} is no moment",
            fix="Write it as snapshot.debian.org does: 20261123T060000Z.",
        )
    return moment


def _security(environment: Mapping[str, str], etc: Path) -> str:
    if named := environment.get("SAINT_SECURITY_MIRROR", ""):
        return named.rstrip("/")
    for address, suites, components in _sources(etc):
        named_suites = [suite for suite in suites if _DEBIAN_SUITE.fullmatch(suite)]
        if "main" in components and any(suite.endswith("-security") for suite in named_suites):
            return address.rstrip("/")
    return ""


def mirror(environment: Mapping[str, str] = os.environ, etc: Path = Path("/etc/apt")) -> str:
    """The address of a Debian archive."""
    if named := environment.get("SAINT_MIRROR", ""):
        return named.rstrip("/")
    for address, suites, components in _sources(etc):
        is_security = any(suite.endswith(("-security", "/updates")) for suite in suites)
        is_debian = any(_DEBIAN_SUITE.fullmatch(suite) for suite in suites)
        if is_debian and not is_security and "main" in components:
            return address.rstrip("/")
    raise SaintError(
        Code.NOT_FOUND,
        f"{etc} names no Debian archive, so it is not known where to take packages from",
        fix="Say SAINT_MIRROR=<address of a Debian archive> make image",
    )


def stanza(address: str, release: str, components: str = "main non-free-firmware") -> str:
    """A deb822 source for that archive."""
    return (
        f"Types: deb\nURIs: {address}\nSuites: {release}\n"
        f"Components: {components}\nSigned-By: {_KEYRING}\n"
    )


def _sources(etc: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Address, suites, components of each source, in apt's order."""
    folder = etc / "sources.list.d"
    for path in [etc / "sources.list", *sorted(folder.glob("*.list"))]:
        if path.is_file():
            yield from _one_line(path.read_text(encoding="utf-8"))
    for path in sorted(folder.glob("*.sources")):
        yield from _deb822(path.read_text(encoding="utf-8"))


def _one_line(text: str) -> Iterator[tuple[str, list[str], list[str]]]:
    for line in text.splitlines():
        words = re.sub(r"\[[^]]*\]", "", line.partition("#")[0]).split()
        if len(words) >= 3 and words[0] == "deb":
            yield words[1], [words[2]], words[3:]


def _deb822(text: str) -> Iterator[tuple[str, list[str], list[str]]]:
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for block in re.split(r"\n\s*\n", lines):
        fields = _fields(block)
        if "deb" not in fields.get("types", []) or fields.get("enabled") == ["no"]:
            continue
        for address in fields.get("uris", []):
            yield address, fields.get("suites", []), fields.get("components", [])


def _fields(block: str) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    name = ""
    for line in block.splitlines():
        if not line.startswith((" ", "\t")):
            name, _, line = line.partition(":")
        fields.setdefault(name.strip().lower(), []).extend(line.split())
    return fields
