"""One simulated machine's message bus and RAUC for a test, without any launcher:

    async with fake_machine(folder) as machine:
        machine.address, machine.installer.slots, machine.units, machine.faults, machine.keys

Not here: services and reboots; `machine.installer.boot()` is the boot loader.
"""

import asyncio
import contextlib
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from dbus_fast.aio import MessageBus

from . import bus_daemon, slots
from .bundle_writer import COMPATIBLE, Keys, make_keys
from .faults import Faults
from .installer import Installer
from .systemd import Systemd, Unit

_START_LIMIT_S = 10.0


@dataclass(slots=True)
class FakeMachine:
    """What a test may look at and change."""

    address: str
    keys: Keys
    installer: Installer
    faults: Faults
    units: list[Unit] = field(default_factory=list)
    power_was_cut: asyncio.Event = field(default_factory=asyncio.Event)


@contextlib.asynccontextmanager
async def private_bus(folder: Path) -> AsyncIterator[str]:
    """A dbus-daemon of one's own; its address."""
    program = bus_daemon.program()
    if program is None:
        raise FileNotFoundError("dbus-daemon is not installed; on Debian: apt-get install dbus")
    address = f"unix:path={folder / 'bus'}"
    configuration = bus_daemon.write_configuration(folder, address)
    command = (*bus_daemon.command(program, configuration), "--print-address")
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=DEVNULL)
    try:
        assert process.stdout is not None
        async with asyncio.timeout(_START_LIMIT_S):
            await process.stdout.readline()  # it says its address once it listens
        yield address
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()  # to the end of its output, or the pipe outlives the loop


@contextlib.asynccontextmanager
async def fake_machine(
    folder: Path, version: str = "0.1.0", compatible: str = COMPATIBLE, given: Keys | None = None
) -> AsyncIterator[FakeMachine]:
    """A machine whose card came with `version`. `folder` must be short: a socket lies in it."""
    keys = await asyncio.to_thread(make_keys, folder / "keys") if given is None else given
    state = slots.load(folder, version)
    power_was_cut = asyncio.Event()

    def cut() -> None:
        installer.cut_power()
        power_was_cut.set()

    installer = Installer(folder, state, keys.ca, compatible, on_power_cut=cut)
    async with private_bus(folder) as address:
        machine = FakeMachine(address, keys, installer, Faults(folder), [], power_was_cut)
        systemd = Systemd(lambda: machine.units)
        connection = await MessageBus(bus_address=address).connect()
        await installer.serve(connection)
        await systemd.serve(connection)
        try:
            yield machine
        finally:
            await installer.close()
            await systemd.close()
            connection.disconnect()
