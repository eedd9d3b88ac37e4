"""Power may go between any two steps of an update: no slot that did not pass is marked good, no
verdict is lost, nothing is installed while the machine is in use, nothing is tried without end.
"""

from dataclasses import dataclass, field

import pytest
from hypothesis import settings as limits
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from saint_services.lib.api.firmware import UpdateState, UpdateVerdict
from saint_services.lib.update import events
from saint_services.lib.update.events import Update, WantedRelease
from saint_services.lib.update.installer import BundleInfo, Slot, SlotMark, Slots
from saint_services.lib.update.logic import step
from saint_services.lib.update.record import StateBefore, UpdatePhase, UpdateRecord
from saint_services.lib.update.trial import MOST_RESTARTS
from tests.examples import examples

pytestmark = pytest.mark.timeout(120)  # thousands of steps on a busy machine
TRIES = 3
BEFORE = StateBefore(role_answered=True, answered=("role head",))
SILENT = "RAUC does not run here"


@dataclass
class Card:
    """What is in the slots and what the boot loader has noted: outlives everything."""

    versions: dict[str, str] = field(default_factory=lambda: {"A": "1.0", "B": ""})
    kinds: dict[str, str] = field(default_factory=lambda: {"A": "well", "B": "dead"})
    order: list[str] = field(default_factory=lambda: ["A", "B"])
    left: dict[str, int] = field(default_factory=lambda: {"A": TRIES, "B": TRIES})
    activations: dict[str, int] = field(default_factory=lambda: {"A": 0, "B": 0})
    complete: dict[str, bool] = field(default_factory=lambda: {"A": True, "B": True})
    record: UpdateRecord = field(default_factory=UpdateRecord)

    def choose(self) -> str:
        """As the boot script does."""
        for letter in self.order:
            if self.left[letter] > 0:
                self.left[letter] -= 1
                return letter
        for letter in "AB":  # the last resort, for one start
            if self.left[letter] > 0:
                self.left = {**dict.fromkeys("AB", TRIES), letter: self.left[letter] - 1}
                return letter
        self.left = dict.fromkeys("AB", TRIES)
        return self.choose()


class OneMachine(RuleBasedStateMachine):
    """Plays the card, the boot loader, the installer, the release on trial and the callers."""

    def __init__(self) -> None:
        super().__init__()
        self.card = Card()
        self.passed = {("A", "1.0")}  # slot and version that went through a trial
        self.awaited: tuple[str, int] | None = None  # a try that needs a verdict
        self.cuts = 0  # interrupted installations
        self.offers: dict[str, int] = {}  # automatic installations of each version, since requested
        self.now_s = 0.0
        self.requested = 0
        self.is_moving = False
        self.is_unsafe = False
        self.is_held = False
        self.is_rauc_up = True
        self.is_full = False
        self.batches: list[list[events.Action]] = []  # what fails drops the rest of its own
        self.running: events.Install | events.FollowInstallation | None = None
        self.incoming = ""
        self.inspecting: events.Inspect | None = None
        self.boot()

    # the machine

    def boot(self) -> None:
        """Power on, or a restart: what is not on the card is gone."""
        self.batches, self.running, self.inspecting, self.incoming = [], None, None, ""
        self.is_moving = self.has_moved = self.is_held = self.is_unsafe = False
        self.is_restart_requested = False
        for _ in range(20):
            self.slot = self.card.choose()
            if self.card.kinds[self.slot] != "dead":
                break
        else:
            raise AssertionError("no slot that starts is ever chosen")
        pending = self.card.record.pending
        # The initrd ends the dead-man unless the slot is on trial.
        self.is_disarmed = not pending or pending.to_slot != self.slot
        self.start_process()

    def start_process(self) -> None:
        pending = self.card.record.pending
        self.cuts += pending is not None and pending.phase is UpdatePhase.WRITING
        is_rejected = pending and pending.phase is UpdatePhase.CONDEMNED
        self.needs_rest = not (is_rejected and pending.to_slot == self.slot)
        self.update = Update(self.card.versions[self.slot])
        self.is_held = False
        self.batches = [[events.ReadState()]]

    def slots(self) -> Slots:
        spare = "B" if self.slot == "A" else "A"
        card = self.card
        primary = next((x for x in card.order if card.left[x] > 0), "")
        return Slots(
            Slot("booted", self.slot, is_booted=True),
            Slot(
                "other",
                spare,
                is_bootable=spare in card.order and card.left[spare] > 0,
                is_complete=card.complete[spare],
                version=card.versions[spare],
                activations=card.activations[spare],
            ),
            primary,
            "robot",
        )

    def happens(self, event: events.Event) -> None:
        self.update, actions = step(self.update, event)
        self.batches += [list(actions)] if actions else []

    # actions, one at a time: power may go between any two

    @precondition(lambda self: self.batches)
    @rule(is_faulty=st.integers(0, 9).map(lambda n: n == 0))
    def next_action(self, is_faulty: bool) -> None:
        batch = self.batches[0]
        action = batch.pop(0)
        if not batch:
            del self.batches[0]
        if isinstance(action, events.SaveRecord) and self.is_full:
            self.fail(action, batch)
            return
        if isinstance(action, events.SaveRecord | events.SetMark | events.Restart) and is_faulty:
            self.fail(action, batch)
            return
        if isinstance(action, events.SetMark | events.SwitchSlot) and not self.is_rauc_up:
            self.fail(action, batch)
            return
        if isinstance(action, events.StopWork) and (self.is_moving or self.update.in_use):
            self.fail(action, batch)
            return
        self.carry_out(action)

    @rule(count=st.integers(1, 40), kind=st.sampled_from(["well", "ill", "dead"]))
    def goes_its_way(self, count: int, kind: str) -> None:
        """Some steps without anything in between, so that all depths are reached."""
        for _ in range(count):
            if self.batches:
                self.next_action(False)
            elif self.inspecting:
                self.bundle_is_inspected("good")
            elif self.running and self.is_rauc_up:
                self.installer_ends("written", kind)
            elif self.has_moved and not self.is_moving:
                self.robot_rests()
            elif self.update.state is not UpdateState.IDLE or self.update.slots is None:
                self.time_passes(11.0 if kind == "well" else 70.0)
            elif self.is_moving:
                self.robot_moves(False)
            else:
                self.update_is_requested("2.0", True)
            self.verdict_is_not_lost()

    def fail(self, action: events.Action, batch: list[events.Action]) -> None:
        self.batches = [other for other in self.batches if other is not batch]
        self.happens(events.ActionFailed(action, "no luck"))

    def carry_out(self, action: events.Action) -> None:
        match action:
            case events.SaveRecord(record):
                self.card.record = record
            case events.ReadState():
                self.look()
            case events.Inspect():
                self.inspecting = action
            case events.StopWork():
                self.is_held = True
            case events.ResumeWork():
                self.is_held = False
            case events.Install() | events.FollowInstallation():
                is_new = isinstance(action, events.Install)
                assert not (is_new and self.is_moving), "nothing is installed in a machine in use"
                assert self.card.record.pending, "the card knows before a slot is touched"
                if isinstance(action, events.Install):
                    self.incoming = action.wanted.version
                self.running = action
                self.spoil(self.spare)
            case events.SwitchSlot():
                self.activate(self.spare)
                self.awaited = self.try_of_card()
                self.happens(events.Installed())
            case events.SetMark(mark, slot):
                self.mark(mark, self.slot if slot == "booted" else self.spare)
                self.happens(events.Marked(mark))
            case events.Disarm():
                self.is_disarmed = True
            case events.ReadLog():
                self.happens(events.LogRead("last words"))
            case events.Restart():
                assert not self.is_moving, "no restart while the machine is in use"
                pending = self.card.record.pending
                is_rejected = pending and pending.phase is UpdatePhase.CONDEMNED
                has_moved = self.has_moved and self.needs_rest
                assert not (is_rejected and has_moved), "a rejected release waits for a rest"
                assert is_rejected or not self.is_unsafe, "a restart does not end the guard's tries"
                self.boot()

    @property
    def spare(self) -> str:
        return "B" if self.slot == "A" else "A"

    def try_of_card(self) -> tuple[str, int]:
        pending = self.card.record.pending
        assert pending
        return pending.version, pending.attempt

    def look(self) -> None:
        slots = self.slots() if self.is_rauc_up else None
        is_installing = self.is_rauc_up and self.running is not None
        self.happens(
            events.StateRead(self.now_s, self.card.record, self.slot, slots, SILENT, is_installing)
        )

    def mark(self, mark: SlotMark, letter: str) -> None:
        card = self.card
        if mark is SlotMark.BAD:
            card.left[letter] = 0
            card.order = [x for x in card.order if x != letter]
            assert card.order, "never are both slots given up"
        elif mark is SlotMark.GOOD:
            named = letter, card.versions[letter]
            assert named in self.passed, "only what passed its trial is marked good"
            card.left[letter] = TRIES

    def spoil(self, letter: str) -> None:
        """RAUC takes the slot away from the boot loader before it writes."""
        card = self.card
        card.left[letter] = 0
        card.order = [x for x in card.order if x != letter]
        card.versions[letter], card.kinds[letter] = "", "dead"
        card.complete[letter] = False

    def activate(self, letter: str) -> None:
        card = self.card
        card.order = [letter, *(x for x in card.order if x != letter)]
        card.left[letter] = TRIES
        card.activations[letter] += 1

    # what happens to it

    @rule(version=st.sampled_from(["1.0", "1.1", "2.0", "2.1"]), force=st.booleans())
    def update_is_requested(self, version: str, force: bool) -> None:
        self.requested += 1
        self.offers.pop(version, None)
        self.happens(
            events.InstallRequested(
                WantedRelease(version, "http://x", version), force, self.requested
            )
        )

    @rule(version=st.sampled_from(["1.1", "2.1"]))
    def server_offers(self, version: str) -> None:
        before = self.update.state
        self.happens(events.InstallRequested(WantedRelease(version, "http://x", version)))
        if self.update.state is not before:
            self.offers[version] = self.offers.get(version, 0) + 1
            most = 3 + len(self.passed) + self.cuts  # a robot has a power switch
            assert self.offers[version] <= most, "it is not tried without end"

    @rule()
    def rollback_is_requested(self) -> None:
        self.happens(events.RollbackRequested(1))

    @precondition(lambda self: not self.is_held)
    @rule(is_moving=st.sampled_from([False, True]))
    def robot_moves(self, is_moving: bool) -> None:
        self.is_moving = is_moving
        self.has_moved |= is_moving
        self.report_outputs()

    @precondition(lambda self: not self.is_held)
    @rule(is_unsafe=st.booleans())
    def guard_fails(self, is_unsafe: bool) -> None:
        self.is_unsafe = is_unsafe
        self.report_outputs()

    def report_outputs(self) -> None:
        live = "outputs are live" if self.is_moving else ""
        self.happens(events.BlockedChanged(live, "no pins" if self.is_unsafe else ""))

    @precondition(lambda self: not self.is_moving)
    @rule()
    def robot_rests(self) -> None:
        self.has_moved = False
        self.happens(events.RestChanged(True))

    @precondition(lambda self: self.inspecting)
    @rule(outcome=st.sampled_from(["good", "good", "good", "bad", "unreachable", "wrong"]))
    def bundle_is_inspected(self, outcome: str) -> None:
        job, self.inspecting = self.inspecting, None
        assert job
        if outcome in ("bad", "unreachable") and job.wanted.source:
            self.happens(events.InspectFailed(outcome, outcome == "unreachable"))
            self.cuts += outcome == "unreachable" and self.update.state is UpdateState.IDLE
            return
        version = "9" if outcome == "wrong" else job.wanted.version
        bundle = BundleInfo(version, "robot") if job.wanted.source else None
        self.happens(events.Inspected(BEFORE, bundle))

    @precondition(lambda self: self.running and self.is_rauc_up)
    @rule(
        outcome=st.sampled_from(["written", "written", "failed", "transient"]),
        kind=st.sampled_from(["well", "well", "ill", "dead"]),
    )
    def installer_ends(self, outcome: str, kind: str) -> None:
        running, self.running = self.running, None
        if outcome == "written":
            self.written(kind)
            self.happens(events.Installed())
        else:
            self.happens(events.InstallFailed(outcome, outcome == "transient"))
            self.cuts += outcome == "transient" and self.update.state is UpdateState.IDLE
        assert running

    def written(self, kind: str) -> None:
        card, spare = self.card, self.spare
        card.versions[spare], card.kinds[spare] = self.incoming or "1.1", kind
        card.complete[spare] = True
        self.passed.discard((spare, card.versions[spare]))
        self.activate(spare)
        self.awaited = self.try_of_card()

    @precondition(lambda self: self.running and not self.batches)
    @rule(kind=st.sampled_from(["well", "ill"]), how=st.sampled_from(["works", "written", "gone"]))
    def connection_to_installer_breaks(self, kind: str, how: str) -> None:
        if how != "works":
            self.running = None
        if how == "written":
            self.written(kind)
        self.happens(events.InstallationLost("the connection ended"))

    @rule(is_full=st.sampled_from([True, False, False]))
    def disk_fills(self, is_full: bool) -> None:
        self.is_full = is_full

    @precondition(lambda self: self.is_full and not self.batches and self.is_rauc_up)
    @rule()
    def disk_stays_full(self) -> None:
        """Nothing but the saving is repeated."""
        if self.update.state is not UpdateState.IDLE or not self.update.is_unsaved:
            return
        for _ in range(5):
            self.time_passes(70.0)
            assert self.update.state is UpdateState.IDLE
            while self.batches:
                assert not isinstance(self.batches[0][0], events.SetMark)
                self.next_action(False)

    @rule(is_up=st.sampled_from([True, True, True, False]))
    def installer_comes_and_goes(self, is_up: bool) -> None:
        if not self.running:
            self.is_rauc_up = is_up

    @rule(passes_s=st.sampled_from([1.0, 11.0, 70.0, 130.0]))
    def time_passes(self, passes_s: float) -> None:
        self.now_s += passes_s
        if self.update.slots is None or self.update.needs_read:
            self.batches.append([events.ReadState()])
        self.happens(events.TimePassed(self.now_s))
        if self.update.state is UpdateState.VERIFYING:
            self.check()

    @precondition(lambda self: self.update.state is UpdateState.IDLE)
    @rule(
        is_well=st.booleans(), count=st.integers(1, 4), deaths=st.integers(0, 3),
        restarts=st.booleans(),
    )  # fmt: skip
    def role_works_or_fails_later(
        self, is_well: bool, count: int, deaths: int, restarts: bool
    ) -> None:
        was_watched, was_condemned = self.update.record.watched, self.update.condemned_for
        for _ in range(count):
            self.now_s += 40.0
            problem = "" if is_well else "the role is silent"
            part = events.WorkPart("role head", problem, crashes=deaths)
            units = ("saint-noded.service",) if restarts else ()
            self.happens(events.HealthChecked(self.now_s, restarting_units=units, parts=(part,)))
        if self.update.condemned_for and not was_condemned:
            assert was_watched, "a proven slot is left within the hour after its update alone"
            assert self.spare == was_watched.back_slot
            assert not is_well or deaths == 3 or restarts

    def check(self) -> None:
        is_well = self.card.kinds[self.slot] == "well"
        before = self.update
        problem = "" if is_well else "the role is silent"
        self.happens(
            events.HealthChecked(self.now_s, parts=(events.WorkPart("role head", problem),))
        )
        if self.update.is_marking and not before.is_marking:
            assert is_well, "what is ill does not pass"
            self.passed.add((self.slot, self.card.versions[self.slot]))

    @rule()
    def power_is_cut(self) -> None:
        self.boot()

    @precondition(lambda self: not self.is_disarmed)
    @rule()
    def deadman_fires(self) -> None:
        named = self.slot, self.card.versions[self.slot]
        pending = self.card.record.pending
        is_judged = not pending or pending.to_slot != self.slot
        assert not (is_judged and named in self.passed), "a proven slot is never rebooted"
        if self.update.state is UpdateState.RESTARTING:  # for seconds at least
            self.time_passes(1.0)
            while self.batches:
                self.next_action(False)
            if self.is_disarmed:
                return
            has_moved = self.has_moved and self.needs_rest
            assert not has_moved, "a restart that waits for a rest is not forced"
        self.boot()

    @rule()
    def process_dies(self) -> None:
        """The daemon alone: the installer goes on."""
        self.inspecting, self.is_moving, self.is_unsafe = None, False, False
        self.start_process()
        self.happens(events.RestChanged(False))

    # what holds

    @invariant()
    def verdict_is_not_lost(self) -> None:
        """A release that was activated is pending until it has a verdict, and keeps that."""
        if self.awaited is None:
            return
        record = self.card.record
        pending = record.pending
        if pending and (pending.version, pending.attempt) == self.awaited:
            return
        assert (record.last.version, record.last.attempt) == self.awaited
        assert record.last.verdict in (UpdateVerdict.HEALTHY, UpdateVerdict.ROLLED_BACK)
        self.awaited = None

    @invariant()
    def some_slot_that_starts_can_be_chosen(self) -> None:
        card = self.card
        assert any(card.kinds[x] in ("well", "ill") and x in card.order for x in "AB")

    @invariant()
    def work_goes_on(self) -> None:
        """Also with a full disk."""
        if not self.batches and self.update.state is UpdateState.IDLE:
            assert not self.is_held

    @invariant()
    def rejected_release_is_left(self) -> None:
        """Whatever the guard can do: the release may be why it cannot."""
        if self.update.is_condemned and not self.update.blocked and not self.update.was_live:
            assert not self.update.in_use

    @invariant()
    def state_agrees_with_the_record(self) -> None:
        if self.batches:
            return
        pending = self.update.record.pending
        if self.update.state in (UpdateState.VERIFYING, UpdateState.RESTARTING):
            assert pending
        assert not pending or pending.restarts <= MOST_RESTARTS


TestOneMachine = OneMachine.TestCase
TestOneMachine.settings = limits(max_examples=examples(30), stateful_step_count=40, deadline=None)
