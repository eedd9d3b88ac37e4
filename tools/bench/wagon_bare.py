"""Bare processes in place of a wagon's: the same lines and the same bus with nothing decided
between them. One is the least that a host can be (a socket in, a frame out), three are the least
that the boards and the line between them can be.
"""

import multiprocessing
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

from saint_services.lib.hw.can.frame import CanFrame
from tests.waiting import block_until
from tools.sim.can_bus import SimCan
from tools.sim.wagon_lines import PtyEnd, PtyLine

_RECEIVER, _IO, _BALANCE, _HOST = "bare-receiver", "bare-io", "bare-balance", "bare-host"
_BUS = "can0"
_ID = 0x123  # of the frame that comes out
_LIMIT_MS = 500.0
_FRAME_BYTES = 26  # of a receiver
_START_S = 30.0
_BABBLE_S = 0.00025  # a frame with 8 bytes takes 0.25 ms


def be_host(folder: Path) -> None:
    """Send a frame for each datagram."""
    port = SimCan(folder, _BUS)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(str(folder / _HOST))
        while True:
            port.send(CanFrame(_ID, line.recv(64)[:8]))


def be_io(folder: Path) -> None:
    """Pass the receiver's bytes on to the line between the boards."""
    source, target = PtyLine(folder / _RECEIVER), PtyLine(folder / _IO)
    while select.select([source], [], []):
        target.write(source.read())


def be_wire(folder: Path) -> None:
    """Carry the bytes of one board to the other."""
    source, target = PtyEnd(folder / _IO), PtyEnd(folder / _BALANCE)
    while select.select([source], [], []):
        target.write(source.read())


def be_balance(folder: Path) -> None:
    """Send a frame for what arrives from the other board."""
    port, source = SimCan(folder, _BUS), PtyLine(folder / _BALANCE)
    while select.select([source], [], []):
        port.send(CanFrame(_ID, source.read()[:8]))


@contextmanager
def _process(act: Callable[[Path], None], folder: Path) -> Iterator[None]:
    process = multiprocessing.get_context("spawn").Process(target=act, args=(folder,), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join(10.0)


class BareChains:
    """Both chains, running; each sample is answered with its milliseconds."""

    def __init__(self, folder: Path) -> None:
        self._port = SimCan(folder, _BUS)
        self._end = PtyEnd(folder / _RECEIVER)
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._to = str(folder / _HOST)

    def host_ms(self) -> float:
        """Return the time from a datagram to the frame."""
        return self._timed(partial(self._line.sendto, bytes(8), self._to))

    def boards_ms(self) -> float:
        """Return the time from a receiver's frame to the frame on the bus."""
        return self._timed(partial(self._end.write, bytes(_FRAME_BYTES)))

    def _timed(self, act: Callable[[], object]) -> float:
        self._port.receive()
        sent_ns = time.monotonic_ns()
        act()
        while select.select([self._port], [], [], _LIMIT_MS / 1000)[0]:
            for frame in self._port.receive():
                if frame.t_ns >= sent_ns:
                    return (frame.t_ns - sent_ns) / 1e6
        return _LIMIT_MS

    def is_ready(self) -> bool:
        """Return whether both let something through."""
        try:
            return self.host_ms() < _LIMIT_MS and self.boards_ms() < _LIMIT_MS
        except OSError:  # its socket is not there yet
            return False

    def close(self) -> None:
        """Leave bus and lines."""
        self._line.close()
        self._end.close()
        self._port.close()


@contextmanager
def bare_chains(folder: Path) -> Iterator[BareChains]:
    """Run the bare processes in a folder of their own."""
    chains = BareChains(folder)
    try:
        with _process(be_host, folder), _process(be_wire, folder):
            block_until((folder / _BALANCE).exists, _START_S)
            with _process(be_io, folder), _process(be_balance, folder):
                block_until(chains.is_ready, _START_S)
                yield chains
    finally:
        chains.close()


@contextmanager
def babbling(folder: Path) -> Iterator["Synchronized[int]"]:
    """Let a process fill a bus with frames of the highest priority, which nobody wants."""
    spawning = multiprocessing.get_context("spawn")
    count = spawning.Value("q", 0)
    process = spawning.Process(target=babble, args=(folder, count), daemon=True)
    process.start()
    try:
        block_until(lambda: count.value, _START_S)
        yield count
    finally:
        process.terminate()
        process.join(10.0)


def babble(folder: Path, count: "Synchronized[int]") -> None:
    """Send 0x000 as fast as 500 kbit/s carry it, until terminated."""
    port = SimCan(folder, _BUS)
    began_s = time.monotonic()
    while True:
        # What a late turn left out follows at once, or sleeping alone would halve the load.
        for _ in range(int((time.monotonic() - began_s) / _BABBLE_S) - count.value):
            port.send(CanFrame(0, bytes(8)))
            count.value += 1
        time.sleep(_BABBLE_S)
