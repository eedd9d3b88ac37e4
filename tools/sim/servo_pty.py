"""Simulated bus servos on a pseudo terminal, for programs that open a serial port: each byte takes
its time at the line's rate, and servos wait their return delay. A thread serves the line.

    python -m tools.sim.servo_pty --servo 1 --servo 2 --link /tmp/servos
"""

import argparse
import contextlib
import os
import select
import sys
import tempfile
import termios
import threading
import time
import tty
from collections.abc import Iterable
from pathlib import Path

from saint_services.lib.hw.bus_servos.dialects import dialect_of
from tools.sim.chips.servo_bus import ServoBusPeer, servo_file
from tools.sim.chips.x_bus import peer_of

_BITS = 10  # of a byte, with start and stop
_WAIT_S = 0.2
_USUAL = 1_000_000
_SPEEDS = {
    getattr(termios, f"B{baud}", None): baud
    for protocol in ("sts", "x")
    for baud in dialect_of(protocol).baud_rates
}


class ServoPty:
    """A line with servos behind the path `port`, a link: a plug that returns has the same path."""

    def __init__(self, peer: ServoBusPeer, port: Path) -> None:
        self.peer = peer
        self.port = port
        self.lock = threading.Lock()  # of the peer
        self._end = threading.Event()
        self._thread: threading.Thread | None = None
        self._master = self._slave = -1

    def plug(self) -> None:
        """Plug the line in."""
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        aside = self.port.with_suffix(".new")
        aside.unlink(missing_ok=True)
        aside.symlink_to(os.ttyname(self._slave))
        aside.replace(self.port)
        # Only a program's own descriptor holds the terminal open: its end is seen as one.
        os.close(self._slave)
        self._end.clear()
        self._thread = threading.Thread(target=self._serve, name="servos", daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        """Pull the plug: programs that have it open get an error, and the path is gone."""
        self.port.unlink(missing_ok=True)
        self._end.set()
        if self._thread:
            self._thread.join(5.0)
        os.close(self._master)

    def _serve(self) -> None:
        free_s = time.monotonic()  # when the wire is free
        while not self._end.is_set():
            if not select.select([self._master], [], [], _WAIT_S)[0]:
                continue
            try:
                data = os.read(self._master, 4096)
            except OSError:  # no program has it open
                self._end.wait(0.01)
                continue
            free_s = self._answer(data, max(free_s, time.monotonic()))

    def _answer(self, data: bytes, start_s: float) -> float:
        """Answer as a bus does; return when the wire is free again."""
        byte_s = _BITS / self._baud()
        now_s = start_s + len(data) * byte_s
        with self.lock:
            replies = self.peer.replies(data)
        for reply in replies:
            now_s += reply.delay_us / 1e6 + len(reply.data) * byte_s
            if (left_s := now_s - time.monotonic()) > 0:
                time.sleep(left_s)
            with contextlib.suppress(OSError):
                os.write(self._master, reply.data)
        return now_s

    def _baud(self) -> int:
        """Return the rate that the program has set; the servos of another one stay silent."""
        baud = _USUAL
        with contextlib.suppress(termios.error):
            baud = _SPEEDS.get(termios.tcgetattr(self._master)[4], baud)
        self.peer.baud = baud
        return baud


def simulated(folder: Path, servos: Iterable[int], protocol: str = "sts") -> ServoPty:
    """Return a line with these servos, plugged in, and its state in the folder."""
    line = ServoPty(peer_of(folder / servo_file("port", protocol), servos), folder / "port")
    line.plug()
    return line


def main() -> int:
    """Run the command line until Ctrl-C."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--servo", action="append", type=int, default=[], help="an id; several")
    parser.add_argument("--protocol", choices=("sts", "scs", "x"), default="sts")
    parser.add_argument("--link", type=Path, help="path of the port")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="saint-servos-") as made:
        folder = Path(made)
        path = folder / servo_file("port", options.protocol)
        peer = peer_of(path, options.servo or range(1, 7), options.protocol)
        line = ServoPty(peer, options.link or folder / "port")
        line.plug()
        print(line.port, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()
        line.unplug()
    return 0


if __name__ == "__main__":
    sys.exit(main())
