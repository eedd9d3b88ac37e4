"""Connects receivers, selection, bus and control socket. A frame is published in the callback that
reads its last byte.
"""

import asyncio
import math
import time
from collections.abc import Sequence

from ..lib import clock, log
from ..lib.bus import Bus
from ..lib.bus.input_writer import InputWriter
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.generated.builtin_interfaces import Time
from ..lib.generated.saint_msgs import InputSample, RCReceiverState
from ..lib.generated.topics import INPUT_RC, RC_STATE
from . import reports
from .adapters import LineListener, ReceiverLine
from .api import RcControl
from .backup import backup_of
from .calibration import Calibration
from .channels import Normalizer
from .config import Config, Failover, RcReceiver, ReceiverConnection
from .link_state import Blocker, LinkPhase, LinkState
from .logic import Receiver, SignalChange
from .protocols import CHECKED
from .selection import NOTHING, Arming, Content, Selection, failsafe_content
from .state import FILE, changes, effective, store_in
from .telemetry import TransmitterDisplay

STATE_PERIOD_S = 0.1
STATE_KEEP_ALIVE_S = 0.5  # without a receiver; pages show a state as outdated after a second
LOST_PERIOD_S = 0.05  # failsafe samples repeat: the router may have missed one
TELEMETRY_PERIOD_S = 0.5
OPENING_S = 0.5  # until a line that is opened again has its first frames
SOURCE = "rc"
_LIVE = LinkPhase.LIVE


async def run(context: Context[Config]) -> None:
    """Run the daemon until stopped."""
    store = store_in(context.directories.state)
    saved = await asyncio.to_thread(store.load)
    if store.problem:
        context.health.raise_issue(Code.STATE_DAMAGED, store.problem.message)
    settings = context.config.rc_receiver
    try:
        merged = effective(settings, saved)
    except SaintError as err:  # rcd.yaml has changed since; settings made by hand are kept
        context.health.raise_issue(Code.CONFIG_INVALID, f"{FILE}: {err.message}")
        merged = settings
    if changed := changes(settings, saved):
        log.get(context.name).info(
            "settings made by hand override rcd.yaml", settings=", ".join(changed)
        )
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
    """Publishes the samples of one or two receivers as one input source."""

    def __init__(
        self, context: Context[Config], bus: Bus, writer: InputWriter, settings: RcReceiver
    ) -> None:
        self.settings = settings
        self.calibration: Calibration | None = None
        self._health = context.health
        self._log = log.get(context.name)
        self._loop = asyncio.get_running_loop()
        self._display = TransmitterDisplay(bus) if settings.telemetry else None
        self._listener = LineListener(
            self._on_frame,
            self._on_quiet,
            self._on_open,
            self._on_gone,
            self._sensor_values if self._display else None,
        )
        self._lines = [self._line(settings)]
        if settings.failover:
            self._lines.append(self._line(settings.failover))
        self._selection = Selection([line.receiver for line in self._lines])
        self._selection.rules = settings.failover or Failover()
        self._arming = Arming(settings.arm)
        self._link = LinkState()
        self._samples = writer.publisher(INPUT_RC)
        self._states = bus.publisher(RC_STATE)
        self._sent_state: RCReceiverState | None = None
        self._sent_s = -math.inf
        self._stamp = Time()
        # One message object for all frames. Sequences rise over restarts too, or the first samples
        # after one would look like repeated ones.
        first = time.monotonic_ns() // 1000
        self._sample = InputSample(stamp=self._stamp, source=SOURCE, sequence=first)
        self._repeat_timer: asyncio.TimerHandle | None = None
        self._acquisition_timer: asyncio.TimerHandle | None = None
        self._selection_timer: asyncio.TimerHandle | None = None
        self._changed = asyncio.Event()

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
        """The receiver in charge."""
        return self._selection.receiver

    @property
    def is_enabled(self) -> bool:
        return Blocker.OFF not in self._link.blockers

    def snapshot(self) -> reports.ReceiverSnapshot:
        """Collect the state of all receivers for reports."""
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
            self._link.action(failsafe.action),
            self._arming.is_armed if arm else None,
            self.calibration is not None,
            arm.number if arm else None,
            failsafe.channel.number if failsafe.channel else None,
        )

    def switch(self, enabled: bool) -> None:
        """Open or close the lines."""
        if enabled != self.is_enabled:
            self._log.info("receiver enabled" if enabled else "receiver disabled")
        if enabled:
            self._link.unblock(Blocker.OFF)
            for line in self._lines:
                line.start()
            return
        self.calibrate(None)
        self._block(Blocker.OFF)
        for line in self._lines:
            line.close("the receiver is disabled")
        self._health.clear(Code.HARDWARE_MISSING)
        self._health.clear(Code.HARDWARE_FAULT)

    def reconfigure(self, settings: RcReceiver) -> None:
        """Apply settings from the next frame on; a line is opened again only when it changed."""
        before, self.settings = self.settings, settings
        for line in self._lines:
            line.receiver.rules = settings.failsafe
            if settings.channels != before.channels:
                line.receiver.apply(Normalizer(settings.channels))
        if _connection(settings) != _connection(before):
            self.pause("the connection is being changed")
            self._lines[0] = self._line(settings)
            self._selection.receivers = [line.receiver for line in self._lines]
            self.resume()
        else:
            self._publish_failsafe()
        self._changed.set()

    def pause(self, reason: str) -> None:
        """Close the primary line and release control, until `resume`."""
        self._block(Blocker.LINE)
        self._lines[0].close(reason)

    def resume(self) -> None:
        """Open the primary line again. Without a signal in time, it counts as lost."""
        self._link.unblock(Blocker.LINE)
        if self.is_enabled:
            self._lines[0].start()
        self._await_acquisition()

    def calibrate(self, calibration: Calibration | None) -> None:
        """Start a calibration, during which the sticks drive nothing, or end it with None."""
        if calibration is None and self.calibration is None:
            return
        self.calibration = calibration
        if calibration is not None:
            self._block(Blocker.CALIBRATION)
        else:
            self._link.unblock(Blocker.CALIBRATION)
            self._await_acquisition()
        self._changed.set()

    def summary(self) -> str:
        """Return one line for `systemctl status`."""
        places = [f"{line.connection.protocol} on {line.connection.place}" for line in self._lines]
        return ", then ".join(places) + ("" if self.is_enabled else ", disabled")

    def close(self) -> None:
        """Release control with the last sample, then close all lines."""
        self._block(Blocker.OFF)
        for line in self._lines:
            line.close("rcd has stopped")
        for timer in (self._repeat_timer, self._selection_timer, self._acquisition_timer):
            if timer is not None:
                timer.cancel()

    # From the lines

    def _on_open(self, line: ReceiverLine) -> None:
        if not any(each.problem for each in self._lines):
            self._health.clear(Code.HARDWARE_MISSING)
            self._health.clear(Code.HARDWARE_FAULT)
        self._log.info("receiver connected", device=line.connection.place)

    def _on_gone(self, line: ReceiverLine, error: SaintError) -> None:
        self._health.raise_issue(error.code, error.message)
        self._changed.set()

    def _on_frame(self, line: ReceiverLine, outcome: SignalChange) -> None:
        if len(self._lines) > 1 or outcome is SignalChange.LOST:
            self._select()
        if outcome is not SignalChange.LIVE or line.receiver is not self._selection.receiver:
            return
        if self.calibration is not None:
            self.calibration.take(line.receiver.us, clock.monotonic_s())
            return
        if self._link.phase is not _LIVE and not self._acquire(line):
            return
        if self._arming.rules is not None:
            self._arm(line.receiver)
            self._publish(self._arming.content(line.receiver), failsafe=False)
            return
        self._publish((line.receiver.names, line.receiver.values), failsafe=False)

    def _on_quiet(self, line: ReceiverLine) -> None:
        """Hold: frames are missing, but it is too early for another source to take over."""
        if line.receiver is self._selection.receiver and self._link.missing():
            self._publish_failsafe()

    def _select(self) -> None:
        """Select the receiver in charge, and detect the loss of all signals."""
        selection, now_s = self._selection, clock.monotonic_s()
        if selection.decide(now_s):
            in_charge = self._lines[selection.in_charge].connection.place
            self._log.warning("another receiver is in charge", device=in_charge)
            self._changed.set()
        if selection.is_lost:
            if self._link.lose():
                self._go_lost()
        elif selection.receiver.failsafe and self._link.wait_for_standby():
            self._publish_failsafe()
        due_s = selection.due_s(now_s)
        if due_s is not None and self._selection_timer is None:
            self._selection_timer = self._loop.call_later(due_s - now_s, self._on_due)

    def _on_due(self) -> None:
        self._selection_timer = None
        self._select()

    def _go_lost(self) -> None:
        self._arming.lose()
        self._log.warning("signal lost", reason=self._selection.receiver.reason)
        self._publish_failsafe()
        self._changed.set()

    def _acquire(self, line: ReceiverLine) -> bool:
        """Record the first frame of a signal; return True when it drives."""
        was_lost = self._link.is_lost
        if not self._link.frame():
            return False
        self._publish_failsafe()
        if was_lost:
            self._log.info("signal acquired", protocol=line.connection.protocol)
            self._changed.set()
        return True

    def _arm(self, receiver: Receiver) -> None:
        if not self._arming.update(receiver.us):
            return
        self._log.info("arm switch", armed=self._arming.is_armed)
        if not self._arming.is_armed:
            self._publish(NOTHING, failsafe=True)  # releases at once instead of by a time-out
        self._changed.set()

    def _publish_failsafe(self) -> None:
        """Publish a failsafe sample with the action of the loss, and repeat it while it holds."""
        if self._repeat_timer is not None:
            self._repeat_timer.cancel()
            self._repeat_timer = None
        action = self._link.action(self.settings.failsafe.action)
        if action is None:
            return
        content = failsafe_content(action, self._selection.receiver)
        self._publish(content, failsafe=True)
        if content != NOTHING:
            self._repeat_timer = self._loop.call_later(LOST_PERIOD_S, self._publish_failsafe)

    def _block(self, blocker: Blocker) -> None:
        """Release control until the blocker is removed, whatever the failsafe action is."""
        self._arming.lose()
        if self._link.block(blocker):
            self._publish_failsafe()  # ends the repetition
            self._publish(NOTHING, failsafe=True)

    def _await_acquisition(self) -> None:
        """Publish a loss unless a signal is acquired in the time that this takes."""
        if self._acquisition_timer is not None:
            self._acquisition_timer.cancel()
        rules = self.settings.failsafe
        wait_s = (rules.timeout_ms + rules.recovery_ms) / 1000 + OPENING_S
        self._acquisition_timer = self._loop.call_later(wait_s, self._on_acquisition_timeout)

    def _on_acquisition_timeout(self) -> None:
        self._acquisition_timer = None
        if self._selection.is_lost and self._link.acquisition_timed_out():
            self._publish_failsafe()

    def _publish(self, content: Content, failsafe: bool) -> None:
        sample = self._sample
        self._stamp.sec, self._stamp.nanosec = divmod(time.time_ns(), 1_000_000_000)
        sample.sequence += 1
        sample.failsafe = failsafe
        sample.names, sample.values = content
        self._samples.publish(sample)

    def _sensor_values(self) -> Sequence[int]:
        """Return what an IBUS receiver may poll."""
        if self._display is None:
            return ()
        return self._display.sensor_values(self.snapshot(), self._link.is_lost)

    async def send_telemetry(self) -> None:
        """Send the robot's state to every CRSF receiver, until stopped."""
        while self._display is not None:
            await asyncio.sleep(TELEMETRY_PERIOD_S)
            data = self._display.frames(self.snapshot(), self._link.is_lost)
            for line in self._lines:
                if line.connection.protocol == "crsf":
                    line.write(data)

    # The state

    async def publish_states(self, stopping: asyncio.Event) -> None:
        """Publish RC_STATE at once on a change, ten times a second while frames come, and every
        STATE_KEEP_ALIVE_S at rest, until stopped."""
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
        state = reports.message(self.snapshot(), now_s, time.time_ns())
        if state != self._sent_state or now_s - self._sent_s > STATE_KEEP_ALIVE_S:
            self._sent_state, self._sent_s = state, now_s
            self._states.publish(state)


def _connection(settings: RcReceiver) -> ReceiverConnection:
    return ReceiverConnection(
        protocol=settings.protocol, uart=settings.uart, gpio=settings.gpio, ibus=settings.ibus
    )
