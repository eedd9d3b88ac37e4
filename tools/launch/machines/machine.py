"""One simulated computer: the services of its target, with folders and sockets of its own."""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..services.journal import Journal
from ..services.life_cycle import Phase
from ..services.listening import Passed, open_sockets
from ..services.process import Processes, inherited_environment
from ..services.service import Place, Service
from ..unit_files import end_order
from ..unit_files.units import ServiceUnit, UnitFolder

_PYTHON = "/usr/bin/python3"  # in the units; here it is the interpreter that runs us
_STATE_PREFIX = "saint/"  # StateDirectory=saint/<name> is below /var/lib on the device


@dataclass(frozen=True, slots=True)
class Folders:
    """What stands for /run/saint, /var/lib/saint and /etc/saint on one machine, and its pins."""

    machine: str
    root: Path

    @property
    def home(self) -> Path:
        return self.root / self.machine

    @property
    def run(self) -> Path:
        return self.home / "run"

    @property
    def state(self) -> Path:
        return self.home / "state"

    @property
    def config(self) -> Path:
        return self.home / "config"

    @property
    def hw(self) -> Path:
        return self.home / "hw"

    def log_of(self, daemon: str) -> Path:
        return self.root / "log" / f"{self.machine}-{daemon}.log"

    def create(self) -> None:
        for folder in (self.run, self.state, self.config, self.hw, self.root / "log"):
            folder.mkdir(parents=True, exist_ok=True)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a machine is to run."""

    folders: Folders
    target: str
    environment: dict[str, str] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)  # port in the unit -> port here


class Machine:
    """Its sockets are open once this exists; `start` starts what does not wait for a request."""

    def __init__(
        self,
        plan: Plan,
        units: UnitFolder,
        processes: Processes,
        loop: asyncio.AbstractEventLoop,
        on_change: Callable[[Service, str], None],
        show: Callable[[str], None] | None,
    ) -> None:
        self.name = plan.folders.machine
        self.folders = plan.folders
        self._plan = plan
        self._show = show
        self._on_change = on_change
        self._is_down = asyncio.Event()
        self._is_ending = False
        plan.folders.create()
        self.services: dict[str, Service] = {}
        self._at_start: list[Service] = []
        for unit in _services_of(plan.target, units):
            place = self._place(unit, _open_all(unit, units, plan))
            service = Service(_for_laptop(unit), place, processes, loop, self._changed)
            self.services[service.name] = service
            if plan.target in unit.wanted_by:
                self._at_start.append(service)

    def start(self) -> None:
        """What the target wants at boot."""
        for service in self._at_start:
            service.activate()

    @property
    def stop_limit_s(self) -> float:
        """Of its whole end, by the units' own limits."""
        own_s = {each.unit.name: each.stop_limit_s for each in self.services.values()}
        return end_order.limit_s(self._after, own_s)

    def end(self) -> None:
        """Ask all services to end, each when those that are After= it have."""
        self._is_ending = True
        ended = {s.unit.name for s in self.services.values() if s.phase is Phase.STOPPED}
        due = end_order.due(self._after, ended)
        for service in self.services.values():
            if service.unit.name in due and not service.is_stopping:
                service.stop()

    @property
    def _after(self) -> end_order.After:
        return {each.unit.name: each.unit.after for each in self.services.values()}

    async def shut_down(self, grace_s: float) -> None:
        """End all services; those that are not gone after `grace_s` are killed."""
        self._is_down.clear()
        self.end()
        self._note_end()
        try:
            await asyncio.wait_for(self._is_down.wait(), grace_s)
        except TimeoutError:
            for service in self.services.values():
                service.kill()
            await self._is_down.wait()

    def power_on(
        self, environment: dict[str, str], changed: Callable[[ServiceUnit], ServiceUnit]
    ) -> None:
        """Start again after `shut_down`, with more in the environment and units as `changed`."""
        self._is_ending = False
        for service in self.services.values():
            service.power_on(changed(service.unit), service.place.environment | environment)
        self.start()

    def _changed(self, service: Service, news: str) -> None:
        if self._is_ending and service.phase is Phase.STOPPED:
            self.end()
        self._note_end()
        self._on_change(service, news)

    def _note_end(self) -> None:
        if all(service.phase is Phase.STOPPED for service in self.services.values()):
            self._is_down.set()

    def port(self, fd_name: str) -> int:
        """The port behind a socket's name."""
        for service in self.services.values():
            for passed in service.place.sockets:
                if passed.fd_name == fd_name:
                    return int(passed.socket.getsockname()[1])
        raise KeyError(fd_name)

    def _place(self, unit: ServiceUnit, sockets: list[Passed]) -> Place:
        folders = self.folders
        daemon = unit.name.removeprefix("saint-").removesuffix(".service")
        environment = inherited_environment() | {
            "CONFIGURATION_DIRECTORY": str(folders.config),
            "RUNTIME_DIRECTORY": str(folders.run),
            "SAINT_LOG_DIR": str(folders.log_of(daemon).parent),
        }
        if unit.state_directory:
            names = [each.removeprefix(_STATE_PREFIX) for each in unit.state_directory.split()]
            for name in names:
                (folders.state / name).mkdir(parents=True, exist_ok=True)
            environment["STATE_DIRECTORY"] = ":".join(str(folders.state / each) for each in names)
        label = f"{self.name}/{daemon}"
        show = self._show
        return Place(
            machine=self.name,
            notify_path=folders.run / f".{daemon}.notify",
            environment=environment | self._plan.environment,
            sockets=sockets,
            journal=Journal(
                folders.log_of(daemon), (lambda line: show(f"{label:24} {line}")) if show else None
            ),
        )


def _services_of(target: str, units: UnitFolder) -> list[ServiceUnit]:
    """Wanted by the target themselves, or by way of a socket."""
    by_socket = {unit.service for unit in units.sockets.values() if target in unit.wanted_by}
    return [
        unit
        for _, unit in sorted(units.services.items())
        if target in unit.wanted_by or unit.name in by_socket
    ]


def _open_all(unit: ServiceUnit, units: UnitFolder, plan: Plan) -> list[Passed]:
    return [
        passed
        for socket_unit in units.sockets_of(unit.name)
        for passed in open_sockets(socket_unit, plan.folders.run, plan.ports)
    ]


def _for_laptop(unit: ServiceUnit) -> ServiceUnit:
    return replace(unit, command=_here(unit.command), after_end=_here(unit.after_end))


def _here(command: tuple[str, ...]) -> tuple[str, ...]:
    return (sys.executable, *command[1:]) if command[:1] == (_PYTHON,) else command
