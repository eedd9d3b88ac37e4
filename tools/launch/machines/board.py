"""What lies below a simulated machine's services: power, boot loader and slots, dead-man, the
request to reboot. Not here: the services (machine.py), installing (tools/fake_rauc).
"""

import asyncio
import contextlib
import os
import secrets
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace

from saint_services.lib.machine.power import PowerAction
from tools.fake_rauc import slots
from tools.fake_rauc.slots import Slots

from ..unit_files.units import ServiceUnit
from . import machine_settings
from .fetch_jobs import FetchJobs
from .machine import Folders, Machine

_LOOK_S = 0.25
_GRACE_S = 3.0
_FAILED_BOOT_S = 0.5  # on a Pi 20 to 60 s
_MOST_STARTS = 8  # each slot has three
_DEADMAN_S = 180.0
_UNBOOTABLE = ("boot", "hang")
_BROKEN_ROLE = "import sys; sys.exit('ImportError: this release has a broken role')"
_JOURNALCTL = """#!/bin/sh
# Stands in for journalctl on a simulated machine: the last lines of a unit's log.
lines=20 unit=
while [ $# -gt 0 ]; do
  case $1 in
    -u) unit=$2; shift ;;
    -n) lines=$2; shift ;;
    --unit=*) unit=${{1#*=}} ;;
    --lines=*) lines=${{1#*=}} ;;
  esac
  shift
done
[ -n "$unit" ] || exit 0
name=${{unit#saint-}}
exec tail -n "$lines" -- {logs}"${{name%.service}}.log"
"""


def environment_of(folders: Folders, slot_files: Slots) -> dict[str, str]:
    """What a machine's daemons find out about the board below them."""
    booted = slot_files.slot(slot_files.booted)
    return {
        "SAINT_VERSION": booted.version,
        "SAINT_BOOT_ID": secrets.token_hex(16),
        "SAINT_REBOOT_DIR": str(folders.home / "reboot"),
        "SAINT_SETTINGS_DIR": str(machine_settings.folder(folders.home)),
        "SAINT_DEADMAN": str(folders.home / "deadman"),
        "PATH": f"{folders.home / 'bin'}:{os.environ.get('PATH', os.defpath)}",
    }


class Board:
    """The board of one machine. Boots it again on request, when its dead-man timer ends, and after
    a power cut.
    """

    def __init__(self, folders: Folders, version: str, report: Callable[[str], None]) -> None:
        self.slots = slots.load(folders.home, version)
        self.folders = folders
        self.machine: Machine | None = None
        self.on_power_lost: Callable[[], None] = lambda: None
        self._report = report
        self._power_cut = asyncio.Event()
        self._deadman = -1
        self._deadline: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._fetching = FetchJobs(folders.run) if folders.machine == "server" else None
        _prepare(folders)
        self._start()

    @property
    def broken(self) -> str:
        """How the release that runs fails."""
        return self.slots.slot(self.slots.booted).breaks

    @property
    def is_armed(self) -> bool:
        """The dead-man waits for a word."""
        return self._deadline is not None

    def watch(self, machine: Machine) -> None:
        """From now on, for the machine whose services stand on this board."""
        self.machine = machine
        self._open_deadman()
        if self._fetching:
            self._fetching.open()
        self._task = asyncio.get_running_loop().create_task(self._serve())

    async def close(self) -> None:
        """The launcher ends."""
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if self._fetching:
            await self._fetching.close()
        self._disarm()
        if self._deadman >= 0:
            asyncio.get_running_loop().remove_reader(self._deadman)
            os.close(self._deadman)

    def cut_power(self) -> None:
        """At once, whatever runs."""
        self._power_cut.set()

    async def _serve(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._power_cut.wait(), _LOOK_S)
            if self._power_cut.is_set():
                self._power_cut.clear()
                await self._reboot("lost its power", 0.0)
            elif machine_settings.is_requested(self.folders.home):
                await asyncio.to_thread(machine_settings.follow, self.folders.home)
            elif (reason := self._requested(PowerAction.REBOOT)) is not None:
                await self._reboot(f"restarts: {reason}", _GRACE_S)
            elif (reason := self._requested(PowerAction.RESTART)) is not None:
                await self._restart(reason)
            elif (reason := self._requested(PowerAction.POWER_OFF)) is not None:
                await self._power_off(reason)

    def _requested(self, action: PowerAction) -> str | None:
        """Why a daemon wants that; the request is used up."""
        path = self.folders.home / "reboot" / action
        try:
            reason = path.read_text(encoding="utf-8", errors="replace").strip()
            path.unlink()
        except FileNotFoundError:
            return None
        return reason.partition("\n")[0][:200] or "no reason given"

    async def _restart(self, reason: str) -> None:
        """Start all services again on the running slot."""
        assert self.machine is not None
        self._report(f"{self.machine.name} starts its services again: {reason}")
        await self.machine.shut_down(_GRACE_S)
        self.machine.power_on(environment_of(self.folders, self.slots), self._changed)

    async def _power_off(self, reason: str) -> None:
        """Wait until the robot ends, or a reboot is requested."""
        assert self.machine is not None
        self._disarm()
        self._report(f"{self.machine.name} is switched off ({reason}); Ctrl-C ends the robot")
        await self.machine.shut_down(_GRACE_S)

    async def _reboot(self, why: str, grace_s: float) -> None:
        assert self.machine is not None
        self._disarm()
        self._report(f"{self.machine.name} {why}")
        await self.machine.shut_down(grace_s)
        self.on_power_lost()
        for _ in range(_MOST_STARTS):
            if self._start():
                break
            await asyncio.sleep(_FAILED_BOOT_S)
        self._arm()
        environment = environment_of(self.folders, self.slots)
        self.machine.power_on(environment, self._changed)
        version = environment["SAINT_VERSION"]
        self._report(f"{self.machine.name} started slot {self.slots.booted}, release {version}")

    def _start(self) -> bool:
        """One try of the boot loader; False when what it takes never gets to its services."""
        letter = self.slots.boot()
        slots.save(self.folders.home, self.slots)
        return self.slots.slot(letter).breaks not in _UNBOOTABLE

    def _changed(self, unit: ServiceUnit) -> ServiceUnit:
        """A release may bring broken programs along; the next one brings the right ones again."""
        name = unit.name.removesuffix(".service").removeprefix("saint-").replace("-", "_")
        command = (sys.executable, "-m", f"saint_services.{name}")
        if self.broken == "role" and name.startswith("role_"):
            command = (sys.executable, "-c", _BROKEN_ROLE)
        return replace(unit, command=command)

    def _open_deadman(self) -> None:
        path = self.folders.home / "deadman"
        with contextlib.suppress(FileExistsError):
            os.mkfifo(path, 0o600)
        self._deadman = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        asyncio.get_running_loop().add_reader(self._deadman, self._read_deadman)
        self._arm()

    def _read_deadman(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._deadman, 4096)
            self._disarm()

    def _arm(self) -> None:
        self._deadline = asyncio.get_running_loop().call_later(_DEADMAN_S, self._deadman_fires)

    def _disarm(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None

    def _deadman_fires(self) -> None:
        self._report(f"{self.folders.machine}: no report of health within {_DEADMAN_S:g} s")
        self.cut_power()


def _prepare(folders: Folders) -> None:
    folders.create()
    if folders.machine == "server":
        machine_settings.prepare(folders.home)
    requests = folders.home / "reboot"
    requests.mkdir(exist_ok=True)
    for action in PowerAction:
        (requests / action).unlink(missing_ok=True)  # of a robot that has ended since
    stand_in = folders.home / "bin" / "journalctl"
    stand_in.parent.mkdir(exist_ok=True)
    logs = shlex.quote(str(folders.log_of("")).removesuffix(".log"))
    stand_in.write_text(_JOURNALCTL.format(logs=logs), encoding="utf-8")
    stand_in.chmod(0o755)
