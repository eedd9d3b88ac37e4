"""Decides when the owner's address is looked at and a release of it is downloaded: at rest only,
by itself within the maintenance window only. Pure; all times are monotonic, so a clock that is set
moves nothing but the window. Not here: doing it (address_import.py).
"""

from dataclasses import dataclass
from enum import StrEnum

DOWNLOAD_REST_S = 30.0  # without live outputs, before a download that no user requested
# The window is a time of day, and a clock may be set while its opening is waited for.
WINDOW_LOOK_S = 900.0
_FIRST_S, _FIRST_SPREAD_S = 120.0, 480.0  # after the start: the robot boots, and not all at once
_SPREAD = 0.1
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 60.0, 3600.0
_HOUR_S = 3600.0


class ImportAct(StrEnum):
    """What to do now."""

    OFF = "off"
    LOOK = "look"
    DOWNLOAD = "download"
    WAIT = "wait"


class WaitReason(StrEnum):
    """What a step waits for, where it is not the time alone."""

    NONE = ""
    REST = "rest"
    WINDOW = "window"


@dataclass(frozen=True, slots=True)
class ImportSituation:
    """Everything that decides."""

    now_s: float
    is_on: bool
    due_s: float  # when to look by itself
    is_requested: bool = False  # a user wants a look
    has_found: bool = False  # a release waits for its download
    is_wanted: bool = False  # by a user: at any time of day
    retry_s: float = 0.0  # no download before
    is_window_open: bool = True
    rest_since_s: float | None = None  # None: outputs are live, or nobody knows


@dataclass(frozen=True, slots=True)
class ImportStep:
    """What to do; a wait ends at `until_s` or by a change of the situation."""

    act: ImportAct
    until_s: float | None = None
    reason: WaitReason = WaitReason.NONE


def next_step(situation: ImportSituation) -> ImportStep:
    """Return what to do now."""
    now_s = situation.now_s
    if not situation.is_on:
        return ImportStep(ImportAct.OFF)
    if situation.is_requested or now_s >= situation.due_s:
        return _at_rest(situation, ImportAct.LOOK, is_user=situation.is_requested)
    if not situation.has_found:
        return ImportStep(ImportAct.WAIT, situation.due_s)
    if not situation.is_window_open and not situation.is_wanted:
        until_s = min(situation.due_s, now_s + WINDOW_LOOK_S)
        return ImportStep(ImportAct.WAIT, until_s, WaitReason.WINDOW)
    if now_s < situation.retry_s:
        return ImportStep(ImportAct.WAIT, min(situation.due_s, situation.retry_s))
    return _at_rest(situation, ImportAct.DOWNLOAD, is_user=situation.is_wanted)


def first_s(roll: float) -> float:
    """Return the time from the start to the first look; `roll` is random, 0 to 1."""
    return _FIRST_S + _FIRST_SPREAD_S * roll


def period_s(hours: int, roll: float) -> float:
    """Return the time to the next look: robots of one owner do not come all at once."""
    return hours * _HOUR_S * (1 + _SPREAD * (2 * roll - 1))


def pause_s(failures: int, hours: int, roll: float) -> float:
    """Return the time to the next try after so many failures in a row, growing to an hour."""
    grown_s = min(_SHORTEST_PAUSE_S * 2.0 ** min(failures - 1, 10), _LONGEST_PAUSE_S)
    return min(grown_s, hours * _HOUR_S) * (1 + _SPREAD * (2 * roll - 1))


def _at_rest(situation: ImportSituation, act: ImportAct, *, is_user: bool) -> ImportStep:
    if situation.rest_since_s is None:
        return ImportStep(ImportAct.WAIT, None, WaitReason.REST)
    ready_s = situation.rest_since_s + (0.0 if is_user else DOWNLOAD_REST_S)
    if situation.now_s < ready_s:
        return ImportStep(ImportAct.WAIT, ready_s, WaitReason.REST)
    return ImportStep(act)
