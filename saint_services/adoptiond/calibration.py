"""Applies a calibration to a role's configuration: offset and direction of a servo, narrower
limits. It uses keys that every release knows, so nodes and roles need no knowledge of it. Pure. Not
here: its storage (calibration_store.py).
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import Field

from ..lib import config as settings
from ..lib.api.calibration import Calibrate, CalibratedField
from ..lib.errors import Code, SaintError
from ..lib.hw.pwm.servo import ServoScale, centre_of
from ..lib.role_config.model import FieldSpec, RoleConfig
from ..lib.state import Migration
from ..lib.strict import StrictModel
from .registry import RoleText

_SERVOS = ("servo", "pca9685")
# A larger offset means a horn on the wrong tooth; correcting it here would cost that much travel.
_LARGEST_OFFSET = 0.2  # fraction of the travel
_FINE = 6  # decimal digits


class Trim(StrictModel):
    """The calibration of one field."""

    offset: float = 0.0
    minimum: float | None = None
    maximum: float | None = None
    is_reversed: bool = False  # the servo is mounted reversed


class RoleTrims(StrictModel):
    """The calibration of one role."""

    revision: int = Field(default=0, ge=0)
    fields: dict[str, Trim] = Field(default={}, max_length=64)


class SavedCalibration(StrictModel):
    """calibration.json: by target, e.g. "arms.left"."""

    roles: dict[str, RoleTrims] = Field(default={}, max_length=64)


VERSION = 2
# Version 2 added the direction; the content of version 1 keeps its meaning.
MIGRATIONS: Final[Mapping[int, Migration]] = {1: dict}


@dataclass(frozen=True, slots=True)
class Applied:
    """A role's configuration with its calibration."""

    role: RoleText
    problems: tuple[str, ...] = ()  # entries that no longer fit the manifest and were skipped


def changed(role: RoleConfig, trims: RoleTrims, wanted: Calibrate) -> RoleTrims:
    """Return the calibration with a change. Raises SaintError if the manifest forbids it."""
    fields = dict(trims.fields)
    if wanted.clear:
        _field(role, wanted.field)
        fields.pop(wanted.field, None)
        return RoleTrims(revision=trims.revision + 1, fields=fields)
    given = wanted.model_dump(include=set(Trim.model_fields), exclude_none=True)
    if not given:
        message = f"the request changes nothing of {role.target}.{wanted.field}"
        raise SaintError(
            Code.REQUEST_INVALID, message, fix="Give an offset, a direction, a limit, or clear it."
        )
    trim = fields.get(wanted.field, Trim()).model_copy(update=given)
    limits(role, wanted.field, trim)
    fields[wanted.field] = trim
    return RoleTrims(revision=trims.revision + 1, fields=fields)


def limits(role: RoleConfig, name: str, trim: Trim) -> tuple[float, float]:
    """Return the limits of the field with this trim, within what the manifest allows in its unit
    and in pulses. Raises SaintError."""
    spec, what = _field(role, name), f"{role.target}.{name}"
    low, high = spec.limits
    for value in (trim.minimum, trim.maximum):
        if value is not None and not low <= value <= high:
            text = f"{what} moves from {low:g} to {high:g} {spec.unit}; {value:g} is outside of it"
            raise SaintError(Code.REQUEST_INVALID, text)
    if trim.offset:
        _check_offset(role, name, trim.offset)
    if trim.is_reversed and not _is_servo(role, name):
        text = f"{what} has no servo: its direction is the manifest's"
        raise SaintError(Code.REQUEST_INVALID, text)
    least = round(max(low if trim.minimum is None else trim.minimum, low - trim.offset), _FINE)
    most = round(min(high if trim.maximum is None else trim.maximum, high - trim.offset), _FINE)
    if least >= most:
        text = f"{what} would go from {least:g} to {most:g} {spec.unit}, which is no range"
        raise SaintError(Code.REQUEST_INVALID, text)
    rests = {"neutral": spec.neutral, **({} if spec.park is None else {"park": spec.park})}
    for place, value in rests.items():
        if low <= value <= high and not least <= value <= most:
            text = f"{what} would go from {least:g} to {most:g} {spec.unit} and not reach {value:g}"
            raise SaintError(Code.REQUEST_INVALID, f"{text}, its {place} position")
    return least, most


def applied(role: RoleText, trims: RoleTrims) -> Applied:
    """Return the configuration as served. What no longer fits a changed manifest is skipped; the
    rest is in force."""
    document = settings.read_yaml(role.text, role.config.target).data
    problems, is_changed = [], False
    for name, trim in trims.fields.items():
        try:
            narrowed = limits(role.config, name, trim)
        except SaintError as err:
            problems.append(err.message)
            continue
        is_changed = True
        document["fields"][name]["limits"] = list(narrowed)
        if (pulses := _pulses(role.config, name, trim, narrowed)) is not None:
            document["gpio_mapping"][name]["pulse_us"] = pulses
            if role.config.gpio_mapping[name].centre_us is not None:
                centre_us = _pulse_us(role.config, name, trim, centre_of(narrowed))
                document["gpio_mapping"][name]["centre_us"] = centre_us
        if trim.is_reversed:
            output = document["gpio_mapping"][name]
            output["reversed"] = not role.config.gpio_mapping[name].reversed
    if not is_changed:
        return Applied(role, tuple(problems))
    document["version"] = f"{role.config.version}+{trims.revision}"
    text = settings.write_yaml(document)
    config = settings.parse(RoleConfig, text, role.config.target)
    checked = RoleText(config, text, hashlib.sha256(text.encode()).hexdigest())
    return Applied(checked, tuple(problems))


def fields(role: RoleConfig, trims: RoleTrims) -> list[CalibratedField]:
    """Return every field of the role, calibrated or not."""
    return [_shown(role, name, spec, trims.fields) for name, spec in role.fields.items()]


def _shown(role: RoleConfig, name: str, spec: FieldSpec, trims: dict[str, Trim]) -> CalibratedField:
    trim = trims.get(name, Trim())
    try:
        narrowed = limits(role, name, trim)
    except SaintError:
        trim, narrowed = Trim(), spec.limits
    return CalibratedField(
        field=name,
        unit=spec.unit,
        offset=trim.offset,
        limits=narrowed,
        manifest_limits=spec.limits,
        has_offset=_is_servo(role, name),
        largest_offset=_largest_offset(spec) if _is_servo(role, name) else 0.0,
        is_reversed=trim.is_reversed,
    )


def _field(role: RoleConfig, name: str) -> FieldSpec:
    spec = role.fields.get(name)
    if spec is None:
        known = ", ".join(role.fields) or "none"
        message = f"{role.target} has no field '{name[:64]}'"
        raise SaintError(Code.NOT_FOUND, message, fix=f"Fields: {known}.")
    return spec


def _is_servo(role: RoleConfig, name: str) -> bool:
    output = role.gpio_mapping.get(name)
    is_position = role.fields[name].kind == "position"
    return is_position and output is not None and output.type in _SERVOS


def _check_offset(role: RoleConfig, name: str, offset: float) -> None:
    spec, what = role.fields[name], f"{role.target}.{name}"
    if not _is_servo(role, name):
        raise SaintError(Code.REQUEST_INVALID, f"{what} has no servo, so it has no offset")
    most = _largest_offset(spec)
    if abs(offset) > most:
        text = f"an offset of {offset:g} {spec.unit} is more than {what} may have ({most:g})"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Put the servo's horn on another tooth.")


def _largest_offset(spec: FieldSpec) -> float:
    return round(_LARGEST_OFFSET * (spec.limits[1] - spec.limits[0]), _FINE)


def _pulses(
    role: RoleConfig, name: str, trim: Trim, narrowed: tuple[float, float]
) -> list[int] | None:
    """Return the pulses of the manifest's scale at the new limits, in whole microseconds as in the
    manifest (a fifth of a degree on a servo of half a turn); None without a servo."""
    if not _is_servo(role, name):
        return None
    pulses = [_pulse_us(role, name, trim, value) for value in narrowed]
    return pulses[::-1] if role.gpio_mapping[name].reversed != trim.is_reversed else pulses


def _pulse_us(role: RoleConfig, name: str, trim: Trim, value: float) -> int:
    """Return the pulse that the manifest has for a value, with the offset. The servo stands there
    for that value from now on; with a centre that moved, it does so at both limits and there."""
    output = role.gpio_mapping[name]
    is_reversed = output.reversed != trim.is_reversed
    limits = role.fields[name].limits
    scale = ServoScale(limits, output.pulse_us, is_reversed, output.centre_us)
    return round(scale.pulse_us(value + trim.offset))
