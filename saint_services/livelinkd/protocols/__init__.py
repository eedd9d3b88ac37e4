"""The senders' datagram formats, one pure decoder each. Decoders never raise: a datagram becomes a
frame or a reason why it was refused.
"""

from .frames import Frame, Refused
from .llf import decode as decode_llf

__all__ = ["Frame", "Refused", "decode_llf"]
