"""Checks by name whether the wagon may be armed. Pure. The board checks again; these name the
reason to a person before anything is sent.
"""

from saint_services.lib.wagon.can_frames import WagonAttitude
from saint_services.lib.wagon.meanings import (
    BATTERY_EMPTY_MV,
    BATTERY_HIGH_MV,
    TILT_LIMIT_DEG,
    FlagsOfAttitude,
    WagonState,
    fault_text,
    is_grave,
)

from .board_view import LEVEL_S, BoardView

STANDING_MPS = 0.1
SILENT = "the BALANCE board does not report"
STATE_TEXTS = {
    WagonState.DISARMED: "the wagon is not armed",
    WagonState.FAILSAFE: "the RC signal was lost: switch the pilot's arm switch to DISARM",
    WagonState.ESTOP: "the board was stopped: disarm it first",
    WagonState.TILT: "the board tilted beyond its limit: set it level, then disarm it first",
    WagonState.FAULT: "the board has a fault: fix it, then disarm it first",
}
_UNKNOWN_STATE = "the board reports a state that is not known"


def preventing(
    board: BoardView, now_s: float, *, is_stopped: bool, is_commanded: bool
) -> tuple[str, ...]:
    """Return what prevents arming, each as "name: text". `is_stopped`: the e-stop of the robot is
    active; `is_commanded`: a source commands a motion."""
    found: list[str] = []
    if is_stopped:
        found.append("stop: the robot is stopped: clear the e-stop first")
    if is_commanded:
        found.append("commands: a source commands a motion: release the stick")
    attitude, flags = board.attitude(now_s), board.flags(now_s)
    if attitude is None or flags is None:
        return (*found, f"link: {SILENT}")
    found += _of_state(board, now_s)
    found += _of_attitude(attitude, has_settled=board.has_settled(now_s))
    found += _of_pilot(flags)
    found += _of_power(board, now_s)
    return tuple(found)


def _of_state(board: BoardView, now_s: float) -> list[str]:
    state = board.state(now_s)
    if state in (WagonState.DISARMED, WagonState.ARMED):
        return []
    return [f"state: {STATE_TEXTS[state] if state else _UNKNOWN_STATE}"]


def _of_attitude(attitude: WagonAttitude, *, has_settled: bool) -> list[str]:
    found = []
    if not abs(attitude.pitch) <= TILT_LIMIT_DEG:
        found.append(f"tilt: {attitude.pitch:.0f} degrees, at most {TILT_LIMIT_DEG:g}")
    elif not has_settled:
        found.append(f"level: the wagon must have been level for {LEVEL_S:g} s")
    if not abs(attitude.speed) <= STANDING_MPS:
        found.append(f"motion: the wagon rolls with {attitude.speed:.1f} m/s and must stand")
    return found


def _of_pilot(flags: FlagsOfAttitude) -> list[str]:
    if not flags.is_rc_alive:
        return ["receiver: no RC signal arrives, so no pilot could take over"]
    found = []
    if not flags.is_stick_neutral:
        found.append("stick: the pilot's sticks are not neutral")
    if flags.must_cycle:
        found.append("switch: the pilot's arm switch must go to DISARM and back to ARM")
    elif not flags.is_switch_armed:
        found.append("switch: the pilot's arm switch is at DISARM")
    return found


def _of_power(board: BoardView, now_s: float) -> list[str]:
    power = board.power(now_s)
    if power is None:
        return ["voltage: the board does not report the battery"]
    found = []
    if not BATTERY_EMPTY_MV <= power.battery_mv <= BATTERY_HIGH_MV:
        low, high = BATTERY_EMPTY_MV / 1000, BATTERY_HIGH_MV / 1000
        volts = power.battery_mv / 1000
        found.append(f"voltage: {volts:.1f} V, where {low:g} to {high:g} V are needed")
    if is_grave(power.fault_code):
        found.append(f"fault: {fault_text(power.fault_code)}")
    return found
