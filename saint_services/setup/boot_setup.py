"""Runs setup once: reads, decides, writes, starts. A step that fails is reported and does not keep
the next one from its work: a robot with a wrong setting still starts. Not here: the decisions
(logic.py).
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ..lib import log
from ..lib.config.last_good import PROBLEM
from ..lib.errors import SaintError
from ..lib.machine import settings_request
from ..lib.machine.setup_report import SetupReport
from ..lib.state import StateStore
from . import adapters, boot_file, logic, overrides, sources, yaml_secrets
from .adapters import SetupPaths
from .config import KEPT, Machine
from .kept_settings import KeptSettings, kept_store

_log = log.get("setup")
_STEP_ERRORS = (OSError, SaintError, subprocess.SubprocessError, ValueError)
_SECRETS_STAY = "the secrets in {} stay on the boot partition"
_HOTSPOT_LETTERS, _CLAIM_LETTERS = 12, 24


class System(Protocol):
    """What a test must not do to the computer that it runs on."""

    def set_hostname(self, name: str) -> None: ...
    def start(self, targets: tuple[str, ...]) -> None: ...


class ThisMachine:
    """The real computer."""

    set_hostname = staticmethod(adapters.set_hostname)
    start = staticmethod(adapters.start)


@dataclass(slots=True)
class BootSetup:
    """The setup of one boot."""

    places: SetupPaths
    system: System
    problems: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Run all steps, the start of the targets last."""
        if self.places.is_data_lost:
            self.problems.append(
                "the data partition cannot be mounted: settings made now are lost at the next start"
            )
        machine = self._with_choices(self._settings())
        plan = self.plan(machine)
        self.write(plan)
        with self._step("setting the host name failed"):
            self.system.set_hostname(plan.hostname)
        self._people(plan)
        self.report_network(plan)
        self._report(machine, plan)
        with self._step(f"{', '.join(plan.targets)} cannot be started"):
            self.system.start(plan.targets)

    def plan(self, machine: Machine) -> logic.SetupPlan:
        """Return what follows from these settings on this computer."""
        plan = logic.plan(machine, adapters.facts(self.places.root), self._secrets())
        if plan.lacks_hotspot:
            self.problems.append(
                "the robot opens no hotspot, because a password for it cannot be saved on the data"
                " partition. Write one as hotspot: {secret: ...} in saint.yaml, or use a cable"
            )
        return plan

    def write(self, plan: logic.SetupPlan) -> set[str]:
        """Write all files of the plan; return those that changed."""
        root = self.places.root
        changed = {path for path in plan.unwanted if (root / path).exists()}
        for file in plan.files:
            with self._step(f"writing /{file.path} failed"):
                if adapters.put(root / file.path, adapters.render(file), file.mode):
                    changed.add(file.path)
        for path in plan.unwanted:
            (root / path).unlink(missing_ok=True)
        return changed

    def report_network(self, plan: logic.SetupPlan) -> None:
        """Report the wireless network in force, without its password, to the settings page."""
        network = plan.outside.model_copy(
            update={"has_radio": adapters.has_radio(self.places.root)}
        )
        with self._step("reporting the network failed"):
            path = self.places.published / settings_request.NETWORK_STATUS
            adapters.put(path, network.model_dump_json().encode() + b"\n", 0o644)

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
        kept = KeptSettings()
        with self._step("the saved settings cannot be read"):
            kept = store.load()
            if store.problem:
                self.problems.append(str(store.problem))
        lost = sources.lost(texts, kept)
        outcome = sources.read(texts | lost, kept, adapters.account())
        self._log_problems(outcome)
        still_lost = self._put_back(lost)
        still_lost += [name for name in kept.rewriting if texts.get(name, "") is None]
        self._keep(store, kept, outcome, still_lost)
        return outcome.machine

    def _with_choices(self, card: Machine) -> Machine:
        """Return the settings with the choices of the settings page, which override the card."""
        store, machine = overrides.store(self.places.data), card
        with self._step("the choices of the settings page cannot be read"):
            machine = overrides.over(card, store.load())
            if store.problem:
                self.problems.append(str(store.problem))
        return machine

    def _log_problems(self, outcome: sources.SettingsOutcome) -> None:
        self.problems += outcome.problems
        for sentence in outcome.problems:
            _log.warning("setting refused", reason=sentence)
        for sentence in outcome.notes:
            _log.info("setting ignored", reason=sentence)

    def _put_back(self, lost: dict[str, str]) -> list[str]:
        """Restore files that were lost on the boot partition; return those that still are."""
        still_lost = []
        for name, text in lost.items():
            file = self.places.firmware / name
            still_lost.append(name)
            with self._step(f"{name} on the boot partition is lost; its settings stay in force"):
                with adapters.writable(self.places.firmware):
                    boot_file.replace(file, text.encode())
                still_lost.remove(name)
                _log.warning(
                    "a file was lost on the boot partition and was restored; secrets are"
                    " kept by this machine and are not in the file",
                    file=name,
                )
        return still_lost

    def _keep(
        self,
        store: StateStore[KeptSettings],
        before: KeptSettings,
        outcome: sources.SettingsOutcome,
        still_lost: list[str],
    ) -> None:
        """Save the settings, then remove their secrets from the boot partition, which every
        computer can read."""
        clean = {name: self._without_secrets(name, text) for name, text in outcome.texts.items()}
        dirty = [name for name, text in clean.items() if text != outcome.texts[name]]
        last_valid = {n: text for n, text in before.texts.items() if n in outcome.refused}
        kept = KeptSettings(
            machine=outcome.machine,
            texts=last_valid | clean,
            rewriting=sorted({*still_lost, *dirty}),
        )
        if kept != before:
            try:
                store.save(kept)
            except SaintError as err:
                self.problems.append(f"the settings cannot be saved: {err}")
                _log.error("the settings cannot be saved", error=err)
                return
        if self.places.is_data_lost:
            return
        left = [*still_lost, *(name for name in dirty if not self._scrub(name, clean[name]))]
        if sorted(left) != kept.rewriting:
            with self._step("the settings cannot be saved"):
                store.save(kept.model_copy(update={"rewriting": sorted(left)}))

    def _without_secrets(self, name: str, text: str) -> str:
        """Return the text without its secrets; as it is when they cannot be replaced in it."""
        found = yaml_secrets.find(text, lambda place: sources.is_secret(name, place))
        places = {place: KEPT for place, value in found.items() if value != KEPT}
        if places:
            with self._step(_SECRETS_STAY.format(name)):
                return yaml_secrets.replaced(text, places)
        return text

    def _scrub(self, name: str, clean: str) -> bool:
        """Remove the secrets from the file; return whether that succeeded."""
        has_left = False
        with self._step(_SECRETS_STAY.format(name)):
            with adapters.writable(self.places.firmware):
                boot_file.replace(self.places.firmware / name, clean.encode())
            has_left = True
            _log.info("secrets moved to the data partition", file=name)
        return has_left

    @property
    def _token(self) -> Path:
        """webd's own file: a code that webd made, or that the owner put there, stays."""
        return self.places.data / "saint/webd/token"

    def _secrets(self) -> logic.MachineSecrets:
        hotspot, webd = "", self._token.parent
        try:
            file = self.places.data / "setup/hotspot-secret"
            hotspot = adapters.kept_secret(file, _HOTSPOT_LETTERS)
        except OSError as err:
            _log.error("the hotspot's password cannot be saved", error=err)
        try:
            return logic.MachineSecrets(
                hotspot=hotspot,
                claim=adapters.kept_token(self._token) or adapters.new_secret(_CLAIM_LETTERS),
                is_claimed=(webd / "claimed").exists(),
                has_lost_users=(webd / "lost").exists(),
            )
        except OSError as err:  # the robot may have an owner: no code is shown
            self.problems.append(f"whether the robot has an owner cannot be read: {err}")
            return logic.MachineSecrets(hotspot, claim="", is_claimed=True)

    def _people(self, plan: logic.SetupPlan) -> None:
        ssh = self.places.data / "ssh"
        with self._step("making the ssh host key failed"):
            if adapters.make_host_key(ssh):
                _log.info("ssh host key made")
        for name, keys in ((adapters.account(), plan.user_keys), ("root", plan.root_keys)):
            with self._step(f"writing the ssh keys of {name} failed"):
                text = "".join(f"{key}\n" for key in keys)
                adapters.put(ssh / "authorized_keys" / name, text.encode(), 0o644)
        if plan.claim:
            with self._step("writing the server's claim code failed"):
                if adapters.put(
                    self._token, plan.claim.encode() + b"\n", 0o600, owner="saint-webd"
                ):
                    _log.info("the server's claim code is set; the screen shows it")

    def _report(self, machine: Machine, plan: logic.SetupPlan) -> None:
        report = SetupReport(
            role=machine.role,
            hostname=plan.hostname,
            targets=list(plan.targets),
            problems=self.problems,
        )
        greeting = "".join(f"{sentence}.\n" for sentence in self.problems)
        with self._step("writing the report failed"):
            adapters.put_report(self.places, report)
            adapters.put(self.places.published / PROBLEM, greeting.encode(), 0o644)
            shown = adapters.for_screen(greeting).encode()
            adapters.put(self.places.root / logic.PROBLEM_ISSUE, shown, 0o644)
        _log.info("this machine is set up", role=machine.role, hostname=plan.hostname)
