"""The rules of an update from the request to the restart. Pure: `step(update, event)` returns the
next state and the actions in their order. Not here: what follows a restart (trial.py).
"""

from dataclasses import replace

from ..api.firmware import UpdateState, UpdateVerdict
from ..errors import SaintError
from ..state_machine import Answer
from . import trial, watch
from .events import (
    NOT_RESTED,
    Action,
    ActionFailed,
    BlockedChanged,
    Disarm,
    DownloadRequested,
    Event,
    FollowInstallation,
    HealthChecked,
    Inspect,
    Inspected,
    InspectFailed,
    Install,
    InstallationLost,
    Installed,
    InstallFailed,
    InstallRequested,
    LogRead,
    Marked,
    Progressed,
    PublishStatus,
    ReadState,
    Restart,
    RestChanged,
    ResumeWork,
    RollbackRequested,
    SaveRecord,
    SetMark,
    StateRead,
    StopWork,
    SwitchSlot,
    TimePassed,
    Update,
    WantedRelease,
)
from .installer import SlotMark
from .record import LastUpdate, PendingUpdate, StateBefore, UpdateKind, UpdatePhase
from .versions import is_older, parsed

Outcome = tuple[Update, tuple[Action, ...]]
_BEFORE_THE_SLOT = (UpdateState.IDLE, UpdateState.INSTALLING)  # with nothing pending

MOST_TRIES = 3  # tries of an installation that fails for a transient reason
MOST_OFFERS = 3  # offers of a release that could not be written here
# A robot has a power switch, and so has its server: interrupted attempts have no limit. After the
# third, offers are declined before the next attempt: one, then two, four, ...
MOST_CUTS_AT_ONCE = 3
MOST_PASSED_BY = 16
FIRST_PAUSE_S = 2.0
RESTART_AGAIN_S = 60.0


def step(update: Update, event: Event) -> Outcome:
    """Return the next state and the actions in their order."""
    match event:
        case StateRead():
            return trial.state_read(update, event)
        case HealthChecked() if update.state is UpdateState.VERIFYING:
            return trial.checked(update, event)
        case HealthChecked():
            return watch.checked(update, event)
        case LogRead():
            return trial.condemned(update, event.text)
        case Marked():
            return trial.marked(update, event.mark)
        case InstallRequested():
            return _install_requested(update, event)
        case RollbackRequested():
            return _rollback_requested(update, event)
        case DownloadRequested():
            record = update.record.model_copy(update={"must_download": True})
            return replace(update, record=record), (SaveRecord(record),)
        case BlockedChanged(reason, unsafe):
            was_live = update.was_live or bool(reason)
            update = replace(update, blocked=reason, unsafe=unsafe, was_live=was_live)
            return update, (PublishStatus(),)
        case RestChanged(is_resting):
            return replace(update, was_live=not is_resting or bool(update.blocked)), ()
        case TimePassed():
            return _ticked(update, event.now_s)
        case ActionFailed():
            return _action_failed(update, event)
    return _installing(update, event)


def _installing(update: Update, event: Event) -> Outcome:
    if update.state is not UpdateState.INSTALLING:
        return update, ()  # late
    match event:
        case Inspected() if not update.record.pending:
            return _inspected(update, event)
        case InspectFailed() if not update.record.pending:
            return _inspect_failed(update, event)
        case Progressed(percent) if percent != update.progress:
            return replace(update, progress=min(max(percent, 0), 100)), (PublishStatus(),)
        case Installed() if update.record.pending:
            return _installed(update, update.record.pending)
        case InstallFailed() if update.record.pending:
            return _install_failed(update, event)
        case InstallationLost(reason):
            return replace(update, fault=reason, is_lost=True), (ReadState(), PublishStatus())
    return update, ()


def _install_requested(update: Update, event: InstallRequested) -> Outcome:
    wanted = event.wanted
    refusal = _refusal(update) or _release_refusal(update, event)
    if refusal:
        return update, _answer(event.request, False, refusal)
    last = update.record.last
    if event.request is None and last.version == wanted.version and _is_pausing(last):
        passed = last.model_copy(update={"passed_by": last.passed_by + 1})
        record = update.record.model_copy(update={"last": passed})
        return replace(update, record=record), (SaveRecord(record),)
    attempt = last.attempt + 1 if last.version == wanted.version else 1
    update = _begun(update, wanted, attempt)
    spare = update.slots.spare.letter if update.slots and update.slots.spare else ""
    message = f"installing {wanted.version} into slot {spare}"
    return update, (*_answer(event.request, True, message), PublishStatus(), Inspect(wanted))


def _rollback_requested(update: Update, event: RollbackRequested) -> Outcome:
    refusal = _refusal(update)
    if not refusal and not update.spare_version:
        refusal = "the other slot holds no bootable release"
    if refusal:
        return update, _answer(event.request, False, refusal)
    wanted = WantedRelease(update.spare_version)
    last = update.record.last
    update = _begun(update, wanted, last.attempt + 1 if last.version == wanted.version else 1)
    message = f"rolling back to {wanted.version}"
    return update, (*_answer(event.request, True, message), PublishStatus(), Inspect(wanted))


def _begun(update: Update, wanted: WantedRelease, attempt: int) -> Update:
    return replace(
        update,
        state=UpdateState.INSTALLING,
        wanted=wanted,
        attempt=attempt,
        tries=1,
        progress=0,
        fault="",
        is_lost=False,
        condemned_for="",
        parts=(),
        down_since_s=None,
    )


def _refusal(update: Update) -> str:
    """Return why no update can begin now, whatever the release."""
    if update.blocked_by:
        return update.blocked_by
    if update.state is not UpdateState.IDLE or update.record.pending:
        pending = update.record.pending
        version = pending.version if pending else update.wanted.version if update.wanted else ""
        return f"busy with {version} ({update.state.value}); wait until it has a verdict"
    if not update.slots or not update.slots.spare:
        return "this machine has no second slot to install into"
    if update.is_unsaved:
        return f"the record of the updates is not on the card yet: {update.fault}"
    if update.needs_read:
        return "something failed, and what is on the card is not read again yet; try again"
    return ""


def _release_refusal(update: Update, event: InstallRequested) -> str:
    wanted, record = event.wanted, update.record
    is_offer = event.request is None
    if not wanted.source:
        return f"the source of {wanted.version} is missing"
    try:
        parsed(wanted.version)
        is_downgrade = is_older(wanted.version, update.version)
    except SaintError as err:
        return err.message
    if is_offer and record.is_bad(wanted.version, wanted.checksum_sha256):
        return f"{wanted.version} was rolled back here; only a user's request installs it again"
    if is_offer and update.was_live and not record.must_download:
        return NOT_RESTED
    last = record.last
    is_tired = last.version == wanted.version and last.attempt - last.cuts >= MOST_OFFERS
    if is_offer and is_tired and last.verdict in (UpdateVerdict.FAILED, UpdateVerdict.REFUSED):
        tries = last.attempt - last.cuts
        return f"{wanted.version} could not be installed {tries} times: {last.reason}"
    if event.force or (is_offer and record.must_download):
        return ""
    if wanted.version == update.version:
        return f"{wanted.version} runs already; use force to install it again"
    if is_downgrade:
        return (
            f"{wanted.version} is older than the running {update.version}; use force to install it"
        )
    return ""


def _is_pausing(last: LastUpdate) -> bool:
    """Whether an offer is declined because the attempts before were interrupted."""
    more = last.cuts - MOST_CUTS_AT_ONCE
    return more >= 0 and last.passed_by < min(1 << min(more, 10), MOST_PASSED_BY)


def _inspected(update: Update, event: Inspected) -> Outcome:
    refusal = update.blocked_by or _bundle_refusal(update, event)
    if refusal:
        return _refused(update, refusal)
    pending = _pending(update, event.before)
    # The release before is about to be overwritten, or to be left.
    record = update.record.model_copy(update={"pending": pending, "watched": None})
    assert update.wanted, "an inspection is about a wanted release"
    write = Install(update.wanted) if pending.kind is UpdateKind.INSTALL else SwitchSlot()
    return replace(update, record=record, tries=1), (
        SaveRecord(record),
        StopWork(),
        write,
        PublishStatus(),
    )


def _bundle_refusal(update: Update, event: Inspected) -> str:
    bundle, wanted, slots = event.bundle, update.wanted, update.slots
    if not bundle or not wanted or not slots:
        return ""
    if slots.compatible and bundle.compatible != slots.compatible:
        return f"the release is for '{bundle.compatible}', this machine is '{slots.compatible}'"
    if bundle.version != wanted.version:
        return f"the bundle holds {bundle.version[:40]}, not {wanted.version} as announced"
    return ""


def _pending(update: Update, before: StateBefore) -> PendingUpdate:
    wanted, slots = update.wanted, update.slots
    assert wanted and slots and slots.spare, "checked when it was requested"
    return PendingUpdate(
        kind=UpdateKind.INSTALL if wanted.source else UpdateKind.ROLLBACK,
        phase=UpdatePhase.WRITING,
        version=wanted.version,
        checksum_sha256=wanted.checksum_sha256,
        from_version=update.version,
        from_slot=slots.booted.letter,
        to_slot=slots.spare.letter,
        attempt=update.attempt,
        activations=slots.spare.activations,
        before=before,
        cuts=update.record.last.cuts if update.record.last.version == wanted.version else 0,
    )


def _inspect_failed(update: Update, event: InspectFailed) -> Outcome:
    if not event.is_transient:
        return _refused(update, event.reason)
    if update.tries < MOST_TRIES and update.wanted:
        again = Inspect(update.wanted, _pause_s(update.tries))
        return replace(update, tries=update.tries + 1, fault=event.reason), (again, PublishStatus())
    return _refused(update, event.reason, UpdateVerdict.FAILED)


def _refused(
    update: Update, reason: str, verdict: UpdateVerdict = UpdateVerdict.REFUSED
) -> Outcome:
    """Refuse before anything was written."""
    version = update.wanted.version if update.wanted else ""
    before = update.record.last
    cuts = before.cuts if before.version == version else 0
    # Outputs went live meanwhile, or the server was gone: no fault of the release.
    if update.blocked_by or verdict is UpdateVerdict.FAILED:
        cuts += 1
    last = LastUpdate(
        version=version, attempt=update.attempt, verdict=verdict, cuts=cuts, reason=reason
    )
    changes: dict[str, object] = {"last": last, "pending": None}
    if (
        verdict is UpdateVerdict.REFUSED and not update.blocked_by
    ):  # otherwise the release is not at fault
        changes["must_download"] = False
    record = update.record.model_copy(update=changes)
    return _ended(replace(update, record=record)), (SaveRecord(record), PublishStatus())


def _installed(update: Update, pending: PendingUpdate) -> Outcome:
    record = trial.changed(update.record, phase=UpdatePhase.SWITCHED, restarts=1)
    update = replace(update, record=record, state=UpdateState.RESTARTING, progress=100, fault="")
    return update, (SaveRecord(record), PublishStatus())


def _install_failed(update: Update, event: InstallFailed) -> Outcome:
    if event.is_transient and update.tries < MOST_TRIES and update.wanted and update.wanted.source:
        again = Install(update.wanted, _pause_s(update.tries))
        update = replace(update, tries=update.tries + 1, progress=0, fault=event.reason)
        return update, (again, PublishStatus())
    closed = update.record.closed
    record = closed(UpdateVerdict.FAILED, event.reason, is_cut=event.is_transient)
    return _ended(replace(update, record=record)), (
        ResumeWork(),  # first: a full disk must not keep the robot from its work
        SaveRecord(record),
        ReadState(),
        PublishStatus(),
    )


def _ended(update: Update) -> Update:
    return replace(update, state=UpdateState.IDLE, wanted=None, tries=0, progress=0, fault="")


def _pause_s(tries: int) -> float:
    return FIRST_PAUSE_S * (1 << min(tries, 5))


def _ticked(update: Update, now_s: float) -> Outcome:
    if update.state is UpdateState.IDLE and update.is_unsaved:
        return update, (SaveRecord(update.record), ReadState())  # the reading confirms it
    if update.state is not UpdateState.RESTARTING:
        return update, ()
    if update.in_use:
        # The dead-man would not wait. Where nothing does it stays armed: it is the last help
        # against a release that cannot even be restarted.
        disarm = (Disarm(),) if update.is_condemned and not update.is_disarmed else ()
        return replace(update, is_disarmed=update.is_condemned), disarm
    requested_s = update.restart_requested_s
    if requested_s is not None and now_s - requested_s < RESTART_AGAIN_S:
        return update, ()
    pending = update.record.pending
    return replace(update, restart_requested_s=now_s), (
        StopWork(),
        Restart(_restart_reason(pending)),
    )


def _restart_reason(pending: PendingUpdate | None) -> str:
    if pending is None:
        return "update"
    if pending.phase is UpdatePhase.CONDEMNED:
        return f"rollback from {pending.version}: {pending.reason}"
    if pending.kind is UpdateKind.ROLLBACK:
        return f"rollback to {pending.version}, as requested"
    return f"update to {pending.version}"


def _action_failed(update: Update, event: ActionFailed) -> Outcome:
    pending = update.record.pending
    match event.action:
        case SaveRecord() if update.state is UpdateState.INSTALLING and pending:
            # Nothing was written; without the record the old slot would not know what happened.
            return _not_noted(update, pending, event.reason)
        case StopWork() if update.state is UpdateState.RESTARTING:
            return replace(
                update, restart_requested_s=None
            ), ()  # again as soon as nothing blocks it
        case StopWork() if pending and _is_following(update, pending):
            return replace(update, fault=event.reason), (FollowInstallation(), PublishStatus())
        case StopWork() if pending:
            wanted = {"must_download": update.record.must_download}
            closed = update.record.closed(UpdateVerdict.REFUSED, event.reason, is_cut=True)
            record = closed.model_copy(update=wanted)
            return _ended(replace(update, record=record)), (
                ResumeWork(),
                SaveRecord(record),
                PublishStatus(),
            )
        case SaveRecord() if pending and pending.phase is UpdatePhase.CONDEMNED:
            return replace(update, fault=event.reason), (
                SetMark(SlotMark.BAD, "booted"),
                PublishStatus(),
            )
        case SetMark(mark=SlotMark.GOOD) if update.state is UpdateState.VERIFYING:
            return replace(update, is_marking=False, mark_fault=event.reason), ()
        case Restart():  # tried again; until then the robot works
            return replace(update, fault=event.reason), (ResumeWork(), PublishStatus())
        # The verdict is not on the card: nothing new begins before it is.
        case SetMark() if not pending and update.state in _BEFORE_THE_SLOT:
            idle = replace(update, state=UpdateState.IDLE, fault=event.reason, needs_read=True)
            return idle, (PublishStatus(),)
        case SaveRecord() if not pending and update.state in _BEFORE_THE_SLOT:
            idle = replace(update, state=UpdateState.IDLE, fault=event.reason, is_unsaved=True)
            return idle, (PublishStatus(),)
    return replace(update, fault=event.reason), (PublishStatus(),)


def _is_following(update: Update, pending: PendingUpdate) -> bool:
    """Whether the installation is older than this process: it continues, followed or not."""
    return pending.kind is UpdateKind.INSTALL and not (update.wanted and update.wanted.source)


def _not_noted(update: Update, pending: PendingUpdate, reason: str) -> Outcome:
    reason = f"not begun: the record could not be written: {reason}"
    record = update.record.closed(UpdateVerdict.REFUSED, reason)
    return _ended(replace(update, record=record)), (PublishStatus(),)


def _answer(request: int | None, success: bool, message: str) -> tuple[Action, ...]:
    return () if request is None else (Answer(request, success, message),)
