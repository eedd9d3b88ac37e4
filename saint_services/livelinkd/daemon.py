"""Connects listeners, decoders, subjects and bus, all in the callback that reads a datagram."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from ..lib import clock, log
from ..lib.bus import Bus
from ..lib.bus.input_writer import InputWriter
from ..lib.daemon import Context
from ..lib.errors import SaintError
from ..lib.generated.saint_msgs import InputSample
from ..lib.generated.topics import INPUT_LIVELINK, LIVELINK_FRAME, LIVELINK_SUBJECT
from ..lib.ipc import Api
from ..lib.state import StateStore
from . import reports, state, switches
from .backup import backup_of
from .config import Config
from .control import MeasuringControl, RecordingControl, SubjectControl
from .listeners.listeners import Listeners, formats_of
from .logic import Address, Subject, SubjectRegistry
from .measuring import RunningMeasurement
from .protocols import CaptureDecoder, Decode, Refused, make_decoder
from .protocols.ifacialmocap import PHONE_PORT
from .recorder import MEGABYTE, Player, Recorder
from .senders.acceptance import SenderGate
from .senders.api import SenderControl
from .senders.limits import TOO_FAST, Refusals, SenderLimit
from .senders.phones import PhonePolling, known_senders, split_address
from .switches import FormatSwitches

if TYPE_CHECKING:
    from .capture.client import CaptureClient

Loaded = TypeVar("Loaded", bound=BaseModel)


async def run(context: Context[Config]) -> None:
    """Run the daemon until stopped."""
    config = context.config
    store = StateStore(context.directories.state / state.FILE, state.SavedTunings, state.VERSION)
    bus = await context.open_bus()
    writer = InputWriter("livelinkd", context.directories.runtime, bus, context.health)
    daemon = Livelinkd(context, bus, writer)
    context.spawn(writer.stay_registered(), "registration")
    daemon.registry.tunings = (await _loaded(context, store, state.SavedTunings())).tunings()
    recorder, player = daemon.recorder, Player(daemon.play)
    listeners = Listeners(config, daemon)
    api = Api()
    subjects = SubjectControl(daemon.registry, daemon.refusals, store)
    subjects.add_to(api)
    MeasuringControl(daemon.registry, daemon.measurements).add_to(api)
    switching = _switches(context, daemon, listeners)
    switching.add_to(api)
    accepting = await _accepting(context, daemon)
    accepting.add_to(api)
    backup_of(subjects, switching, accepting).add_to(api)
    RecordingControl(recorder, player, context.tasks).add_to(api)
    listeners.take(context.sockets)
    await switching.apply(await _loaded(context, switching.store, switches.SavedSwitches()))
    await context.serve_ipc(api)
    context.spawn(recorder.work(), "recorder")
    context.spawn(listeners.run(), "listeners")
    context.ready("listening")
    await context.stopping.wait()
    listeners.close()
    await player.stop()
    await recorder.close()


async def _accepting(context: Context[Config], daemon: "Livelinkd") -> SenderControl:
    """Load the accepted senders and the robot's code."""
    folder = context.directories.state
    store = StateStore(folder / state.SENDERS_FILE, state.SavedSenders, state.SENDERS_VERSION)
    codes = StateStore(folder / state.CODE_FILE, state.SavedCode, state.CODE_VERSION)
    given = context.config.accept
    made = SenderControl(daemon.gate, daemon.registry, given, store, codes, daemon.end)
    saved = await _loaded(context, store, state.SavedSenders())
    await made.start(saved, await _loaded(context, codes, state.SavedCode()))
    return made


def _switches(
    context: Context[Config], daemon: "Livelinkd", listeners: Listeners
) -> FormatSwitches:
    """Make the format switches that an admin sets over the settings."""
    config = context.config
    phones: list[asyncio.Task[None]] = []

    def capture(is_on: bool) -> None:
        if is_on and not phones:
            client = _capture(config, daemon, listeners)
            phones.append(context.spawn(client.run(), "capture"))
        while phones and not is_on:
            phones.pop().cancel()

    path = context.directories.state / switches.FILE
    store = StateStore(path, switches.SavedSwitches, switches.VERSION)
    return FormatSwitches(config, store, listeners, daemon.limit, capture)


def _capture(config: Config, daemon: "Livelinkd", listeners: Listeners) -> "CaptureClient":
    from .capture.client import CONTROL_PORT, CaptureClient

    settings = config.formats.capture
    phones = [split_address(phone, CONTROL_PORT) for phone in settings.phones]
    send = partial(listeners.send, "capture") if settings.discover else None
    return CaptureClient(settings.port, daemon.capture, phones, send)


async def _loaded(context: Context[Config], store: StateStore[Loaded], empty: Loaded) -> Loaded:
    try:
        saved = await asyncio.to_thread(store.load)
    except SaintError as err:  # of a newer version: left in place, not used
        context.health.raise_issue(err.code, err.message)
        return empty
    if store.problem:
        context.health.raise_issue(store.problem.code, store.problem.message)
    return saved


class Livelinkd:
    """Decodes datagrams of all senders and publishes their subjects."""

    def __init__(self, context: Context[Config], bus: Bus, writer: InputWriter) -> None:
        config = context.config
        self.registry = SubjectRegistry(config.release_after_s)
        self.gate = SenderGate(settings=known_senders(config))
        self.refusals = Refusals()
        self.recorder = Recorder(
            context.directories.state / "recordings",
            config.recordings.largest_mb * MEGABYTE,
            config.recordings.most,
        )
        phones = config.formats.ifacialmocap.phones
        self.phones = PhonePolling([split_address(phone, PHONE_PORT) for phone in phones])
        self.capture = CaptureDecoder()
        self._log = log.get(context.name)
        formats = config.formats
        vmc, face = formats.vmc, formats.ifacialmocap
        self._decoders: dict[str, Decode] = {
            "llf": make_decoder("llf"),
            "json": make_decoder("json"),
            "vmc": make_decoder("vmc", vmc.subject, vmc.names),
            "ifacialmocap": make_decoder("ifacialmocap", face.subject, face.names),
            "lines": make_decoder("lines"),
            "capture": self.capture,
        }
        self._formats = formats_of(config)
        self._limits: dict[str, SenderLimit] = {}
        self.limit(config.datagrams_per_second)
        self.measurements: list[RunningMeasurement] = []
        self._changed: dict[str, Subject] = {}  # avatars with a part of a frame
        self._samples = writer.publisher(INPUT_LIVELINK)
        self._frames = bus.publisher(LIVELINK_FRAME)
        self._subjects = bus.publisher(LIVELINK_SUBJECT)

    def limit(self, datagrams_per_second: int) -> None:
        """Limit one sender's rate, for formats without a limit of their own."""
        self._limits = {
            name: SenderLimit(settings.datagrams_per_second or datagrams_per_second)
            for name, settings in self._formats.items()
        }

    def take(self, format: str, data: bytes, address: Address) -> str | None:
        """Process one datagram or line; return why it was refused, or None."""
        now_s = clock.monotonic_s()
        if not self._limits[format].allows(address[0], now_s):
            self.refusals.count(TOO_FAST, address[0])
            return TOO_FAST.reason
        if self.recorder.current is not None:
            self.recorder.note(format, data, address, now_s)
        return self._decoded(format, data, address, now_s)

    def play(self, format: str, data: bytes, address: Address) -> None:
        """Process one datagram of a recording."""
        if format in self._decoders:
            self._decoded(format, data, address, clock.monotonic_s(), is_played=True)
            self.publish_changed()

    def end(self, name: str) -> None:
        """End a subject whose sender is no longer accepted, with a last failsafe sample."""
        subject = self.registry.remove(name)
        if subject is None:
            return
        self._changed.pop(subject.source, None)
        self._samples.publish(
            InputSample(
                stamp=clock.stamp(),
                source=subject.source,
                sequence=subject.sequence + 1,
                failsafe=True,
            )
        )
        self._log.info("subject ended", subject=name, sender=subject.holder.ip)

    def publish_changed(self) -> None:
        """Publish avatars that arrive in many datagrams, once for all that arrived together."""
        if self._changed:
            now_s = clock.monotonic_s()
            for subject in self._changed.values():
                self._publish(subject, now_s)
            self._changed.clear()

    def _decoded(
        self, format: str, data: bytes, address: Address, now_s: float, *, is_played: bool = False
    ) -> str | None:
        reason = None
        for outcome in self._decoders[format](data, address[0]):
            if not (is_played or isinstance(outcome, Refused)):
                outcome = self.gate.refusal(outcome, format, address[0], now_s) or outcome
            subject: Subject | Refused = (
                outcome
                if isinstance(outcome, Refused)
                else self.registry.take(outcome, address, now_s, format)
            )
            if isinstance(subject, Refused):
                self.refusals.count(subject, address[0])
                reason = subject.reason
                continue
            if subject.is_news:
                subject.is_news = False
                self._log.info(
                    "subject connected",
                    subject=subject.frame.subject, sender=address[0], format=format,
                )  # fmt: skip
            if format == "vmc":
                self._changed[subject.source] = subject
            else:
                self._publish(subject, now_s)
        if format == "ifacialmocap":
            self.phones.received(address[0], now_s)
        return reason

    def _publish(self, subject: Subject, now_s: float) -> None:
        values = subject.shaper.values(subject.frame)
        for each in self.measurements:
            if each.subject == subject.frame.subject:
                each.take(subject.shaper.names, values)
        self._samples.publish(
            InputSample(
                stamp=clock.stamp(),
                source=subject.source,
                sequence=subject.sequence,
                failsafe=not values,  # the sender is active, but nothing is tracked
                names=subject.shaper.names if values else (),
                values=values,
            )
        )
        if subject.is_due(now_s):
            self._frames.publish(reports.message(subject, values, clock.wall_s()))
        if subject.is_to_describe(now_s):
            self._subjects.publish(reports.description(subject, now_s))
