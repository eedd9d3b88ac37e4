"""Builds the diagnostics of the wagon as diagnostic_msgs, which rqt_robot_monitor and Foxglove
show: its board, its battery, each motor, its bus. Pure.
"""

from collections.abc import Iterator, Mapping
from math import isfinite

from saint_services.lib.generated.builtin_interfaces import Time
from saint_services.lib.generated.diagnostic_msgs import (
    DiagnosticArray,
    DiagnosticStatus,
    KeyValue,
)
from saint_services.lib.generated.saint_msgs import WagonState
from saint_services.lib.generated.std_msgs import Header
from saint_services.lib.hw.can.port import BusState
from saint_services.lib.wagon.meanings import (
    BATTERY_CELLS,
    BATTERY_EMPTY_MV,
    BATTERY_LOW_MV,
    is_grave,
)

_OK, _WARN, _ERROR, _STALE = range(4)  # diagnostic_msgs/DiagnosticStatus
_STOPPED = ("failsafe", "estop", "tilt", "fault")
_HOT_C, _TOO_HOT_C = 70.0, 85.0  # image/boards/balance/config.py: a warning, and the end
_FULL = 0.7


def diagnostics(stamp: Time, node_id: str, state: WagonState) -> DiagnosticArray:
    """Build all statuses of a state."""
    found = (_board(state), _battery(state), *_motors(state), _bus(state))
    for each in found:
        each.hardware_id = node_id
    return DiagnosticArray(Header(stamp=stamp), found)


def _board(state: WagonState) -> DiagnosticStatus:
    level, text = _OK, state.state
    if state.state == "silent":
        level, text = _STALE, "the board does not report"
    elif state.state in _STOPPED or is_grave(state.fault_code):
        level, text = _ERROR, state.fault or state.state
    elif state.fault:
        level, text = _WARN, state.fault
    values = {
        "state": state.state,
        "mode": state.mode,
        "pitch_deg": state.pitch,
        "speed_mps": state.speed,
        "receiver": state.receiver,
        "rssi_dbm": state.rssi,
        "prevents_arming": "; ".join(state.prevents),
    }
    return _status("board", level, text, values)


def _battery(state: WagonState) -> DiagnosticStatus:
    volts, level, text = state.battery_voltage, _OK, "ok"
    if not isfinite(volts):
        level, text = _STALE, "not reported"
    elif volts * 1000 < BATTERY_EMPTY_MV:
        level, text = _ERROR, "empty"
    elif volts * 1000 < BATTERY_LOW_MV:
        level, text = _WARN, "low"
    return _status("battery", level, text, {"volts": volts, "cell_volts": volts / BATTERY_CELLS})


def _motors(state: WagonState) -> Iterator[DiagnosticStatus]:
    rows = zip(
        state.motors,
        state.motor_current,
        state.motor_temperature,
        state.controller_temperature,
        strict=True,
    )
    for name, current, motor, controller in rows:
        hottest = max((each for each in (motor, controller) if isfinite(each)), default=None)
        level, text = _OK, "ok"
        if hottest is None and not isfinite(current):
            level, text = _STALE, "does not report"
        elif hottest is not None and hottest >= _HOT_C:
            level, text = (_ERROR if hottest >= _TOO_HOT_C else _WARN), f"{hottest:.0f} degrees"
        values = {"current_a": current, "motor_c": motor, "controller_c": controller}
        yield _status(f"motor {name}", level, text, values)


def _bus(state: WagonState) -> DiagnosticStatus:
    level, text = _OK, state.bus or "not open"
    if state.bus == BusState.OFF or not state.bus:
        level = _ERROR
    elif state.bus != BusState.ACTIVE:
        level = _WARN
    elif state.bus_load > _FULL:
        level, text = _WARN, "busy"
    values = {
        "load": state.bus_load,
        "errors": state.bus_errors,
        "lost_frames": state.bus_lost,
        "bus_offs": state.bus_offs,
        "foreign_frames": state.foreign_frames,
        "damaged_frames": state.damaged_frames,
    }
    return _status("bus", level, text, values)


def _status(name: str, level: int, text: str, values: Mapping[str, object]) -> DiagnosticStatus:
    pairs = tuple(KeyValue(key, _text(value)) for key, value in values.items())
    return DiagnosticStatus(level, f"wagon: {name}", text, "", pairs)


def _text(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
