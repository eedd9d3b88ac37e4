"""The update record, which survives a restart of the machine: update.json on the data partition,
written before each step that a power cut may follow. Not here: what follows from it (logic.py,
trial.py).
"""

from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import Field

from ..api.firmware import UpdateVerdict
from ..state import StateStore
from ..strict import StrictModel

LONGEST_LOG = 4096
_MOST_BAD = 8


class UpdateKind(StrEnum):
    """Why the spare slot is booted."""

    INSTALL = "install"
    ROLLBACK = "rollback"  # a user requested the release in the other slot


class UpdatePhase(StrEnum):
    """How far an update has come."""

    WRITING = "writing"  # the spare slot is being written, or about to be selected
    SWITCHED = "switched"  # the boot loader starts it next
    CONDEMNED = "condemned"  # the release ran and is not healthy: the old slot must start again


class StateBefore(StrictModel):
    """The state of the machine before the update: what did not work then is not the new release's
    fault."""

    failed_units: tuple[str, ...] = ()  # and the parts that did not answer, e.g. "role head"
    role_answered: bool = False  # all parts answered
    # The parts that answered: no other is judged. None: an older release noted what failed alone.
    answered: tuple[str, ...] | None = None
    server_answers: bool = False


class PendingUpdate(StrictModel):
    """An update that has no verdict yet."""

    kind: UpdateKind
    phase: UpdatePhase
    version: str
    checksum_sha256: str = ""
    from_version: str
    from_slot: str
    to_slot: str
    attempt: int
    activations: int = 0  # of the spare slot, before the update
    restarts: int = 0  # requested restarts; one should be enough
    before: StateBefore = StateBefore()
    cuts: int = 0  # earlier attempts that were interrupted
    is_server_away: bool = False  # rejected for nothing but that
    reason: str = ""
    log_excerpt: str = Field(default="", max_length=LONGEST_LOG)


class LastUpdate(StrictModel):
    """The outcome of the last update."""

    version: str = ""
    attempt: int = 0
    verdict: UpdateVerdict = UpdateVerdict.NONE
    cuts: int = 0  # attempts in a row that a restart, live outputs or the network interrupted
    passed_by: int = 0  # offers that were declined since, because of that
    reason: str = ""
    log_excerpt: str = Field(default="", max_length=LONGEST_LOG)


class BadRelease(StrictModel):
    """A release that was rolled back on this machine: only a user's request installs it again."""

    version: str
    checksum_sha256: str = ""


class LastRun(StrictModel):
    """What worked in the last run that lasted. In the first seconds of a boot nothing works yet, so
    an update that is taken then is compared with this."""

    answered: tuple[str, ...] = ()  # parts that answered for a while, e.g. "role head"
    silent: tuple[str, ...] = ()  # parts that did not for minutes


class WatchedRelease(StrictModel):
    """A release that has passed its trial and still leads back when a part of the work fails. The
    names differ from those of a pending update, which the initrd looks for."""

    kind: UpdateKind
    version: str
    checksum_sha256: str = ""
    slot: str
    back_version: str
    back_slot: str
    attempt: int
    before: StateBefore = StateBefore()
    left_s: float  # of running time


class UpdateRecord(StrictModel):
    """update.json"""

    pending: PendingUpdate | None = None
    last: LastUpdate = LastUpdate()
    bad: tuple[BadRelease, ...] = ()
    slots: dict[str, str] = {}  # slot letter -> version that was healthy in it
    last_run: LastRun = LastRun()
    watched: WatchedRelease | None = None
    must_download: bool = False  # after a factory reset: accept the offered release, whatever runs

    def is_bad(self, version: str, checksum_sha256: str = "") -> bool:
        """Whether this release was rolled back on this machine. Without a checksum any build of
        that version counts."""
        return any(
            bad.version == version
            and (not bad.checksum_sha256 or checksum_sha256 in ("", bad.checksum_sha256))
            for bad in self.bad
        )

    def closed(
        self,
        verdict: UpdateVerdict,
        reason: str = "",
        log_excerpt: str = "",
        *,
        is_cut: bool = False,
    ) -> "UpdateRecord":
        """Return the record with a verdict for the pending update; `is_cut`: it was interrupted,
        which says nothing about the release."""
        pending = self.pending
        assert pending, "only a pending update gets a verdict"
        last = LastUpdate(
            version=pending.version,
            attempt=pending.attempt,
            verdict=verdict,
            cuts=pending.cuts + is_cut,
            reason=reason,
            log_excerpt=log_excerpt,
        )
        changes: dict[str, object] = {"pending": None, "last": last}
        if verdict is UpdateVerdict.ROLLED_BACK:
            if not pending.is_server_away:
                bad = BadRelease(version=pending.version, checksum_sha256=pending.checksum_sha256)
                known = tuple(other for other in self.bad if other != bad)
                changes["bad"] = (*known, bad)[-_MOST_BAD:]
            slots = self.slots.items()  # it may have passed its trial before
            rejected = (pending.to_slot, pending.version)
            changes["slots"] = {letter: v for letter, v in slots if (letter, v) != rejected}
        if verdict is UpdateVerdict.HEALTHY:
            known = tuple(other for other in self.bad if other.version != pending.version)
            changes["bad"] = known
            changes["slots"] = {**self.slots, pending.to_slot: pending.version}
        if verdict is not UpdateVerdict.FAILED:
            changes["must_download"] = False
        return self.model_copy(update=changes)


def store(directory: Path) -> StateStore[UpdateRecord]:
    """Return the store of update.json. Without a record that can be saved no update begins: not
    even the one that leads to the release that can read a newer file."""
    migrations = {1: _unchanged, 2: _unchanged}
    path = directory / "update.json"
    return StateStore(path, UpdateRecord, 3, migrations, begins_with_default=True)


def _unchanged(data: dict[str, Any]) -> dict[str, Any]:
    """Later versions only have more: the last run and a release that is watched (2), which parts
    answered before an update and why a trial failed (3)."""
    return data
