"""Wiring: serial line -> parser -> receiver's signal -> bus. A frame is published in the very
callback that reads its last byte.
"""

import asyncio
import time

from ..lib import clock, log
from ..lib.api.rc import RcStatus, SetEnabled
from ..lib.bus import Bus
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.generated.builtin_interfaces import Time
from ..lib.generated.saint_msgs import InputSample
from ..lib.generated.topics import INPUT_RC, RC_STATE
from ..lib.hw.serial import SerialLine, SerialPort, open_serial
from ..lib.ipc import Api, Call
from ..lib.state import Store
from . import reports
from .channels import Normalizer
from .config import LINES, Config
from .logic import Outcome, Receiver
from .protocols import PARSERS, Frame
from .state import FILE, VERSION, State

STATE_PERIOD_S = 0.1
SOURCE = "rc"


async def run(context: Context[Config]) -> None:
    """Until asked to stop."""
    store = Store(context.directories.state / FILE, State, VERSION)
    saved = await asyncio.to_thread(store.load)
    if store.problem:
        context.health.raise_issue(Code.STATE_DAMAGED, store.problem.message)
    daemon = Rcd(context, await context.open_bus(), store, saved)
    api = Api()
    api.get("/status", daemon.status)
    api.post("/enabled", daemon.set_enabled, body=SetEnabled)
    await context.serve_ipc(api)
    daemon.switch()
    context.ready(daemon.summary())
    await daemon.publish_states(context.stopping)
    daemon.close()


class Rcd:
    """One receiver."""

    def __init__(
        self, context: Context[Config], bus: Bus, store: Store[State], saved: State
    ) -> None:
        settings = context.config.rc_receiver
        self._settings = settings
        self._health = context.health
        self._log = log.get(context.name)
        self._store = store
        self._enabled = settings.enabled if saved.enabled is None else saved.enabled
        self._parser = PARSERS[settings.protocol]()
        self._receiver = Receiver(
            Normalizer(settings.channels),
            settings.failsafe.timeout_ms / 1000,
            needs_steady_start=settings.protocol == "sbus",
            neutral_when_lost=settings.failsafe.action == "neutral",
        )
        self._loop = asyncio.get_running_loop()
        self._line = SerialLine(self._open, self._on_data, self._on_open, self._on_lost)
        self._problem = ""
        self._samples = bus.publisher(INPUT_RC)
        self._states = bus.publisher(RC_STATE)
        self._stamp = Time()
        # One message for all frames. Sequences rise over restarts too, or the first samples of a
        # new life would look like repeated ones.
        first = time.monotonic_ns() // 1000
        self._sample = InputSample(stamp=self._stamp, source=SOURCE, sequence=first)
        self._read_us = 0
        self._flushing: asyncio.TimerHandle | None = None
        self._watching: asyncio.TimerHandle | None = None
        self._changed = asyncio.Event()

    # Control plane

    async def status(self, _: Call[None]) -> RcStatus:
        return reports.status(self._receiver, self._described(), self._parser, clock.monotonic_s())

    async def set_enabled(self, call: Call[SetEnabled]) -> RcStatus:
        await asyncio.to_thread(self._store.save, State(enabled=call.body.enabled))
        if call.body.enabled != self._enabled:
            self._enabled = call.body.enabled
            self._log.info("receiver switched", enabled=self._enabled)
            self.switch()
        return reports.status(self._receiver, self._described(), self._parser, clock.monotonic_s())

    def switch(self) -> None:
        """Open or close the line, as it is set."""
        if self._enabled:
            self._problem = ""
            self._line.start()
            return
        self._line.close()
        self._drop_line("it is switched off")
        self._health.clear(Code.HARDWARE_MISSING)
        self._health.clear(Code.HARDWARE_FAULT)

    def summary(self) -> str:
        return f"{self._settings.protocol} on {self._settings.uart.device}" + (
            "" if self._enabled else ", switched off"
        )

    def close(self) -> None:
        """The last word is that the signal is lost: nobody may go on driving from it."""
        self._line.close()
        self._drop_line("rcd has stopped")
        for timer in (self._flushing, self._watching):
            if timer is not None:
                timer.cancel()

    def _described(self) -> reports.Line:
        settings = self._settings
        return reports.Line(self._enabled, settings.protocol, settings.uart.device, self._problem)

    # The line

    def _open(self) -> SerialPort:
        baud, parity, stopbits = LINES[self._settings.protocol]
        uart = self._settings.uart
        return open_serial(uart.device, uart.baud_rate or baud, parity, stopbits)

    def _on_open(self) -> None:
        self._problem = ""
        self._health.clear(Code.HARDWARE_MISSING)
        self._health.clear(Code.HARDWARE_FAULT)
        self._log.info("serial line is open", device=self._settings.uart.device)

    def _on_lost(self, error: SaintError) -> None:
        self._health.raise_issue(error.code, error.message)
        self._drop_line(error.message)

    def _drop_line(self, reason: str) -> None:
        self._problem = reason
        self._parser.reset()
        self._tell(self._receiver.lose(reason))
        self._changed.set()

    def _on_data(self, data: bytes, now_us: int) -> None:
        self._read_us = now_us
        for frame in self._parser.feed(data, now_us):
            self._on_frame(frame, now_us * 1e-6)
        if self._parser.is_waiting and self._flushing is None:
            self._flushing = self._loop.call_later(self._parser.gap_us * 1e-6, self._flush)

    def _flush(self) -> None:
        """Silence decides about bytes that are held."""
        self._flushing = None
        silent_us = time.monotonic_ns() // 1000 - self._read_us
        if silent_us < self._parser.gap_us:
            left_us = self._parser.gap_us - silent_us
            self._flushing = self._loop.call_later(left_us * 1e-6, self._flush)
            return
        for frame in self._parser.flush():
            self._on_frame(frame, clock.monotonic_s())

    # The signal

    def _on_frame(self, frame: Frame, now_s: float) -> None:
        outcome = self._receiver.take(frame, now_s)
        if outcome is Outcome.LIVE:
            if self._watching is None:
                self._watching = self._loop.call_later(self._receiver.timeout_s, self._watch)
                self._log.info("signal acquired", protocol=self._settings.protocol)
                self._changed.set()
            self._publish(failsafe=False)
        elif outcome is Outcome.LOST:
            self._tell(outcome)

    def _watch(self) -> None:
        """Runs for as long as the signal lives; frames do not touch the timer."""
        self._watching = None
        now_s = clock.monotonic_s()
        outcome = self._receiver.check(now_s)
        self._tell(outcome)
        if not self._receiver.failsafe:
            left_s = self._receiver.good_s + self._receiver.timeout_s - now_s
            self._watching = self._loop.call_later(left_s, self._watch)

    def _tell(self, outcome: Outcome) -> None:
        if outcome is not Outcome.LOST:
            return
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None
        self._log.warning("signal lost", reason=self._receiver.reason)
        self._publish(failsafe=True)
        self._changed.set()

    def _publish(self, failsafe: bool) -> None:
        sample, receiver = self._sample, self._receiver
        self._stamp.sec, self._stamp.nanosec = divmod(time.time_ns(), 1_000_000_000)
        sample.sequence += 1
        sample.failsafe = failsafe
        sample.names = receiver.names
        sample.values = receiver.values
        self._samples.publish(sample)

    async def publish_states(self, stopping: asyncio.Event) -> None:
        """RC_STATE ten times a second, and at once on a change, until asked to stop."""
        stop = asyncio.ensure_future(stopping.wait())
        try:
            while not stop.done():
                self._changed.clear()
                self._publish_state()
                change = asyncio.ensure_future(self._changed.wait())
                await asyncio.wait(
                    {stop, change}, timeout=STATE_PERIOD_S, return_when=asyncio.FIRST_COMPLETED
                )
                change.cancel()
        finally:
            stop.cancel()

    def _publish_state(self) -> None:
        now_s = clock.monotonic_s()
        message = reports.message(self._receiver, self._described(), now_s, time.time_ns())
        self._states.publish(message)
