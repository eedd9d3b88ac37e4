"""After a restart: is this the new release on trial, the old one that is back, or a proven one? And
is the machine healthy? Pure, like logic.py, of which it is the second half.

The rules: a slot is marked good when it passed its trial, or when there is none. A trial that fails
marks its slot bad and restarts: the old slot is back at once. A release that never gets so far is
left by the boot loader after its tries; the old slot then finds the try still pending.
"""

from collections.abc import Iterator
from dataclasses import replace

from ..api.firmware import UpdateState, UpdateVerdict
from .events import (
    Action,
    Checked,
    Disarm,
    Follow,
    Hold,
    Looked,
    Part,
    ReadLog,
    Resume,
    Save,
    SetMark,
    Tell,
    Update,
    Wanted,
)
from .installer import Mark, Slots
from .record import LONGEST_LOG, Kind, Pending, Phase, Record

Outcome = tuple[Update, tuple[Action, ...]]

MOST_RESTARTS = 3
MOST_DEATHS = 3  # of a role


def changed(record: Record, **changes: object) -> Record:
    """The record with a pending try that has come further."""
    assert record.pending, "only a pending try comes further"
    return record.model_copy(update={"pending": record.pending.model_copy(update=changes)})


def looked(update: Update, event: Looked) -> Outcome:
    """What the disk and the slots say, at the start and whenever it was not clear before."""
    update = replace(
        update,
        slot=event.slot,
        slots=event.slots,
        silence=event.silence,
        is_known=True,
        needs_look=False,
    )
    pending = event.record.pending
    is_followed = update.state is UpdateState.INSTALLING and not update.is_lost
    if is_followed or update.state is UpdateState.RESTARTING:
        return update, (Tell(),)
    fault = update.fault if update.is_lost and event.is_installing else ""
    update = replace(update, record=event.record, fault=fault)
    if pending is None:
        return _proven(update)
    if update.slot == pending.to_slot:
        return _on_trial(update, pending, event.now_s)
    if update.slot == pending.from_slot:
        return _on_old_slot(update, pending, event.is_installing)
    if update.slots is None:
        return update, (Tell(),)  # nobody knows where we are: the dead-man timer decides
    reason = f"the card was changed: it was begun in slot {pending.from_slot}"
    return _settled(update, UpdateVerdict.FAILED, reason, ())


def _proven(update: Update) -> Outcome:
    """Nothing is pending: whatever is broken here is no reason to leave this slot."""
    update = replace(update, state=UpdateState.IDLE)
    actions: list[Action] = [Disarm()]
    if _is_last_resort(update):
        # Not marked good: after its tries the boot loader looks at the other slot again.
        fault = f"slot {update.slot} runs {update.version}, which was rolled back here"
        update = replace(update, fault=f"{fault}: the other slot does not start")
    elif update.slots:
        actions.append(SetMark(Mark.GOOD, "booted"))
        known = {**update.record.slots, update.slot: update.version}
        if known != update.record.slots:
            record = update.record.model_copy(update={"slots": known})
            update = replace(update, record=record)
            actions.append(Save(record))
    return update, (*actions, Tell())


def _is_last_resort(update: Update) -> bool:
    """The boot loader had nothing left and took what had been given up."""
    record = update.record
    is_proven_here = record.slots.get(update.slot) == update.version
    return record.is_bad(update.version) and not is_proven_here


def _on_trial(update: Update, pending: Pending, now_s: float) -> Outcome:
    update = replace(update, attempt=pending.attempt)
    if pending.phase is Phase.CONDEMNED:  # the power went before the restart
        update = replace(update, state=UpdateState.RESTARTING)
        return update, (SetMark(Mark.BAD, "booted"), Tell())
    if update.state is not UpdateState.VERIFYING:
        until_s = now_s + update.limits.health_timeout_s
        update = replace(update, state=UpdateState.VERIFYING, verify_until_s=until_s)
    return update, (Tell(),)


def _on_old_slot(update: Update, pending: Pending, is_installing: bool) -> Outcome:
    update = replace(update, attempt=pending.attempt)
    if is_installing:
        update = replace(
            update,
            state=UpdateState.INSTALLING,
            wanted=Wanted(pending.version),
            tries=1,
            is_lost=False,
        )
        return update, (Disarm(), Hold(), Follow(), Tell())
    if update.slots is None:
        return update, (Disarm(), Tell())
    was_switched = _was_switched(pending, update.slots)
    if pending.phase is Phase.CONDEMNED:
        mark = (SetMark(Mark.BAD, "other"),)
        return _settled(
            update, UpdateVerdict.ROLLED_BACK, pending.reason, mark, pending.log_excerpt
        )
    if not was_switched:
        return _settled(update, UpdateVerdict.FAILED, _cut_off(pending), ())
    if update.slots.primary == pending.to_slot and pending.restarts < MOST_RESTARTS:
        # It waits for its turn: this process was restarted, not the machine.
        restarts = pending.restarts + 1
        record = changed(update.record, phase=Phase.SWITCHED, restarts=restarts)
        update = replace(update, record=record, state=UpdateState.RESTARTING, progress=100)
        return update, (Disarm(), Save(record), Tell())
    tries = update.limits.boot_attempts
    reason = f"slot {pending.to_slot} never reached its health check ({tries} tries)"
    return _settled(update, UpdateVerdict.ROLLED_BACK, reason, (SetMark(Mark.BAD, "other"),))


def _was_switched(pending: Pending, slots: Slots) -> bool:
    if pending.phase is not Phase.WRITING:
        return True
    return slots.spare is not None and slots.spare.activations > pending.activations


def _cut_off(pending: Pending) -> str:
    if pending.kind is Kind.ROLLBACK:
        return "the machine restarted before it had switched the slots"
    return f"writing {pending.version} was cut off by a restart or by the installer's end"


def _settled(
    update: Update, verdict: UpdateVerdict, reason: str, marks: tuple[Action, ...], log: str = ""
) -> Outcome:
    """The old slot is back and stays. The verdict is kept last: until then all is done again."""
    record = update.record.closed(verdict, reason, log)
    known = {**record.slots, update.slot: update.version}
    record = record.model_copy(update={"slots": known})
    update = replace(update, record=record, state=UpdateState.IDLE, wanted=None, progress=0)
    good = SetMark(Mark.GOOD, "booted")
    return update, (Disarm(), *marks, good, Save(record), Resume(), Tell())


def checked(update: Update, event: Checked) -> Outcome:
    """One look at the machine during a trial."""
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
        return replace(update, is_marking=True), (SetMark(Mark.GOOD, "booted"),)
    if _is_hopeless(update, pending, event, bool(problems)):
        ill = (part.unit for part in event.parts if part.unit and (part.problem or part.deaths))
        units = (*given_up, *event.waiting_units, *ill)
        reason = update.last_problem or "it does not stay healthy"
        return replace(update, condemned_for=reason), (ReadLog(tuple(dict.fromkeys(units))),)
    return update, () if before == update.fault else (Tell(),)


def _given_up(pending: Pending, event: Checked) -> tuple[str, ...]:
    """Units that will not come up by themselves, and that did before."""
    units = (*event.failed_units, *event.restarting_units)
    return tuple(unit for unit in units if unit not in pending.before.failed_units)


def _is_hopeless(update: Update, pending: Pending, event: Checked, has_problems: bool) -> bool:
    """Waiting any longer would not help. What comes and goes gets no second time."""
    now_s, settle_s = event.now_s, update.limits.settle_s
    if now_s >= update.verify_until_s + (0.0 if has_problems else settle_s):
        return True
    failed_since_s = update.failed_since_s
    is_failed = failed_since_s is not None and now_s - failed_since_s >= settle_s
    return has_problems and (is_failed or any(map(_dies, _were_well(pending, event))))


def _were_well(pending: Pending, event: Checked) -> Iterator[Part]:
    """The parts that are judged: those that did not work before say nothing about the release."""
    return (part for part in event.parts if part.name not in pending.before.failed_units)


def _dies(part: Part) -> bool:
    return part.deaths >= MOST_DEATHS


def _part_problems(pending: Pending, event: Checked) -> Iterator[str]:
    before = pending.before
    # A release before noted only that not all of them answered: then none is judged.
    is_known = before.role_answered or any("." not in name for name in before.failed_units)
    for part in _were_well(pending, event):
        if is_known:
            yield part.problem
        if _dies(part):
            yield f"the {part.name} died {part.deaths} times"


def _problems(
    update: Update, pending: Pending, event: Checked, given_up: tuple[str, ...]
) -> list[str]:
    texts = [f"{unit} failed" for unit in given_up if unit in event.failed_units]
    texts += [f"{unit} dies again and again" for unit in given_up if unit not in event.failed_units]
    waiting = (unit for unit in event.waiting_units if unit not in given_up)
    texts += [f"{unit} is not up" for unit in waiting if unit not in pending.before.failed_units]
    texts += [event.units_problem, event.bus_problem]
    texts += _part_problems(pending, event)
    if pending.before.server_heard and not event.server_heard:
        texts.append("the server, which was heard before, is not heard")
    if update.slots is None:
        texts.append(update.silence)
    if update.mark_fault and event.now_s >= update.verify_until_s:
        texts.append(f"the slot could not be marked good: {update.mark_fault}")
    return [text for text in texts if text]


def _since(since_s: float | None, now_s: float) -> float:
    return now_s if since_s is None else since_s


def condemned(update: Update, log_text: str) -> Outcome:
    """The log is there: note why, mark the slot bad, restart."""
    if update.state is not UpdateState.VERIFYING or not update.record.pending:
        return update, ()
    reason, log = update.condemned_for, log_text[-LONGEST_LOG:]
    record = changed(update.record, phase=Phase.CONDEMNED, reason=reason, log_excerpt=log)
    update = replace(update, record=record, state=UpdateState.RESTARTING)
    return update, (Save(record), SetMark(Mark.BAD, "booted"), Tell())


def marked(update: Update, mark: Mark) -> Outcome:
    """The slot is good: the trial is over."""
    if update.state is not UpdateState.VERIFYING or not update.is_marking or mark is not Mark.GOOD:
        return update, ()
    record = update.record.closed(UpdateVerdict.HEALTHY)
    update = replace(
        update, record=record, state=UpdateState.IDLE, is_marking=False, fault="", mark_fault=""
    )
    return update, (Disarm(), Save(record), Tell())
