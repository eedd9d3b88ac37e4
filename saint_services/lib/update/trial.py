"""The rules after a restart: whether this is the new release on trial, the old one after a
rollback, or a proven one, and whether the machine is healthy. Pure; the second half of logic.py. A
slot is marked good when it passed its trial, or when there is no trial. A trial that fails marks
its slot bad and restarts, so the old slot starts at once. A release that never gets so far is left
by the boot loader after its tries; the old slot then finds the update still pending.
"""

from collections.abc import Iterator
from dataclasses import replace

from ..api.firmware import UpdateState, UpdateVerdict
from . import watch
from .events import (
    Action,
    Disarm,
    FollowInstallation,
    HealthChecked,
    PublishStatus,
    ReadLog,
    ResumeWork,
    SaveRecord,
    SetMark,
    StateRead,
    StopWork,
    Update,
    WantedRelease,
    WorkPart,
)
from .installer import SlotMark, Slots
from .record import LONGEST_LOG, PendingUpdate, UpdateKind, UpdatePhase, UpdateRecord

Outcome = tuple[Update, tuple[Action, ...]]

MOST_RESTARTS = 3
_SERVER_AWAY = "the server, which answered before the update, is not online"


def changed(record: UpdateRecord, **changes: object) -> UpdateRecord:
    """Return the record with progress of the pending update."""
    assert record.pending, "only a pending update makes progress"
    return record.model_copy(update={"pending": record.pending.model_copy(update=changes)})


def state_read(update: Update, event: StateRead) -> Outcome:
    """Apply what record and slots say, at the start and whenever the state was not clear before."""
    update = replace(
        update,
        slot=event.slot,
        slots=event.slots,
        installer_problem=event.installer_problem,
        is_known=True,
        needs_read=False,
        is_unsaved=update.is_unsaved and event.record != update.record,
    )
    pending = event.record.pending
    is_followed = update.state is UpdateState.INSTALLING and not update.is_lost
    if is_followed or update.is_unsaved or update.state is UpdateState.RESTARTING:
        return update, (PublishStatus(),)
    fault = update.fault if update.is_lost and event.is_installing else ""
    update = replace(update, record=event.record, fault=fault)
    if pending is None:
        return _proven(update)
    if update.slot == pending.to_slot:
        return _on_trial(update, pending, event.now_s)
    if update.slot == pending.from_slot:
        return _on_old_slot(update, pending, event.is_installing)
    if update.slots is None:
        return update, (
            PublishStatus(),
        )  # the running slot is not known: the dead-man timer decides
    reason = f"the card was changed: the update was begun in slot {pending.from_slot}"
    return _settled(update, UpdateVerdict.FAILED, reason, ())


def _proven(update: Update) -> Outcome:
    """Nothing is pending: a fault on this machine is no reason to leave this slot."""
    update = replace(update, state=UpdateState.IDLE)
    actions: list[Action] = [Disarm()]
    if _is_last_resort(update):
        # Not marked good: after its tries the boot loader tries the other slot again.
        fault = f"slot {update.slot} runs {update.version}, which was rolled back here"
        update = replace(update, fault=f"{fault}: the other slot does not start")
    elif update.slots:
        actions.append(SetMark(SlotMark.GOOD, "booted"))
        update = replace(update, fault=update.fault or _left_alone(update))
        known = {**update.record.slots, update.slot: update.version}
        if known != update.record.slots:
            record = update.record.model_copy(update={"slots": known})
            update = replace(update, record=record)
            actions.append(SaveRecord(record))
    return update, (*actions, PublishStatus())


def _left_alone(update: Update) -> str:
    """Return the fault of a machine that runs an older release without a decision: its boot loader
    has left the one that passed last. That slot may be damaged, or only have been switched off
    three times while it started, so it does not get its tries back."""
    slot, last = update.slot, update.record.last
    letters = [x for x, version in update.record.slots.items() if version == last.version]
    is_here = last.version == update.version or slot in letters
    if last.verdict is not UpdateVerdict.HEALTHY or is_here or not letters:
        return ""
    return (
        f"slot {slot} runs {update.version}, although {last.version} passed in slot {letters[0]}:"
        " its last starts failed or were cut short."
        f" saintctl firmware rollout {last.version} installs it again"
    )


def _is_last_resort(update: Update) -> bool:
    """Whether the boot loader had no other slot and started the rejected one."""
    record, version = update.record, update.version
    is_proven_here = record.slots.get(update.slot) == version
    was_left = record.last.verdict is UpdateVerdict.ROLLED_BACK and record.last.version == version
    return (record.is_bad(version) or was_left) and not is_proven_here


def _on_trial(update: Update, pending: PendingUpdate, now_s: float) -> Outcome:
    update = replace(update, attempt=pending.attempt)
    if pending.phase is UpdatePhase.CONDEMNED:  # power was lost before the restart, or the process
        update = replace(update, state=UpdateState.RESTARTING, needs_no_rest=True)
        return update, (SetMark(SlotMark.BAD, "booted"), PublishStatus())
    if update.state is not UpdateState.VERIFYING:
        until_s = now_s + update.limits.health_timeout_s
        update = replace(update, state=UpdateState.VERIFYING, verify_until_s=until_s)
    return update, (PublishStatus(),)


def _on_old_slot(update: Update, pending: PendingUpdate, is_installing: bool) -> Outcome:
    update = replace(update, attempt=pending.attempt)
    if is_installing:
        update = replace(
            update,
            state=UpdateState.INSTALLING,
            wanted=WantedRelease(pending.version),
            tries=1,
            is_lost=False,
        )
        return update, (Disarm(), StopWork(), FollowInstallation(), PublishStatus())
    if update.slots is None:
        return update, (Disarm(), PublishStatus())
    was_switched = _was_switched(pending, update.slots)
    if pending.phase is UpdatePhase.CONDEMNED:
        mark = (SetMark(SlotMark.BAD, "other"),)
        # A server that was switched off is no fault of the release, but no reason to begin again
        # at each offer either.
        log, is_cut = pending.log_excerpt, pending.is_server_away
        return _settled(update, UpdateVerdict.ROLLED_BACK, pending.reason, mark, log, is_cut=is_cut)
    if not was_switched:
        return _settled(update, UpdateVerdict.FAILED, _cut_off(pending), (), is_cut=True)
    if update.slots.primary == pending.to_slot and pending.restarts < MOST_RESTARTS:
        # The restart is still to come: this process was restarted, not the machine.
        restarts = pending.restarts + 1
        record = changed(update.record, phase=UpdatePhase.SWITCHED, restarts=restarts)
        update = replace(update, record=record, state=UpdateState.RESTARTING, progress=100)
        return update, (Disarm(), SaveRecord(record), PublishStatus())
    # As many power cuts within a trial would look the same. They cost a user's request; a release
    # that hangs must not come back by itself.
    tries = update.limits.boot_attempts
    reason = f"slot {pending.to_slot} never reached its health check ({tries} tries)"
    return _settled(update, UpdateVerdict.ROLLED_BACK, reason, (SetMark(SlotMark.BAD, "other"),))


def _was_switched(pending: PendingUpdate, slots: Slots) -> bool:
    if pending.phase is not UpdatePhase.WRITING:
        return True
    return slots.spare is not None and slots.spare.activations > pending.activations


def _cut_off(pending: PendingUpdate) -> str:
    if pending.kind is UpdateKind.ROLLBACK:
        return "the machine restarted before it had switched the slots"
    return f"writing {pending.version} was interrupted by a restart or by the installer's end"


def _settled(
    update: Update,
    verdict: UpdateVerdict,
    reason: str,
    marks: tuple[Action, ...],
    log: str = "",
    *,
    is_cut: bool = False,
) -> Outcome:
    """The old slot runs again and stays. The verdict is saved last: until then all steps are
    repeated."""
    record = update.record.closed(verdict, reason, log, is_cut=is_cut)
    known = {**record.slots, update.slot: update.version}
    record = record.model_copy(update={"slots": known})
    update = replace(update, record=record, state=UpdateState.IDLE, wanted=None, progress=0)
    good = SetMark(SlotMark.GOOD, "booted")
    return update, (Disarm(), ResumeWork(), *marks, good, SaveRecord(record), PublishStatus())


def checked(update: Update, event: HealthChecked) -> Outcome:
    """Apply a health check of the trial."""
    pending = update.record.pending
    if update.state is not UpdateState.VERIFYING or not pending:
        return update, ()
    if update.is_marking or update.condemned_for:
        return update, ()
    given_up = _given_up(pending, event)
    problems = _problems(update, pending, event, given_up)
    now_s, limits = event.now_s, update.limits
    before = update.fault
    update = replace(
        update,
        fault="; ".join(problems),
        last_problem="; ".join(problems) or update.last_problem,
        well_since_s=None if problems else _since(update.well_since_s, now_s),
        failed_since_s=_since(update.failed_since_s, now_s) if given_up else None,
    )
    if update.well_since_s is not None and now_s - update.well_since_s >= limits.settle_s:
        return replace(update, is_marking=True), (SetMark(SlotMark.GOOD, "booted"),)
    if _is_hopeless(update, pending, event, bool(problems)):
        ill = (part.unit for part in event.parts if part.unit and (part.problem or part.crashes))
        units = (*given_up, *event.waiting_units, *ill)
        reason = update.last_problem or "the machine does not stay healthy"
        return replace(update, condemned_for=reason), (ReadLog(tuple(dict.fromkeys(units))),)
    return update, () if before == update.fault else (PublishStatus(),)


def _given_up(pending: PendingUpdate, event: HealthChecked) -> tuple[str, ...]:
    """Return the failed units that worked before."""
    units = (*event.failed_units, *event.restarting_units)
    return tuple(unit for unit in units if unit not in pending.before.failed_units)


def _is_hopeless(
    update: Update, pending: PendingUpdate, event: HealthChecked, has_problems: bool
) -> bool:
    """Whether waiting longer would not help. A fault that comes and goes gets no second period."""
    now_s, settle_s = event.now_s, update.limits.settle_s
    if now_s >= update.verify_until_s + (0.0 if has_problems else settle_s):
        return True
    failed_since_s = update.failed_since_s
    is_failed = failed_since_s is not None and now_s - failed_since_s >= settle_s
    return has_problems and (is_failed or any(map(_dies, _were_well(pending, event))))


def _were_well(pending: PendingUpdate, event: HealthChecked) -> Iterator[WorkPart]:
    """Return the parts that are judged: the ones that worked before the update."""
    return (part for part in event.parts if watch.is_judged(pending.before, part.name))


def _dies(part: WorkPart) -> bool:
    return part.crashes >= watch.MOST_DEATHS


def _part_problems(pending: PendingUpdate, event: HealthChecked) -> Iterator[str]:
    before = pending.before
    # A record of an old release says only that not all parts answered: then none is judged.
    is_noted = before.answered is not None or any("." not in name for name in before.failed_units)
    is_known = before.role_answered or is_noted
    for part in _were_well(pending, event):
        if is_known:
            yield part.problem
        if _dies(part):
            yield f"the {part.name} crashed {part.crashes} times"


def _problems(
    update: Update, pending: PendingUpdate, event: HealthChecked, given_up: tuple[str, ...]
) -> list[str]:
    texts = [f"{unit} failed" for unit in given_up if unit in event.failed_units]
    texts += [f"{unit} keeps crashing" for unit in given_up if unit not in event.failed_units]
    waiting = (unit for unit in event.waiting_units if unit not in given_up)
    texts += [f"{unit} is not up" for unit in waiting if unit not in pending.before.failed_units]
    texts += [event.units_problem, event.bus_problem]
    texts += _part_problems(pending, event)
    if pending.before.server_answers and not event.server_answers:
        texts.append(_SERVER_AWAY)
    if update.slots is None:
        texts.append(update.installer_problem)
    if update.mark_fault and event.now_s >= update.verify_until_s:
        texts.append(f"the slot could not be marked good: {update.mark_fault}")
    return [text for text in texts if text]


def _since(since_s: float | None, now_s: float) -> float:
    return now_s if since_s is None else since_s


def condemned(update: Update, log_text: str) -> Outcome:
    """The log was read: record the reason, mark the slot bad, restart."""
    watched = update.record.watched
    if update.state is UpdateState.IDLE and watched and update.condemned_for:
        return watch.condemned(update, watched, log_text)
    if update.state is not UpdateState.VERIFYING or not update.record.pending:
        return update, ()
    reason, log = update.condemned_for, log_text[-LONGEST_LOG:]
    record = changed(
        update.record,
        phase=UpdatePhase.CONDEMNED,
        is_server_away=reason == _SERVER_AWAY,
        reason=reason,
        log_excerpt=log,
    )
    update = replace(update, record=record, state=UpdateState.RESTARTING)
    return update, (SaveRecord(record), SetMark(SlotMark.BAD, "booted"), PublishStatus())


def marked(update: Update, mark: SlotMark) -> Outcome:
    """The slot is marked good: the trial is over."""
    if (
        update.state is not UpdateState.VERIFYING
        or not update.is_marking
        or mark is not SlotMark.GOOD
    ):
        return update, ()
    pending = update.record.pending
    assert pending, "a trial is about a pending update"
    record = update.record.closed(UpdateVerdict.HEALTHY)
    record = record.model_copy(update={"watched": watch.begun(pending)})
    update = replace(
        update, record=record, state=UpdateState.IDLE, is_marking=False, fault="", mark_fault=""
    )
    return update, (Disarm(), SaveRecord(record), PublishStatus())
