"""Pulls the cable of the network namespace that it runs in: "down" and "up" on its standard input.
Answers with the monotonic time in nanoseconds, taken right before.
"""

import fcntl
import socket
import struct
import sys
import time

CARD = b"eth0"
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1


def main() -> None:
    """Until the input ends."""
    control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for line in sys.stdin:
        requested = fcntl.ioctl(control, _GET_FLAGS, struct.pack("16sH14x", CARD, 0))
        flags = struct.unpack("16sH14x", requested)[1]
        flags = flags | _UP if line.strip() == "up" else flags & ~_UP
        now_ns = time.monotonic_ns()
        fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sH14x", CARD, flags))
        print(now_ns, flush=True)


if __name__ == "__main__":
    main()
