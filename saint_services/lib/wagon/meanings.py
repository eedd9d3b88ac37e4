"""Declares what the numbers in the wagon's CAN frames mean, and the limits that the computer and
the BALANCE board share: modes, states, flags, faults, units, times. Pure.

Source: the reference of SAUL-TEE, sections 5 to 7 and 11; where it is silent, the comment says so.
The boards' firmware takes its numbers from here. Not here: the bytes (can_frames.py).
"""

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Final

# Units, not stated by the source. Signs follow ROS (REP 103): forward and left are positive, and
# so is a pitch with the nose down. pitch: degrees; speed: m/s; yaw_rate: degrees per second.
# The board scales 1000 of speed and steer to these; a host that wants less sends less.
FULL_SPEED_MPS: Final = 2.0
FULL_TURN_RADPS: Final = 2.0

# Times and limits of the source's safety table.
TILT_LIMIT_DEG: Final = 25.0
RC_LOST_MS: Final = 300  # of both receivers: motors off, FAILSAFE
HOST_SILENT_MS: Final = 500  # without a 0x300 the mode is RC
# Not in the source: how often both sides send, and when the computer gives the board up.
DRIVE_PERIOD_MS: Final = 20
ATTITUDE_PERIOD_MS: Final = 20
POWER_PERIOD_MS: Final = 100
BOARD_SILENT_MS: Final = 200
# A wagon that was tilted just now is being lifted, or falls: only one that has been level for so
# long is armed.
LEVEL_MS: Final = 500
# A lithium battery of 10 cells (36 V): a warning and the end of driving, under load.
BATTERY_CELLS: Final = 10
BATTERY_LOW_MV: Final = 33_000
BATTERY_EMPTY_MV: Final = 30_000
BATTERY_HIGH_MV: Final = 43_000

# Gains of 0x302: a board refuses what is outside. While it is armed it also refuses a step of more
# than the larger of the two: this part of the present gain, or this much.
GAIN_MOST: Final = 100.0
GAIN_STEP_SHARE: Final = 0.1
GAIN_STEP_LEAST: Final = 0.05


class WagonMode(IntEnum):
    """Who drives. Of the pilot's switch (CH6) and the mode byte of 0x300 the lower one counts; with
    a silent computer, and for an unknown byte, RC.
    """

    RC = 0  # the pilot; speed and steer of 0x300 count as 0
    ASSISTED = 1  # the computer commands a speed, the board stabilises it
    AUTONOMOUS = 2  # the computer alone


class WagonState(IntEnum):
    """State of the board's drive; motors turn in ARMED only. Unknown bytes count as not armed.

    From FAILSAFE, ESTOP and TILT the way leads through DISARMED: by the arm switch in DISARM, or by
    0x301 with 0, once the cause is gone. Nothing but a deliberate arm leads from DISARMED to ARMED:
    the switch from DISARM to ARM, or 0x301 with 1 while the switch is at ARM (`ARM_SWITCH`).
    """

    DISARMED = 0
    ARMED = 1
    FAILSAFE = 2  # both receivers lost; also the arm switch must be cycled (`CYCLE_SWITCH`)
    ESTOP = 3  # 0x303, or the console's ESTOP
    TILT = 4
    FAULT = 5  # see fault_code


class WagonFlag(IntFlag):
    """Flags of 0x400."""

    MODE = 0b11  # the mode in force, a WagonMode
    RC_ALIVE = 1 << 2  # at least one receiver
    RC_FAILOVER = 1 << 3  # the second one (ELRS) is in use
    HOST_ALIVE = 1 << 4  # a 0x300 within HOST_SILENT_MS
    STICK_NEUTRAL = 1 << 5  # speed and steer of the pilot
    ARM_SWITCH = 1 << 6  # CH5 is at ARM
    CYCLE_SWITCH = 1 << 7  # CH5 must go to DISARM and back before anything arms


class WagonDriveFlag(IntFlag):
    """Flags of 0x300."""

    BRAKE = 1 << 0  # at speed 0 the motors brake; without it they roll freely


class WagonFault(IntEnum):
    """Fault codes of 0x401, the gravest where there are several. Any but NONE and the warnings
    (from 0x80) prevents arming, and disarms.
    """

    NONE = 0
    IMU = 1  # no measurement, or the same one all the time
    IO_BOARD = 2  # no heartbeat of the IO board
    VESC_LOST = 3
    VESC_FAULT = 4
    CAN_OFF = 5  # the board's controller was bus-off
    BATTERY_EMPTY = 6
    BATTERY_HIGH = 7
    OVERHEATED = 8
    WHEEL_BLOCKED = 9
    BROWN_OUT = 10  # the board restarted by low voltage; until a disarm
    INTERNAL = 11
    WARN_BATTERY_LOW = 0x80
    WARN_HOT = 0x81
    WARN_RC_WEAK = 0x82


FIRST_WARNING: Final = 0x80

FAULT_TEXTS: Final = {
    WagonFault.NONE: "",
    WagonFault.IMU: "the attitude sensor does not measure",
    WagonFault.IO_BOARD: "the IO board does not answer the BALANCE board",
    WagonFault.VESC_LOST: "a motor controller does not report",
    WagonFault.VESC_FAULT: "a motor controller reports a fault",
    WagonFault.CAN_OFF: "the BALANCE board was cut off from its CAN bus",
    WagonFault.BATTERY_EMPTY: "the battery is empty",
    WagonFault.BATTERY_HIGH: "the battery's voltage is too high",
    WagonFault.OVERHEATED: "a motor or its controller is too hot",
    WagonFault.WHEEL_BLOCKED: "a wheel is driven and does not turn",
    WagonFault.BROWN_OUT: "the BALANCE board restarted because its supply sagged",
    WagonFault.INTERNAL: "the BALANCE board has an internal fault",
    WagonFault.WARN_BATTERY_LOW: "the battery is low",
    WagonFault.WARN_HOT: "a motor or its controller is hot",
    WagonFault.WARN_RC_WEAK: "the RC signal is weak",
}


@dataclass(frozen=True, slots=True)
class FlagsOfAttitude:
    """The flags of 0x400, taken apart."""

    mode: WagonMode
    is_rc_alive: bool
    is_failover: bool
    is_host_alive: bool
    is_stick_neutral: bool
    is_switch_armed: bool
    must_cycle: bool


def flags_of(raw: int) -> FlagsOfAttitude:
    """Take the flags of 0x400 apart; the unused mode 3 counts as RC."""
    flags, mode = WagonFlag(raw), raw & int(WagonFlag.MODE)
    return FlagsOfAttitude(
        mode=WagonMode(mode) if mode in set(WagonMode) else WagonMode.RC,
        is_rc_alive=WagonFlag.RC_ALIVE in flags,
        is_failover=WagonFlag.RC_FAILOVER in flags,
        is_host_alive=WagonFlag.HOST_ALIVE in flags,
        is_stick_neutral=WagonFlag.STICK_NEUTRAL in flags,
        is_switch_armed=WagonFlag.ARM_SWITCH in flags,
        must_cycle=WagonFlag.CYCLE_SWITCH in flags,
    )


def fault_text(code: int) -> str:
    """Return a fault code as a sentence's beginning; "" for none."""
    try:
        return FAULT_TEXTS[WagonFault(code)]
    except ValueError:
        return f"the BALANCE board reports the unknown fault {code}"


def is_grave(code: int) -> bool:
    """Return whether a fault code prevents arming; unknown ones do."""
    return code != WagonFault.NONE and code < FIRST_WARNING
