"""Merges the texts of the boot partition and the saved settings into this machine's settings. A
mistake becomes a sentence and never a stop, and takes nothing away: a file that is wrong, or cannot
be read, counts with the text that was valid last. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..lib import config as settings
from ..lib.errors import Code, SaintError
from . import cloudinit
from .cloudinit import Found
from .config import KEPT, Machine, Wifi
from .kept_settings import KeptSettings
from .logic import RADIO

SAINT = "saint.yaml"
FILES = (cloudinit.USER_DATA, cloudinit.NETWORK_CONFIG, SAINT)  # a later one overrides, by key
_BLANK = " \t\r\n\0"  # FAT shows zeros where nothing was written yet
_SECRETS = {("wifi", "secret"), ("hotspot", "secret"), ("claim",)}


@dataclass(slots=True)
class SettingsOutcome:
    """The settings in force, and the messages about them."""

    machine: Machine = field(default_factory=Machine)
    texts: dict[str, str] = field(default_factory=dict)  # valid ones of the boot partition
    refused: set[str] = field(default_factory=set)  # files whose last valid text counts instead
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def is_secret(name: str, place: tuple[str, ...]) -> bool:
    """Whether a file of this name holds a secret at this place."""
    return place in _SECRETS if name == SAINT else cloudinit.is_secret(place)


def lost(texts: Mapping[str, str | None], kept: KeptSettings) -> dict[str, str]:
    """Return the texts of files that are gone or empty without having been removed: FAT loses a
    file when power fails while it is written, and setup itself writes these (`rewriting`).
    saint.yaml, which has the role, never counts as removed."""
    return {
        name: text
        for name, text in kept.texts.items()
        if (name == SAINT or name in kept.rewriting)
        and (found := texts.get(name, "")) is not None
        and not found.strip(_BLANK)
    }


def read(texts: Mapping[str, str | None], kept: KeptSettings, account: str) -> SettingsOutcome:
    """Return the settings. `texts` by file name: a missing file is a missing key, None a file that
    cannot be read."""
    outcome = SettingsOutcome()
    data: dict[str, Any] = {}
    origin: dict[str, str] = {}  # the file of each key
    is_whole = True
    for name in FILES:
        text, found = texts.get(name, ""), None
        if text is not None:
            try:
                found = _found(name, text, account)
            except cloudinit.READ_ERRORS as err:
                outcome.problems.append(_sentence(name, err, is_kept=name in kept.texts))
        if found is None:
            outcome.refused.add(name)
            found = _last_valid(name, kept, account)
            is_whole = is_whole and found is not None
        elif text and text.strip():
            outcome.texts[name] = text
        if found is not None:
            outcome.notes += found.notes
            data |= found.data
            origin |= dict.fromkeys(found.data, name)
    outcome.machine = Machine.model_validate(data)
    has_any = bool(outcome.texts or outcome.refused & kept.texts.keys())
    if kept.machine and not (has_any and is_whole):
        # Not known file by file: they are gone, or this version refuses a text that was valid.
        outcome.machine, outcome.texts, outcome.refused = kept.machine, {}, set(FILES)
        return outcome
    _restore_secrets(outcome, kept.machine or Machine(), origin)
    return outcome


def _found(name: str, text: str, account: str) -> Found:
    """Return the valid settings of one file. A mistake in one must not affect the others."""
    if not text.strip():
        return Found()
    if name == SAINT:
        document = settings.read_yaml(text, name)
        internal = settings.check(Machine, document, name).network.internal or ""
        if internal.startswith("wl") and internal != RADIO:
            # No rule of the model: settings that an older release has saved may have such a name.
            line = document.line(("network", "internal"))
            what = f"network.internal must be {RADIO} or a cable; {internal} never joins a network"
            raise SaintError(Code.CONFIG_INVALID, f"{name}, line {line}: {what}")
        return Found(document.data)
    is_user_data = name == cloudinit.USER_DATA
    found = cloudinit.user_data(text, account) if is_user_data else cloudinit.network_config(text)
    settings.parse(Machine, settings.write_yaml(found.data), name)
    return found


def _last_valid(name: str, kept: KeptSettings, account: str) -> Found | None:
    """Return the settings of the saved text; None when this version refuses it."""
    try:
        return _found(name, kept.texts.get(name, ""), account)
    except cloudinit.READ_ERRORS:
        return None


def _restore_secrets(outcome: SettingsOutcome, kept: Machine, origin: Mapping[str, str]) -> None:
    """Restore secrets that were removed from the file when it was first read."""
    hotspot, claim = outcome.machine.hotspot, outcome.machine.claim
    wifi, problem = _wifi(outcome.machine, kept, origin)
    if problem:
        # The network before, with its password: a typo in the name loses neither.
        wifi = kept.wifi
        then = f" (the Wi-Fi {wifi.ssid} stays in force)" if wifi else ""
        outcome.problems.append(problem + then)
    if hotspot.secret == KEPT:
        hotspot = hotspot.model_copy(update={"secret": kept.hotspot.secret})
    if claim == KEPT:
        claim = kept.claim
    changed = {"wifi": wifi, "hotspot": hotspot, "claim": claim}
    outcome.machine = outcome.machine.model_copy(update=changed)


def _wifi(machine: Machine, kept: Machine, origin: Mapping[str, str]) -> tuple[Wifi | None, str]:
    """Return the network to join with its password, or what is wrong with it."""
    wifi = machine.wifi
    if machine.lacks_wifi:
        what = "network.internal is the radio, so wifi must name the network to join"
        return wifi, f"{origin['network']}: {what}"
    if not wifi or wifi.secret != KEPT:
        return wifi, ""
    if kept.wifi and kept.wifi.ssid == wifi.ssid and kept.wifi.secret:
        return wifi.model_copy(update={"secret": kept.wifi.secret}), ""
    what = f"the password of the Wi-Fi {wifi.ssid} is not stored here; write it into the file again"
    return wifi, f"{origin['wifi']}: {what}"


def _sentence(name: str, error: Exception, *, is_kept: bool) -> str:
    what = f"{name} is not what Raspberry Pi Imager writes"
    if isinstance(error, SaintError):
        what = error.message
    return f"{what} ({'its last valid content is in force' if is_kept else 'the file is ignored'})"
