"""One virtual Raspberry Pi stand-in: started, waited for, cut off, put back to a snapshot.

It is QEMU's `virt` board, which has U-Boot, a disk and network ports but none of a Pi's own
devices. Tests decide what to ask of it; this decides how it is run.
"""

import contextlib
import subprocess
from pathlib import Path

from . import simulation
from .channel import Channel, SilentError
from .disk import Overlay
from .programs import Programs, fields
from .qmp import Qmp, QmpError
from .settings import PATIENCE, Hardware
from .shell import Shell

_UBOOT = "usr/lib/u-boot/qemu_arm64/u-boot.bin"
_BOOT_LINE = r"^U-Boot 20\d\d"
# On two quiet cores it takes 40 s; beside other work many times that.
BOOT_TIMEOUT_S = 600 * PATIENCE


class Machine:
    """A QEMU process, its consoles and its disk."""

    def __init__(self, hardware: Hardware, disk: Overlay | str, folder: Path) -> None:
        """`disk` is an overlay, or QEMU's own drive options (e.g. a network block device)."""
        self.hardware = hardware
        self.folder = folder
        self.programs = Programs.find()
        self._disk = disk
        self._simulation = folder / "simulation.img"
        self._process: subprocess.Popen[bytes] | None = None
        self._booted_at = 0
        folder.mkdir(parents=True, exist_ok=True)

    # -- power ---------------------------------------------------------------------------------

    def start(self, *, paused: bool = False, snapshot: str = "") -> "Machine":
        """Switch it on; returns when QEMU runs."""
        simulation.make_disk(self._simulation, self.programs)
        self.serial = Channel(self.folder / "serial", self.folder / "serial.log")
        self._console = Channel(self.folder / "shell", self.folder / "shell.log")
        self._qmp = Qmp(self.folder / "qmp")
        self.shell = Shell(self._console)
        self._booted_at = 0
        more = ["-S"] if paused else []
        more += ["-loadvm", snapshot] if snapshot else []
        with (self.folder / "qemu.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._command(), *more], stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        try:
            for socket in (self.serial, self._console, self._qmp):
                socket.accept()
        except TimeoutError:
            self.cut()
            said = (self.folder / "qemu.log").read_text(errors="replace").strip()
            raise SilentError(f"QEMU did not start: {said}") from None
        return self

    @property
    def is_on(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def cut(self) -> None:
        """Power off at once, as by pulling the plug; what was written to the disk is on it."""
        if self._process is None:
            return
        with contextlib.suppress(QmpError, OSError, TimeoutError):
            self._qmp.run("quit")  # killed, it would leave the file of the disk half written
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(20)
        self._process = None
        for socket in (self.serial, self._console, self._qmp):
            socket.close()

    def reset(self) -> None:
        """The reset button: as a power cut, but the disk's cache survives."""
        self._booted_at = self.serial.end
        self._qmp.run("system_reset")

    def pause(self) -> None:
        """For a snapshot. Its neighbours must not run meanwhile: what they send fills the cable,
        and arrives all at once, much later.
        """
        self._qmp.run("stop")

    def resume(self) -> None:
        self._qmp.run("cont")

    def unplug(self) -> None:
        """The cable of eth0."""
        self._qmp.run("set_link", name="inside", up=False)

    def plug(self) -> None:
        self._qmp.run("set_link", name="inside", up=True)

    # -- waiting -------------------------------------------------------------------------------

    def wait_shell(self, since: int | None = None, timeout_s: float = BOOT_TIMEOUT_S) -> None:
        """Until the boot that began at or after the serial offset gives us a root shell."""
        at = self._booted_at if since is None else since
        self.serial.wait_for(_BOOT_LINE, at, timeout_s)
        self.serial.wait_for(r"^.*systemd\[1\]", at, timeout_s)
        self.shell.open(timeout_s)

    def wait_up(self, since: int | None = None, timeout_s: float = BOOT_TIMEOUT_S) -> str:
        """Until systemd has done its start-up jobs: "running", or "degraded"."""
        self.wait_shell(since, timeout_s)
        return self.shell.run("systemctl is-system-running --wait", timeout_s).text.strip()

    # -- snapshots -----------------------------------------------------------------------------

    def save(self, tag: str) -> None:
        """Keep disk and memory under a name."""
        self._qmp.job("snapshot-save", f"save-{tag}", tag=tag, vmstate="card", devices=["card"])

    def load(self, tag: str) -> None:
        """Back to what was kept; a paused machine stays paused."""
        self._qmp.job("snapshot-load", f"load-{tag}", tag=tag, vmstate="card", devices=["card"])
        self.shell.follow()

    # -- QEMU's options -------------------------------------------------------------------------

    def _command(self) -> list[str]:
        board = self.hardware
        return self.programs.argv(
            "qemu-system-aarch64",
            *("-L", str(self.programs.data("usr/share/qemu"))),
            *("-name", board.name),
            *("-machine", "virt", "-cpu", board.cpu, "-accel", "tcg,thread=multi"),
            *("-smp", str(board.cpus), "-m", str(board.memory_mib)),
            *("-bios", str(self.programs.data(_UBOOT))),
            *("-nodefaults", "-display", "none"),
            *self._drive(),
            *simulation.drive(self._simulation),
            *self._console_options(),
            *self._network(),
            *("-device", "virtio-rng-pci"),
        )

    def _drive(self) -> list[str]:
        own = self._disk
        if isinstance(own, Overlay):
            # Nothing here must survive this computer's own crash: not waiting for its disk
            # saves half of an installation's time.
            own = fields("", {"file": own.path, "format": "qcow2", "cache": "unsafe"})
        return [
            *("-drive", f"if=none,id=disk,node-name=card,{own}"),
            *("-device", "virtio-blk-pci,drive=disk,bootindex=0"),
        ]

    def _console_options(self) -> list[str]:
        return [
            *("-chardev", fields("socket", {"id": "serial", "path": self.serial.path})),
            *("-serial", "chardev:serial"),
            *("-device", "virtio-serial-pci"),
            *("-chardev", fields("socket", {"id": "shell", "path": self._console.path})),
            *("-device", "virtconsole,chardev=shell"),
            *("-chardev", fields("socket", {"id": "qmp", "path": self._qmp.path})),
            *("-mon", "chardev=qmp,mode=control"),
        ]

    def _network(self) -> list[str]:
        """eth0 is where the links meet; eth1, when ports are requested, is the world outside."""
        board = self.hardware
        options = ["-netdev", "hubport,id=inside,hubid=0"] if board.links else []
        for number, link in enumerate(board.links):
            cable = f"link{number}"
            end: dict[str, object] = {"addr.type": "unix", "addr.path": link.socket}
            end |= {"server": "on"} if link.listens else {"server": "off", "reconnect-ms": 200}
            port = {"id": f"port{number}", "hubid": 0, "netdev": cable}
            options += ["-netdev", fields("stream", {"id": cable, **end})]
            options += ["-netdev", fields("hubport", port)]
        if board.links:
            nic = {"netdev": "inside", "mac": board.mac, "romfile": ""}
            options += ["-device", fields("virtio-net-pci", nic)]
        if board.ports:
            forwards = [
                f",hostfwd=tcp:127.0.0.1:{ours}-:{port}" for port, ours in board.ports.items()
            ]
            options += ["-netdev", "user,id=outside" + "".join(forwards)]
            options += ["-device", "virtio-net-pci,netdev=outside,romfile="]
        return options

    # -- for people ------------------------------------------------------------------------------

    def last_words(self, lines: int = 60) -> str:
        """The end of the serial console, and of the journal when the shell answers."""
        said = "\n".join(self.serial.text().splitlines()[-lines:])
        journal = ""
        if self.is_on:
            with contextlib.suppress(SilentError, QmpError, OSError):
                journal = self.shell.run(f"journalctl -b --no-pager -n {2 * lines}", 40).text
        return f"--- serial console of {self.hardware.name} ---\n{said}\n--- journal ---\n{journal}"
