"""The senders' formats, one pure decoder each. Decoders never raise: a datagram becomes frames or a
reason for its refusal. Some keep state of each sender, so each user makes its own.
"""

from collections.abc import Callable, Mapping

from .capture import CaptureDecoder
from .frames import Decode, Frame, Outcome, Refused, Transform
from .ifacialmocap import IFacialMocapDecoder
from .json_live_link import JsonLiveLinkDecoder
from .lines import LineDecoder
from .llf import decode as decode_llf
from .vmc import VmcDecoder

__all__ = [
    "DECODERS", "CaptureDecoder", "Decode", "Frame", "Outcome", "Refused", "Transform",
    "decode_llf", "make_decoder",
]  # fmt: skip


def _llf(data: bytes, _: str) -> list[Outcome]:
    return [decode_llf(data)]


DECODERS: dict[str, Callable[[], Decode]] = {
    "llf": lambda: _llf,
    "json": JsonLiveLinkDecoder,
    "vmc": VmcDecoder,
    "ifacialmocap": IFacialMocapDecoder,
    "lines": LineDecoder,
    "capture": CaptureDecoder,
}


def make_decoder(format: str, subject: str = "", names: Mapping[str, str] | None = None) -> Decode:
    """Make a decoder; `subject` and `names` (by sender's IP) are for formats without names."""
    if format == "vmc":
        return VmcDecoder(subject or "VMC", names)
    if format == "ifacialmocap":
        return IFacialMocapDecoder(subject or "iFacialMocap", names)
    return DECODERS[format]()
