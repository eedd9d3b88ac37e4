"""Fuzzes the two UDP ports of a walking robot: commands of menlo-sdk at its bridge, reports of the
walking controller at role_legsd; and the states that the bridge builds. Not here: the other
targets (targets.py), floods on real sockets (tests/unit/client/test_menlo_hostile.py).
"""

import json
import math
import time
from collections.abc import Iterable

from saint_services.client.menlo.__main__ import SdkPorts, SdkServer, values_of
from saint_services.client.menlo.hold import SdkHold
from saint_services.client.menlo.states import walk_state
from saint_services.lib.walker.codec import (
    decode_state,
    encode_command,
    encode_state,
)
from saint_services.lib.walker.model import (
    Protocol,
    Severity,
    WalkAlert,
    WalkBattery,
    WalkCommand,
    WalkMode,
    WalkState,
)

_ALLOWED, _OTHER = "192.0.2.7", "192.0.2.8"
_COMMANDED = (WalkMode.DAMP, WalkMode.STAND, WalkMode.BALANCE, WalkMode.MOVE)


def datagrams(data: bytes) -> Iterable[bytes]:
    """Bytes as datagrams: length in two bytes, content; and so on."""
    at = 0
    while at + 2 <= len(data):
        length = int.from_bytes(data[at : at + 2], "big")
        yield data[at + 2 : at + 2 + length]
        at += 2 + length


def joined(*found: bytes) -> bytes:
    """Datagrams behind their lengths."""
    return b"".join(len(each).to_bytes(2, "big") + each for each in found)


def sdk_commands(data: bytes) -> None:
    """Each datagram comes from another address first, where it must command nothing: then it is
    counted, or a command with finite velocities.
    """
    server, count = SdkServer(_ALLOWED, SdkPorts(), SdkHold()), 0
    for number, each in enumerate(datagrams(data), 1):
        before = server.hold.command(time.monotonic())
        server.received(each, _OTHER)
        assert server.refused == number
        assert server.hold.sequence == count
        server.received(each, _ALLOWED)
        command, count = server.hold.command(time.monotonic()), server.hold.sequence
        if command is not None:
            assert command.mode in _COMMANDED
            assert all(map(math.isfinite, values_of(command).values()))
            assert command == before or server.malformed + server.hold.overtaken < number


def walker_states(data: bytes) -> None:
    """Reports of a walking controller, of both protocols: refused, or the same when sent on."""
    for each in datagrams(data):
        for protocol in Protocol:
            try:
                state = decode_state(protocol, each)
            except ValueError as err:
                assert str(err)
                continue
            assert all(map(math.isfinite, (*state.joint_pos, *state.joint_vel, *state.gravity)))
            sent = encode_state(protocol, state)
            assert encode_state(protocol, decode_state(protocol, sent)) == sent


def sdk_states(data: bytes) -> None:
    """What a server says of its legs, as JSON: a state that can be decoded, none, or no state at
    all for what is not the topic "legs".
    """
    try:
        legs = json.loads(data)
        state = walk_state(legs, 1, 2)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return  # the client refuses such a message before it comes here
    if state is not None and all(map(_fits, (*state.joint_pos, *state.gravity))):
        sent = encode_state(Protocol.IO, state)
        assert len(sent) <= 2048


def _fits(value: float) -> bool:
    return abs(value) < 3e38


def _commands() -> bytes:
    made = [
        encode_command(Protocol.IO, WalkCommand(mode, 0.3, -0.1, 0.5, 17, number, 3))
        for number, mode in enumerate(_COMMANDED, 1)
    ]
    wrong = [
        b"\x08\x02\x10\x01\x40\x01",  # joint targets
        b"\x08\x02\x1a\x05\x0d\x00\x00\xc0\x7f\x40\x01",  # vx is NaN
        b"\x08\x02\x1a\x05\x0d\x00\x00\x80\x7f\x40\x01",  # vx is infinite
        b"\x0a\x01\x02\x40\x01",  # the mode is a text
        b"\x08\x05\x40\x01", b"\x08\x02\x40\x02", b"\x08", b"",
    ]  # fmt: skip
    return joined(*made, *wrong)


STATE = WalkState(
    WalkMode.MOVE, 5, 6, (0.1,) * 12, (0.2,) * 12, (1.5,) * 12, (40.0,) * 12,
    quaternion=(1.0, 0.0, 0.0, 0.0), error_flags=3, command_sequence=9,
    alerts=(WalkAlert(17, Severity.WARNING, 70, 65),), battery=WalkBattery(46.0, 80.0, 3.0, 30.0),
)  # fmt: skip
LEGS = {
    "mode": "move", "reported": "move", "report_age_ms": 12, "gravity": [0.0, 0.0, -1.0],
    "joints": {f"joint_{number}": 0.1 for number in range(12)}, "velocities": [0.5] * 12,
    "currents": [1.5] * 12, "temperatures": [41.0] * 12, "angular_velocity": [0.0, 0.1, 0.2],
    "orientation": [1.0, 0.0, 0.0, 0.0], "error_flags": 3, "battery_voltage": 46.0,
    "battery_percent": 80.0, "battery_current": 3.5, "hottest_cell": 31.0, "protection_flags": 4,
    "active_alerts": [{"id": 17, "severity": 1, "value": 70, "threshold": 65}],
}  # fmt: skip

MENLO_TARGETS = {"menlo": sdk_commands, "menlo-states": sdk_states, "walker": walker_states}
MENLO_SEEDS = {
    "menlo": [_commands()],
    "menlo-states": [json.dumps(LEGS).encode()],
    "walker": [joined(*(encode_state(each, STATE) for each in Protocol))],
}
