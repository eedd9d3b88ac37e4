"""The rules of a proven release: which parts of the work answer in this run (a later update is
compared with that), and the hour after a trial in which a part that fails still leads back to the
release before. Pure. Not here: the trial (trial.py).
"""

from collections.abc import Iterator
from dataclasses import replace

from ..api.firmware import UpdateState
from .events import (
    Action,
    HealthChecked,
    PartSince,
    PublishStatus,
    ReadLog,
    SaveRecord,
    SetMark,
    Update,
    WorkPart,
)
from .installer import SlotMark
from .record import (
    LONGEST_LOG,
    LastRun,
    PendingUpdate,
    StateBefore,
    UpdateKind,
    UpdatePhase,
    WatchedRelease,
)

Outcome = tuple[Update, tuple[Action, ...]]

SERVER = "the server"  # beside the parts of the work in the last run
MOST_DEATHS = 3  # crashes of a role; systemd's count of a unit's restarts has the same limit
WELL_AFTER_S, SILENT_AFTER_S = 60.0, 300.0  # a part counts as answering, or as silent
DOWN_S = 60.0  # a fault that lasts for so long leads back; a role is started again before
# Each start of the process costs one step, so that a robot that is switched on for minutes only is
# not watched for months.
STEP_S = 300.0
WATCH_S = 3600.0 + STEP_S


def begun(pending: PendingUpdate) -> WatchedRelease | None:
    """Return the watch over a release that has passed its trial. A rollback that a user requested
    is not watched: the release before is the one that the user left."""
    if pending.kind is UpdateKind.ROLLBACK:
        return None
    return WatchedRelease(
        kind=pending.kind,
        version=pending.version,
        checksum_sha256=pending.checksum_sha256,
        slot=pending.to_slot,
        back_version=pending.from_version,
        back_slot=pending.from_slot,
        attempt=pending.attempt,
        before=pending.before,
        left_s=WATCH_S,
    )


def before(last: LastRun, parts: tuple[WorkPart, ...], units: tuple[str, ...]) -> StateBefore:
    """Return what an update is compared with: the last run that lasted, and this moment where that
    run says nothing. `units` do not work now."""
    well_now = {part.name for part in parts if not part.problem}
    ill_now = {part.name for part in parts if part.problem}
    ill = (ill_now - set(last.answered)) | (set(last.silent) - well_now - {SERVER})
    answered = (well_now | set(last.answered)) - {SERVER}
    return StateBefore(
        failed_units=(*units, *sorted(ill)),
        role_answered=not ill,
        answered=tuple(sorted(answered)),
    )


def is_judged(before: StateBefore, name: str) -> bool:
    """Whether this part of the work counts: one that answered before the update. One that was never
    seen to answer, such as a role that was adopted since, says nothing about the release."""
    if before.answered is None:
        return name not in before.failed_units
    return name in before.answered


def checked(update: Update, event: HealthChecked) -> Outcome:
    """Apply a health check of a release that is not on trial."""
    if not update.is_known or update.needs_read:
        return update, ()  # the card's record is not known: nothing may be written over it
    if update.state is not UpdateState.IDLE or update.record.pending or update.condemned_for:
        return update, ()
    before = update.record
    update = _remembered(update, event)
    watched = update.record.watched
    if watched is not None:
        update = _watched(update, watched, event)
    save = (SaveRecord(update.record),) if update.record != before else ()
    if update.condemned_for:
        parts = (part.unit for part in event.parts if part.problem or part.crashes)
        ill = (*event.failed_units, *event.restarting_units)
        units = (*(unit for unit in parts if unit), *_ours(ill))
        return update, (*save, ReadLog(tuple(dict.fromkeys(units))))
    return update, save


def _remembered(update: Update, event: HealthChecked) -> Update:
    """Note which parts have answered for a while, and which have been silent for minutes."""
    now_s = event.now_s
    known = {part.name: part for part in update.parts}
    wells = {part.name: not part.problem and part.crashes < MOST_DEATHS for part in event.parts}
    wells[SERVER] = event.server_answers
    parts = tuple(
        known[name]
        if name in known and known[name].is_well is is_well
        else PartSince(name, is_well, now_s)
        for name, is_well in wells.items()
    )
    last = update.record.last_run
    answered = {name for name in last.answered if name in wells}
    silent = {name for name in last.silent if name in wells}
    for part in parts:
        lasts_s = now_s - part.since_s
        if part.is_well and lasts_s >= WELL_AFTER_S:
            answered, silent = answered | {part.name}, silent - {part.name}
        elif not part.is_well and lasts_s >= SILENT_AFTER_S:
            answered, silent = answered - {part.name}, silent | {part.name}
    run = LastRun(answered=tuple(sorted(answered)), silent=tuple(sorted(silent)))
    record = update.record
    if run != last:
        record = record.model_copy(update={"last_run": run})
    return replace(update, parts=parts, record=record)


def _watched(update: Update, watched: WatchedRelease, event: HealthChecked) -> Update:
    spare = update.slots.spare if update.slots else None
    if update.slots is None:
        return update  # RAUC does not answer: later
    may_return = spare and spare.letter == watched.back_slot and spare.is_bootable
    if update.slot != watched.slot or not may_return:
        return _left(update, None)
    saved_s = update.watch_saved_s
    spent_s = STEP_S if saved_s is None else event.now_s - saved_s
    if spent_s >= STEP_S:
        left_s = watched.left_s - spent_s
        after = watched.model_copy(update={"left_s": left_s}) if left_s > 0 else None
        update = replace(_left(update, after), watch_saved_s=event.now_s)
        if after is None:
            return update
    deaths = [text for part in _judged(watched, event) if (text := _death(part))]
    faults = [part.problem for part in _judged(watched, event) if part.problem]
    faults += [f"{unit} does not run" for unit in _new(watched, event.failed_units)]
    deaths += [f"{unit} keeps crashing" for unit in _new(watched, event.restarting_units)]
    if not faults and not deaths:
        return replace(update, down_since_s=None)
    since_s = event.now_s if update.down_since_s is None else update.down_since_s
    update = replace(update, down_since_s=since_s)
    if deaths or event.now_s - since_s >= DOWN_S:
        return replace(update, condemned_for="; ".join([*faults, *deaths]))
    return update


def _left(update: Update, watched: WatchedRelease | None) -> Update:
    record = update.record.model_copy(update={"watched": watched})
    return replace(update, record=record)


def _new(watched: WatchedRelease, units: tuple[str, ...]) -> Iterator[str]:
    """Return our units among these that worked before the update."""
    return (unit for unit in _ours(units) if unit not in watched.before.failed_units)


def _judged(watched: WatchedRelease, event: HealthChecked) -> Iterator[WorkPart]:
    return (part for part in event.parts if is_judged(watched.before, part.name))


def _death(part: WorkPart) -> str:
    is_dying = part.crashes >= MOST_DEATHS
    return f"the {part.name} crashed {part.crashes} times" if is_dying else ""


def _ours(units: tuple[str, ...]) -> Iterator[str]:
    """Return our units; Debian's are not a release's fault."""
    return (unit for unit in units if unit.startswith("saint-"))


def condemned(update: Update, watched: WatchedRelease, log_text: str) -> Outcome:
    """The log was read: take the release back as if its trial had failed."""
    pending = PendingUpdate(
        kind=watched.kind,
        phase=UpdatePhase.CONDEMNED,
        version=watched.version,
        checksum_sha256=watched.checksum_sha256,
        from_version=watched.back_version,
        from_slot=watched.back_slot,
        to_slot=watched.slot,
        attempt=watched.attempt,
        before=watched.before,
        reason=f"after its trial: {update.condemned_for}",
        log_excerpt=log_text[-LONGEST_LOG:],
    )
    record = update.record.model_copy(update={"pending": pending, "watched": None})
    update = replace(update, record=record, state=UpdateState.RESTARTING)
    return update, (SaveRecord(record), SetMark(SlotMark.BAD, "booted"), PublishStatus())
