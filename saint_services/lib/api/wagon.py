"""The wagon on routerd's socket: its state, arming, disarming, gains. routerd passes a request to
the role, whose checks decide.
"""

import math

from pydantic import Field

from ..access.levels import Level
from ..generated.saint_msgs import WagonState
from ..wagon.meanings import GAIN_MOST
from . import Done, Reply, Request
from .endpoint import Nothing, Rows

Gain = Field(ge=0, le=GAIN_MOST)


class WagonInfo(Reply):
    """The wagon as its role reports it. None: not known, or too old."""

    state: str  # disarmed, armed, failsafe, estop, tilt, fault; silent: its board does not report
    mode: str = ""  # who drives: rc (the pilot), assisted, autonomous; empty: not known
    why: str = ""  # why commands of the computer do not count now; empty: they do
    prevents: list[str] = []  # what prevents arming, each "name: text"
    pitch: float | None = None  # degrees, nose down is positive
    speed: float | None = None  # m/s
    yaw_rate: float | None = None  # degrees per second, left is positive
    commanded_speed: float | None = None  # m/s, as sent to the board
    commanded_turn: float | None = None  # rad/s
    battery_voltage: float | None = None
    rssi: float | None = None  # dBm
    fault_code: int = 0
    fault: str = ""
    receiver: str = ""  # first (Crossfire), second (ELRS), none; empty: not known
    arm_switch: bool = False  # the pilot's, at ARM
    must_cycle: bool = False  # it must go to DISARM and back
    gains: list[float] = []  # kp, ki, kd as last set since the role's start


def wagon_info(state: WagonState) -> WagonInfo:
    """Return a published state as replies have it."""
    return WagonInfo(
        state=state.state,
        mode=state.mode,
        why=state.why,
        prevents=list(state.prevents),
        pitch=_number(state.pitch),
        speed=_number(state.speed),
        yaw_rate=_number(state.yaw_rate),
        commanded_speed=_number(state.commanded_speed),
        commanded_turn=_number(state.commanded_turn),
        battery_voltage=_number(state.battery_voltage),
        rssi=_number(state.rssi),
        fault_code=state.fault_code,
        fault=state.fault,
        receiver=state.receiver,
        arm_switch=state.arm_switch,
        must_cycle=state.must_cycle,
        gains=[round(each, 6) for each in state.gains],
    )


def _number(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None


class WagonGainsRequest(Request):
    """Gains of the balance controller. While the wagon is armed only in small steps."""

    kp: float = Gain
    ki: float = Gain
    kd: float = Gain


ROWS = Rows("wagon", "routerd")
_row = ROWS.row

# fmt: off
GET_STATUS = _row(
    "get_status", "GET", "/wagon", Nothing, WagonInfo,
    "Get the wagon's state, who drives, and what prevents arming.",
)
ARM = _row(
    "arm", "POST", "/wagon/arm", Nothing, Done,
    "Arm the wagon after all checks; refused with the reasons by name. Then its motors may turn.",
    level=Level.OPERATOR, is_personal=True, log="The wagon was armed", severity="WARNING",
    limit_s=3.0,
)
DISARM = _row(
    "disarm", "POST", "/wagon/disarm", Nothing, Done,
    "Disarm the wagon: its motors are switched off. Also the way out of a stop of its board.",
    log="The wagon was disarmed", limit_s=3.0,  # everyone may stop
)
SET_GAINS = _row(
    "set_gains", "POST", "/wagon/gains", WagonGainsRequest, Done,
    "Set the gains of the balance controller: while disarmed, or in small steps.",
    level=Level.ADMIN, log="The wagon's gains are now kp {kp}, ki {ki}, kd {kd}", limit_s=3.0,
)
