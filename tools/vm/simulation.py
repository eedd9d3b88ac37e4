"""Gives a virtual machine the simulated hardware, which the image does not contain: a small disk
with its Python files, mounted and named to the daemons by the kernel's command line.
"""

import shutil
import tempfile
from pathlib import Path

import tools.sim
from saint_services.lib.simulation import VARIABLE

from .programs import Programs

_LABEL, _MOUNTED = "simulation", "/run/simulation"
_MIB = 8
# systemd-fstab-generator(8), systemd(1): Debian 13 has 257, which knows both.
KERNEL = (
    f"systemd.mount-extra=LABEL={_LABEL}:{_MOUNTED}:ext4:ro"
    f" systemd.setenv={VARIABLE}={tools.sim.__name__} systemd.setenv=PYTHONPATH={_MOUNTED}"
)


def lay(folder: Path) -> None:
    """Copy the simulation into a folder of Python packages, readable by every user."""
    source = Path(tools.sim.__file__).parent
    files = [source.parent / "__init__.py", *sorted(source.rglob("*.py"))]
    folder.chmod(0o755)
    for path in files:
        target = folder / path.relative_to(source.parents[1])
        for parent in reversed(target.relative_to(folder).parents[:-1]):
            (folder / parent).mkdir(mode=0o755, exist_ok=True)
        shutil.copyfile(path, target)
        target.chmod(0o644)


def make_disk(path: Path, programs: Programs) -> None:
    """Write the disk; one that is there is kept, since a snapshot may have it mounted."""
    if path.is_file():
        return
    with tempfile.TemporaryDirectory() as name:
        lay(Path(name))
        options = ("-q", "-t", "ext4", "-O", "^has_journal", "-L", _LABEL, "-d", name)
        programs.run("mke2fs", *options, str(path), f"{_MIB}M")


def drive(path: Path) -> list[str]:
    """QEMU's options of the disk. Not bootable: the card is the boot disk."""
    return [
        *("-drive", f"if=none,id=simulation,file={path},format=raw,readonly=on"),
        *("-device", "virtio-blk-pci,drive=simulation"),
    ]
