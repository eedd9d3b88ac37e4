"""Converts the newest messages into the states of the topics, as plain JSON data. Not a number (a
missing sensor) becomes null; numbers are rounded to a useful precision.
"""

import math
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from ...lib.api.adoption import NodeList
from ...lib.api.routing import UNKNOWN_AGE_MS
from ...lib.api.wagon import wagon_info
from ...lib.errors import SaintError
from ...lib.generated.builtin_interfaces import Time
from ...lib.generated.nav_msgs import Odometry
from ...lib.generated.saint_msgs import EStop, FieldStatus, RCReceiverState
from .newest import ARMS, ArmStates, Newest, NewestInput, NewestParts

Data = dict[str, Any]

STALE_S = 0.5


def number(value: float) -> float | None:
    """Return a number for JSON: rounded, or null."""
    return round(value, 4) if math.isfinite(value) else None


def numbers(values: Iterable[float]) -> list[float | None]:
    return [number(value) for value in values]


def seconds(time: Time) -> float:
    """Return seconds since 1970."""
    return round(time.sec + time.nanosec / 1e9, 3)


def plain(message: Any) -> Any:
    """Return a whole message as JSON data."""
    if hasattr(message, "FIELDS"):
        return {name: plain(getattr(message, name)) for name, _ in message.FIELDS}
    if isinstance(message, list | tuple):
        return [plain(item) for item in message]
    return number(message) if isinstance(message, float) else message


def problem(err: SaintError) -> Data:
    """Return an error as clients receive it."""
    names = {"names": list(err.names)} if err.names else {}
    return {"code": err.code.value, "message": err.message, "fix": err.fix, **names}


def head(newest: Newest) -> Data | None:
    """Return pose, face and sensors of the head."""
    data: Data = {}
    if (state := newest.head) is not None:
        data |= {"pan": number(state.pan), "tilt": number(state.tilt), "roll": number(state.roll)}
        data["camera_active"] = state.camera_active
    if (face := newest.expression) is not None:
        data |= {"jaw": number(face.jaw), "eye_pan": number(face.eye_pan)}
        data["eye_tilt"] = number(face.eye_tilt)
    if (sensors := newest.head_sensors) is not None:
        data["proximity"] = number(sensors.proximity)
        data["ambient_light"] = number(sensors.ambient_light)
        data["temperature"] = number(sensors.temperature)
    return data or None


def arms(newest: Newest, now_s: float) -> Data | None:
    """Return both arms by name, each with its age: one may be silent while the other reports."""
    found = {name: _arm(newest.arms[name], now_s) for name in ARMS}
    return {name: data for name, data in found.items() if data} or None


def _arm(arm: ArmStates, now_s: float) -> Data:
    data: Data = {}
    if (state := arm.state) is not None:
        data = {
            "joint_positions": numbers(state.joint_positions),
            "joint_velocities": numbers(state.joint_velocities),
            "joint_efforts": numbers(state.joint_efforts),
            "in_motion": state.in_motion,
            "error_state": state.error_state,
            "error_message": state.error_message,
            "age_ms": round((now_s - arm.received_s) * 1000),
        }
    if (gripper := arm.gripper) is not None:
        data["gripper"] = {
            "position": number(gripper.position),
            "force": number(gripper.force),
            "moving": gripper.moving,
            "holding": gripper.holding,
        }
    return data


def parts(newest: Newest, now_s: float) -> Data | None:
    """Return the parts of every role, by target."""
    found = {target: _parts(each, now_s) for target, each in newest.parts.items()}
    return {"targets": found} if found else None


def _parts(newest: NewestParts, now_s: float) -> Data:
    state = newest.state
    return {
        "outputs": _named(state.names, state.values, state.units),
        "sensors": _named(state.sensors, state.readings, state.reading_units),
        "age_ms": round((now_s - newest.received_s) * 1000),
    }


def _named(names: Iterable[str], values: Iterable[float], units: Iterable[str]) -> Data:
    """Return values with their units by name; what has no partner in the message is left out."""
    rows = zip(names, values, units, strict=False)
    return {name: {"value": number(value), "unit": unit} for name, value, unit in rows}


def tracks(newest: Newest) -> Data | None:
    """Return speeds, currents and odometry of the tracks."""
    data: Data = {}
    if (state := newest.tracks) is not None:
        data = {
            "left_velocity": number(state.left_velocity),
            "right_velocity": number(state.right_velocity),
            "left_current": number(state.left_current),
            "right_current": number(state.right_current),
            "estop_active": state.estop_active,
            "motors_enabled": state.motors_enabled,
        }
    if newest.odometry is not None:
        data["odom"] = _odometry(newest.odometry)
    return data or None


def wagon(newest: Newest) -> Data | None:
    """Return the state of the wagon, and its odometry."""
    if (state := newest.wagon) is None:
        return None
    data: Data = wagon_info(state).model_dump()
    if newest.wagon_odometry is not None:
        data["odom"] = _odometry(newest.wagon_odometry)
    return data


def _odometry(odometry: Odometry) -> Data:
    pose, twist = odometry.pose.pose, odometry.twist.twist
    turn = pose.orientation
    heading = 2.0 * math.atan2(turn.z, turn.w)
    return {
        "x": number(pose.position.x),
        "y": number(pose.position.y),
        "heading": number(math.remainder(heading, math.tau)),
        "linear": number(twist.linear.x),
        "angular": number(twist.angular.z),
    }


def console(newest: Newest) -> Data | None:
    """Return the last input at the console, and its display."""
    data: Data = {}
    if (event := newest.console_input) is not None:
        data["input"] = {
            "time": seconds(event.stamp),
            "control": event.control,
            "event": event.event,
            "value": number(event.value),
        }
    if (override := newest.console_override) is not None:
        data["override"] = {
            "time": seconds(override.stamp),
            "target": override.target,
            "action": override.action,
        }
    if (display := newest.console_display) is not None:
        data["display"] = {"lines": list(display.lines), "duration_s": number(display.duration_s)}
    return data or None


def inputs(newest: Newest, clients: list[Data], now_s: float) -> Data:
    """Return every input source with its newest values."""
    by_class: dict[str, list[Data]] = {"livelink": [], "autonomous": [], "websocket": []}
    for name, source in newest.sources.items():
        kind, _, subject = name.partition(":")
        if kind in by_class:
            by_class[kind].append({"subject": subject, **_source(source, now_s)})
    return {"rc": _rc(newest, now_s), **by_class, "clients": clients}


def _source(source: NewestInput, now_s: float) -> Data:
    age_s = now_s - source.received_s
    return {
        "sequence": source.sequence,
        "age_ms": round(age_s * 1000),
        "alive": age_s < STALE_S,
        "failsafe": source.failsafe,
        "rate_hz": round(source.rate_hz, 1) if age_s < 2.0 else 0.0,
        "values": dict(zip(source.names, numbers(source.values), strict=False)),
    }


def _rc(newest: Newest, now_s: float) -> Data | None:
    state, source = newest.rc, newest.sources.get("rc")
    if state is None and source is None:
        return None
    data: Data = _source(source, now_s) if source else {}
    data["told"] = bool(source and source.failsafe)
    if state is not None:
        data |= _receiver(state)
        data["receiver_age_ms"] = round((now_s - newest.rc_received_s) * 1000)
    return data


def _receiver(state: RCReceiverState) -> Data:
    return {
        "connected": state.connected,
        "failsafe": state.failsafe,
        "protocol": state.protocol,
        "rssi": number(state.rssi),
        "frame_rate_hz": state.frame_rate_hz,
        "channels": [
            {"channel": c.channel_number, "raw": c.raw_value, "normalized": number(c.normalized)}
            for c in state.channels
        ],
    }


def outputs(newest: Newest) -> Data | None:
    """Return the router's outputs, each with its winner and contenders."""
    status = newest.router
    if status is None:
        return None
    return {
        "state": status.state,
        "estop": status.estop,
        "stop_switches": list(status.stop_switches),
        "fields": [_field(field) for field in status.fields],
    }


def _field(field: FieldStatus) -> Data:
    return {
        "target": field.target,
        "field": field.field,
        "unit": field.unit,
        "value": number(field.value),
        "winner": field.winner,
        "source": field.source,
        "age_ms": _known_ms(field.age_ms),
        "policy": field.policy,
        "clamped": field.clamped,
        "changed_ms": field.changed_ms,
        "rivals": [
            {
                "route": contender.route,
                "source": contender.source,
                "value": number(contender.value),
                "age_ms": _known_ms(contender.age_ms),
                "reason": contender.reason,
            }
            for contender in field.rivals
        ],
    }


def _known_ms(age_ms: int) -> int | None:
    """Return no age where the router reports that no sample counts."""
    return None if age_ms == UNKNOWN_AGE_MS else age_ms


def nodes(newest: Newest) -> Data | None:
    """Return the registry of adoptiond, or why it does not answer."""
    if newest.nodes is None and newest.nodes_problem is None:
        return None
    failed = newest.nodes_problem
    known = (newest.nodes or NodeList(nodes=[])).model_dump(mode="json")
    return {
        "nodes": known["nodes"],
        "strangers": known["strangers"],
        "robot": newest.roles.robot if newest.roles else "",
        "roles": newest.roles.model_dump(mode="json")["roles"] if newest.roles else [],
        "problem": problem(failed) if failed else None,
    }


def firmware(newest: Newest) -> Data | None:
    """Return otad's report, or why it does not answer."""
    if newest.firmware is None and newest.firmware_problem is None:
        return None
    failed = newest.firmware_problem
    report = newest.firmware.model_dump(mode="json") if newest.firmware else {}
    return report | {"problem": problem(failed) if failed else None}


def estop(newest: Newest) -> Data | None:
    """Return the e-stop latch; None before the router's first report."""
    latch = newest.estop
    if latch is None:
        return None
    presses = [
        {"source": each.source, "reason": each.reason, "since": _iso_seconds(each.since)}
        for each in latch.presses
    ]
    since = presses[0]["since"] if presses else seconds(latch.stamp)
    return {
        "active": latch.active,
        "source": latch.source,
        "reason": latch.reason,
        "since": since if latch.active else None,
        "generation": latch.generation,
        "presses": presses,
        "more": latch.presses_left_out,
        **_outcomes(newest, latch),
    }


def _outcomes(newest: Newest, latch: EStop) -> Data:
    """Return which targets have confirmed this press; none while only an older one is known."""
    found = newest.outcomes
    if found is None or not latch.active or found.generation != latch.generation:
        return {"confirmed": False, "outcomes": []}
    outcomes = [
        {
            "target": each.target,
            "node_id": each.node_id,
            "state": each.state,
            "after_ms": number(each.after_ms),
            "detail": each.detail,
        }
        for each in found.outcomes
    ]
    return {"confirmed": found.confirmed, "outcomes": outcomes}


def _iso_seconds(text: str) -> float | None:
    """Return seconds since 1970; None for an unknown time."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return None


def system(newest: Newest, now_s: float) -> Data:
    """Return the server, the latch, and the ages of reports; sent twice a second in any case."""
    data: Data = {"estop": estop(newest)}
    data["router_age_ms"] = _age_ms(newest.router, newest.router_received_s, now_s)
    data["adoption_age_ms"] = _age_ms(newest.system, newest.system_received_s, now_s)
    data["problems"] = [newest.addresses_problem] if newest.addresses_problem else []
    if (status := newest.system) is not None:
        data |= {
            "server_name": status.server_name,
            "version": status.version,
            "uptime_seconds": status.uptime_seconds,
            "cpu_usage": number(status.cpu_usage),
            "memory_usage": number(status.memory_usage),
            "cpu_temp": number(status.cpu_temp),
            "nodes_active": status.nodes_active,
            "nodes_offline": status.nodes_offline,
            "nodes_unadopted": status.nodes_unadopted,
        }
    return data


def _age_ms(message: object, received_s: float, now_s: float) -> int | None:
    return None if message is None else round((now_s - received_s) * 1000)
