"""Settings of livelinkd.yaml."""

import ipaddress
from typing import Annotated

from pydantic import AfterValidator, Field

from ..lib.api.livelink import Acceptance, FormatName
from ..lib.config import Settings
from .protocols.names import LONGEST_NAME


def _address(text: str) -> str:
    """Check an IP address, with an optional port behind a colon."""
    host, _, port = text.partition(":")
    if ":" in port:  # IPv6
        host, port = text, ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        raise ValueError(f"{text!r} is not an IP address such as 192.168.1.60") from None
    if port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ValueError(f"{port!r} is not a port") from None
    return text


Port = Annotated[int, Field(ge=1, le=65535)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Phone = Annotated[str, AfterValidator(_address)]
Rate = Annotated[int, Field(ge=1, le=100_000)]


class FormatSettings(Settings):
    """One format's listener. The port is only used when no socket is passed in, that is without
    systemd and without the launcher.
    """

    enabled: bool = True
    port: Port
    datagrams_per_second: Rate | None = None  # of one sender; None: as for all


class LiveLinkFaceSettings(FormatSettings):
    """Live Link Face on a phone."""

    port: Port = 11111


class JsonSettings(FormatSettings):
    """JSONLiveLink."""

    port: Port = 54321


class VmcSettings(FormatSettings):
    """VMC over OSC. Its messages contain no name."""

    port: Port = 39539
    # One frame of an avatar may be a hundred datagrams: 55 bones, 52 shapes.
    datagrams_per_second: Rate | None = 10_000
    subject: Name = "VMC"
    names: dict[Phone, Name] = Field(default={}, max_length=64)  # by the sender's address


class IFacialMocapSettings(FormatSettings):
    """iFacialMocap: the phone sends to the address that requests it, without a name."""

    port: Port = 49983
    subject: Name = "iFacialMocap"
    names: dict[Phone, Name] = Field(default={}, max_length=64)  # by the phone's address
    phones: list[Phone] = Field(default=[], max_length=8)


class LineSettings(FormatSettings):
    """Newline-delimited JSON over TCP."""

    port: Port = 54322
    clients: int = Field(default=8, ge=1, le=64)


class CaptureSettings(FormatSettings):
    """The newer mode of Live Link Face, where the phone is the server. Experimental. The port is
    always our own: it is sent to the phones with the request.
    """

    enabled: bool = False
    port: Port = 14786
    phones: list[Phone] = Field(default=[], max_length=8)
    discover: bool = True  # finds further phones on the network


class Formats(Settings):
    """All formats."""

    llf: LiveLinkFaceSettings = LiveLinkFaceSettings()
    json_: JsonSettings = Field(default=JsonSettings(), alias="json")
    vmc: VmcSettings = VmcSettings()
    ifacialmocap: IFacialMocapSettings = IFacialMocapSettings()
    lines: LineSettings = LineSettings()
    capture: CaptureSettings = CaptureSettings()


class RecordingLimits(Settings):
    """Limits of recordings."""

    largest_mb: int = Field(default=64, ge=1, le=4096)  # of one: half an hour of a phone
    most: int = Field(default=8, ge=1, le=1000)


class KnownSender(Settings):
    """A sender that is accepted without an operator."""

    format: FormatName
    address: Phone
    subject: Name = "*"  # *: every subject of this address


class Config(Settings):
    """Contents of livelinkd.yaml."""

    # Which senders may move the robot: known (accepted once by a person, listed below, or with the
    # robot's code in the subject's name) or all, for a closed network.
    accept: Acceptance = "known"
    senders: list[KnownSender] = Field(default=[], max_length=64)

    address: str = "0.0.0.0"  # to listen on, where no sockets are passed in
    # 256 KiB hold a second of six phones, should the processor be busy for so long.
    receive_buffer_bytes: int = Field(default=262_144, ge=4096, le=16_777_216)
    # A phone sends 60 a second. More from one address are dropped unread.
    datagrams_per_second: Rate = 500
    # A subject belongs to its first sender until that sends nothing for so long; null: until a
    # release.
    release_after_s: float | None = Field(default=10.0, ge=0.5, le=86_400)
    formats: Formats = Formats()
    recordings: RecordingLimits = RecordingLimits()
