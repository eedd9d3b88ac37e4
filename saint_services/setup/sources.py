"""Merges the texts of the boot partition and the saved settings into this machine's settings. A
mistake becomes a sentence and never a stop: the saved settings or the defaults are then in force.
Pure.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..lib import config as settings
from ..lib.errors import SaintError
from . import cloudinit
from .config import KEPT, Machine

SAINT = "saint.yaml"
FILES = (SAINT, cloudinit.USER_DATA, cloudinit.NETWORK_CONFIG)
_BLANK = " \t\r\n\0"  # FAT shows zeros where nothing was written yet
_SECRETS = {("wifi", "secret"), ("hotspot", "secret"), ("claim",)}


@dataclass(frozen=True, slots=True)
class SettingsOutcome:
    """The settings in force, and the messages about them."""

    machine: Machine
    is_accepted: bool  # the texts are valid; otherwise the saved settings are in force
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def is_secret(name: str, place: tuple[str, ...]) -> bool:
    """Whether a file of this name holds a secret at this place."""
    return place in _SECRETS if name == SAINT else cloudinit.is_secret(place)


def lost(
    texts: Mapping[str, str], kept: Mapping[str, str], rewriting: Collection[str]
) -> dict[str, str]:
    """Return the texts of files that are gone or empty without having been removed: FAT loses a
    file when power fails while it is written, and setup itself writes these (`rewriting`).
    saint.yaml, which has the role, never counts as removed."""
    return {
        name: text
        for name, text in kept.items()
        if not texts.get(name, "").strip(_BLANK) and (name == SAINT or name in rewriting)
    }


def read(texts: Mapping[str, str], kept: Machine | None, account: str) -> SettingsOutcome:
    """Return the settings. `texts` by file name; a missing file is a missing key."""
    data: dict[str, Any] = {}
    notes: list[str] = []
    problems: list[str] = []
    for name, parse in (
        (cloudinit.USER_DATA, lambda text: cloudinit.user_data(text, account)),
        (cloudinit.NETWORK_CONFIG, cloudinit.network_config),
    ):
        if texts.get(name, "").strip():
            try:
                found = parse(texts[name])
                notes += found.notes
                # A mistake in one file must not affect the others.
                settings.parse(Machine, settings.write_yaml(found.data), name)
                data |= found.data
            except cloudinit.READ_ERRORS as err:
                problems.append(_sentence(name, err))
    try:
        if texts.get(SAINT, "").strip():
            own = settings.read_yaml(texts[SAINT], SAINT)
            settings.parse(Machine, texts[SAINT], SAINT)  # for an error with its line
            data |= own.data
        machine = settings.parse(Machine, settings.write_yaml(data), "the settings")
    except SaintError as err:
        problems.append(_sentence(SAINT, err))
        return SettingsOutcome(kept or Machine(), False, problems, notes)
    if not any(texts.get(name, "").strip() for name in FILES) and kept is not None:
        return SettingsOutcome(kept, True, problems, notes)  # the boot partition was emptied
    machine, missing = _with_kept_secrets(machine, kept or Machine())
    return SettingsOutcome(machine, True, problems + missing, notes)


def _with_kept_secrets(machine: Machine, kept: Machine) -> tuple[Machine, list[str]]:
    """Restore secrets that were removed from the file when it was first read."""
    problems: list[str] = []
    wifi, hotspot, claim = machine.wifi, machine.hotspot, machine.claim
    if wifi and wifi.secret == KEPT:
        known = kept.wifi.secret if kept.wifi and kept.wifi.ssid == wifi.ssid else None
        if known:
            wifi = wifi.model_copy(update={"secret": known})
        else:
            problems.append(
                f"the secret of {wifi.ssid} is not stored here; write it into {SAINT} again"
            )
            wifi = None
    if hotspot.secret == KEPT:
        hotspot = hotspot.model_copy(update={"secret": kept.hotspot.secret})
    if claim == KEPT:
        claim = kept.claim
    changed = {"wifi": wifi, "hotspot": hotspot, "claim": claim}
    return machine.model_copy(update=changed), problems


def _sentence(name: str, error: Exception) -> str:
    if isinstance(error, SaintError):
        return str(error)
    return f"{name} is not what Raspberry Pi Imager writes; the file is ignored"
