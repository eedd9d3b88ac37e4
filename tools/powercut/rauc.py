"""What is recorded of RAUC: the real one, with the real fw_setenv, on the slots of a recorded disk.

It installs the next release as a bundle of format plain, because not every kernel that this runs
on has dm-verity; what is written to slot, environment and record, and in which order, is the same.
The boot between is the boot script's model, which tests hold against the real one. Not here: what
the machine's daemons add (robot.py).
"""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from ..image import keys
from ..image.names import Names
from ..image.places import Places
from ..image.tools_tree import open_tree
from ..image.tree import Tree
from .disks.layout import ENV_BYTES, ENV_OFFSETS, SLOT_A, SLOT_B
from .environment import choose, encode
from .host_rig import DISK, HostRig
from .release import Release

_ROOT = Path(__file__).resolve().parents[2]
_SCRIPT = Path(__file__).with_name("rauc.sh")
_LONG_S = 1800
_BUS = """<busconfig><type>system</type><listen>unix:path={folder}/bus</listen>
<auth>EXTERNAL</auth><policy context="default"><allow user="*"/><allow own="*"/>
<allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
"""
_SYSTEM = """[system]
compatible={compatible}
bootloader=uboot
bundle-formats=plain
data-directory={data}/rauc
boot-attempts=3
boot-attempts-primary=3
mountprefix=/run/rauc/mnt
activate-installed=true
[keyring]
path={folder}/keyring.pem
[slot.rootfs.0]
device={a}
type=raw
bootname=A
[slot.rootfs.1]
device={b}
type=raw
bootname=B
"""
_MANIFEST = """[update]
compatible={compatible}
version={version}
[bundle]
format=plain
[image.rootfs]
filename=rootfs.img
"""


class Rauc:
    """RAUC and what it needs, in a folder."""

    def __init__(self, rig: HostRig, release: Release) -> None:
        self._rig = rig
        self._release = release
        self._names = Names.read(_ROOT / "pi-gen.conf")
        self._places = Places.from_environment()
        self._folder = rig.folder / "rauc"
        self.bundle = self._folder / "next.raucb"
        shutil.rmtree(self._folder, ignore_errors=True)
        (self._folder / "bin").mkdir(parents=True)
        tree = open_tree(self._places, self._names)
        folders = (*tree.folders, rig.folder, rig.mount, release.slot.parent)
        self._tree: Tree = replace(tree, folders=folders)
        self._write_settings()

    def _write_settings(self) -> None:
        folder, devices = self._folder, self._rig.devices
        (folder / "keyring.pem").write_bytes(keys.keyring(self._places, self._tree))
        (folder / "bus.conf").write_text(_BUS.format(folder=folder))
        values = {"folder": folder, "data": self._rig.mount, "compatible": self._names.compatible}
        values |= {"a": devices[SLOT_A], "b": devices[SLOT_B]}
        (folder / "system.conf").write_text(_SYSTEM.format(**values))
        # As overlays/common/etc/fw_env.config: RAUC writes copy 1.
        line = f"{devices[DISK]} {ENV_OFFSETS[0]:#x} {ENV_BYTES:#x}\n"
        (folder / "fw_env.config").write_text(line)
        for name in ("fw_setenv", "fw_printenv"):
            program = folder / "bin" / name
            text = f'#!/bin/sh\nexec /usr/bin/{name} -c {folder}/fw_env.config "$@"\n'
            program.write_text(text)
            program.chmod(0o755)

    def make_bundle(self) -> None:
        content = self._folder / "content"
        content.mkdir()
        os.link(self._release.slot, content / "rootfs.img")
        names = {"compatible": self._names.compatible, "version": self._release.version}
        (content / "manifest.raucm").write_text(_MANIFEST.format(**names))
        signer = keys.signer(self._places, self._tree)
        command: list[str | Path] = ["rauc", "bundle", f"--cert={signer.certificate}"]
        command += [f"--key={signer.key}", f"--keyring={self._folder / 'keyring.pem'}"]
        command += ["--mksquashfs-args=-comp zstd -Xcompression-level 1", content, self.bundle]
        signer.visible_in(self._tree).run(command, timeout_s=_LONG_S)

    def run(self, slot: str, *arguments: str) -> str:
        """One command of rauc, with its service running as if in this slot."""
        words: list[str | Path] = [_SCRIPT, self._folder, slot, *arguments]
        return self._tree.run(words, timeout_s=_LONG_S).decode(errors="replace")

    def boot(self) -> str:
        """What the boot script does; the slot that it starts."""
        descriptor = os.open(self._rig.devices[DISK], os.O_RDWR | os.O_SYNC)
        try:
            copies = [os.pread(descriptor, ENV_BYTES, offset) for offset in ENV_OFFSETS]
            choice = choose(copies[0], copies[1])
            for offset in reversed(ENV_OFFSETS):
                os.pwrite(descriptor, encode(choice.saved), offset)
        finally:
            os.close(descriptor)
        return choice.slot


def install(rig: HostRig, rauc: Rauc, release: Release) -> None:
    """RAUC takes the other slot out of the order, writes it, and puts it first."""
    rig.keep("slot-image", rig.info.version)
    rig.begin("slot-image", release.version)
    rig.say(rauc.run(SLOT_A, "install", str(rauc.bundle)).strip().splitlines()[-1])


def switch(rig: HostRig, rauc: Rauc, release: Release) -> None:
    """The boot script starts the new slot: its first try."""
    rig.keep("slot-image", release.version)
    slot = rauc.boot()
    assert slot == SLOT_B, f"the boot script started {slot!r}"


def mark_good(rig: HostRig, rauc: Rauc, release: Release) -> None:
    """It is called good: all its tries are given back."""
    rig.say(rauc.run(SLOT_B, "status", "mark-good").strip())
    rig.say(f"boots {rauc.boot()}")


CHAPTERS: Mapping[str, Callable[[HostRig, Rauc, Release], None]] = {
    "install": install,
    "switch": switch,
    "mark-good": mark_good,
}
