"""Known vulnerabilities of an image's packages, by the data of Debian's security tracker. Not here:
where the data comes from (tracker.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from saint_services.lib.errors import Code, SaintError

from .debian_version import DebianVersion
from .dpkg import Package

_NEVER_AFFECTED = "0"
_SIGNED_KERNEL = "linux-signed-"  # and the architecture
_NO_ISSUE = ("unimportant", "end-of-life")


class _Release(BaseModel):
    """A vulnerability in one of Debian's releases."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    status: str
    fixed_version: str = ""
    urgency: str = ""


class _Issue(BaseModel):
    """A vulnerability of one source package."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    description: str = ""
    releases: dict[str, _Release] = {}


_ISSUES = TypeAdapter(dict[str, _Issue])


@dataclass(frozen=True, slots=True)
class Vulnerability:
    """One that concerns the image; `fixed_in` is empty while Debian has no fix."""

    source: str
    version: str
    name: str
    fixed_in: str
    description: str


def find(packages: Iterable[Package], tracker: Any, release: str) -> list[Vulnerability]:
    """Those of the installed versions in that release of Debian, fixed ones first."""
    if not isinstance(tracker, dict):
        raise SaintError(Code.REQUEST_INVALID, "the data of the security tracker is no object")
    found: list[Vulnerability] = []
    for source, version in sorted({_tracked(each) for each in packages}):
        for name, issue in _issues(tracker, source).items():
            known = issue.releases.get(release)
            if known is not None and _concerns(known, version):
                fixed_in = known.fixed_version if known.status == "resolved" else ""
                found.append(Vulnerability(source, version, name, fixed_in, issue.description))
    return sorted(found, key=lambda each: (not each.fixed_in, each.source, each.name))


def _tracked(package: Package) -> tuple[str, str]:
    """The source package and version under which the tracker has it. A signed kernel names the
    source that adds the signatures, whose version differs; its own is that of the kernel's source.
    """
    if package.source.startswith(_SIGNED_KERNEL):
        return "linux", package.version
    return package.source, package.source_version


def _issues(tracker: dict[str, Any], source: str) -> dict[str, _Issue]:
    try:
        return _ISSUES.validate_python(tracker.get(source, {}))
    except ValidationError as err:
        first = err.errors()[0]
        where = ".".join(str(step) for step in (source, *first["loc"]))
        what = f"the data of the security tracker is not as expected: {where}: {first['msg']}"
        raise SaintError(Code.REQUEST_INVALID, what) from err


def _concerns(known: _Release, version: str) -> bool:
    if known.status == "resolved":
        fixed = known.fixed_version
        return fixed != _NEVER_AFFECTED and DebianVersion(version) < DebianVersion(fixed)
    return known.status == "open" and known.urgency not in _NO_ISSUE


def summary(found: list[Vulnerability]) -> tuple[str, bool]:
    """A sentence about all of them, and whether anything can be done about some."""
    fixed = sum(bool(each.fixed_in) for each in found)
    unfixed = len(found) - fixed
    rest = f"{unfixed} for which Debian has no fix" if unfixed else "none without a fix"
    if not fixed:
        return f"Known vulnerabilities of the packages: none that Debian has fixed, {rest}.", False
    return (
        f"Known vulnerabilities of the packages: {fixed} that Debian has fixed since, {rest}. "
        "Make the base again: sudo -E .venv/bin/python -m tools.image base --again",
        True,
    )


def table(found: list[Vulnerability], moment: str) -> str:
    """The file that lies beside an image."""
    lines = [
        "# Known vulnerabilities of the image's Debian packages, by Debian's security tracker.",
        f"# The packages are those of {moment}.",
    ]
    for each in found:
        fixed = f"fixed in {each.fixed_in}" if each.fixed_in else "no fix"
        text = " ".join(each.description.split())[:100]
        lines.append(f"{each.name}  {each.source} {each.version}  {fixed}  {text}".rstrip())
    return "\n".join(lines) + "\n"
