"""Reads what the kernel says of the board it runs on. Not here: what of that is a fault
(system_checks.py).
"""

import re
from dataclasses import dataclass
from pathlib import Path

from ..machine.device_tree import RUNNING
from .kernel_files import entries, link_name, number, text

_PLATFORM = "sys/devices/platform"
_THROTTLED = "soc*/*:firmware/get_throttled"  # Raspberry Pi's own kernel; soc@107c000000 of a Pi 5


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """The running kernel. `tainted`: bits of Documentation/admin-guide/tainted-kernels.rst."""

    release: str = ""
    has_modules: bool = False
    tainted: int = 0


@dataclass(frozen=True, slots=True)
class SupplyFacts:
    """What the firmware says of the supply. `throttled`: its bits; `is_low`: the kernel's own
    sensor, which knows the last seconds only. None: not reported."""

    throttled: int | None = None
    is_low: bool | None = None

    @property
    def is_reported(self) -> bool:
        """False with Debian's kernel, and on other computers."""
        return self.throttled is not None or self.is_low is not None


@dataclass(frozen=True, slots=True)
class WatchdogFacts:
    """The first watchdog of the machine."""

    identity: str = ""  # empty: none
    state: str = ""
    timeout_s: int | None = None


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """Facts about board and kernel."""

    model: str = ""
    compatible: tuple[str, ...] = ()
    is_raspberry_pi_os: bool = False
    kernel: KernelFacts = KernelFacts()
    supply: SupplyFacts = SupplyFacts()
    temperature_c: float | None = None
    watchdog: WatchdogFacts = WatchdogFacts()


def read(root: Path) -> SystemFacts:
    """Read all facts below the root of a file system."""
    tree = root / RUNNING
    millidegrees = number(root / "sys/class/thermal/thermal_zone0/temp")
    return SystemFacts(
        model=text(tree / "model")[:64],
        compatible=tuple(filter(None, text(tree / "compatible").split("\0"))),
        is_raspberry_pi_os=is_raspberry_pi_os(root),
        kernel=_kernel(root),
        supply=supply(root),
        temperature_c=None if millidegrees is None else millidegrees / 1000,
        watchdog=_watchdog(root / "sys/class/watchdog/watchdog0"),
    )


def is_raspberry_pi_os(root: Path) -> bool:
    """Return True on Raspberry Pi OS."""
    return (root / "etc/rpi-issue").exists()


def supply(root: Path) -> SupplyFacts:
    """Read what the firmware and the kernel's own sensor say of the supply."""
    found = "".join(text(path) for path in entries(root / _PLATFORM, _THROTTLED)[:1])
    throttled = int(found, 16) if re.fullmatch(r"(0x)?[0-9a-fA-F]{1,8}", found) else None
    for sensor in entries(root / "sys/class/hwmon", "hwmon*"):
        if text(sensor / "name") == "rpi_volt":
            alarm = number(sensor / "in0_lcrit_alarm")
            return SupplyFacts(throttled, None if alarm is None else alarm != 0)
    return SupplyFacts(throttled)


def secrets(root: Path) -> set[str]:
    """Return what names this very machine, its card and its network cards: none of it may stand in
    a report."""
    found = re.findall(r"^Serial\s*: (\S+)", text(root / "proc/cpuinfo"), re.MULTILINE)
    found.append(text(root / RUNNING / "serial-number"))
    found.append(text(root / "etc/machine-id"))
    for folder in entries(root / "sys/class/net"):
        found.append(text(folder / "address"))
    for folder in entries(root / "sys/block"):
        found += [text(folder / "device" / name) for name in ("serial", "cid")]
    return {each for each in found if len(each) >= _SHORTEST and each.strip("0:x")}


_SHORTEST = 6  # a shorter one would be found in words


def _kernel(root: Path) -> KernelFacts:
    release = text(root / "proc/sys/kernel/osrelease")[:64]
    modules = bool(release) and "/" not in release
    return KernelFacts(
        release=release,
        has_modules=modules and (root / "usr/lib/modules" / release).is_dir(),
        tainted=number(root / "proc/sys/kernel/tainted") or 0,
    )


def _watchdog(folder: Path) -> WatchdogFacts:
    if not folder.exists():
        return WatchdogFacts()
    identity = text(folder / "identity") or link_name(folder / "device/driver") or "unknown"
    return WatchdogFacts(identity[:64], text(folder / "state"), number(folder / "timeout"))
