"""What the BALANCE board reports: frames to the computer, status to the IO board, the console's
JSON line.
"""

import json
from math import isfinite

from ..shared import tables as t
from ..shared.codec import pack

_STATES = ("disarmed", "armed", "failsafe", "estop", "tilt", "fault")
_MODES = ("rc", "assisted", "autonomous")
_MOST = 65000.0  # of a half float


def _half(value: float) -> float:
    return max(-_MOST, min(_MOST, value)) if isfinite(value) else 0.0


def flags(board, now_ms: int) -> int:
    """Return the flags of 0x400."""
    sources, arming = board.sources, board.arming
    pilot = sources.pilot
    found = sources.mode
    if pilot.is_alive(now_ms):
        found |= t.FLAG_RC_ALIVE
        found |= t.FLAG_RC_FAILOVER if pilot.is_elrs else 0
        found |= t.FLAG_STICK_NEUTRAL if pilot.is_neutral else 0
        found |= t.FLAG_ARM_SWITCH if pilot.channels[t.CHANNEL_ARM] > t.ARM_ABOVE_US else 0
    found |= t.FLAG_HOST_ALIVE if sources.host.is_alive(now_ms) else 0
    return found | (t.FLAG_CYCLE_SWITCH if arming.must_cycle else 0)


def attitude(board, now_ms: int) -> bytes:
    """Return the data of 0x400."""
    values = board.attitude.pitch, board.vescs.speed_mps, board.attitude.yaw_rate
    return pack(
        t.CAN_ATTITUDE, *(_half(each) for each in values), board.arming.state, flags(board, now_ms)
    )


def power(board) -> bytes:
    """Return the data of 0x401."""
    battery_mv = max(0, min(65535, board.vescs.battery_mv))
    return pack(t.CAN_POWER, battery_mv, board.reported_fault, max(-128, min(127, board.rssi_dbm)))


def receivers(board, now_ms: int) -> bytes:
    """Return the data of 0x402; without the IO board nothing is known."""
    if not board.io_alive.is_fresh(now_ms):
        return pack(t.CAN_RECEIVERS, t.NO_SIGNAL_DBM, t.NO_SIGNAL_DBM, 0)
    return pack(t.CAN_RECEIVERS, *board.signals_dbm, board.quality)


def status_line(board, now_ms: int) -> bytes:
    """Return the JSON line of the console's STATUS."""
    pilot, arming, attitude = board.sources.pilot, board.arming, board.attitude
    wheels = {
        str(number): {"erpm": vesc.erpm, "current_a": vesc.current_a, "fet_c": vesc.fet_c}
        for number, vesc in board.vescs.each.items()
    }
    found = {
        "board": "balance",
        "version": board.version,
        "uptime_ms": now_ms,
        "state": _STATES[arming.state],
        "armed": arming.is_armed,
        "mode": _MODES[board.sources.mode],
        "fault": board.reported_fault,
        "prevents": arming.prevents(),
        "pitch": round(attitude.pitch, 2),
        "roll": round(attitude.roll, 2),
        "yaw_rate": round(attitude.yaw_rate, 2),
        "speed": round(board.vescs.speed_mps, 3),
        "battery_mv": board.vescs.battery_mv,
        "rc": pilot.is_alive(now_ms),
        "receiver": "elrs" if pilot.is_elrs else "crossfire",
        "rssi": board.rssi_dbm,
        "host": board.sources.host.is_alive(now_ms),
        "gains": list(board.assist.gains),
        "wheels": wheels,
        "sensors": board.surroundings.status(now_ms),
    }
    return json.dumps(found).encode() + b"\n"
