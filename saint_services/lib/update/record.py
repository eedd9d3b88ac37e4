"""What survives a restart of the machine in the middle of an update: update.json, on the data
partition, written before each step that a power cut may follow.
Not here: what follows from it (logic.py, trial.py).
"""

from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from ..api.firmware import UpdateVerdict
from ..state import StateStore

LONGEST_LOG = 4096
_MOST_BAD = 8


class Kind(StrEnum):
    """How the spare slot came to its turn."""

    INSTALL = "install"
    ROLLBACK = "rollback"  # a person asked for the release that is there


class Phase(StrEnum):
    """How far a try has come."""

    WRITING = "writing"  # the spare slot is written, or about to be switched to
    SWITCHED = "switched"  # the boot loader takes it at the next start
    CONDEMNED = "condemned"  # it ran and is not healthy: the old one has to come back


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Before(_Kept):
    """How the machine was before: what did not work then is not the new release's fault."""

    failed_units: tuple[str, ...] = ()  # and the parts that did not answer, "role head"
    role_answered: bool = False  # every part; releases before judged all of them or none
    server_heard: bool = False


class Pending(_Kept):
    """A try that has no verdict yet."""

    kind: Kind
    phase: Phase
    version: str
    checksum_sha256: str = ""
    from_version: str
    from_slot: str
    to_slot: str
    attempt: int
    activations: int = 0  # of the spare slot, before
    restarts: int = 0  # asked for; one should do
    before: Before = Before()
    reason: str = ""
    log_excerpt: str = Field(default="", max_length=LONGEST_LOG)


class LastTry(_Kept):
    """How the last one ended."""

    version: str = ""
    attempt: int = 0
    verdict: UpdateVerdict = UpdateVerdict.NONE
    reason: str = ""
    log_excerpt: str = Field(default="", max_length=LONGEST_LOG)


class BadRelease(_Kept):
    """It was rolled back here: not tried again unless a person asks."""

    version: str
    checksum_sha256: str = ""


class Record(_Kept):
    """update.json"""

    pending: Pending | None = None
    last: LastTry = LastTry()
    bad: tuple[BadRelease, ...] = ()
    slots: dict[str, str] = {}  # letter -> version that was healthy there
    must_download: bool = False  # after a factory reset: take what is offered, whatever runs

    def is_bad(self, version: str, checksum_sha256: str = "") -> bool:
        """True when this release was rolled back on this machine. Without a checksum any build of
        that version counts."""
        return any(
            bad.version == version
            and (not bad.checksum_sha256 or checksum_sha256 in ("", bad.checksum_sha256))
            for bad in self.bad
        )

    def closed(self, verdict: UpdateVerdict, reason: str = "", log_excerpt: str = "") -> "Record":
        """The pending try with its verdict."""
        pending = self.pending
        assert pending, "only a try that is pending gets a verdict"
        last = LastTry(
            version=pending.version,
            attempt=pending.attempt,
            verdict=verdict,
            reason=reason,
            log_excerpt=log_excerpt,
        )
        changes: dict[str, object] = {"pending": None, "last": last}
        if verdict is UpdateVerdict.ROLLED_BACK:
            bad = BadRelease(version=pending.version, checksum_sha256=pending.checksum_sha256)
            known = tuple(other for other in self.bad if other != bad)
            changes["bad"] = (*known, bad)[-_MOST_BAD:]
        if verdict is UpdateVerdict.HEALTHY:
            known = tuple(other for other in self.bad if other.version != pending.version)
            changes["bad"] = known
            changes["slots"] = {**self.slots, pending.to_slot: pending.version}
        if verdict is not UpdateVerdict.FAILED:
            changes["must_download"] = False
        return self.model_copy(update=changes)


def store(directory: Path) -> StateStore[Record]:
    """Where it is kept."""
    return StateStore(directory / "update.json", Record, version=1)
