"""Lists this machine's network cards and addresses from the kernel's files; empty on other systems
than Linux. Calls block briefly.
"""

import fcntl
import ipaddress
import socket
import struct
from pathlib import Path

from ..api.machine import NetworkInterface

_SIOCGIFADDR, _SIOCGIFNETMASK = 0x8915, 0x891B  # linux/sockios.h
_UP = 0x1  # IFF_UP
_MOST = 32


def interfaces(inside: str, root: Path = Path("/")) -> list[NetworkInterface]:
    """List the network cards; `inside` is the card of the robot's internal network."""
    folder = root / "sys/class/net"
    try:
        names = sorted(path.name for path in folder.iterdir())[:_MOST]
    except OSError:
        return []
    sixes = _sixes(root)
    return [_interface(folder / name, inside, sixes.get(name, [])) for name in names]


def _interface(path: Path, inside: str, sixes: list[str]) -> NetworkInterface:
    name = path.name
    address = ipv4_address(name)
    flags = int(_text(path / "flags") or "0", 16)
    is_own = name == "lo"
    return NetworkInterface(
        name=name,
        place="own" if is_own else "inside" if name == inside else "outside",
        is_up=bool(flags & _UP) and _text(path / "operstate") in ("up", "unknown"),
        is_wireless=(path / "wireless").exists() or (path / "phy80211").exists(),
        mac_address="" if is_own else _text(path / "address"),
        addresses=[*([address] if address else []), *sixes],
    )


def ipv4_address(name: str) -> str:
    """Return the first IPv4 address of a card with its prefix length; empty without one."""
    request = struct.pack("256s", name.encode()[:15])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            address = fcntl.ioctl(probe, _SIOCGIFADDR, request)[20:24]
            mask = fcntl.ioctl(probe, _SIOCGIFNETMASK, request)[20:24]
        except OSError:
            return ""
    return str(ipaddress.IPv4Interface((address, socket.inet_ntoa(mask))))


def _sixes(root: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in _text(root / "proc/net/if_inet6").splitlines():
        digits, _, length, _, _, name = line.split()
        address = ipaddress.IPv6Address(bytes.fromhex(digits))
        found.setdefault(name, []).append(f"{address}/{int(length, 16)}")
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
