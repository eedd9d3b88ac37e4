"""Builds the status message of an update. Not here: when it is published."""

from ..api.firmware import UpdateState, UpdateVerdict
from ..clock import stamp
from ..generated.saint_msgs import FirmwareStatus
from .events import Update


def firmware_status(update: Update, node_id: str) -> FirmwareStatus:
    """Return the status: of the current update, otherwise the verdict of the last one."""
    last, pending = update.record.last, update.record.pending
    common = FirmwareStatus(
        stamp=stamp(),
        node_id=node_id,
        version=update.version,
        slot=update.slot,
        spare_version=update.spare_version,
        state=update.state.value,
        blocked_by=update.blocked_by,
    )
    if update.state is UpdateState.IDLE and not pending:
        common.target_version = last.version
        common.attempt = last.attempt
        common.verdict = last.verdict.value
        common.reason = _joined(last.reason, update.fault)
        common.log_excerpt = last.log_excerpt
        return common
    version = pending.version if pending else update.wanted.version if update.wanted else ""
    common.target_version = version
    common.attempt = pending.attempt if pending else update.attempt
    common.verdict = UpdateVerdict.NONE.value
    common.reason = _joined(pending.reason if pending else "", update.fault)
    common.log_excerpt = pending.log_excerpt if pending else ""
    common.progress = update.progress
    return common


def _joined(*texts: str) -> str:
    return "; ".join(dict.fromkeys(text for text in texts if text))
