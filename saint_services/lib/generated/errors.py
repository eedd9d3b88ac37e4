"""Every error that users see.

Written by `make gen` from manifests/; do not edit.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Code(StrEnum):
    """Stable names: programs may compare them."""

    CONFIG_INVALID = "config_invalid"
    CONFIG_MISSING = "config_missing"
    STATE_NEWER = "state_newer"
    STATE_DAMAGED = "state_damaged"
    HARDWARE_MISSING = "hardware_missing"
    HARDWARE_FAULT = "hardware_fault"
    BUS_UNAVAILABLE = "bus_unavailable"
    BUS_UNPROVEN = "bus_unproven"
    BUS_TIMEOUT = "bus_timeout"
    MESSAGE_MALFORMED = "message_malformed"
    REQUEST_INVALID = "request_invalid"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    REFUSED = "refused"
    ESTOP_ACTIVE = "estop_active"
    STOP_CHANGED = "stop_changed"
    ESTOP_NOT_STORED = "estop_not_stored"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    DAEMON_UNREACHABLE = "daemon_unreachable"
    TOO_LARGE = "too_large"
    TOO_SLOW = "too_slow"
    RELEASE_INVALID = "release_invalid"
    NO_ADDRESSES = "no_addresses"
    DISK_FULL = "disk_full"
    DISK_REFUSED = "disk_refused"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """Title, HTTP status, exit code and what to do."""

    title: str
    status: int
    exit_code: int
    fix: str


INFO: Final[dict[Code, ErrorInfo]] = {
    Code.CONFIG_INVALID: ErrorInfo(
        'Invalid setting',
        422,
        2,
        'Correct the named line and start again.',
    ),
    Code.CONFIG_MISSING: ErrorInfo(
        'Settings file missing',
        404,
        2,
        'Create the named file or remove the option that names it.',
    ),
    Code.STATE_NEWER: ErrorInfo(
        'Saved state comes from a newer version',
        409,
        1,
        'Update this machine; the file is kept untouched.',
    ),
    Code.STATE_DAMAGED: ErrorInfo(
        'Saved state cannot be read',
        500,
        1,
        'Check the values in force now and set again what is missing; the damaged file is kept under the named path.',
    ),
    Code.HARDWARE_MISSING: ErrorInfo(
        'Required device does not answer',
        503,
        3,
        'Check wiring and power of the named device.',
    ),
    Code.HARDWARE_FAULT: ErrorInfo(
        'Device fault',
        503,
        3,
        'Check the named device; the role stays in its safe state.',
    ),
    Code.BUS_UNAVAILABLE: ErrorInfo(
        'ROS 2 bus cannot be opened',
        503,
        1,
        'Install libddsc (Debian package libddsc0debian or libddsc0t64) or run make setup.',
    ),
    Code.BUS_UNPROVEN: ErrorInfo(
        'Writers on the ROS 2 bus are not verified',
        503,
        1,
        'Set SAINT_BUS=dds and remove SAINT_UNPROVEN_BUS before the robot moves beside people.',
    ),
    Code.BUS_TIMEOUT: ErrorInfo(
        'No answer on the ROS 2 bus',
        504,
        1,
        'Check that the named node is running and on the same network.',
    ),
    Code.MESSAGE_MALFORMED: ErrorInfo(
        'Message cannot be decoded',
        400,
        1,
        'Check that both sides use the same version of saint_msgs.',
    ),
    Code.REQUEST_INVALID: ErrorInfo(
        'Invalid request',
        400,
        2,
        'Correct the named field.',
    ),
    Code.NOT_FOUND: ErrorInfo(
        'Not found',
        404,
        4,
        'List what exists and choose one of these.',
    ),
    Code.CONFLICT: ErrorInfo(
        'Conflict',
        409,
        5,
        'Release or reset the named holder first.',
    ),
    Code.REFUSED: ErrorInfo(
        'Refused',
        409,
        5,
        'Remove the named reason and try again.',
    ),
    Code.ESTOP_ACTIVE: ErrorInfo(
        'E-stop active',
        409,
        5,
        'Bring all velocity inputs to neutral and clear the e-stop.',
    ),
    Code.STOP_CHANGED: ErrorInfo(
        'This changes what stops the robot',
        409,
        5,
        'Repeat the request as an admin and confirm these names.',
    ),
    Code.ESTOP_NOT_STORED: ErrorInfo(
        'E-stop cannot be saved',
        507,
        1,
        'The robot is stopped now. Check the disk or the card of the server and replace it; keep the robot switched off until then.',
    ),
    Code.UNAUTHORIZED: ErrorInfo(
        'Not signed in',
        401,
        6,
        "Sign in on the robot's page or send a token of this robot.",
    ),
    Code.FORBIDDEN: ErrorInfo(
        'Not allowed',
        403,
        6,
        "Open the page from the robot's own address.",
    ),
    Code.DAEMON_UNREACHABLE: ErrorInfo(
        'Daemon does not answer',
        503,
        7,
        "Read the daemon's log: journalctl -u saint-<name>, or the launcher's output.",
    ),
    Code.TOO_LARGE: ErrorInfo(
        'Message too large',
        413,
        2,
        'Send smaller messages.',
    ),
    Code.TOO_SLOW: ErrorInfo(
        'Client too slow',
        408,
        1,
        'Subscribe to fewer topics or at a lower rate.',
    ),
    Code.RELEASE_INVALID: ErrorInfo(
        'Release rejected',
        422,
        5,
        "Build the release again or use one of this robot's maker; the installed release is unchanged.",
    ),
    Code.NO_ADDRESSES: ErrorInfo(
        "No addresses on the robot's network",
        503,
        1,
        "Take the cable between the robot's network and the other network out.",
    ),
    Code.DISK_FULL: ErrorInfo(
        'Disk full',
        507,
        1,
        'Remove old releases or recordings and try again.',
    ),
    Code.DISK_REFUSED: ErrorInfo(
        'Disk not overwritten',
        409,
        5,
        'Choose another disk: saintctl image list shows the disks that may be overwritten.',
    ),
    Code.INTERNAL: ErrorInfo(
        'Unexpected fault',
        500,
        1,
        'Try again. If the fault stays, download the diagnostics (Settings, Maintenance) and report them.',
    ),
}
