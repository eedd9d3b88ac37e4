"""Declares what the numbers on the link between the wagon's boards mean, and the frames of the link
that the source document does not have. Pure.

The boards' firmware is generated from here. Not here: the document's frames (board_link.py), what
the CAN frames mean (meanings.py).
"""

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Annotated, Final

from ..binary_layout import BinaryLayout, FieldForm
from .board_link import BoardFrame
from .can_frames import FULL_SPEED

HEARTBEAT_PERIOD_MS: Final = 50  # both boards; missing for HEARTBEAT_LIMIT_MS means lost
RC_PERIOD_MS: Final = 20  # the IO board repeats the channels; each new RC frame is sent at once
# The IO board changes receivers after RC_LOST_MS; so much later BALANCE gives up by itself.
RC_TAKEOVER_MS: Final = 50
# Channels, from 0 (section 6 of the source).
CHANNEL_STEER: Final = 0
CHANNEL_SPEED: Final = 1
CHANNEL_ARM: Final = 4
CHANNEL_MODE: Final = 5
CHANNEL_LIMIT: Final = 6
CHANNEL_HORN: Final = 7
DISARM_BELOW_US: Final = 1200
ARM_ABOVE_US: Final = 1800
# Own limits, of a VESC and of its battery; the VESC's own time-out is set with VESC Tool.
VESC_TIMEOUT_MS: Final = 200
VESC_PERIOD_MS: Final = 20
VESC_SILENT_MS: Final = 500


class BoardRcFlag(IntFlag):
    """Flags of the channels that the IO board sends."""

    ALIVE = 1 << 0  # the values are of a receiver that lives; without it they are neutral
    ELRS = 1 << 1  # the second receiver is in use
    NEW = 1 << 2  # a frame of the receiver came since the last message


class BoardSensorId(IntEnum):
    """What a measurement of the IO board is."""

    DISTANCE = 1  # m
    PRESSURE = 2  # Pa
    TEMPERATURE = 3  # degrees Celsius
    RSSI_CROSSFIRE = 4  # dBm
    RSSI_ELRS = 5  # dBm
    LINK_QUALITY = 6  # percent, of the receiver in use


_Share = Annotated[int, FieldForm("h", least=-FULL_SPEED, most=FULL_SPEED)]


@dataclass(frozen=True, slots=True)
class BoardWheels:
    """BALANCE to IO: duty of the bridges in thousandths. Where VESCs drive, it is never sent."""

    left: _Share
    right: _Share


# `saintctl board decode` prints these as unknown types: its lines are those of the document.
INTERNAL: Final = (BoardFrame(0x12, "wheels", BinaryLayout(BoardWheels, "<")),)
