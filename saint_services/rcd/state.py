"""Persists the settings that an operator made on a page or a terminal. They take precedence over
rcd.yaml, key by key.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from ..lib.api.rc import RcProtocol, SettingsPart
from ..lib.config import validation
from ..lib.errors import Code, SaintError
from ..lib.state import StateStore
from ..lib.strict import StrictModel
from .config import Channel, Failsafe, RcReceiver

VERSION = 3
FILE = "rcd.json"


class SavedRcSettings(StrictModel):
    """Settings made by hand; None: rcd.yaml applies."""

    enabled: bool | None = None
    protocol: RcProtocol | None = None
    baud_rate: int | None = None  # of `protocol`
    pins: list[int] | None = None  # of `protocol`, PPM or PWM
    failsafe: Failsafe | None = None
    channels: list[Channel] = []  # replace those of rcd.yaml with the same numbers


def _with_settings(data: dict[str, Any]) -> dict[str, Any]:
    """Migrate version 1, which stored only whether the receiver is enabled."""
    return {"enabled": data["enabled"]}


def _with_pins(data: dict[str, Any]) -> dict[str, Any]:
    """Migrate version 2, which had no pins."""
    return data


MIGRATIONS: Final[Mapping[int, Any]] = {1: _with_settings, 2: _with_pins}


def store_in(folder: Path) -> StateStore[SavedRcSettings]:
    """Open the state file."""
    return StateStore(folder / FILE, SavedRcSettings, VERSION, MIGRATIONS)


def effective(settings: RcReceiver, state: SavedRcSettings) -> RcReceiver:
    """Merge settings made by hand into rcd.yaml's. Raises request_invalid if they conflict."""
    data = settings.model_dump()
    if state.enabled is not None:
        data["enabled"] = state.enabled
    if state.protocol is not None:
        data["protocol"] = state.protocol
        if state.baud_rate or state.protocol != settings.protocol:
            data["uart"]["baud_rate"] = state.baud_rate
        if state.pins and state.protocol == "ppm":
            data["gpio"]["ppm_pin"] = state.pins[0]
        if state.pins and state.protocol == "pwm":
            data["gpio"]["pwm_pins"] = state.pins
    if state.failsafe is not None:
        data["failsafe"] = state.failsafe.model_dump()
    by_number = {channel.number: channel for channel in (*settings.channels, *state.channels)}
    data["channels"] = [by_number[number].model_dump() for number in sorted(by_number)]
    try:
        return RcReceiver.model_validate(data)
    except ValidationError as err:
        fault = validation.faults(err, RcReceiver, data)[0]
        raise SaintError(Code.REQUEST_INVALID, str(fault)) from err


def changes(settings: RcReceiver, state: SavedRcSettings) -> list[str]:
    """List the settings made by hand that differ from rcd.yaml, for the log."""
    found = []
    if state.enabled is not None and state.enabled != settings.enabled:
        found.append("enabled")
    if state.protocol is not None and (state.protocol != settings.protocol or state.pins):
        found.append("protocol")
    if state.failsafe is not None and state.failsafe != settings.failsafe:
        found.append("failsafe")
    by_number = {channel.number: channel for channel in settings.channels}
    found += [
        f"CH {channel.number}"
        for channel in state.channels
        if channel != by_number.get(channel.number, Channel(number=channel.number))
    ]
    return found


def without(state: SavedRcSettings, parts: Iterable[SettingsPart]) -> SavedRcSettings:
    """Discard these parts: rcd.yaml applies to them again."""
    names: set[str] = set(parts)
    if "protocol" in names:
        names |= {"baud_rate", "pins"}
    return SavedRcSettings.model_validate(state.model_dump(exclude=names))


def with_channels(state: SavedRcSettings, changed: list[Channel]) -> SavedRcSettings:
    """Replace these channels."""
    numbers = {channel.number for channel in changed}
    kept = [channel for channel in state.channels if channel.number not in numbers]
    channels = sorted([*kept, *changed], key=lambda channel: channel.number)
    return state.model_copy(update={"channels": channels})
