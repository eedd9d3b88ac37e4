"""The datagram that damps a walking controller, for wills. It has no sequence and no epoch, as its
writer is not the role; a controller that drops it is damped by its own dead-man.
"""

from .codec import encode_command
from .model import Protocol, WalkCommand, WalkMode


def damping(protocol: Protocol) -> bytes:
    """Return the bytes of a command to damp; in the older protocol they are an emergency stop."""
    return encode_command(protocol, WalkCommand(WalkMode.DAMP, timestamp_us=1, is_emergency=True))
