"""`python -m saint_services.setup.change`: fulfils one wish of the settings page while the machine
runs, started by saint-settings.path. A wireless network that gives no address is left again, and
the one before it comes back: nobody is locked out by a typing mistake.
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
from .adapters import Places
from .boot_setup import Run, ThisMachine, kept_store
from .config import Machine
from .live import Live, LiveMachine
from .wifi_trial import JOIN_LIMIT_S, LEAVE_LIMIT_S, LOOK_S, Trial, Verdict

_log = log.get("setup")
_LARGEST_BYTES = 4096
_ERRORS = (OSError, SaintError, subprocess.SubprocessError, ValueError)


@dataclass(slots=True)
class Changing:
    """One wish."""

    places: Places
    live: Live
    join_limit_s: float = JOIN_LIMIT_S

    def everything(self) -> None:
        """From the request to what became of it; nothing is raised for what a person may do."""
        try:
            wish = self._take()
            if wish is None:
                return
            card = kept_store(self.places.data).load().machine or Machine(role="server")
            store = overrides.store(self.places.data)
            before = store.load()
            if wish.hostname is not None:
                after = overrides.with_hostname(before, card, wish.hostname)
                with _or_back(self._rename, overrides.over(card, before)):
                    self._rename(overrides.over(card, after))
                    store.save(after)
                self._tell("done", _renamed(wish.hostname))
                return
            after = overrides.with_wifi(before, card, wish.join)
            if self._switch(overrides.over(card, before), overrides.over(card, after)):
                store.save(after)  # only what has proven itself
        except _ERRORS as err:
            _log.error("a setting of this machine is not changed", error=err)
            self._tell("refused", f"Nothing was changed: {_sentence(err)}.")

    def _take(self) -> MachineRequest | None:
        """The request goes first: the path unit looks again when this job is done."""
        path = self.places.wishes / settings_request.REQUEST
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

    def _switch(self, before: Machine, after: Machine) -> bool:
        """To the network that is wished, or back; true when it holds."""
        if not adapters.has_radio(self.places.root):
            raise OSError(f"this machine has no radio ({logic.RADIO})")
        if after.network.internal == logic.RADIO:
            raise OSError("the radio is the robot's inside network")
        self._tell("trying", f"The server changes to {_network(after)}.")
        with _or_back(self._radio_to, before):  # also when somebody ends this job
            holds = self._try(after)
        if holds:
            address = self.live.address() or "no address"
            self._tell("done", f"The server uses {_network(after)} ({address}).")
            return True
        why = wifi_trial.cause(self.live.heard())
        self._radio_to(before)
        self._tell(
            "taken_back",
            f"No address came from {_network(after)} within {self.join_limit_s:g} s: {why}."
            f" The server is back on {_network(before)}.",
        )
        return False

    def _try(self, machine: Machine) -> bool:
        stale = self._radio_to(machine)
        if machine.wifi is None and not logic.has_hotspot(machine):
            return True  # off is what is wished
        is_hotspot = machine.wifi is None
        trial = Trial(self.live.now_s(), is_hotspot, stale, self.join_limit_s)
        while True:
            verdict = trial.judge(self.live.now_s(), self.live.address())
            if verdict is not Verdict.WAIT:
                return verdict is Verdict.HOLDS
            self.live.pause(LOOK_S)

    def _radio_to(self, machine: Machine) -> str:
        """Leaves the network that is, waits until its address is gone, and begins the other one;
        returns an address that did not go.
        """
        plan = self._run().plan(machine)
        self.live.systemctl("stop", logic.WPA_UNIT)
        limit_s = self.live.now_s() + LEAVE_LIMIT_S
        while (stale := self.live.address()) and self.live.now_s() < limit_s:
            self.live.pause(LOOK_S)
        self._follow(plan)
        if logic.has_wpa(plan):
            self.live.systemctl("start", logic.WPA_UNIT)
        return stale

    def _follow(self, plan: logic.Plan) -> None:
        run = self._run()
        changed = run.write(plan)
        if run.problems:
            raise OSError(run.problems[0])
        for verb, unit in logic.readers(changed):
            self.live.systemctl(verb, unit)
        run.tell_outside(plan)

    def _run(self) -> Run:
        return Run(self.places, ThisMachine())

    def _tell(self, state: str, message: str) -> None:
        """For the page, and the journal; no message holds a password."""
        told = MachineChange.model_validate(
            {"state": state, "message": message, "begun_s": self.live.now_s()}
        )
        path = self.places.told / settings_request.CHANGE
        adapters.put(path, told.model_dump_json().encode() + b"\n", 0o644)
        _log.info("a setting of this machine", state=state, told=message)


@contextlib.contextmanager
def _or_back(go: Callable[[Machine], object], before: Machine) -> Iterator[None]:
    """What was before comes back unless the block comes to its end."""

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
    if isinstance(error, ValidationError):  # its own text would repeat what was asked for
        return "the request cannot be read"
    return str(error).rstrip(".")


def main() -> int:
    """One run, as root. What ends it early brings the network before back."""
    log.setup("setup")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    Changing(Places(), LiveMachine()).everything()
    return 0


if __name__ == "__main__":
    sys.exit(main())
