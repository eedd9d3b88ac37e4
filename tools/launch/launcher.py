"""All machines of one robot in one event loop: start, report, stop. Leaves no process behind."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path

from .machines.machine import Machine, Plan
from .services.life_cycle import Phase
from .services.process import Processes
from .services.service import Service
from .unit_files.units import UnitFolder

_ENDED = (Phase.STOPPED,)
_PATIENCE_S = 1.5  # of a person at the prompt, who then wants to know what is awaited
_REAPING_S = 1.0  # between a kill and its end
_HOPELESS = 5  # failures in a row; the tries go on, the messages end


class Launcher:
    """`on_news` receives what a user should know; `report` is a file that programs read."""

    def __init__(
        self,
        units: UnitFolder,
        report: Path,
        *,
        on_news: Callable[[str], None],
        show: Callable[[str], None] | None = None,
    ) -> None:
        self._units = units
        self._report = report
        self._on_news = on_news
        self._show = show
        self._loop = asyncio.get_running_loop()
        self._processes = Processes(self._loop)
        self._all_ended = asyncio.Event()
        self._is_report_due = False
        self._is_closed = False
        self.machines: dict[str, Machine] = {}
        self.facts: dict[str, object] = {}  # what the report says beside the processes

    def add(self, plan: Plan, units: UnitFolder | None = None) -> Machine:
        """A machine, its sockets open; of the launcher's units or of its own."""
        machine = Machine(
            plan, units or self._units, self._processes, self._loop, self._on_change, self._show
        )
        self.machines[machine.name] = machine
        return machine

    def start(self) -> None:
        """Start everything that does not wait for a request."""
        for machine in self.machines.values():
            machine.start()

    async def stop(self, limit_s: float | None = None) -> None:
        """Ask all to end in the order of their units, wait for as long as these grant (or up to
        `limit_s`), end the rest, close everything; once."""
        if self._is_closed:
            return
        limit_s = self._stop_limit_s() if limit_s is None else limit_s
        self._all_ended.clear()
        for machine in self.machines.values():
            machine.end()
        self._note_end()
        impatience = self._loop.call_later(_PATIENCE_S, self._report_late)
        try:
            await asyncio.wait_for(self._all_ended.wait(), limit_s)
        except TimeoutError:
            self._on_news(f"did not end in time and was killed: {self._late()}")
        impatience.cancel()
        self.close()

    def _stop_limit_s(self) -> float:
        limits_s = [machine.stop_limit_s for machine in self.machines.values()]
        return max(limits_s, default=0.0) + _REAPING_S

    def _report_late(self) -> None:
        self._on_news(f"still ending, Ctrl-C kills them: {self._late()}")

    def _late(self) -> str:
        """Name the services that were stopped and still run, not those that wait for them."""
        late = [s for s in self._services() if s.is_stopping and s.phase not in _ENDED]
        return ", ".join(f"{each.place.machine}/{each.occupant}" for each in late)

    def kill(self) -> None:
        """End all at once; `stop` then returns."""
        for service in self._services():
            service.kill()

    def close(self) -> None:
        """End what is left and release everything."""
        if self._is_closed:
            return
        self._is_closed = True
        self._processes.close()
        for service in self._services():
            service.close()
        self._report.unlink(missing_ok=True)

    def write_report(self) -> None:
        """The report as of now: a whole file or none."""
        self._is_report_due = False
        if self._is_closed:
            return
        aside = self._report.with_suffix(".new")
        aside.write_text(json.dumps(self._facts(), indent=1), encoding="utf-8")
        aside.replace(self._report)

    def _facts(self) -> dict[str, object]:
        machines = {
            machine.name: {
                "run": str(machine.folders.run),
                "daemons": {
                    service.name: {
                        "pid": service.pid,
                        "phase": service.phase.name.lower(),
                        "starts": service.starts,
                    }
                    for service in machine.services.values()
                },
            }
            for machine in self.machines.values()
        }
        return {"pid": os.getpid(), **self.facts, "machines": machines}

    def _services(self) -> list[Service]:
        return [s for machine in self.machines.values() for s in machine.services.values()]

    def _on_change(self, service: Service, news: str) -> None:
        if news and service.failures <= 1:
            said = service.place.journal.last_line
            self._on_news(f"{self._label(service)} {news}" + (f": {said}" if said else ""))
        elif news and service.failures == _HOPELESS:
            self._on_news(f"{self._label(service)} keeps failing; see {service.place.journal.path}")
        self._note_end()
        if not self._is_report_due:  # several changes at once are one report
            self._is_report_due = True
            self._loop.call_soon(self.write_report)

    def _note_end(self) -> None:
        if all(service.phase in _ENDED for service in self._services()):
            self._all_ended.set()

    def _label(self, service: Service) -> str:
        return f"{service.place.machine}/{service.name}"
