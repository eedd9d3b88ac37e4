"""An update from the request to the restart: what an event changes, what is to be done then.
Pure: `step(update, event)` returns the next update and the actions in their order.
Not here: what happens after a restart (trial.py).
"""

from dataclasses import replace

from ..api.firmware import UpdateState, UpdateVerdict
from ..errors import SaintError
from ..state_machine import Answer
from . import trial
from .events import (
    Action,
    ActionFailed,
    BlockedChanged,
    Checked,
    DownloadRequested,
    Event,
    Follow,
    Hold,
    Inspect,
    Inspected,
    InspectFailed,
    Install,
    Installed,
    InstallFailed,
    InstallRequested,
    LogRead,
    Look,
    Looked,
    Lost,
    Marked,
    Progressed,
    Restart,
    Resume,
    RollbackRequested,
    Save,
    SetMark,
    Switch,
    Tell,
    Ticked,
    Update,
    Wanted,
)
from .installer import Mark
from .record import Before, Kind, LastTry, Pending, Phase
from .versions import is_older, parsed

Outcome = tuple[Update, tuple[Action, ...]]

MOST_TRIES = 3  # of an installation that fails for a reason that may pass
MOST_OFFERS = 3  # of a release that could not be written here
FIRST_PAUSE_S = 2.0
RESTART_AGAIN_S = 60.0


def step(update: Update, event: Event) -> Outcome:
    """The next update and what is to be done, in this order."""
    match event:
        case Looked():
            return trial.looked(update, event)
        case Checked():
            return trial.checked(update, event)
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
            return replace(update, record=record), (Save(record),)
        case BlockedChanged():
            was_blocked = update.was_blocked or bool(event.reason)
            return replace(update, blocked=event.reason, was_blocked=was_blocked), (Tell(),)
        case Ticked():
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
            return replace(update, progress=min(max(percent, 0), 100)), (Tell(),)
        case Installed() if update.record.pending:
            return _installed(update, update.record.pending)
        case InstallFailed() if update.record.pending:
            return _install_failed(update, event)
        case Lost(reason):
            return replace(update, fault=reason, is_lost=True), (Look(), Tell())
    return update, ()


def _install_requested(update: Update, event: InstallRequested) -> Outcome:
    wanted = event.wanted
    refusal = _refusal(update) or _release_refusal(update, event)
    if refusal:
        return update, _answer(event.request, False, refusal)
    last = update.record.last
    attempt = last.attempt + 1 if last.version == wanted.version else 1
    update = _begun(update, wanted, attempt)
    spare = update.slots.spare.letter if update.slots and update.slots.spare else ""
    message = f"installing {wanted.version} into slot {spare}"
    return update, (*_answer(event.request, True, message), Tell(), Inspect(wanted))


def _rollback_requested(update: Update, event: RollbackRequested) -> Outcome:
    refusal = _refusal(update)
    if not refusal and not update.spare_version:
        refusal = "the other slot holds no release that could be started"
    if refusal:
        return update, _answer(event.request, False, refusal)
    wanted = Wanted(update.spare_version)
    last = update.record.last
    update = _begun(update, wanted, last.attempt + 1 if last.version == wanted.version else 1)
    message = f"going back to {wanted.version}"
    return update, (*_answer(event.request, True, message), Tell(), Inspect(wanted))


def _begun(update: Update, wanted: Wanted, attempt: int) -> Update:
    return replace(
        update,
        state=UpdateState.INSTALLING,
        wanted=wanted,
        attempt=attempt,
        tries=1,
        progress=0,
        fault="",
        is_lost=False,
    )


def _refusal(update: Update) -> str:
    """Why nothing may begin now, whatever the release."""
    if update.blocked_by:
        return update.blocked_by
    if update.state is not UpdateState.IDLE or update.record.pending:
        pending = update.record.pending
        version = pending.version if pending else update.wanted.version if update.wanted else ""
        return f"busy with {version} ({update.state.value}); wait until it has a verdict"
    if not update.slots or not update.slots.spare:
        return "this machine has no second slot to install into"
    return ""


def _release_refusal(update: Update, event: InstallRequested) -> str:
    wanted, record = event.wanted, update.record
    is_offer = event.request is None
    if not wanted.source:
        return f"it was not said where {wanted.version} is"
    try:
        parsed(wanted.version)
        is_downgrade = is_older(wanted.version, update.version)
    except SaintError as err:
        return err.message
    if is_offer and record.is_bad(wanted.version, wanted.checksum_sha256):
        return f"{wanted.version} was rolled back here; it is tried again only when asked for"
    if is_offer and update.was_blocked and not record.must_download:
        return "the machine has been in use since it started"
    last = record.last
    is_tired = last.version == wanted.version and last.attempt >= MOST_OFFERS
    if is_offer and is_tired and last.verdict in (UpdateVerdict.FAILED, UpdateVerdict.REFUSED):
        return f"{wanted.version} could not be installed {last.attempt} times: {last.reason}"
    if event.force or (is_offer and record.must_download):
        return ""
    if wanted.version == update.version:
        return f"{wanted.version} runs already; force it to install it again"
    if is_downgrade:
        return f"{wanted.version} is older than {update.version}, which runs; force it to go back"
    return ""


def _inspected(update: Update, event: Inspected) -> Outcome:
    refusal = update.blocked_by or _bundle_refusal(update, event)
    if refusal:
        return _refused(update, refusal)
    pending = _pending(update, event.before)
    record = update.record.model_copy(update={"pending": pending})
    assert update.wanted, "an inspection has something that is wanted"
    write = Install(update.wanted) if pending.kind is Kind.INSTALL else Switch()
    return replace(update, record=record, tries=1), (Save(record), Hold(), write, Tell())


def _bundle_refusal(update: Update, event: Inspected) -> str:
    bundle, wanted, slots = event.bundle, update.wanted, update.slots
    if not bundle or not wanted or not slots:
        return ""
    if slots.compatible and bundle.compatible != slots.compatible:
        return f"it is made for '{bundle.compatible}', this machine takes '{slots.compatible}'"
    if bundle.version != wanted.version:
        return f"the bundle holds {bundle.version[:40]}, not {wanted.version} as announced"
    return ""


def _pending(update: Update, before: Before) -> Pending:
    wanted, slots = update.wanted, update.slots
    assert wanted and slots and slots.spare, "checked when it was asked for"
    return Pending(
        kind=Kind.INSTALL if wanted.source else Kind.ROLLBACK,
        phase=Phase.WRITING,
        version=wanted.version,
        checksum_sha256=wanted.checksum_sha256,
        from_version=update.version,
        from_slot=slots.booted.letter,
        to_slot=slots.spare.letter,
        attempt=update.attempt,
        activations=slots.spare.activations,
        before=before,
    )


def _inspect_failed(update: Update, event: InspectFailed) -> Outcome:
    if not event.is_transient:
        return _refused(update, event.reason)
    if update.tries < MOST_TRIES and update.wanted:
        again = Inspect(update.wanted, _pause_s(update.tries))
        return replace(update, tries=update.tries + 1, fault=event.reason), (again, Tell())
    return _refused(update, event.reason, UpdateVerdict.FAILED)


def _refused(
    update: Update, reason: str, verdict: UpdateVerdict = UpdateVerdict.REFUSED
) -> Outcome:
    """Nothing was touched yet."""
    version = update.wanted.version if update.wanted else ""
    last = LastTry(version=version, attempt=update.attempt, verdict=verdict, reason=reason)
    changes: dict[str, object] = {"last": last, "pending": None}
    if (
        verdict is UpdateVerdict.REFUSED and not update.blocked_by
    ):  # else it is not the release's fault
        changes["must_download"] = False
    record = update.record.model_copy(update=changes)
    return _ended(replace(update, record=record)), (Save(record), Tell())


def _installed(update: Update, pending: Pending) -> Outcome:
    record = trial.changed(update.record, phase=Phase.SWITCHED, restarts=1)
    update = replace(update, record=record, state=UpdateState.RESTARTING, progress=100, fault="")
    return update, (Save(record), Tell())


def _install_failed(update: Update, event: InstallFailed) -> Outcome:
    if event.is_transient and update.tries < MOST_TRIES and update.wanted and update.wanted.source:
        again = Install(update.wanted, _pause_s(update.tries))
        update = replace(update, tries=update.tries + 1, progress=0, fault=event.reason)
        return update, (again, Tell())
    record = update.record.closed(UpdateVerdict.FAILED, event.reason)
    return _ended(replace(update, record=record)), (Save(record), Resume(), Look(), Tell())


def _ended(update: Update) -> Update:
    return replace(update, state=UpdateState.IDLE, wanted=None, tries=0, progress=0, fault="")


def _pause_s(tries: int) -> float:
    return FIRST_PAUSE_S * (1 << min(tries, 5))


def _ticked(update: Update, now_s: float) -> Outcome:
    if update.state is not UpdateState.RESTARTING or update.blocked:
        return update, ()
    asked_s = update.restart_asked_s
    if asked_s is not None and now_s - asked_s < RESTART_AGAIN_S:
        return update, ()
    pending = update.record.pending
    return replace(update, restart_asked_s=now_s), (Hold(), Restart(_restart_reason(pending)))


def _restart_reason(pending: Pending | None) -> str:
    if pending is None:
        return "update"
    if pending.phase is Phase.CONDEMNED:
        return f"back from {pending.version}: {pending.reason}"
    if pending.kind is Kind.ROLLBACK:
        return f"back to {pending.version}, as somebody asked"
    return f"update to {pending.version}"


def _action_failed(update: Update, event: ActionFailed) -> Outcome:
    pending = update.record.pending
    match event.action:
        case Save() if update.state is UpdateState.INSTALLING and pending:
            # Nothing was touched: without a note of it the old slot would not know what happened.
            return _not_noted(update, pending, event.reason)
        case Hold() if update.state is UpdateState.RESTARTING:
            return replace(update, restart_asked_s=None), ()  # again as soon as nothing blocks it
        case Hold() if pending and _is_following(update, pending):
            return replace(update, fault=event.reason), (Follow(), Tell())
        case Hold() if pending:
            wanted = {"must_download": update.record.must_download}
            record = update.record.closed(UpdateVerdict.REFUSED, event.reason).model_copy(
                update=wanted
            )
            return _ended(replace(update, record=record)), (Save(record), Resume(), Tell())
        case Save() if pending and pending.phase is Phase.CONDEMNED:
            return replace(update, fault=event.reason), (SetMark(Mark.BAD, "booted"), Tell())
        case SetMark(mark=Mark.GOOD) if update.state is UpdateState.VERIFYING:
            return replace(update, is_marking=False, mark_fault=event.reason), ()
        case Restart():  # tried again; until then the robot is of use
            return replace(update, fault=event.reason), (Resume(), Tell())
        case SetMark() if update.state is UpdateState.IDLE:
            return replace(update, fault=event.reason, needs_look=True), (Tell(),)
    return replace(update, fault=event.reason), (Tell(),)


def _is_following(update: Update, pending: Pending) -> bool:
    """The installation is older than this process: it goes on whether we watch it or not."""
    return pending.kind is Kind.INSTALL and not (update.wanted and update.wanted.source)


def _not_noted(update: Update, pending: Pending, reason: str) -> Outcome:
    reason = f"not begun, because it could not be noted on the disk: {reason}"
    record = update.record.closed(UpdateVerdict.REFUSED, reason)
    return _ended(replace(update, record=record)), (Tell(),)


def _answer(request: int | None, success: bool, message: str) -> tuple[Action, ...]:
    return () if request is None else (Answer(request, success, message),)
