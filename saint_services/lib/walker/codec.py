"""Encodes commands and decodes states of a walking controller, and the reverse for its simulation.
What is malformed is refused whole, with the reason. Not here: sockets (lib/hw/datagrams.py), which
command is allowed (role_legsd).
"""

import math
from collections.abc import Sequence
from typing import Any, Final

from .descriptors import classes
from .model import (
    JOINT_COUNTS,
    CanCount,
    Protocol,
    Severity,
    WalkAlert,
    WalkBattery,
    WalkCommand,
    WalkMode,
    WalkState,
)
from .tables import COMMAND, STATE, VERSION

MOST_BYTES: Final = 2048  # of a datagram; the largest state of 25 joints has about 1,500
_MOST_ALERTS: Final = 48
_MOST_BUSES: Final = 5
_POLICY: Final = 0  # who moves the joints
# Modes of the current protocol; to balance is to move without a velocity.
_IO_MODES: Final = {
    WalkMode.DAMP: 0, WalkMode.STAND: 1, WalkMode.BALANCE: 2, WalkMode.MOVE: 2, WalkMode.FAULT: 5,
}  # fmt: skip
_MODES_IO: Final = {
    0: WalkMode.DAMP, 1: WalkMode.STAND, 2: WalkMode.MOVE, 5: WalkMode.FAULT,
}  # fmt: skip
_COMMANDED: Final = (WalkMode.DAMP, WalkMode.STAND, WalkMode.BALANCE, WalkMode.MOVE)


def encode_command(protocol: Protocol, command: WalkCommand) -> bytes:
    """Return the datagram of a command. Raises ValueError for one that is no command."""
    if command.mode not in _COMMANDED:
        raise ValueError(f"mode {command.mode.name.lower()} cannot be commanded")
    velocity = command.vx, command.vy, command.vyaw
    if not all(map(math.isfinite, velocity)):
        raise ValueError("a velocity is not finite")
    if command.mode is not WalkMode.MOVE:
        velocity = 0.0, 0.0, 0.0
    made = classes(protocol)[COMMAND]()
    made.timestamp_us = command.timestamp_us
    if protocol is Protocol.FIRMWARE:
        made.mode = command.mode
        made.vx, made.vy, made.vyaw = velocity
        made.enable = command.mode is not WalkMode.DAMP
        made.emergency_stop = command.is_emergency
    else:
        made.mode = _IO_MODES[command.mode]
        if command.mode in (WalkMode.BALANCE, WalkMode.MOVE):
            made.policy.SetInParent()
            made.policy.vx, made.policy.vy, made.policy.vyaw = velocity
        made.sequence = command.sequence & 0xFFFFFFFF
        made.protocol_version = VERSION
        made.firmware_epoch_id = command.epoch
    return bytes(made.SerializeToString(deterministic=True))


def decode_command(protocol: Protocol, data: bytes) -> WalkCommand:
    """Parse a command, as a controller does. Raises ValueError."""
    found = _parsed(protocol, COMMAND, data)
    if protocol is Protocol.FIRMWARE:
        mode = _mode(found.mode, {each.value: each for each in WalkMode if each < WalkMode.FAULT})
        mode = mode if found.enable or mode is WalkMode.IMITATION else WalkMode.DAMP
        vx, vy, vyaw = _finite("velocity", (found.vx, found.vy, found.vyaw))
        return WalkCommand(
            mode, vx, vy, vyaw, found.timestamp_us, is_emergency=found.emergency_stop
        )
    if found.protocol_version != VERSION:
        raise ValueError(f"protocol version {found.protocol_version} is not {VERSION}")
    mode = _mode(found.mode, _MODES_IO)
    if mode not in _COMMANDED:
        raise ValueError(f"mode {mode.name.lower()} cannot be commanded")
    if found.command_control != _POLICY:
        raise ValueError("joint targets are not understood, only the policy's velocities")
    policy = found.policy
    vx, vy, vyaw = _finite("velocity", (policy.vx, policy.vy, policy.vyaw))
    epoch = found.firmware_epoch_id
    return WalkCommand(mode, vx, vy, vyaw, found.timestamp_us, found.sequence, epoch)


def encode_state(protocol: Protocol, state: WalkState) -> bytes:
    """Return the datagram of a state, as a controller sends it."""
    made = classes(protocol)[STATE]()
    made.timestamp_us, made.sequence = state.timestamp_us, state.sequence
    made.joint_pos.extend(state.joint_pos)
    made.joint_vel.extend(state.joint_vel)
    made.base_ang_vel.extend(state.ang_vel_rads)
    made.projected_gravity.extend(state.gravity)
    if protocol is Protocol.FIRMWARE:
        made.current_mode = min(state.mode, WalkMode.IMITATION) % WalkMode.IMITATION
        made.motors_enabled, made.emergency_stop = state.is_enabled, state.is_emergency
        made.gait_phase = state.gait_phase
        if state.battery:
            made.battery_voltage = state.battery.voltage_v
            made.battery_percent = round(state.battery.percent)
    else:
        _put_io(made, state)
    return bytes(made.SerializeToString(deterministic=True))


def _put_io(made: Any, state: WalkState) -> None:
    made.current_mode = _IO_MODES.get(state.mode, 0)
    made.joint_current.extend(state.joint_current_a)
    made.joint_temp.extend(state.joint_temp_c)
    made.base_quat.extend(state.quaternion or ())
    made.error_flags, made.last_cmd_sequence = state.error_flags, state.command_sequence
    for alert in state.alerts:
        made.active_alerts.add(
            id=alert.id, severity=alert.severity, value=alert.value, threshold=alert.threshold
        )
    made.policy_timing.max_cycle_us, made.policy_timing.jitter_us = state.cycle_us, state.jitter_us
    for bus in state.can:
        made.can_health.add(
            frames_sent=bus.sent, frames_received=bus.received, errors=bus.errors,
            bus_offs=bus.bus_offs,
        )  # fmt: skip
    made.protocol_version, made.firmware_epoch_id = VERSION, state.epoch
    if battery := state.battery:
        made.battery.voltage_v, made.battery.soc_percent = battery.voltage_v, battery.percent
        made.battery.current_a = battery.current_a
        made.battery.max_cell_temp_c = battery.hottest_cell_c
        made.battery.protection_flags = battery.protection_flags


def decode_state(protocol: Protocol, data: bytes) -> WalkState:
    """Parse a state. Raises ValueError for one that is malformed: then nothing of it counts."""
    found = _parsed(protocol, STATE, data)
    common: dict[str, Any] = {
        "timestamp_us": found.timestamp_us,
        "sequence": found.sequence,
        "joint_pos": _joints("joint_pos", found.joint_pos),
        "joint_vel": _joints("joint_vel", found.joint_vel),
        "ang_vel_rads": _several("base_ang_vel", found.base_ang_vel, 3),
        "gravity": _several("projected_gravity", found.projected_gravity, 3),
    }
    if protocol is Protocol.FIRMWARE:
        known = {each.value: each for each in WalkMode if each < WalkMode.FAULT}
        (phase, voltage) = _finite("phase or voltage", (found.gait_phase, found.battery_voltage))
        return WalkState(
            _mode(found.current_mode, known), **common, gait_phase=phase,
            battery=WalkBattery(voltage, found.battery_percent),
            is_enabled=found.motors_enabled, is_emergency=found.emergency_stop,
        )  # fmt: skip
    return _io_state(found, common)


def _io_state(found: Any, common: dict[str, Any]) -> WalkState:
    if found.protocol_version != VERSION:
        raise ValueError(f"protocol version {found.protocol_version} is not {VERSION}")
    if len(found.active_alerts) > _MOST_ALERTS or len(found.can_health) > _MOST_BUSES:
        raise ValueError("too many alerts or buses")
    quaternion = None
    if found.base_quat:
        w, x, y, z = _several("base_quat", found.base_quat, 4)
        quaternion = w, x, y, z
    timing = found.policy_timing
    return WalkState(
        _mode(found.current_mode, _MODES_IO),
        **common,
        joint_current_a=_joints("joint_current", found.joint_current),
        joint_temp_c=_joints("joint_temp", found.joint_temp),
        quaternion=quaternion,
        error_flags=found.error_flags,
        command_sequence=found.last_cmd_sequence,
        alerts=tuple(map(_alert, found.active_alerts)),
        battery=_battery(found.battery) if found.HasField("battery") else None,
        epoch=found.firmware_epoch_id,
        cycle_us=timing.max_cycle_us,
        jitter_us=timing.jitter_us,
        can=tuple(
            CanCount(b.frames_sent, b.frames_received, b.errors, b.bus_offs)
            for b in found.can_health
        ),
    )


def _alert(found: Any) -> WalkAlert:
    # What a newer controller calls by a number that is unknown here counts as critical.
    severity = Severity(found.severity) if found.severity <= Severity.INFO else Severity.CRITICAL
    return WalkAlert(found.id, severity, found.value, found.threshold)


def _battery(found: Any) -> WalkBattery:
    voltage_v, percent = _finite("battery", (found.voltage_v, found.soc_percent))
    return WalkBattery(
        voltage_v, percent, found.current_a, found.max_cell_temp_c, found.protection_flags
    )


def _parsed(protocol: Protocol, name: str, data: bytes) -> Any:
    from google.protobuf.message import DecodeError

    if len(data) > MOST_BYTES:
        raise ValueError(f"{len(data)} bytes are more than {MOST_BYTES}")
    made = classes(protocol)[name]()
    try:
        made.ParseFromString(data)
    except DecodeError as err:
        raise ValueError("no message of this protocol") from err
    return made


def _mode(number: int, known: dict[int, WalkMode]) -> WalkMode:
    if number not in known:
        raise ValueError(f"mode {number} is unknown")
    return known[number]


def _joints(name: str, values: Sequence[float]) -> tuple[float, ...]:
    if values and len(values) not in JOINT_COUNTS:
        raise ValueError(f"{name} has {len(values)} values, not 12 or 25")
    return _finite(name, values)


def _several(name: str, values: Sequence[float], count: int) -> tuple[float, ...]:
    if len(values) != count:
        raise ValueError(f"{name} has {len(values)} values, not {count}")
    return _finite(name, values)


def _finite(name: str, values: Sequence[float]) -> tuple[float, ...]:
    if not all(map(math.isfinite, values)):
        raise ValueError(f"{name} is not finite")
    return tuple(values)
