"""Wiring: receivers -> who is in charge -> bus, and the socket's requests -> settings. A frame is
published in the very callback that reads its last byte.
"""

import asyncio
import time

from ..lib import clock, log
from ..lib.bus import Bus
from ..lib.bus.input_writer import InputWriter
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.generated.builtin_interfaces import Time
from ..lib.generated.saint_msgs import InputSample
from ..lib.generated.topics import INPUT_RC, RC_STATE
from . import reports
from .adapters import CHECKED, Listener, ReceiverLine
from .api import RcControl
from .backup import backup_of
from .calibration import Calibration
from .channels import Normalizer
from .config import Config, Failover, RcReceiver, ReceiverConnection
from .display import TransmitterDisplay
from .link_state import Blocker, LinkPhase, LinkState
from .logic import Outcome, Receiver
from .selection import NOTHING, Arming, Content, Selection, failsafe_content
from .state import FILE, changes, effective, store_in

STATE_PERIOD_S = 0.1
LOST_PERIOD_S = 0.05  # a lost signal is told again so often: the router may have missed it
TELEMETRY_PERIOD_S = 0.5
OPENING_S = 0.5  # until a line that is opened anew has brought its first frames
SOURCE = "rc"
_LIVE = LinkPhase.LIVE


async def run(context: Context[Config]) -> None:
    """Until asked to stop."""
    store = store_in(context.directories.state)
    saved = await asyncio.to_thread(store.load)
    if store.problem:
        context.health.raise_issue(Code.STATE_DAMAGED, store.problem.message)
    settings = context.config.rc_receiver
    try:
        merged = effective(settings, saved)
    except SaintError as err:  # rcd.yaml was changed since; what was set by hand is kept
        context.health.raise_issue(Code.CONFIG_INVALID, f"{FILE}: {err.message}")
        merged = settings
    if changed := changes(settings, saved):
        log.get(context.name).info("set by hand, not by rcd.yaml", what=", ".join(changed))
    bus = await context.open_bus()
    writer = InputWriter("rcd", context.directories.runtime, bus, context.health)
    daemon = Rcd(context, bus, writer, merged)
    context.spawn(writer.stay_registered(), "registration")
    control = RcControl(daemon, store, saved, settings)
    api = control.api()
    backup_of(control, settings).add_to(api)
    await context.serve_ipc(api)
    daemon.switch(merged.enabled)
    if merged.telemetry:
        context.spawn(daemon.send_telemetry(), "telemetry")
    context.ready(daemon.summary())
    await daemon.publish_states(context.stopping)
    daemon.close()


class Rcd:
    """One or two receivers, one source of samples."""

    def __init__(
        self, context: Context[Config], bus: Bus, writer: InputWriter, settings: RcReceiver
    ) -> None:
        self.settings = settings
        self.calibration: Calibration | None = None
        self._health = context.health
        self._log = log.get(context.name)
        self._loop = asyncio.get_running_loop()
        self._listener = Listener(self._on_frame, self._on_quiet, self._on_open, self._on_gone)
        self._lines = [self._line(settings)]
        if settings.failover:
            self._lines.append(self._line(settings.failover))
        self._selection = Selection([line.receiver for line in self._lines])
        self._selection.rules = settings.failover or Failover()
        self._arming = Arming(settings.arm)
        self._telling = LinkState()
        self._samples = writer.publisher(INPUT_RC)
        self._states = bus.publisher(RC_STATE)
        self._stamp = Time()
        # One message for all frames. Sequences rise over restarts too, or the first samples of a
        # new life would look like repeated ones.
        first = time.monotonic_ns() // 1000
        self._sample = InputSample(stamp=self._stamp, source=SOURCE, sequence=first)
        self._telling_again: asyncio.TimerHandle | None = None
        self._looking: asyncio.TimerHandle | None = None
        self._deciding: asyncio.TimerHandle | None = None
        self._changed = asyncio.Event()
        self._display = TransmitterDisplay(bus) if settings.telemetry else None

    def _line(self, connection: ReceiverConnection) -> ReceiverLine:
        receiver = Receiver(
            Normalizer(self.settings.channels),
            self.settings.failsafe,
            needs_steady_start=connection.protocol not in CHECKED,
            silence=self.settings.silence,
        )
        return ReceiverLine(connection, receiver, self._listener)

    # For the socket

    @property
    def receiver(self) -> Receiver:
        """The one in charge."""
        return self._selection.receiver

    @property
    def is_enabled(self) -> bool:
        return Blocker.OFF not in self._telling.works

    def picture(self) -> reports.ReceiverSnapshot:
        """Everything as it is now."""
        lines = [
            reports.ReceiverReport(line.receiver, line.connection, line.counts, line.problem)
            for line in self._lines
        ]
        arm, failsafe = self._arming.rules, self.settings.failsafe
        return reports.ReceiverSnapshot(
            lines,
            self._selection.in_charge,
            self.is_enabled,
            failsafe.action,
            self._telling.action(failsafe.action),
            self._arming.is_armed if arm else None,
            self.calibration is not None,
            arm.number if arm else None,
            failsafe.channel.number if failsafe.channel else None,
        )

    def switch(self, enabled: bool) -> None:
        """Open or close the lines."""
        if enabled != self.is_enabled:
            self._log.info("receiver switched", enabled=enabled)
        if enabled:
            self._telling.end(Blocker.OFF)
            for line in self._lines:
                line.start()
            return
        self.calibrate(None)
        self._begin(Blocker.OFF)
        for line in self._lines:
            line.close("it is switched off")
        self._health.clear(Code.HARDWARE_MISSING)
        self._health.clear(Code.HARDWARE_FAULT)

    def reconfigure(self, settings: RcReceiver) -> None:
        """Other settings, from the next frame on; a line is opened anew only when it changed."""
        before, self.settings = self.settings, settings
        for line in self._lines:
            line.receiver.rules = settings.failsafe
            if settings.channels != before.channels:
                line.receiver.apply(Normalizer(settings.channels))
        if _connection(settings) != _connection(before):
            self.pause("its connection is being changed")
            self._lines[0] = self._line(settings)
            self._selection.receivers = [line.receiver for line in self._lines]
            self.resume()
        else:
            self._tell()
        self._changed.set()

    def pause(self, reason: str) -> None:
        """Close the first line for a while; nothing is driven meanwhile."""
        self._begin(Blocker.LINE)
        self._lines[0].close(reason)

    def resume(self) -> None:
        """Open it again. A signal that is not there after a while is lost."""
        self._telling.end(Blocker.LINE)
        if self.is_enabled:
            self._lines[0].start()
        self._look_later()

    def calibrate(self, calibration: Calibration | None) -> None:
        """While one runs, the sticks move nothing; None: it is over."""
        if calibration is None and self.calibration is None:
            return
        self.calibration = calibration
        if calibration is not None:
            self._begin(Blocker.CALIBRATION)
        else:
            self._telling.end(Blocker.CALIBRATION)
            self._look_later()
        self._changed.set()

    def summary(self) -> str:
        """One line for `systemctl status`."""
        places = [f"{line.connection.protocol} on {line.connection.place}" for line in self._lines]
        return ", then ".join(places) + ("" if self.is_enabled else ", switched off")

    def close(self) -> None:
        """The last word is that the signal is lost: nobody may go on driving from it."""
        self._begin(Blocker.OFF)
        for line in self._lines:
            line.close("rcd has stopped")
        for timer in (self._telling_again, self._deciding, self._looking):
            if timer is not None:
                timer.cancel()

    # From the lines

    def _on_open(self, line: ReceiverLine) -> None:
        if not any(each.problem for each in self._lines):
            self._health.clear(Code.HARDWARE_MISSING)
            self._health.clear(Code.HARDWARE_FAULT)
        self._log.info("receiver's line is open", device=line.connection.place)

    def _on_gone(self, line: ReceiverLine, error: SaintError) -> None:
        self._health.raise_issue(error.code, error.message)
        self._changed.set()

    def _on_frame(self, line: ReceiverLine, outcome: Outcome) -> None:
        if len(self._lines) > 1 or outcome is Outcome.LOST:
            self._decide()
        if outcome is not Outcome.LIVE or line.receiver is not self._selection.receiver:
            return
        if self.calibration is not None:
            self.calibration.take(line.receiver.us, clock.monotonic_s())
            return
        if self._telling.phase is not _LIVE and not self._come_back(line):
            return
        if self._arming.rules is not None:
            self._arm(line.receiver)
            self._publish(self._arming.content(line.receiver), failsafe=False)
            return
        self._publish((line.receiver.names, line.receiver.values), failsafe=False)

    def _on_quiet(self, line: ReceiverLine) -> None:
        """The robot must stop, but it is too early for others to take over."""
        if line.receiver is self._selection.receiver and self._telling.missing():
            self._tell()

    def _decide(self) -> None:
        """Who is in charge, and is there a signal at all?"""
        selection, now_s = self._selection, clock.monotonic_s()
        if selection.decide(now_s):
            in_charge = self._lines[selection.in_charge].connection.place
            self._log.warning("another receiver is in charge", device=in_charge)
            self._changed.set()
        if selection.is_lost:
            if self._telling.lose():
                self._go_lost()
        elif selection.receiver.failsafe and self._telling.wait():
            self._tell()
        due_s = selection.due_s(now_s)
        if due_s is not None and self._deciding is None:
            self._deciding = self._loop.call_later(due_s - now_s, self._on_due)

    def _on_due(self) -> None:
        self._deciding = None
        self._decide()

    def _go_lost(self) -> None:
        self._arming.lose()
        self._log.warning("signal lost", reason=self._selection.receiver.reason)
        self._tell()
        self._changed.set()

    def _come_back(self, line: ReceiverLine) -> bool:
        """The first frame of a signal; whether it drives."""
        was_lost = self._telling.is_lost
        if not self._telling.frame():
            return False
        self._tell()
        if was_lost:
            self._log.info("signal acquired", protocol=line.connection.protocol)
            self._changed.set()
        return True

    def _arm(self, receiver: Receiver) -> None:
        if not self._arming.take(receiver.us):
            return
        self._log.info("arm switch", armed=self._arming.is_armed)
        if not self._arming.is_armed:
            self._publish(NOTHING, failsafe=True)  # what it drove must not wait for a time-out
        self._changed.set()

    def _tell(self) -> None:
        """Say that the signal is lost, and what that means; again and again where it holds on."""
        if self._telling_again is not None:
            self._telling_again.cancel()
            self._telling_again = None
        action = self._telling.action(self.settings.failsafe.action)
        if action is None:
            return
        content = failsafe_content(action, self._selection.receiver)
        self._publish(content, failsafe=True)
        if content != NOTHING:
            self._telling_again = self._loop.call_later(LOST_PERIOD_S, self._tell)

    def _begin(self, work: Blocker) -> None:
        """Nothing is driven from here meanwhile, whatever a loss would mean."""
        self._arming.lose()
        if self._telling.begin(work):
            self._tell()  # no more of it
            self._publish(NOTHING, failsafe=True)

    def _look_later(self) -> None:
        """Give the signal the time that it needs to come back, then say so if it has not."""
        if self._looking is not None:
            self._looking.cancel()
        rules = self.settings.failsafe
        wait_s = (rules.timeout_ms + rules.recovery_ms) / 1000 + OPENING_S
        self._looking = self._loop.call_later(wait_s, self._look)

    def _look(self) -> None:
        self._looking = None
        if self._selection.is_lost and self._telling.overdue():
            self._tell()

    def _publish(self, content: Content, failsafe: bool) -> None:
        sample = self._sample
        self._stamp.sec, self._stamp.nanosec = divmod(time.time_ns(), 1_000_000_000)
        sample.sequence += 1
        sample.failsafe = failsafe
        sample.names, sample.values = content
        self._samples.publish(sample)

    async def send_telemetry(self) -> None:
        """The robot's state, to every CRSF receiver."""
        while self._display is not None:
            await asyncio.sleep(TELEMETRY_PERIOD_S)
            data = self._display.frames(self.picture(), self._telling.is_lost)
            for line in self._lines:
                if line.connection.protocol == "crsf":
                    line.write(data)

    # The state

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
        self._listener.stalls.beat(now_s)
        self._states.publish(reports.message(self.picture(), now_s, time.time_ns()))


def _connection(settings: RcReceiver) -> ReceiverConnection:
    return ReceiverConnection(
        protocol=settings.protocol, uart=settings.uart, gpio=settings.gpio, ibus=settings.ibus
    )
