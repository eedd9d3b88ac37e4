"""Updates on the simulated robot: every machine gets a board with two slots, a message bus and an
imitated RAUC on it, so that the daemons' own code installs, restarts, judges and rolls back.
Not here: what RAUC does (tools/fake_rauc), how a machine boots (board.py).
"""

import asyncio
import shutil
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from tools.fake_rauc import bus_daemon
from tools.fake_rauc.bundle_writer import COMPATIBLE

from ..launcher import Launcher
from ..services.life_cycle import Phase
from ..services.service import Service
from ..unit_files.units import ServiceUnit, SocketUnit, UnitFolder
from .board import Board, environment_of
from .machine import Folders, Machine, Plan

if TYPE_CHECKING:
    from dbus_fast.aio import MessageBus

    from tools.fake_rauc.installer import Installer
    from tools.fake_rauc.systemd import Systemd, Unit

KEYS = "keys"  # below the robot's folder: whom its machines trust
_TARGET = "boards.target"
_SERVE_LIMIT_S = 60.0
_COPY_TAKES_S = 1.5  # a simulated slot is small: give people something to see
_COPY_UNSEEN_S = 0.3  # where none looks: still several steps
_SELFTEST = "saint-selftest.service"  # what fails in a release that breaks its health check


def missing() -> list[str]:
    """Programs without which no update can be simulated."""
    wanted = {"dbus-daemon": bus_daemon.program(), "openssl": shutil.which("openssl")}
    return [name for name, found in wanted.items() if found is None]


def _version() -> str:
    """Return the release that the machines run; a checkout may be not installed."""
    try:
        return metadata.version("saint-os")
    except metadata.PackageNotFoundError:
        return "0.0.0"


class Updates:
    """The boards of all machines; add them first, then the machines, then `serve`."""

    def __init__(
        self,
        root: Path,
        launcher: Launcher,
        report: Callable[[str], None],
        *,
        is_watched: bool = True,
    ) -> None:
        self._copy_takes_s = _COPY_TAKES_S if is_watched else _COPY_UNSEEN_S
        self._root = root
        self._launcher = launcher
        self._report = report
        self._version = _version()
        self._boards: dict[str, Board] = {}
        self._buses: Machine | None = None
        self._open: list[tuple[MessageBus, Installer, Systemd]] = []

    def add(self, folders: Folders, *, is_server: bool) -> dict[str, str]:
        """The board of one machine; returns what goes into the machine's environment."""
        board = Board(folders, self._version, self._report)
        self._boards[folders.machine] = board
        return environment_of(folders, board.slots) | {
            "SAINT_COMPATIBLE": COMPATIBLE,
            "SAINT_MACHINE": "server" if is_server else "node",
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self._socket(folders.machine)}",
        }

    def open_buses(self) -> None:
        """After all were added, before the machines start: who connects early waits."""
        program = bus_daemon.program()
        assert program is not None
        services, sockets = {}, {}
        for name in self._boards:
            unit, configuration = f"bus-{name}", self._configuration(name)
            command = bus_daemon.command(program, configuration)
            services[f"{unit}.service"] = ServiceUnit(
                f"{unit}.service", command, sockets=(f"{unit}.socket",)
            )
            path = f"/run/saint/{name}"
            sockets[f"{unit}.socket"] = SocketUnit(
                f"{unit}.socket", f"{unit}.service", (path,), (), "bus", (_TARGET,)
            )
        folder = UnitFolder(services, sockets, frozenset({_TARGET}))
        self._buses = self._launcher.add(Plan(Folders("boards", self._root), _TARGET), folder)

    async def serve(self) -> None:
        """Answer on all buses; takes the time that loading the library takes. A computer whose
        dbus-daemon does not work still runs the robot.
        """
        try:
            async with asyncio.timeout(_SERVE_LIMIT_S):
                for board in self._boards.values():
                    await self._serve(board)
        except (OSError, EOFError) as err:
            why = str(err) or f"dbus-daemon does not answer within {_SERVE_LIMIT_S:g} s"
            self._report(f"no updates in this simulation: {why}")

    async def _serve(self, board: Board) -> None:
        from dbus_fast.aio import MessageBus

        from tools.fake_rauc.installer import Installer
        from tools.fake_rauc.systemd import Systemd

        name = board.folders.machine
        machine = self._launcher.machines[name]
        installer = Installer(
            board.folders.home,
            board.slots,
            self._root / KEYS / "ca.pem",
            COMPATIBLE,
            copy_takes_s=self._copy_takes_s,
            on_power_cut=board.cut_power,
        )
        systemd = Systemd(_units_of(machine, board))
        bus = await MessageBus(bus_address=f"unix:path={self._socket(name)}").connect()
        self._open.append((bus, installer, systemd))
        await installer.serve(bus)
        await systemd.serve(bus)
        board.on_power_lost = installer.cut_power
        board.watch(machine)

    async def close(self) -> None:
        """Before the launcher stops: nothing is booted any more."""
        for board in self._boards.values():
            await board.close()
        for bus, installer, systemd in self._open:
            await installer.close()
            await systemd.close()
            bus.disconnect()

    def _configuration(self, name: str) -> Path:
        return bus_daemon.write_configuration(self._root / "boards" / name, "systemd:")

    def _socket(self, name: str) -> Path:
        return Folders("boards", self._root).run / name


def _units_of(machine: Machine, board: Board) -> Callable[[], list["Unit"]]:
    from tools.fake_rauc.systemd import Unit

    def units() -> list[Unit]:
        found = [_unit(service) for service in machine.services.values()]
        if board.broken == "health":
            found.append(Unit(_SELFTEST, "failed", "failed", result="exit-code", exit_status=1))
        return found

    return units


def _unit(service: Service) -> "Unit":
    from tools.fake_rauc.systemd import Unit

    states = {
        Phase.LISTENING: ("inactive", "dead"),
        Phase.STARTING: ("activating", "start"),
        Phase.RUNNING: ("active", "running"),
        Phase.ENDING: ("deactivating", "stop-sigterm"),
        Phase.PAUSING: ("activating", "auto-restart"),
        Phase.RESTING: ("failed", "failed") if service.failures else ("inactive", "dead"),
        Phase.STOPPED: ("inactive", "dead"),
    }
    active, sub = states[service.phase]
    failures = service.failures
    result = "exit-code" if failures else "success"
    return Unit(service.unit.name, active, sub, failures, result, int(bool(failures)))
