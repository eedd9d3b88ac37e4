"""Carries out one request of the settings page while the machine runs; started by
saint-settings.path as `python -m saint_services.setup.change`. A wireless network that gives no
address is left again, and the one before is restored: a typing mistake locks no user out.
"""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from ..lib import log
from ..lib.api.machine import MachineChange, MachineRequest
from ..lib.errors import SaintError
from ..lib.machine import settings_request
from . import adapters, logic, overrides, wifi_trial
from .adapters import SetupPaths
from .boot_setup import BootSetup, ThisMachine
from .config import Machine
from .kept_settings import kept_store
from .live import LiveMachine, RunningMachine
from .wifi_trial import JOIN_LIMIT_S, LEAVE_LIMIT_S, LOOK_S, WifiTrial, WifiVerdict

_log = log.get("setup")
_LARGEST_BYTES = 4096
_ERRORS = (OSError, SaintError, subprocess.SubprocessError, ValueError)


@dataclass(slots=True)
class SettingsChange:
    """One request."""

    places: SetupPaths
    live: RunningMachine
    join_limit_s: float = JOIN_LIMIT_S

    def run(self) -> None:
        """Carry out the request and report the outcome. Raises nothing for a user's mistake."""
        try:
            request = self._take()
            if request is None:
                return
            card = kept_store(self.places.data).load().machine or Machine(role="server")
            store = overrides.store(self.places.data)
            before = store.load()
            if request.hostname is not None:
                after = overrides.with_hostname(before, card, request.hostname)
                with _or_back(self._rename, overrides.over(card, before)):
                    self._rename(overrides.over(card, after))
                    store.save(after)
                self._report("done", _renamed(request.hostname))
                return
            after = overrides.with_wifi(before, card, request.join)
            self._switch(
                overrides.over(card, before), overrides.over(card, after), lambda: store.save(after)
            )
        except _ERRORS as err:
            _log.error("changing a setting of this machine failed", error=err)
            self._report("refused", f"Nothing was changed: {_sentence(err)}.")

    def _take(self) -> MachineRequest | None:
        """Read and remove the request; it is removed first, since the path unit checks again after
        this job."""
        path = self.places.requests / settings_request.REQUEST
        try:
            raw = path.read_bytes()[: _LARGEST_BYTES + 1]
        except FileNotFoundError:
            return None
        path.unlink()
        return MachineRequest.model_validate_json(raw)

    def _rename(self, machine: Machine) -> None:
        plan = self._run().plan(machine)
        self._follow(plan)
        self.live.set_hostname(plan.hostname)

    def _switch(self, before: Machine, after: Machine, save: Callable[[], None]) -> None:
        """Change to the requested network and save it, or restore the one before."""
        if not adapters.has_radio(self.places.root):
            raise OSError(f"this machine has no radio ({logic.RADIO})")
        if logic.internal(after, adapters.facts(self.places.root)) == logic.RADIO:
            raise OSError(
                "the robot's own network is on this radio, and its nodes would be lost;"
                " change wifi in saint.yaml on every card instead"
            )
        self._report("trying", f"The server changes to {_network(after)}.")
        with _or_back(self._radio_to, before):  # also when this job is ended early
            if holds := self._try(after):
                save()  # only a network that works
        if holds:
            address = self.live.address() or "no address"
            self._report("done", f"The server uses {_network(after)} ({address}).")
            return
        why = wifi_trial.cause(self.live.messages())
        self._radio_to(before)
        self._report(
            "taken_back",
            f"No address came from {_network(after)} within {self.join_limit_s:g} s: {why}."
            f" The server is back on {_network(before)}.",
        )

    def _try(self, machine: Machine) -> bool:
        stale = self._radio_to(machine)
        if machine.wifi is None and not logic.has_hotspot(machine):
            return True  # the request is to switch it off
        is_hotspot = machine.wifi is None
        trial = WifiTrial(self.live.now_s(), is_hotspot, stale, self.join_limit_s)
        while True:
            verdict = trial.judge(self.live.now_s(), self.live.address())
            if verdict is not WifiVerdict.WAIT:
                return verdict is WifiVerdict.HOLDS
            self.live.pause(LOOK_S)

    def _radio_to(self, machine: Machine) -> str:
        """Leave the current network, wait until its address is gone, and join the other one; return
        an address that did not go."""
        plan = self._run().plan(machine)
        self.live.systemctl("stop", logic.WPA_UNIT)
        limit_s = self.live.now_s() + LEAVE_LIMIT_S
        while (stale := self.live.address()) and self.live.now_s() < limit_s:
            self.live.pause(LOOK_S)
        self._follow(plan)
        if logic.has_wpa(plan):
            self.live.systemctl("start", logic.WPA_UNIT)
        return stale

    def _follow(self, plan: logic.SetupPlan) -> None:
        run = self._run()
        changed = run.write(plan)
        if run.problems:
            raise OSError(run.problems[0])
        for verb, unit in logic.readers(changed):
            self.live.systemctl(verb, unit)
        run.report_network(plan)

    def _run(self) -> BootSetup:
        return BootSetup(self.places, ThisMachine())

    def _report(self, state: str, message: str) -> None:
        """Report the state to the page and the journal; no message holds a password."""
        published = MachineChange.model_validate(
            {"state": state, "message": message, "begun_s": self.live.now_s()}
        )
        path = self.places.published / settings_request.CHANGE
        adapters.put(path, published.model_dump_json().encode() + b"\n", 0o644)
        _log.info("a setting of this machine", state=state, published=message)


@contextlib.contextmanager
def _or_back(go: Callable[[Machine], object], before: Machine) -> Iterator[None]:
    """Restore the state before unless the block ends normally."""

    def back() -> None:
        with contextlib.suppress(*_ERRORS):
            go(before)

    with contextlib.ExitStack() as undoing:
        undoing.callback(back)
        yield
        undoing.pop_all()


def _renamed(name: str) -> str:
    return f"The server is now called {name}. Its pages are at http://{name}.local from now on."


def _network(machine: Machine) -> str:
    if machine.wifi:
        return f"the Wi-Fi {machine.wifi.ssid}"
    return "its own hotspot" if logic.has_hotspot(machine) else "no wireless network"


def _sentence(error: Exception) -> str:
    if isinstance(error, ValidationError):  # its own text would repeat the request
        return "the request cannot be read"
    return str(error).rstrip(".")


def main() -> int:
    """Carry out one request, as root. Ending it early restores the network before."""
    log.setup("setup")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    SettingsChange(SetupPaths(), LiveMachine()).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
