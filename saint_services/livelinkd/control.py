"""Handles requests about subjects, their zero offset, scale and measurement, and recordings."""

import asyncio
from collections import Counter
from dataclasses import replace

from ..lib import clock
from ..lib.api import Done, livelink
from ..lib.api.endpoint import Nothing
from ..lib.api.livelink import (
    MeasureSubject,
    PlayRecording,
    RecordingDetail,
    RecordingInfo,
    RecordingList,
    RecordingRef,
    RecordingState,
    SetScale,
    SetZero,
    StartRecording,
    SubjectDetail,
    SubjectList,
    SubjectRef,
)
from ..lib.api.measurement import Measurement
from ..lib.config.spelling import LONGEST_NAME, hint
from ..lib.errors import Code, SaintError
from ..lib.ipc import Api, Call
from . import reports
from .logic import Subject, SubjectRegistry
from .measuring import MOST, RunningMeasurement
from .recorder import Player, Recorder, read
from .senders.limits import Refusals
from .state import MAX_SUBJECTS, SavedTunings, TuningStore
from .tuning import Tuning, looking_straight

MAX_SCALED = 1024  # a sender can make up any number of names


def known_subject(registry: SubjectRegistry, name: str) -> Subject:
    """Return a subject by its name; raise not_found that names a similar one."""
    subject = registry.subjects.get(name)
    if subject is None:
        near = hint(name, registry.subjects)
        raise SaintError(Code.NOT_FOUND, f"subject {name[:LONGEST_NAME]!r} is not known{near}")
    return subject


class SubjectControl:
    """Handlers of requests about subjects."""

    def __init__(
        self,
        registry: SubjectRegistry,
        refusals: Refusals,
        store: TuningStore,
    ) -> None:
        self._registry = registry
        self._refusals = refusals
        self._store = store
        self._saving = asyncio.Lock()

    def add_to(self, api: Api) -> None:
        api.bind(livelink.LIST_SOURCES, self.list_sources)
        api.bind(livelink.GET_SUBJECT, self.get_subject)
        api.bind(livelink.RELEASE, self.release)
        api.bind(livelink.ZERO, self.zero)
        api.bind(livelink.SCALE, self.scale)

    async def list_sources(self, _: Call[Nothing]) -> SubjectList:
        now_s, wall_s = clock.monotonic_s(), clock.wall_s()
        known = self._registry.subjects.values()
        return SubjectList(
            sources=[reports.info(subject, now_s, wall_s) for subject in known],
            refused=dict(self._refusals.by_reason),
            refused_by_sender={ip: dict(c) for ip, c in self._refusals.by_sender.items()},
        )

    async def get_subject(self, call: Call[SubjectRef]) -> SubjectDetail:
        return self._detail(self._known(call.body.subject_name))

    async def release(self, call: Call[SubjectRef]) -> Done:
        subject = self._known(call.body.subject_name)
        self._registry.release(subject.frame.subject)
        held = f"{subject.holder.ip} holds it until another sender uses the name"
        return Done(message=f"{subject.frame.subject} is released; {held}")

    async def zero(self, call: Call[SetZero]) -> SubjectDetail:
        subject = self._known(call.body.subject_name)
        tuning = subject.shaper.tuning
        if call.body.clear:
            await self._tune(subject, replace(tuning, zero={}, rest={}))
        elif not subject.frame.is_tracked:
            raise SaintError(
                Code.REFUSED,
                f"{subject.frame.subject} is not tracked",
                fix="Face the camera and try again.",
            )
        else:
            await self._tune(subject, looking_straight(subject.frame, tuning))
        return self._detail(subject)

    async def scale(self, call: Call[SetScale]) -> SubjectDetail:
        subject = self._known(call.body.subject_name)
        tuning = subject.shaper.tuning
        unknown = call.body.scale.keys() - set(subject.names) - tuning.scale.keys()
        if unknown:
            name = subject.frame.subject
            raise SaintError(Code.NOT_FOUND, f"{name} has no value {min(unknown)!r}")
        scale = {**tuning.scale, **call.body.scale}
        kept = {name: factor for name, factor in scale.items() if factor != 1.0}
        if len(kept) > MAX_SCALED:
            message = f"at most {MAX_SCALED} values of one subject can be scaled"
            raise SaintError(Code.REFUSED, message, fix="Reset some scales to 1.")
        await self._tune(subject, replace(tuning, scale=kept))
        return self._detail(subject)

    async def _tune(self, subject: Subject, tuning: Tuning) -> None:
        """Apply at once; return when it is on disk."""
        name, tunings = subject.frame.subject, self._registry.tunings
        if name not in tunings and len(tunings) >= MAX_SUBJECTS:
            raise SaintError(
                Code.REFUSED,
                f"{MAX_SUBJECTS} subjects have zero or scale settings, which is the limit",
                fix=f"Clear one, such as {next(iter(tunings))!r}.",
            )
        self._registry.tune(name, tuning)
        async with self._saving:
            await asyncio.to_thread(self._store.save, SavedTunings.of(tunings))

    def tuned(self) -> SavedTunings:
        """Return zero and scale of all subjects."""
        return SavedTunings.of(self._registry.tunings)

    async def restore(self, saved: SavedTunings) -> None:
        """Replace zero and scale of all subjects."""
        tunings = saved.tunings()
        for name in {*self._registry.tunings, *tunings}:
            self._registry.tune(name, tunings.get(name, Tuning()))
        async with self._saving:
            await asyncio.to_thread(self._store.save, self.tuned())

    def _known(self, name: str) -> Subject:
        return known_subject(self._registry, name)

    def _detail(self, subject: Subject) -> SubjectDetail:
        return reports.detail(subject, clock.monotonic_s(), clock.wall_s())


class MeasuringControl:
    """Handles requests to measure a subject."""

    def __init__(self, registry: SubjectRegistry, running: list[RunningMeasurement]) -> None:
        self._registry = registry
        self._running = running

    def add_to(self, api: Api) -> None:
        api.bind(livelink.MEASURE, self.measure)

    async def measure(self, call: Call[MeasureSubject]) -> Measurement:
        body = call.body
        known_subject(self._registry, body.subject_name)
        if len(self._running) >= MOST:
            text = f"{MOST} measurements run already, which is the limit"
            raise SaintError(Code.REFUSED, text, fix="Try again in a few seconds.")
        mine = RunningMeasurement(body.subject_name)
        self._running.append(mine)
        try:
            await asyncio.sleep(body.seconds)
        finally:
            self._running.remove(mine)
        return mine.result(body.seconds, frozenset(body.names))


class RecordingControl:
    """Handlers of requests about recordings."""

    def __init__(self, recorder: Recorder, player: Player, tasks: asyncio.TaskGroup) -> None:
        self._recorder = recorder
        self._player = player
        self._tasks = tasks

    def add_to(self, api: Api) -> None:
        api.bind(livelink.LIST_RECORDINGS, self.list_recordings)
        api.bind(livelink.GET_RECORDING, self.get_recording)
        api.bind(livelink.RECORD, self.record)
        api.bind(livelink.STOP_RECORDING, self.stop_recording)
        api.bind(livelink.DELETE_RECORDING, self.delete_recording)
        api.bind(livelink.PLAY, self.play)
        api.bind(livelink.STOP_PLAYING, self.stop_playing)

    async def list_recordings(self, _: Call[Nothing]) -> RecordingList:
        kept = await self._recorder.kept()
        current = self._recorder.current or self._recorder.last
        state = None
        if current is not None:
            is_on = current is self._recorder.current
            state = reports.recording(current, clock.monotonic_s(), is_on)
        return RecordingList(
            recordings=[
                RecordingInfo(name=each.name, size_bytes=each.size_bytes, made=each.made_s)
                for each in kept
            ],
            current=state,
            playing=self._player.name,
            played=self._player.played,
        )

    async def get_recording(self, call: Call[RecordingRef]) -> RecordingDetail:
        name = await self._existing(call.body.name)
        return await asyncio.to_thread(self._summed_up, name)

    def _summed_up(self, name: str) -> RecordingDetail:
        formats: Counter[str] = Counter()
        senders: Counter[str] = Counter()
        first_us = last_us = 0
        for number, line in enumerate(read(self._recorder.path(name))):
            first_us = line.time_us if number == 0 else first_us
            last_us = line.time_us
            formats[line.format] += 1
            if line.sender[0] in senders or len(senders) < 64:
                senders[line.sender[0]] += 1
        return RecordingDetail(
            name=name,
            datagrams=formats.total(),
            seconds=(last_us - first_us) / 1e6,
            formats=dict(formats),
            senders=dict(senders),
        )

    async def record(self, call: Call[StartRecording]) -> RecordingState:
        body = call.body
        begun = await self._recorder.start(body.name, frozenset(body.formats), body.seconds)
        return reports.recording(begun, clock.monotonic_s(), is_on=True)

    async def stop_recording(self, _: Call[Nothing]) -> RecordingState:
        ended = await self._recorder.stop()
        return reports.recording(ended, clock.monotonic_s(), is_on=False)

    async def delete_recording(self, call: Call[RecordingRef]) -> Done:
        name = await self._existing(call.body.name)
        await self._recorder.remove(name)
        return Done(message=f"Recording {name} removed")

    async def play(self, call: Call[PlayRecording]) -> Done:
        body = call.body
        path = self._recorder.path(body.name)
        await self._player.start(self._tasks, path, body.name, body.speed, body.again)
        return Done(message=f"Playing {body.name}")

    async def stop_playing(self, _: Call[Nothing]) -> Done:
        was = await self._player.stop()
        return Done(message="Playback stopped" if was else "No recording was playing")

    async def _existing(self, name: str) -> str:
        """Check that the recording exists, as its name becomes part of a path. Raises not_found."""
        if name not in {kept.name for kept in await self._recorder.kept()}:
            fix = "List them: saintctl livelink recordings."
            raise SaintError(Code.NOT_FOUND, f"there is no recording {name!r}", fix=fix)
        return name
