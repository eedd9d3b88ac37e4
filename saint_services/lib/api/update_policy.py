"""What the owner decides about updates, and the address that releases come from: rows of otad's
socket. Not here: releases and roll-outs (firmware.py).
"""

from enum import StrEnum

from pydantic import Field

from ..access.levels import Level
from . import Reply, Request
from .endpoint import Nothing, Rows


class OfferPolicy(StrEnum):
    """What a booting or resting machine may do with the offered release."""

    AUTOMATIC = "automatic"
    ASK = "ask"  # nothing without a user's roll-out


class RolloutPolicy(StrEnum):
    """Who begins a roll-out."""

    BY_USER = "by_user"
    AUTOMATIC = "automatic"


class UpdatePolicy(Reply):
    """The owner's settings as they are in force."""

    offers: OfferPolicy
    roll_out: RolloutPolicy
    window: str = ""  # "02:00-05:00", UTC; empty: any time of day
    releases_from: str = ""  # empty: off
    check_every_h: int
    has_authority: bool = False  # the address is checked against the owner's own authority
    usb_stick: bool = False  # releases of a stick that is plugged into the server are stored


class SetUpdatePolicy(Request):
    """The settings to change; what is left out stays as it is."""

    offers: OfferPolicy | None = Field(
        default=None,
        description="automatic: machines take the offered release when they boot or rest; "
        "ask: only by a roll-out that a user starts.",
    )
    roll_out: RolloutPolicy | None = Field(
        default=None,
        description="automatic: the newest release is rolled out without a user, one node first.",
    )
    window: str | None = Field(
        default=None,
        max_length=11,
        description='Maintenance window in UTC, like 02:00-05:00; "": any time.',
    )
    releases_from: str | None = Field(
        default=None,
        max_length=500,
        description='Address with new releases: https://...; "": off.',
    )
    check_every_h: int | None = Field(
        default=None, ge=1, le=720, description="Hours between two looks at that address."
    )
    authority: str | None = Field(
        default=None,
        max_length=65536,
        description="Certificate authority of the owner's (PEM) that the address must have "
        'instead of a public one; "": the public ones.',
    )
    usb_stick: bool | None = Field(
        default=None,
        description="Store the releases of a USB stick that is plugged into the server.",
    )


class FetchState(StrEnum):
    """State of the look at the owner's address."""

    OFF = "off"
    IDLE = "idle"
    WAITING = "waiting"  # a release is there; its download waits
    CHECKING = "checking"
    DOWNLOADING = "downloading"
    VERIFYING = "verifying"
    FAILED = "failed"  # tries again by itself


class SourceStatus(Reply):
    """What is known of the owner's address. Times are whole minutes."""

    address: str = ""  # empty: off
    state: FetchState = FetchState.OFF
    version: str = ""  # that the address offers
    size_bytes: int = 0
    received_bytes: int = 0
    checked_min: int | None = None  # since the last look that ended well
    next_min: int | None = None  # until the next one
    text: str = ""  # all of it as one sentence


class CheckSource(Request):
    """Look at the address now."""

    force: bool = Field(
        default=False, description="Also download an older release than the newest here."
    )


class AddressFile(Request):
    """What was downloaded, for the audit log."""

    address: str
    version: str
    size_bytes: int
    checksum_sha256: str


def _changed(params: SetUpdatePolicy, _: UpdatePolicy) -> str:
    given = params.model_dump(mode="json", exclude_none=True)
    texts = [_shown(name, value) for name, value in given.items()]
    return f"Update settings changed: {', '.join(texts) or 'none'}"


def _shown(name: str, value: object) -> str:
    label = _LABELS[name]
    if name == "authority":
        return f"{label} {'set' if value else 'removed'}"
    if isinstance(value, bool):
        return f"{label} {'on' if value else 'off'}"
    return f"{label} {str(value).replace('_', ' ') if value else _EMPTY[name]}"


_LABELS = {
    "offers": "offers",
    "roll_out": "roll-out",
    "window": "maintenance window",
    "releases_from": "releases from",
    "check_every_h": "hours between checks",
    "authority": "own authority",
    "usb_stick": "releases from USB sticks",
}
_EMPTY = {"window": "any time", "releases_from": "no address"}

ROWS = Rows("management", "otad")

GET_POLICY = ROWS.row(
    "get_update_settings", "GET", "/policy", Nothing, UpdatePolicy,
    "Get the owner's settings for updates.",
)  # fmt: skip
SET_POLICY = ROWS.row(
    "set_update_settings", "PATCH", "/policy", SetUpdatePolicy, UpdatePolicy,
    "Change the owner's settings for updates.",
    level=Level.ADMIN, log=_changed,
)  # fmt: skip
CHECK_SOURCE = ROWS.row(
    "check_releases", "POST", "/source/check", CheckSource, SourceStatus,
    "Look for a release at the owner's address now, and download a newer one.",
    level=Level.ADMIN, log="Releases looked for at {reply.address}",
    limit_s=100.0,  # to connect, follow redirects and read the list
)  # fmt: skip
