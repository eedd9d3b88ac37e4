"""One run of setup: read, decide, write, start. Each step that fails is told and does not keep the
next from its work: a robot with a wrong setting starts all the same. Not here: what is decided.
"""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from ..lib import log
from ..lib.errors import SaintError
from ..lib.machine import settings_request
from ..lib.state import StateStore
from . import adapters, boot_file, logic, overrides, sources, yaml_secrets
from .adapters import Places
from .config import KEPT, Machine

_log = log.get("setup")
_STEP_ERRORS = (OSError, SaintError, subprocess.SubprocessError, ValueError)
_HOTSPOT_LETTERS, _CLAIM_LETTERS = 12, 24


class Kept(BaseModel):
    """The last settings that were right; secrets too, the file is root's."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    machine: Machine | None = None
    texts: dict[str, str] = {}  # what the boot partition's files said, without secrets
    rewriting: list[str] = []  # files that a power cut may just have taken from it


def kept_store(data: Path) -> StateStore[Kept]:
    """What the machine keeps of its owner's settings, on the data partition."""
    return StateStore(data / "setup/machine.yaml", Kept, 2, {1: _without_texts})


def _without_texts(data: dict[str, Any]) -> dict[str, Any]:
    """Version 1 had the settings alone."""
    return data


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
        machine = self._with_choices(self._settings())
        plan = self.plan(machine)
        self.write(plan)
        with self._step("the host name is not set"):
            self.system.set_hostname(plan.hostname)
        self._people(plan)
        self._report(machine, plan)
        with self._step(f"{', '.join(plan.targets)} cannot be started"):
            self.system.start(plan.targets)

    def plan(self, machine: Machine) -> logic.Plan:
        """What follows from these settings on this computer."""
        return logic.plan(machine, adapters.facts(self.places.root), self._secrets())

    def write(self, plan: logic.Plan) -> set[str]:
        """All files of the plan; returns those that changed."""
        root = self.places.root
        changed = {path for path in plan.unwanted if (root / path).exists()}
        for file in plan.files:
            with self._step(f"/{file.path} is not written"):
                if adapters.put(root / file.path, adapters.render(file), file.mode):
                    changed.add(file.path)
        for path in plan.unwanted:
            (root / path).unlink(missing_ok=True)
        return changed

    def tell_outside(self, plan: logic.Plan) -> None:
        """The wireless network in force, without its password, for the settings page."""
        told = plan.outside.model_copy(update={"has_radio": adapters.has_radio(self.places.root)})
        with self._step("the network is not told"):
            path = self.places.told / settings_request.NETWORK_STATUS
            adapters.put(path, told.model_dump_json().encode() + b"\n", 0o644)

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
        store = kept_store(self.places.data)
        kept = Kept()
        with self._step("the kept settings cannot be read"):
            kept = store.load()
            if store.problem:
                self.problems.append(str(store.problem))
        lost = sources.lost(texts, kept.texts, kept.rewriting)
        outcome = sources.read(texts | lost, kept.machine, adapters.account())
        self._tell(outcome)
        still_lost = self._put_back(lost)
        if outcome.is_accepted:
            self._keep(store, kept, outcome.machine, texts | lost, still_lost)
        return outcome.machine

    def _with_choices(self, card: Machine) -> Machine:
        """What was chosen on the settings page stands above what the card says."""
        store, machine = overrides.store(self.places.data), card
        with self._step("what was chosen on the settings page does not hold"):
            machine = overrides.over(card, store.load())
            if store.problem:
                self.problems.append(str(store.problem))
        return machine

    def _tell(self, outcome: sources.Outcome) -> None:
        self.problems += outcome.problems
        for sentence in outcome.problems:
            _log.warning("a setting is not taken", reason=sentence)
        for sentence in outcome.notes:
            _log.info("a setting is not followed", reason=sentence)

    def _put_back(self, lost: dict[str, str]) -> list[str]:
        """Files that were lost on the boot partition; returns those that still are."""
        still_lost = []
        for name, text in lost.items():
            file = self.places.firmware / name
            still_lost.append(name)
            with self._step(f"{name} on the boot partition is lost; what it said still holds"):
                if not adapters.is_boot_partition(self.places.firmware):
                    raise OSError("the boot partition is not mounted")
                if not adapters.is_lost(file):
                    raise OSError("what is there now cannot be read, and is left as it is")
                with adapters.writable(self.places.firmware):
                    boot_file.replace(file, text.encode())
                still_lost.remove(name)
                _log.warning(
                    "a file was lost on the boot partition and is put back as it was; secrets are"
                    " kept by this machine and do not stand in it",
                    file=name,
                )
        return still_lost

    def _keep(
        self,
        store: StateStore[Kept],
        before: Kept,
        machine: Machine,
        texts: dict[str, str],
        still_lost: list[str],
    ) -> None:
        """Then secrets leave the boot partition, which every computer reads."""
        told = {name: text for name, text in texts.items() if text.strip()}
        clean = {name: _without_secrets(name, text) for name, text in told.items()}
        dirty = [name for name, text in clean.items() if text != texts[name]]
        kept = Kept(machine=machine, texts=clean, rewriting=sorted({*still_lost, *dirty}))
        if kept != before:
            try:
                store.save(kept)
            except SaintError as err:
                self.problems.append(f"the settings cannot be kept: {err}")
                _log.error("the settings cannot be kept", error=err)
                return
        if self.places.is_data_lost:
            return
        left = [*still_lost, *(name for name in dirty if not self._scrub(name, clean[name]))]
        if sorted(left) != kept.rewriting:
            with self._step("the settings cannot be kept"):
                store.save(kept.model_copy(update={"rewriting": sorted(left)}))

    def _scrub(self, name: str, clean: str) -> bool:
        """True when the secrets have left the file."""
        has_left = False
        with self._step(f"the secrets in {name} stay on the boot partition"):
            with adapters.writable(self.places.firmware):
                boot_file.replace(self.places.firmware / name, clean.encode())
            has_left = True
            _log.info("secrets moved to the data partition", file=name)
        return has_left

    @property
    def _token(self) -> Path:
        """webd's own file: a code that it made, or that somebody put there, stays."""
        return self.places.data / "saint/webd/token"

    def _secrets(self) -> logic.Secrets:
        folder = self.places.data / "setup"
        try:
            return logic.Secrets(
                hotspot=adapters.kept_secret(folder / "hotspot-secret", _HOTSPOT_LETTERS),
                claim=adapters.kept_token(self._token) or adapters.new_secret(_CLAIM_LETTERS),
                is_claimed=(self._token.parent / "claimed").exists(),
                has_lost_users=(self._token.parent / "lost").exists(),
            )
        except OSError as err:
            self.problems.append(f"no secrets can be kept: {err}")
            return logic.Secrets(hotspot="", claim="")

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
            with self._step("the server's claim code is not written"):
                if adapters.put(
                    self._token, plan.claim.encode() + b"\n", 0o600, owner="saint-webd"
                ):
                    _log.info("the server's claim code is set; the screen shows it")

    def _report(self, machine: Machine, plan: logic.Plan) -> None:
        report = {
            "role": machine.role,
            "hostname": plan.hostname,
            "targets": plan.targets,
            "problems": self.problems,
        }
        with self._step("the report is not written"):
            adapters.put(self.places.report, json.dumps(report, indent=1).encode() + b"\n", 0o644)
        self.tell_outside(plan)
        _log.info("this machine is set up", role=machine.role, hostname=plan.hostname)


def _without_secrets(name: str, text: str) -> str:
    found = yaml_secrets.find(text, lambda place: sources.is_secret(name, place))
    places = {place: KEPT for place, value in found.items() if value != KEPT}
    return yaml_secrets.replaced(text, places) if places else text
