"""Releases for the tests, good and broken: the built slot with a few files changed, bundled again.

Files are changed with debugfs, which needs no root and moves nothing else. Bundles are made and
signed by the builder itself.
"""

import random
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tests.image.artefacts import Artefacts
from tools.image import bundle, keys, seal
from tools.image.names import Names
from tools.image.places import Places
from tools.image.tools_tree import open_tree
from tools.vm.disk import copy_sparse
from tools.vm.programs import Programs

_PACKAGES = "/usr/lib/python3/dist-packages/saint_services"
_HUSK_BYTES = 1 << 20
_UNITS = "/usr/lib/systemd/system"


@dataclass
class Slot:
    """A copy of the slot's file system, to be edited."""

    path: Path
    programs: Programs

    def edit(self, *commands: str) -> None:
        """debugfs commands; one that fails is an error although debugfs ends with 0."""
        with tempfile.NamedTemporaryFile("w", suffix=".debugfs") as script:
            script.write("\n".join(commands) + "\n")
            script.flush()
            said = self.programs.run("debugfs", "-w", "-f", script.name, str(self.path)).decode()
        # Each command is repeated as "debugfs: ..."; a good one adds nothing but inode numbers.
        answers = [line for line in said.splitlines() if not line.startswith("debugfs:")]
        wrong = [line for line in answers if "Allocated inode" not in line and line.strip()]
        assert not wrong, f"debugfs: {wrong}"

    def read(self, path: str) -> str:
        return self.programs.run("debugfs", "-R", f"cat {path}", str(self.path)).decode()

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        """A file's whole content; whether it was there before does not matter."""
        with tempfile.NamedTemporaryFile("w") as source:
            source.write(text)
            source.flush()
            if self.has(path):
                self.edit(f"rm {path}")
            self.edit(
                f"write {source.name} {path}",
                f"sif {path} mode 0{0o100000 | mode:o}",
                f"sif {path} uid 0",
                f"sif {path} gid 0",
            )

    def has(self, path: str) -> bool:
        return b"Inode:" in self.programs.run("debugfs", "-R", f"stat {path}", str(self.path))

    def set_version(self, version: str) -> None:
        for path in ("/usr/lib/saint/release.env", "/usr/lib/os-release"):
            lines = self.read(path).splitlines()
            named = ("SAINT_VERSION=", "IMAGE_VERSION=")
            changed = [_assign(line, version) if line.startswith(named) else line for line in lines]
            self.write(path, "\n".join(changed) + "\n")


def _assign(line: str, value: str) -> str:
    return f"{line.partition('=')[0]}={value}"


# -- what can be wrong with a release -------------------------------------------------------------


def change_one_file(slot: Slot) -> None:
    """As a small fix would: one line in one module, and what Python made of it."""
    path = f"{_PACKAGES}/lib/clock.py"
    slot.write(path, slot.read(path) + "\n# one line more\n")


def fail_health(slot: Slot) -> None:
    """A unit of the release fails in every boot."""
    unit = f"{_UNITS}/saint-selftest.service"
    slot.write(
        unit,
        "[Unit]\nDescription=A self-test that fails\n"
        "[Service]\nType=oneshot\nExecStart=/bin/sh -c 'echo the flux gauge is stuck; false'\n",
    )
    wants = f"{_UNITS}/multi-user.target.wants"
    slot.edit(f"symlink {wants}/saint-selftest.service ../saint-selftest.service")


def lose_kernel(slot: Slot) -> None:
    slot.edit("rm /boot/vmlinuz")


def hang_init(slot: Slot) -> None:
    """PID 1 starts and does nothing."""
    slot.write("/usr/lib/systemd/systemd", "#!/bin/sh\nexec sleep infinity\n", 0o755)


def crash_role(slot: Slot) -> None:
    """The head's daemon ends as soon as it has been started."""
    _replace_main(slot, "import sys\n\nsys.exit('the servo table has no row 7')\n")


def die_as_ordered(file: str) -> Callable[[Slot], None]:
    """The head's daemon works, and dies as many seconds after the machine's start as the file says,
    then 5 s after each start of its own; without the file it does not.
    """
    bomb = (
        "import os\nimport threading\nimport time\n\n"
        f"if os.path.exists({file!r}):\n"
        f"    left_s = max(5.0, float(open({file!r}).read()) - time.monotonic())\n"
        "    threading.Timer(left_s, os._exit, (9,)).start()\n"
    )

    def edit(slot: Slot) -> None:
        path = f"{_PACKAGES}/role_headd/__main__.py"
        docstring, _, rest = slot.read(path).partition("\n\n")
        _replace_main(slot, f"{docstring}\n\n{bomb}{rest}")

    return edit


def _replace_main(slot: Slot, text: str) -> None:
    folder = f"{_PACKAGES}/role_headd"
    slot.write(f"{folder}/__main__.py", text)
    compiled = f"{folder}/__pycache__/__main__.cpython-313.pyc"
    if slot.has(compiled):  # it would be taken without a look at the source
        slot.edit(f"rm {compiled}")


@dataclass(frozen=True)
class Signer:
    """A maker's signature, and the authority that stands behind it."""

    signer: keys.Signer
    authority: bytes


class Forge:
    """Makes bundles once per session and keeps them."""

    def __init__(self, artefacts: Artefacts, folder: Path) -> None:
        self.artefacts = artefacts
        self.folder = folder
        self.programs = Programs.find()
        places = Places.from_environment()
        self.tree = open_tree(places, artefacts.names)
        self.tree = replace(self.tree, folders=(*self.tree.folders, folder))
        self.keys = places
        self.places = replace(places, cache=folder / "forge")
        folder.mkdir(parents=True, exist_ok=True)

    def names(self, version: str, **changed: str) -> Names:
        """pi-gen.conf's names for another release."""
        known = self.artefacts.names
        every: Mapping[str, str] = {**known.all, "SAINT_VERSION": version, **changed}
        return replace(known, version=version, compatible=every["SAINT_COMPATIBLE"], all=every)

    def release(
        self, version: str, *edits: Callable[[Slot], None], signer: Signer | None = None
    ) -> Path:
        """A bundle of that version with those changes, which a machine can run."""
        target = self.folder / f"{version}.raucb"
        if target.is_file():
            return target
        slot = Slot(self.folder / f"{version}.rootfs.img", self.programs)
        copy_sparse(self.artefacts.slot, slot.path)
        slot.set_version(version)
        for edit in edits:
            edit(slot)
        seal.apply(slot.path, self.tree)
        self._bundle(slot.path, self.names(version), signer or self.ours, target)
        return target

    def husk(self, version: str, signer: Signer | None = None, **names: str) -> Path:
        """A bundle without a system in it: for what must be refused before anything is written."""
        target = self.folder / f"husk-{version}.raucb"
        image = self.folder / f"husk-{version}.img"
        image.write_bytes(random.Random(version).randbytes(_HUSK_BYTES))
        self._bundle(image, self.names(version, **names), signer or self.ours, target)
        return target

    def _bundle(self, image: Path, names: Names, signer: Signer, target: Path) -> None:
        contents = bundle.Contents(
            slot=image,
            changelog=f"Release {names.version} of the image tests.",
            signer=signer.signer,
            keyring=signer.authority,
        )
        self.places.work.mkdir(parents=True, exist_ok=True)
        bundle.make(contents, self.places, names, self.tree, target=target)
        image.unlink()

    @property
    def ours(self) -> Signer:
        """The maker whose signature the image trusts."""
        return Signer(keys.signer(self.keys, self.tree), keys.keyring(self.keys, self.tree))

    def foreign_key(self) -> Signer:
        """Another maker."""
        places = replace(self.keys, keys=self.folder / "foreign")
        signer = keys.signer(places, self.tree, environment={})
        return Signer(signer, (places.keys / "authority.cert.pem").read_bytes())
