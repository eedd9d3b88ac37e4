"""One run of setup: read, decide, write, start. Each step that fails is told and does not keep the
next from its work: a robot with a wrong setting starts all the same. Not here: what is decided.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from ..lib import log
from ..lib.errors import SaintError
from ..lib.state import Store
from . import adapters, logic, secrets_in_text, sources
from .adapters import Places
from .config import KEPT, Machine

_log = log.get("setup")
_STEP_ERRORS = (OSError, SaintError, subprocess.SubprocessError, ValueError)
_HOTSPOT_LETTERS, _CLAIM_LETTERS = 12, 24


class Kept(BaseModel):
    """The last settings that were right; secrets too, the file is root's."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    machine: Machine | None = None


class System(Protocol):
    """What a test must not do to the computer it runs on."""

    def set_hostname(self, name: str) -> None: ...
    def start(self, targets: tuple[str, ...]) -> None: ...


class ThisMachine:
    """The real one."""

    set_hostname = staticmethod(adapters.set_hostname)
    start = staticmethod(adapters.start)


@dataclass(slots=True)
class Run:
    """One boot's setup."""

    places: Places
    system: System
    problems: list[str] = field(default_factory=list)

    def everything(self) -> None:
        """All steps, the start of the targets last."""
        if self.places.is_data_lost:
            self.problems.append(
                "the data partition cannot be mounted: what is set now is lost at the next start"
            )
        machine = self._settings()
        plan = logic.plan(machine, adapters.facts(self.places.root), self._secrets())
        self._files(plan)
        with self._step("the host name is not set"):
            self.system.set_hostname(plan.hostname)
        self._people(plan)
        self._report(machine, plan)
        with self._step(f"{', '.join(plan.targets)} cannot be started"):
            self.system.start(plan.targets)

    @contextmanager
    def _step(self, failure: str) -> Iterator[None]:
        try:
            yield
        except _STEP_ERRORS as err:
            self.problems.append(f"{failure}: {err}")
            _log.error(failure, error=err)

    def _settings(self) -> Machine:
        texts, unreadable = adapters.read_texts(self.places.firmware, sources.FILES)
        self.problems += unreadable
        store = Store(self.places.data / "setup/machine.yaml", Kept, version=1)
        kept = Kept()
        with self._step("the kept settings cannot be read"):
            kept = store.load()
            if store.problem:
                self.problems.append(str(store.problem))
        outcome = sources.read(texts, kept.machine, adapters.account())
        self.problems += outcome.problems
        for sentence in outcome.problems:
            _log.warning("a setting is not taken", reason=sentence)
        for sentence in outcome.notes:
            _log.info("a setting is not followed", reason=sentence)
        if outcome.is_accepted and outcome.machine != kept.machine:
            with self._step("the settings cannot be kept"):
                store.save(Kept(machine=outcome.machine))
                kept = Kept(machine=outcome.machine)
        if outcome.machine == kept.machine and not self.places.is_data_lost:
            self._scrub(texts)
        return outcome.machine

    def _scrub(self, texts: dict[str, str]) -> None:
        """Secrets leave the boot partition, which every computer reads, once they are kept."""
        for name, text in texts.items():
            with self._step(f"the secrets in {name} stay on the boot partition"):
                found = secrets_in_text.find(text, _secret_in(name))
                places = {place: KEPT for place, value in found.items() if value != KEPT}
                if places:
                    clean = secrets_in_text.replaced(text, places)
                    with adapters.writable(self.places.firmware):
                        adapters.overwrite(self.places.firmware / name, clean.encode())
                    _log.info("secrets moved to the data partition", file=name)

    @property
    def _token(self) -> Path:
        """webd's own file: a token that it made, or that somebody put there, stays."""
        return self.places.data / "saint/webd/token"

    def _secrets(self) -> logic.Secrets:
        folder = self.places.data / "setup"
        try:
            return logic.Secrets(
                hotspot=adapters.kept_secret(folder / "hotspot-secret", _HOTSPOT_LETTERS),
                claim=adapters.kept_token(self._token) or adapters.new_secret(_CLAIM_LETTERS),
            )
        except OSError as err:
            self.problems.append(f"no secrets can be kept: {err}")
            return logic.Secrets(hotspot="", claim="")

    def _files(self, plan: logic.Plan) -> None:
        root = self.places.root
        for file in plan.files:
            with self._step(f"/{file.path} is not written"):
                adapters.put(root / file.path, adapters.render(file), file.mode)
        for path in plan.unwanted:
            (root / path).unlink(missing_ok=True)

    def _people(self, plan: logic.Plan) -> None:
        ssh = self.places.data / "ssh"
        with self._step("this machine has no ssh key of its own"):
            if adapters.make_host_key(ssh):
                _log.info("ssh host key made")
        for name, keys in ((adapters.account(), plan.user_keys), ("root", plan.root_keys)):
            with self._step(f"the ssh keys of {name} are not written"):
                text = "".join(f"{key}\n" for key in keys)
                adapters.put(ssh / "authorized_keys" / name, text.encode(), 0o644)
        if plan.claim:
            with self._step("the server's token is not written"):
                if adapters.put(
                    self._token, plan.claim.encode() + b"\n", 0o600, owner="saint-webd"
                ):
                    _log.info("the server's token is set; the screen shows it")

    def _report(self, machine: Machine, plan: logic.Plan) -> None:
        report = {
            "role": machine.role,
            "hostname": plan.hostname,
            "targets": plan.targets,
            "problems": self.problems,
        }
        with self._step("the report is not written"):
            adapters.put(self.places.report, json.dumps(report, indent=1).encode() + b"\n", 0o644)
        _log.info("this machine is set up", role=machine.role, hostname=plan.hostname)


def _secret_in(name: str) -> Callable[[tuple[str, ...]], bool]:
    return lambda place: sources.is_secret(name, place)
