"""Requests about sequences, and the turns in which they are played and recorded. Not here: what a
sequence requests (course.py), how it ends (player.py), files (store.py).
"""

import asyncio
from collections.abc import Callable
from typing import Final

from ...lib.api import Done, sequences
from ...lib.api.endpoint import Nothing
from ...lib.api.sequences import (
    ImportEpisode,
    JointSequence,
    PlaySequence,
    RecordSequence,
    SaveSequence,
    SequenceInfo,
    SequenceList,
    SequenceParams,
    SequenceRecording,
    StopSequence,
)
from ...lib.clock import monotonic_s
from ...lib.config.spelling import hint_or_all
from ...lib.errors import Code, SaintError
from ...lib.ipc import Api, Call
from ...lib.stall import StallWatch
from ..inputs.late_requests import check_in_time
from ..logic import Router
from .episode import sequence_of
from .player import SequencePlayer
from .recorder import SequenceRecorder
from .store import SequenceStore

TURN_S: Final = 0.02


class SequencesApi:
    """Answers requests. `settle` acts on what a turn has changed in the router."""

    def __init__(
        self,
        router: Router,
        store: SequenceStore,
        stalls: StallWatch,
        settle: Callable[[], None],
    ) -> None:
        self._router = router
        self._stalls = stalls
        self._store = store
        self._settle = settle
        self._players: dict[str, SequencePlayer] = {}  # by target; the last one stays
        self._recorder: SequenceRecorder | None = None
        self._is_busy = asyncio.Event()  # something is played or recorded

    def add_to(self, api: Api) -> Api:
        api.bind(sequences.LIST_SEQUENCES, self.list_sequences)
        api.bind(sequences.GET_SEQUENCE, self.get_sequence)
        api.bind(sequences.SAVE_SEQUENCE, self.save_sequence)
        api.bind(sequences.DELETE_SEQUENCE, self.delete_sequence)
        api.bind(sequences.IMPORT_EPISODE, self.import_episode)
        api.bind(sequences.RECORD_SEQUENCE, self.record_sequence)
        api.bind(sequences.FINISH_RECORDING, self.finish_recording)
        api.bind(sequences.PLAY_SEQUENCE, self.play_sequence)
        api.bind(sequences.STOP_SEQUENCE, self.stop_sequence)
        return api

    async def work(self) -> None:
        """Take turns while something is played or recorded, until stopped."""
        loop = asyncio.get_running_loop()
        while True:
            await self._is_busy.wait()
            due_s = loop.time()
            while self._turn():
                due_s = max(due_s + TURN_S, loop.time())  # missed turns are not made up
                await asyncio.sleep(due_s - loop.time())
            self._is_busy.clear()

    def _turn(self) -> bool:
        """Play and record; return whether anything goes on."""
        now_s = monotonic_s()
        playing = [each for each in self._players.values() if not each.reason]
        for player in playing:
            player.step(now_s)
        recorder = self._recorder
        if recorder is not None:
            recorder.look(now_s, is_stopped=self._router.latch.active)
        if playing:
            self._settle()
        is_recording = recorder is not None and not recorder.is_over
        return is_recording or any(not each.reason for each in playing)

    async def list_sequences(self, _: Call[Nothing]) -> SequenceList:
        return await self._listed()

    async def _listed(self) -> SequenceList:
        infos = await asyncio.to_thread(self._store.infos)
        recorder = self._recorder
        recording = None
        if recorder is not None:
            recording = SequenceRecording(
                target=recorder.target, name=recorder.name,
                frames=len(recorder.frames), at_s=recorder.at_s,
            )  # fmt: skip
        playing = [player.info() for player in self._players.values()]
        return SequenceList(sequences=infos, playing=playing, recording=recording)

    async def get_sequence(self, call: Call[SequenceParams]) -> JointSequence:
        return await asyncio.to_thread(self._store.read, call.body.sequence_name)

    async def save_sequence(self, call: Call[SaveSequence]) -> SequenceInfo:
        body = call.body
        return await asyncio.to_thread(self._store.write, body.sequence_name, body.sequence)

    async def delete_sequence(self, call: Call[SequenceParams]) -> Done:
        name = call.body.sequence_name
        await asyncio.to_thread(self._store.delete, name)
        return Done(message=f"sequence {name} is deleted")

    async def import_episode(self, call: Call[ImportEpisode]) -> SequenceInfo:
        body = call.body
        self._check_target(body.target)
        fields = self._router.robot.fields[body.target]
        found = await asyncio.to_thread(sequence_of, body, fields)
        return await asyncio.to_thread(self._store.write, body.sequence_name, found)

    async def record_sequence(self, call: Call[RecordSequence]) -> SequenceList:
        body, running = call.body, self._recorder
        self._check_target(body.target)
        if running is not None:
            raise SaintError(
                Code.CONFLICT,
                f"{running.target} is being recorded as {running.name}",
                fix="Finish that recording first.",
            )
        positions = [
            output
            for output in self._router.outputs
            if output.target == body.target and not output.is_velocity
        ]
        self._recorder = SequenceRecorder(body.sequence_name, body.target, positions)
        self._is_busy.set()
        return await self._listed()

    async def finish_recording(self, _: Call[Nothing]) -> SequenceInfo:
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            raise SaintError(Code.REFUSED, "nothing is being recorded")
        return await asyncio.to_thread(self._store.write, recorder.name, recorder.result())

    async def play_sequence(self, call: Call[PlaySequence]) -> SequenceList:
        check_in_time(self._stalls, "nothing is played")
        body = call.body
        self._check_target(body.target)
        sequence = await asyncio.to_thread(self._store.read, body.sequence_name)
        before = self._players.pop(body.target, None)
        now_s = monotonic_s()
        if before is not None and not before.reason:
            before.end(f"{body.sequence_name} was started", now_s)
        try:
            self._players[body.target] = SequencePlayer.begin(self._router, sequence, body, now_s)
        finally:
            self._settle()
        self._is_busy.set()
        return await self._listed()

    async def stop_sequence(self, call: Call[StopSequence]) -> SequenceList:
        player = self._players.get(call.body.target)
        if player is None or player.reason:
            raise SaintError(Code.NOT_FOUND, f"{call.body.target} plays no sequence")
        player.end("stopped", monotonic_s())
        self._settle()
        return await self._listed()

    def _check_target(self, target: str) -> None:
        known = self._router.robot.fields
        if target not in known:
            meant = hint_or_all(target, known)
            raise SaintError(Code.NOT_FOUND, f"there is no target {target!r}{meant}")
