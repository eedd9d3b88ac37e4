"""Runs one receiver: line or pins, parser, signal and their timers. A frame is passed on in the
callback that reads its last byte.
"""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..lib import clock
from ..lib.errors import SaintError
from ..lib.hw.buses.serial import SerialLine, SerialPort, open_serial
from ..lib.stall import StallWatch
from .config import LINES, ReceiverConnection
from .logic import Receiver, SignalChange
from .protocols import PARSERS, Frame, Parser
from .protocols.ibus import IbusParser
from .protocols.ibus_telemetry import IbusSensors
from .protocols.pulses import PpmDecoder, PwmDecoder

if TYPE_CHECKING:
    from ..lib.hw.pins.edges import EdgeLine

USED_BY = "rcd"
# A delayed loop runs its timers before it reads what has arrived meanwhile, so a time-out is judged
# a turn later.
READ_FIRST_S = 0.001
STALL_S = 0.12  # the shortest time-out of a receiver


@dataclass(frozen=True, slots=True)
class LineListener:
    """Callbacks of a line, called in the event loop."""

    frame: Callable[["ReceiverLine", SignalChange], None]  # outcomes that change something
    quiet: Callable[["ReceiverLine"], None]  # frames are missing, but the signal is not lost yet
    opened: Callable[["ReceiverLine"], None]
    gone: Callable[["ReceiverLine", SaintError], None]
    # Values for a receiver that polls sensors (IBUS); None: polls stay unanswered.
    sensors: Callable[[], Sequence[int]] | None = None
    stalls: StallWatch = field(default_factory=lambda: StallWatch(STALL_S))


class ReceiverLine:
    """Opens a receiver's line, reads it and judges its signal, until closed."""

    def __init__(
        self, connection: ReceiverConnection, receiver: Receiver, listener: LineListener
    ) -> None:
        self.connection = connection
        self.receiver = receiver
        self.problem = ""  # why it is not open
        self.dropped_bytes = 0  # received during a stall of rcd
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._parser = parser(connection)
        self._decoder = decoder(connection)
        self._sensors = IbusSensors()
        self._line = self._bytes() if self._decoder is None else self._pins(self._decoder)
        self._read_us = 0
        self._flushing: asyncio.TimerHandle | None = None
        self._watching: asyncio.TimerHandle | None = None
        self._is_quiet = False

    @property
    def counts(self) -> tuple[int, int, int]:
        """Return frames, rejected frames and discarded bytes."""
        if self._decoder is not None:
            return self._decoder.frames, self._decoder.rejected, 0
        lost_bytes = self._parser.discarded_bytes + self.dropped_bytes
        return self._parser.frames, self._parser.rejected, lost_bytes

    def start(self) -> None:
        """Open the line now, or once its device is present."""
        self.problem = ""
        self._line.start()

    def close(self, reason: str) -> None:
        """Close the line; the signal is lost for this reason."""
        self._line.close()
        self._drop(reason)
        if self._flushing is not None:
            self._flushing.cancel()
            self._flushing = None

    def write(self, data: bytes) -> bool:
        """Send to the receiver; return False unless all of it fits the buffer."""
        return self._line.write(data)

    def _bytes(self) -> SerialLine:
        device = self.connection.uart.device
        return SerialLine(self._open, self._on_data, self._on_open, self._on_lost, device)

    def _pins(self, decoder: PpmDecoder | PwmDecoder) -> "EdgeLine":
        from ..lib.hw.pins.edges import EdgeLine, open_edges

        gpio = self.connection.gpio
        pins = gpio.pwm_pins if self.connection.protocol == "pwm" else [gpio.ppm_pin]

        def edge(pin: int, high: bool, t_ns: int) -> None:
            if self._is_old():
                decoder.reset()
                return
            frame = decoder.edge(pin, high, t_ns)
            if frame is not None:
                self._take(frame, clock.monotonic_s())
            if decoder.due_ns is not None and self._flushing is None:
                self._await_silence(decoder, decoder.due_ns)

        spec = os.environ.get("SAINT_HW", "real")
        return EdgeLine(lambda: open_edges(spec, pins, USED_BY), edge, self._on_open, self._on_lost)

    def _await_silence(self, decoder: PpmDecoder | PwmDecoder, due_ns: int) -> None:
        """Schedule the end of a frame for when no further edge can belong to it."""

        def passed() -> None:  # edges that came while the loop was busy are read first
            self._flushing = self._loop.call_later(READ_FIRST_S, self._end_frame, decoder)

        pause_s = (due_ns - time.monotonic_ns()) * 1e-9
        self._flushing = self._loop.call_later(pause_s, passed)

    def _end_frame(self, decoder: PpmDecoder | PwmDecoder) -> None:
        self._flushing = None
        frame = decoder.silence(time.monotonic_ns())
        if frame is not None:
            self._take(frame, clock.monotonic_s())
        elif decoder.due_ns is not None:
            self._await_silence(decoder, decoder.due_ns)

    def _open(self) -> SerialPort:
        _, parity, stopbits = LINES[self.connection.protocol]
        return open_serial(self.connection.uart.device, self.connection.baud_rate, parity, stopbits)

    def _on_open(self) -> None:
        self.problem = ""
        self._listener.opened(self)

    def _on_lost(self, error: SaintError) -> None:
        self._drop(error.message)
        self._listener.gone(self, error)

    def _drop(self, reason: str) -> None:
        self.problem = reason
        self._parser.reset()
        if self._decoder is not None:
            self._decoder.reset()
        self._report_loss(self.receiver.lose(reason))

    def _on_data(self, data: bytes, now_us: int) -> None:
        self._read_us = now_us
        if self._is_old():
            self.dropped_bytes += len(data)
            self._parser.reset()
            return
        for frame in self._parser.feed(data, now_us):
            self._take(frame, now_us * 1e-6)
        self._answer_polls(now_us)
        if self._parser.is_waiting and self._flushing is None:
            self._flushing = self._loop.call_later(self._parser.gap_us * 1e-6, self._flush)

    def _answer_polls(self, now_us: int) -> None:
        """Answer the polls of an IBUS receiver at once: it waits for a few milliseconds only."""
        if not isinstance(self._parser, IbusParser) or self._listener.sensors is None:
            return
        for poll in self._parser.take_polls()[-1:]:
            reply = self._sensors.reply(poll, self._listener.sensors(), now_us)
            if reply:
                self._line.write(reply)

    def _is_old(self) -> bool:
        """Return True when data may have waited for longer than the receiver's time-out."""
        now_s = clock.monotonic_s()
        self._listener.stalls.beat(now_s)
        return self._listener.stalls.is_stalled(now_s)

    def _flush(self) -> None:
        """Decide about held bytes after the protocol's gap."""
        self._flushing = None
        silent_us = time.monotonic_ns() // 1000 - self._read_us
        if silent_us < self._parser.gap_us:
            left_us = self._parser.gap_us - silent_us
            self._flushing = self._loop.call_later(left_us * 1e-6, self._flush)
            return
        for frame in self._parser.flush():
            self._take(frame, clock.monotonic_s())

    def _take(self, frame: Frame, now_s: float) -> None:
        outcome = self.receiver.take(frame, now_s)
        if outcome is SignalChange.LIVE:
            if self._watching is None or self._is_quiet:
                self._watch_for(now_s, self.receiver.quiet_s)
            self._listener.frame(self, outcome)
        else:
            self._report_loss(outcome)

    def _watch(self) -> None:
        """Judge the time-out in the next turn; frames do not reschedule this timer."""
        self._watching = self._loop.call_later(READ_FIRST_S, self._judge)

    def _judge(self) -> None:
        self._watching = None
        receiver, now_s = self.receiver, clock.monotonic_s()
        self._listener.stalls.beat(now_s)
        self._report_loss(receiver.check(now_s))
        if receiver.failsafe:
            return
        quiet_s = receiver.quiet_s
        is_quiet = now_s - receiver.good_s >= quiet_s
        self._watch_for(now_s, receiver.timeout_s if is_quiet else quiet_s)
        self._is_quiet = is_quiet
        if is_quiet:
            self._listener.quiet(self)

    def _watch_for(self, now_s: float, silence_s: float) -> None:
        """Schedule the check for a time-out of `silence_s`."""
        if self._watching is not None:
            self._watching.cancel()
        self._is_quiet = False
        left_s = self.receiver.good_s + silence_s - now_s
        self._watching = self._loop.call_later(left_s, self._watch)

    def _report_loss(self, outcome: SignalChange) -> None:
        if outcome is not SignalChange.LOST:
            return
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None
        self._listener.frame(self, outcome)


def parser(connection: ReceiverConnection) -> Parser:
    """Make the parser of a serial line; one for pins is never fed."""
    if connection.protocol == "ibus":
        ibus = connection.ibus
        return IbusParser(ibus.variant, ibus.channels == 18)
    return PARSERS.get(connection.protocol, PARSERS["crsf"])()


def decoder(connection: ReceiverConnection) -> PpmDecoder | PwmDecoder | None:
    """Make the decoder of pins; None for a serial line."""
    if connection.protocol == "ppm":
        return PpmDecoder()
    if connection.protocol == "pwm":
        return PwmDecoder(connection.gpio.pwm_pins)
    return None
