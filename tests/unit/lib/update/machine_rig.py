"""A whole machine for the updater: a private bus with a RAUC and a systemd on it, a card that
outlives restarts, and an owner that records its calls. `running()` is one boot.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import FirmwareStatus
from saint_services.lib.update.boot import Boot
from saint_services.lib.update.checks import Services
from saint_services.lib.update.dbus import SystemBus
from saint_services.lib.update.events import UpdateLimits, WantedRelease
from saint_services.lib.update.installer import RaucInstaller, Slots
from saint_services.lib.update.no_slots import NoSlots
from saint_services.lib.update.updater import UpdateEnvironment, Updater, WorkState
from tools.fake_rauc.bundle_writer import Keys, Release, write_bundle
from tools.fake_rauc.rig import FakeMachine

QUICK = UpdateLimits(health_timeout_s=3.0, settle_s=0.0, boot_attempts=3)


class UpdateOwner:
    """A daemon that does what the update requests."""

    def __init__(self) -> None:
        self.now = WorkState()
        self.is_held = False
        self.refuses = ""
        self.statuses: list[FirmwareStatus] = []

    def work(self) -> WorkState:
        return self.now

    def hold(self) -> None:
        if self.refuses:
            raise SaintError(Code.REFUSED, self.refuses)
        self.is_held = True

    def resume(self) -> None:
        self.is_held = False

    def publish(self, status: FirmwareStatus) -> None:
        self.statuses.append(status)

    @property
    def last(self) -> FirmwareStatus:
        """The last status; an empty message before the first."""
        return self.statuses[-1] if self.statuses else FirmwareStatus()

    @property
    def states(self) -> list[str]:
        """Without repetitions."""
        states = [status.state for status in self.statuses]
        return [s for i, s in enumerate(states) if i == 0 or s != states[i - 1]]


class HangingInstaller(RaucInstaller):
    """A RAUC that takes every question and answers none."""

    async def slots(self) -> Slots:
        await asyncio.Event().wait()
        raise AssertionError


class Machine:
    """The card, the files of the boot, and the owner of each boot."""

    def __init__(self, folder: Path, fake: FakeMachine, setenv: Callable[[str, str], None]) -> None:
        self.fake = fake
        self.owner = UpdateOwner()
        self.limits = QUICK
        self.is_rauc_hanging = False
        self.is_without_slots = False
        self.reboots = folder / "reboot"
        self.reboots.mkdir()
        self._folder = folder
        self._setenv = setenv

    @property
    def request(self) -> Path:
        return self.reboots / "request"

    async def bundle(self, version: str, by: Keys | None = None) -> WantedRelease:
        path = self._folder / f"{version}.raucb"
        keys = by or self.fake.keys
        await asyncio.to_thread(write_bundle, path, Release(version=version), keys)
        return WantedRelease(version, str(path))

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Updater]:
        """From start to end of the process that owns the update."""
        slots = self.fake.installer.slots
        self._setenv("SAINT_VERSION", slots.slot(slots.booted).version)
        self.owner.is_held, self.owner.statuses = False, []
        bus = SystemBus(self.fake.address)
        boot = Boot(self._folder / "deadman", self.reboots)
        installer = HangingInstaller(bus) if self.is_rauc_hanging else RaucInstaller(bus)
        without = NoSlots() if self.is_without_slots else None
        world = UpdateEnvironment(without or installer, Services(bus), boot)
        tasks: list[asyncio.Task[None]] = []

        def spawn(work: object, name: str) -> asyncio.Task[None]:
            tasks.append(asyncio.create_task(work, name=name))  # type: ignore[arg-type]
            return tasks[-1]

        state = self._folder / "state"
        updater = Updater("pi_1", self.owner, state, spawn, self.limits, world)
        try:
            await updater.start()
            yield updater
        finally:
            for task in tasks:
                task.cancel()
            for result in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(result, Exception):
                    raise result
            updater.close()

    def restart(self) -> str:
        """The boot loader's turn; returns the slot."""
        self.request.unlink(missing_ok=True)
        return self.fake.installer.boot()

    def works(self, **facts: object) -> None:
        self.owner.now = replace(self.owner.now, **facts)  # type: ignore[arg-type]
