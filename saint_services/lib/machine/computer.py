"""Identity and load of this computer, read from /proc and /sys. Where those do not exist (macOS),
numbers are zero and texts empty. Calls block briefly: use asyncio.to_thread in coroutines. Not
here: the 40-pin header (lib/hw).
"""

import os
import platform
import re
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# ROS 2 topic names: letters, digits and single underscores, not starting with a digit.
_TOKEN = re.compile(r"(?!.*__)[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}", re.ASCII)
_NO_SERIAL = {"", "none", "0", "default_string", "not_specified", "to_be_filled_by_o_e_m"}
_ROOT = Path("/")


@dataclass(frozen=True, slots=True)
class MachineMetrics:
    """Load and temperature of the computer."""

    cpu_temp: float = 0.0  # degrees Celsius
    cpu_usage: float = 0.0  # percent since the last sample
    memory_usage: float = 0.0  # percent
    uptime_s: int = 0


@dataclass(frozen=True, slots=True)
class MachineHardware:
    """Hardware and release of the computer."""

    model: str = ""
    revision: str = ""
    mac_address: str = ""
    version: str = ""  # the installed release


def is_token(name: str) -> bool:
    """Return whether `name` may be part of a ROS topic name."""
    return _TOKEN.fullmatch(name) is not None


def hardware(root: Path = _ROOT) -> MachineHardware:
    """Read model, revision, MAC address and release."""
    tree = root / "sys/firmware/devicetree/base"
    dmi = root / "sys/class/dmi/id"
    model = _text(tree / "model") or _text(dmi / "product_name") or platform.machine()
    revision = _board_code(tree) or _cpuinfo(root, "Revision") or _text(dmi / "product_version")
    return MachineHardware(model[:64], revision[:64], mac_address(root), version())


def boot_id(root: Path = _ROOT) -> str:
    """Return an identifier that every start of this machine changes; empty if none is known. A
    simulated machine has its own (SAINT_BOOT_ID).
    """
    named = os.environ.get("SAINT_BOOT_ID", "")
    return (named or _text(root / "proc/sys/kernel/random/boot_id"))[:64]


def version() -> str:
    """Return the installed release: SAINT_VERSION of the image, else the package's version."""
    if version := os.environ.get("SAINT_VERSION"):
        return version
    from importlib import metadata  # needs 1 MB, which the image's daemons save

    try:
        return metadata.version("saint-os")
    except metadata.PackageNotFoundError:
        return ""


def hardware_id(root: Path = _ROOT) -> str:
    """Return a name of this computer that is a legal ROS token, from its serial number, else its
    mainboard, else its network card; empty if none is known.
    """
    serial = _cpuinfo(root, "Serial") or _text(root / "sys/firmware/devicetree/base/serial-number")
    dmi = root / "sys/class/dmi/id"
    board = _text(dmi / "product_serial") or _text(dmi / "product_uuid")
    for prefix, value in (("pi", serial), ("dmi", board), ("mac", mac_address(root))):
        token = re.sub(r"[^a-z0-9]+", "_", value.lower()).strip("_")
        if token.strip("0") and token not in _NO_SERIAL:
            return f"{prefix}_{token}"[:64].rstrip("_")
    return ""


def own_node(environment: Mapping[str, str] = os.environ) -> str:
    """Return the node that this server's machine is too; empty on a machine of one kind."""
    if environment.get("SAINT_MACHINE") != "both":
        return ""
    return environment.get("SAINT_NODE_ID") or hardware_id()


def mac_address(root: Path = _ROOT) -> str:
    """Return the address of the first physical network card; wired cards first."""
    cards = root / "sys/class/net"
    try:
        names = sorted(p.name for p in cards.iterdir() if (p / "device").exists())
    except OSError:
        return ""
    for name in sorted(names, key=lambda n: not n.startswith("e")):
        address = _text(cards / name / "address").lower()
        if _MAC.fullmatch(address):
            return address
    return ""


def address(peer: str) -> str:
    """Return the local IP address on the route to `peer`, without sending; empty without a
    route.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((peer, 9))
            found: str = probe.getsockname()[0]
            return found
    except OSError:
        return ""


class Meter:
    """Samples the metrics. The CPU load is that since the last sample, at first since boot."""

    def __init__(self, root: Path = _ROOT) -> None:
        self._root = root
        self._busy, self._total = 0, 0

    def sample(self) -> MachineMetrics:
        return MachineMetrics(self._temperature(), self._load(), self._memory(), self._uptime())

    def _load(self) -> float:
        busy, total = self._ticks()
        passed = total - self._total
        share = 100.0 * (busy - self._busy) / passed if passed > 0 else 0.0
        self._busy, self._total = busy, total
        return min(max(share, 0.0), 100.0)

    def _ticks(self) -> tuple[int, int]:
        """Return busy and total clock ticks of all cores (proc_stat(5))."""
        words = _text(self._root / "proc/stat").split("\n", 1)[0].split()[1:9]
        ticks = [int(word) for word in words if word.isdigit()]
        if len(ticks) < 5:
            return 0, 0
        return sum(ticks) - ticks[3] - ticks[4], sum(ticks)  # idle, iowait

    def _memory(self) -> float:
        found = dict(re.findall(r"(MemTotal|MemAvailable): +(\d+)", self._meminfo()))
        total = int(found.get("MemTotal", 0))
        return 100.0 * (1 - int(found.get("MemAvailable", total)) / total) if total else 0.0

    def _meminfo(self) -> str:
        return _text(self._root / "proc/meminfo")

    def _temperature(self) -> float:
        text = _text(self._root / "sys/class/thermal/thermal_zone0/temp")
        return int(text) / 1000 if re.fullmatch(r"-?\d{1,7}", text) else 0.0

    def _uptime(self) -> int:
        text = _text(self._root / "proc/uptime").split(".")[0]
        return int(text) if text.isdigit() else int(time.monotonic())


def _board_code(tree: Path) -> str:
    """Return the revision code that a Pi's firmware writes into the device tree, as /proc/cpuinfo
    of Raspberry Pi's kernel has it; Debian's has none there.
    """
    try:
        raw = (tree / "system/linux,revision").read_bytes()
    except OSError:
        return ""
    code = int.from_bytes(raw) if len(raw) == 4 else 0
    return f"{code:04x}" if code else ""


def _cpuinfo(root: Path, key: str) -> str:
    found = re.search(rf"^{key}\s*: (\S+)", _text(root / "proc/cpuinfo"), re.MULTILINE)
    return found[1] if found else ""


def _text(path: Path) -> str:
    """Read a small ASCII file of the kernel; texts of the device tree end with a zero byte."""
    try:
        return path.read_bytes()[:65536].decode("ascii", "replace").strip("\0\n ")
    except OSError:
        return ""
