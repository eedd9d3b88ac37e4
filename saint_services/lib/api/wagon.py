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
RECEIVERS = ("first", "second")  # Crossfire, ELRS


class WagonReceiver(Reply):
    """One of the pilot's receivers."""

    name: str  # first (Crossfire), second (ELRS)
    rssi: float | None = None  # dBm; null: no signal
    is_in_use: bool = False


class WagonMotor(Reply):
    """A motor controller on the wagon's bus."""

    name: str
    current: float | None = None  # A
    temperature: float | None = None  # degrees Celsius, of the motor; null: it has no sensor
    controller_temperature: float | None = None  # degrees Celsius


class WagonBus(Reply):
    """The CAN bus, counted since the role's start."""

    state: str  # active, warning, passive, bus-off
    load: float | None = None  # share of its time that frames take, 0 to 1, estimated
    errors: int = 0
    lost: int = 0  # frames that the computer dropped
    bus_offs: int = 0
    foreign: int = 0  # frames of an identifier that the wagon does not have
    damaged: int = 0  # of the wagon's, with another length or content


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
    receivers: list[WagonReceiver] = []
    motors: list[WagonMotor] = []
    bus: WagonBus | None = None


class WagonEvent(Reply):
    """A stop of the wagon's board, a fault or a warning."""

    time: float  # when it began, seconds since 1970
    until: float | None = None  # when it was over; null: it lasts
    text: str
    pitch: float | None = None  # degrees, the largest meanwhile


class WagonEvents(Reply):
    """What stopped the wagon since the router's start, and its faults; newest first."""

    events: list[WagonEvent] = []


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
        receivers=_receivers(state),
        motors=_motors(state),
        bus=_bus(state),
    )


def _receivers(state: WagonState) -> list[WagonReceiver]:
    return [
        WagonReceiver(name=name, rssi=_number(rssi), is_in_use=state.receiver == name)
        for name, rssi in zip(RECEIVERS, state.receiver_rssi, strict=False)
    ]


def _motors(state: WagonState) -> list[WagonMotor]:
    rows = zip(
        state.motors,
        state.motor_current,
        state.motor_temperature,
        state.controller_temperature,
        strict=False,
    )
    return [
        WagonMotor(
            name=name,
            current=_number(current),
            temperature=_number(motor),
            controller_temperature=_number(controller),
        )
        for name, current, motor, controller in rows
    ]


def _bus(state: WagonState) -> WagonBus | None:
    if not state.bus:
        return None
    return WagonBus(
        state=state.bus,
        load=_number(state.bus_load),
        errors=state.bus_errors,
        lost=state.bus_lost,
        bus_offs=state.bus_offs,
        foreign=state.foreign_frames,
        damaged=state.damaged_frames,
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
GET_EVENTS = _row(
    "get_events", "GET", "/wagon/events", Nothing, WagonEvents,
    "List what stopped the wagon, and its faults and warnings, since the router's start.",
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
