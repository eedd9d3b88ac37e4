"""Runs inside the image's machine: a CAN adapter with the text protocol on a pseudo terminal, which
the kernel's slcan driver serves as an interface. Its standard input says what happens on the bus:
"state b" is bus-off, a active, w a warning; "frame t4008..." arrives; its end takes the adapter
away.

    python3 can_adapter.py     prints the name of the interface
"""

import fcntl
import os
import select
import struct
import sys
import tty

N_SLCAN = 17  # linux/tty.h
TIOCSETD, SIOCGIFNAME = 0x5423, 0x8910
COUNTERS = {"a": "000000", "w": "100100", "p": "130130", "b": "255255"}


def main() -> None:
    """Serve until the input ends."""
    adapter, line = os.openpty()
    tty.setraw(line)
    fcntl.ioctl(line, TIOCSETD, struct.pack("i", N_SLCAN))
    name = fcntl.ioctl(line, SIOCGIFNAME, b"\0" * 32)
    print(name.partition(b"\0")[0].decode(), flush=True)
    while True:
        ready, _, _ = select.select([adapter, sys.stdin], [], [])
        if adapter in ready:
            said = os.read(adapter, 4096)
            print(f"sent {said!r}", flush=True)
        if sys.stdin in ready:
            words = sys.stdin.readline().split()
            if not words:
                return
            if words[0] == "state":  # then both error counters with three digits
                os.write(adapter, f"s{words[1]}{COUNTERS[words[1]]}\r".encode())
            else:
                os.write(adapter, f"{words[1]}\r".encode())


if __name__ == "__main__":
    main()
