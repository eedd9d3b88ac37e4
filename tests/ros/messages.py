"""The messages that travel in these tests, as plain values."""

from dataclasses import dataclass
from typing import Any

INPUT = {"reliable": False, "depth": 32}
COMMAND = {"reliable": False, "depth": 1}
STATE = {"reliable": True, "depth": 1}
LATCHED = {"reliable": True, "depth": 1, "latched": True}


@dataclass(frozen=True, slots=True)
class Traffic:
    """A message on a topic."""

    topic: str
    type: str
    value: dict[str, Any]
    qos: dict[str, Any] | None = None

    @property
    def channel(self) -> dict[str, Any]:
        return {"topic": self.topic, "type": self.type, "qos": self.qos}


STRING = Traffic("/chatter", "std_msgs/msg/String", {"data": "grüß dich ☂"})
EMPTY_STRING = Traffic("/silence", "std_msgs/msg/String", {"data": ""})
TWIST = Traffic(
    "/saint/tracks/cmd_vel",
    "geometry_msgs/msg/Twist",
    {
        "linear": {"x": 0.5, "y": 0.0, "z": -1e300},
        "angular": {"x": 0.0, "y": 0.0, "z": 0.1},
    },
    COMMAND,
)
INPUT_SAMPLE = Traffic(
    "/saint/input/autonomous",
    "saint_msgs/msg/InputSample",
    {
        "stamp": {"sec": -7, "nanosec": 999_999_999},
        "source": "autonomous:stock",
        "sequence": 2**64 - 1,
        "failsafe": True,
        "target": "head",
        "names": ["pan", "tilt_x", ""],
        "values": [0.5, -1.0, 2.0],
    },
    INPUT,
)
ROUTE_STATUS = Traffic(
    "/saint/router/status",
    "saint_msgs/msg/RouteStatus",
    {
        "stamp": {"sec": 1, "nanosec": 2},
        "state": "blending",
        "estop": False,
        "estop_source": "",
        "estop_reason": "",
        "stop_switches": ["rc_estop"],
        "fields": [
            {
                "target": "head",
                "field": "pan",
                "unit": "deg",
                "value": 12.5,
                "winner": "face",
                "source": "livelink:phone",
                "age_ms": 3,
                "policy": "live",
                "clamped": True,
                "changed_ms": 2**32 - 1,
                "rivals": [
                    {
                        "route": "sticks",
                        "source": "rc",
                        "value": -0.25,
                        "age_ms": 9,
                        "reason": "lower priority",
                    },
                    {"route": "", "source": "", "value": 0.0, "age_ms": 0, "reason": "timed out"},
                ],
            },
            {
                "target": "tracks",
                "field": "linear",
                "unit": "m/s",
                "value": 0.0,
                "winner": "",
                "source": "",
                "age_ms": 0,
                "policy": "ramp_to_zero",
                "clamped": False,
                "changed_ms": 0,
                "rivals": [],
            },
        ],
    },
    STATE,
)
ESTOP = Traffic(
    "/saint/estop",
    "saint_msgs/msg/EStop",
    {
        "stamp": {"sec": 5, "nanosec": 6},
        "active": True,
        "source": "console",
        "reason": "the red button",
        "generation": 2**40,
        "presses": [{"source": "console", "reason": "the red button", "since": "2026-01-01"}],
        "presses_left_out": 3,
    },
    LATCHED,
)
# Best effort without waiting for each other, reliable, nested: everything that is not latched.
STREAMED = (STRING, EMPTY_STRING, TWIST, INPUT_SAMPLE, ROUTE_STATUS)
RESET = "saint_msgs/srv/ResetNode"
ADOPT = "saint_msgs/srv/AdoptNode"
