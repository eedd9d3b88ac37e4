"""Adds our lines to the boot files of Raspberry Pi OS: what the header is for, and that the kernel
leaves its serial line alone. Repeating it changes nothing. Not here: the lines
(image/pi-gen/config.txt, and image/boot/settings.txt, which both systems have).
"""

import re
from pathlib import Path

from tools.image.places import ROOT

LINES = ROOT / "image" / "pi-gen" / "config.txt"
SHARED = ROOT / "image" / "boot" / "settings.txt"
BOOT = Path("boot/firmware")
_BEGIN, _END = "# --- SAINT.OS begins\n", "# --- SAINT.OS ends\n"
_OURS = re.compile(f"{re.escape(_BEGIN)}.*?{re.escape(_END)}", re.DOTALL)
# Motor boards would read the kernel's messages as commands. On a Pi 5 serial0 is another line.
_CONSOLE = re.compile(r"(?:^|(?<=\s))console=(?:serial0|ttyAMA0|ttyS0)(?:,\S*)?\s*")


def lay(root: Path) -> None:
    """Change config.txt and cmdline.txt of the boot partition below `root`."""
    folder = root / BOOT
    folder.mkdir(parents=True, exist_ok=True)
    config, command = folder / "config.txt", folder / "cmdline.txt"
    theirs = _OURS.sub("", config.read_text()) if config.exists() else ""
    gap = "" if not theirs or theirs.endswith("\n") else "\n"
    config.write_text(f"{theirs}{gap}{_BEGIN}{LINES.read_text()}{SHARED.read_text()}{_END}")
    if command.exists():
        command.write_text(_CONSOLE.sub("", command.read_text()))
