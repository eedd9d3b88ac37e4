"""Presses and clears of three people in any order, with crashes at any write between them. Each
clears what was on their screen last; the real router, store and file are used.
"""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.health import Health
from saint_services.lib.stall import StallWatch
from saint_services.routerd.estop.latch import MOST_PRESSES, Latch
from saint_services.routerd.estop.latch_file import LatchFile
from saint_services.routerd.estop.latch_start import after_start, leave_marker
from saint_services.routerd.estop.latch_store import LatchClearing, LatchStore
from saint_services.routerd.logic import Router
from tests.unit.routerd.rig import robot
from tests.waiting import turns

PEOPLE = st.sampled_from(["A", "B", "C"])
NOW_S = 1_790_000_000
# Which write from now ends the process, and whether it comes to the disk; (-1, ...): none does.
CUTS = st.sampled_from([(-1, False), (-1, False), (0, False), (0, True), (1, False), (1, True)])


class PowerCutError(Exception):
    """Raised at the write at which the power fails."""


class FailingFile(LatchFile):
    """Ends the process before or after its n-th write from now."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.crash_in = -1
        self.is_after = False

    def write(self, payload: bytes) -> None:
        if self.crash_in == 0:
            if self.is_after:
                super().write(payload)
            raise PowerCutError
        self.crash_in -= 1
        super().write(payload)


class Latches(RuleBasedStateMachine):
    """`wall` runs backwards now and then: the clock of a Pi does."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(dir="/dev/shm")
        self.loop = asyncio.new_event_loop()
        self.wall = NOW_S
        self.standing: set[str] = set()  # presses since the last release, by their reason
        self.confirmed = False  # a press was confirmed, or the robot was found stopped
        self.newest = 0  # generation that was confirmed
        self.pressed = 0
        self.seen: dict[str, tuple[int, set[str]]] = {}
        self.start()

    def start(self, *, must_stop: bool = False) -> None:
        begun = after_start(Path(self.folder.name), self.wall)
        self.router = Router(robot(), (), begun.latch)
        self.file = FailingFile(Path(self.folder.name))
        self.store = LatchStore(Health("routerd"), self.file, begun.latch)
        self.clearing = LatchClearing(self.router, self.store, StallWatch(1.0), self.settle)
        self.loop.run_until_complete(self.store.save())
        leave_marker(Path(self.folder.name), begun.latch)
        assert begun.latch.generation >= self.newest, "the generation fell"
        if self.confirmed or must_stop:
            assert begun.latch.active, "a restart has released the robot"
        self.standing = {each.reason for each in begun.latch.presses}
        self.confirmed, self.newest = begun.latch.active, begun.latch.generation

    def settle(self) -> None:
        self.store.put(self.router.latch)

    @rule(person=PEOPLE, looks=st.booleans(), cut=CUTS)
    def press(self, person: str, looks: bool, cut: tuple[int, bool]) -> None:
        self.file.crash_in, self.file.is_after = cut
        self.pressed += 1
        reason = f"press {self.pressed} of {person}"
        self.router.raise_estop(person, reason, 0.0)
        self.standing.add(reason)
        self.settle()
        if looks:  # also at what is never stored
            self.look(person)
        try:
            assert self.loop.run_until_complete(self.store.settled()) == ""
        except PowerCutError:
            self.start()
        else:
            self.confirmed, self.newest = True, self.router.latch.generation

    @rule(person=PEOPLE)
    def look(self, person: str) -> None:
        latch = self.router.latch
        left_out = self.standing if latch.more else set()
        shown = {each.reason for each in latch.presses}
        self.seen[person] = (latch.generation, shown | left_out)

    @rule(person=PEOPLE, looks=st.booleans(), presses_meanwhile=st.booleans(), cut=CUTS)
    def clear(
        self, person: str, looks: bool, presses_meanwhile: bool, cut: tuple[int, bool]
    ) -> None:
        self.file.crash_in, self.file.is_after = cut
        if looks:
            self.look(person)
        generation, shown = self.seen.get(person, (0, set()))
        was_active, is_cut = self.router.latch.active, False
        work = self.clearing_of(person, generation, presses_meanwhile)
        try:
            refusal = self.loop.run_until_complete(work)
        except PowerCutError:
            refusal, is_cut = None, True
        if was_active and not self.router.latch.active:
            assert self.standing <= shown, "a press that was not seen was released"
            assert self.router.latch.generation > generation
            self.standing, self.confirmed = set(), False
        if refusal:
            assert refusal.code is Code.REFUSED and self.router.latch.active
        if is_cut:
            self.start(must_stop=self.router.latch.active)
        else:
            self.newest = max(self.newest, self.router.latch.generation)

    async def clearing_of(
        self, person: str, generation: int, presses_meanwhile: bool
    ) -> SaintError | None:
        work = asyncio.ensure_future(self.clearing.clear(person, generation))
        await turns(1)  # the first record is on its way
        if presses_meanwhile and not work.done() and self.router.latch.active:
            self.pressed += 1
            reason = f"press {self.pressed} meanwhile"
            self.router.raise_estop("B", reason, 0.0)
            self.standing.add(reason)
            self.settle()
        try:
            await work
        except SaintError as err:
            return err
        return None

    @rule(wall=st.sampled_from([100, NOW_S, NOW_S + 10_000]))
    def crash(self, wall: int) -> None:
        self.wall = wall
        self.start()

    @rule(half=st.booleans())
    def lose_the_file(self, half: bool) -> None:
        path = self.file.path
        if half:
            path.write_bytes(path.read_bytes()[:100])
        else:
            path.unlink()
        self.start(must_stop=True)

    @invariant()
    def list_of_presses_is_bounded(self) -> None:
        latch: Latch = self.router.latch
        assert latch.active == bool(latch.presses)
        assert len(latch.presses) <= MOST_PRESSES

    def teardown(self) -> None:
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()
        self.folder.cleanup()


Latches.TestCase.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
TestLatchOfThreePeople = Latches.TestCase
