"""Takes from the device's programs what would let any user run them as root: setuid and setgid bits
and file capabilities. image/privileged.list says of each why nobody needs it; one that is not in
it ends the build. Not here: what the units may do (../../systemd).
"""

import os
import stat
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

_BITS = stat.S_ISUID | stat.S_ISGID
_CAPABILITIES = "security.capability"


def drop(root: Path, listed: Path) -> None:
    """Remove them from the listed programs. Raises where list and tree differ."""
    found, expected = privileged(root), _names(listed)
    if unknown := sorted(found - expected):
        raise SaintError(
            Code.CONFIG_INVALID,
            f"any user could run these programs as root or as another group: {', '.join(unknown)}",
            fix=f"Leave out their package, or say in {listed.name} why nobody needs it.",
        )
    if stale := sorted(expected - found):
        raise SaintError(
            Code.CONFIG_INVALID,
            f"{listed.name} names programs that are not privileged: {', '.join(stale)}",
            fix="Remove these lines.",
        )
    for name in found:
        path = root / name.lstrip("/")
        if _has_capabilities(path):
            os.removexattr(path, _CAPABILITIES, follow_symlinks=False)
        path.chmod(path.stat().st_mode & ~_BITS)


def privileged(root: Path) -> set[str]:
    """Their paths on the device."""
    found = set()
    for folder, _, files in os.walk(root):
        for name in files:
            path = Path(folder, name)
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode) and (mode & _BITS or _has_capabilities(path)):
                found.add(f"/{path.relative_to(root)}")
    return found


def _has_capabilities(path: Path) -> bool:
    return _CAPABILITIES in os.listxattr(path, follow_symlinks=False)


def _names(listed: Path) -> set[str]:
    """Its paths; each line has one, and behind # the reason."""
    names = set()
    for number, line in enumerate(listed.read_text(encoding="utf-8").splitlines(), start=1):
        name, _, reason = (part.strip() for part in line.partition("#"))
        if not name:
            continue
        if not name.startswith("/") or not reason or len(name.split()) > 1:
            what = f"{listed.name}, line {number}: '{line}' is no path with a reason behind #"
            raise SaintError(Code.CONFIG_INVALID, what)
        names.add(name)
    return names
