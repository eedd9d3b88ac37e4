"""Decides when a node requests its server's release: at a start of the machine before its roles
begin, later only while its outputs rest. Not here: the request (server/release_offers.py), whether
a release is installed (lib/update).
"""

from dataclasses import dataclass, replace
from pathlib import Path

from ..lib.errors import SaintError
from ..lib.machine import computer
from ..lib.state import StateStore
from ..lib.strict import StrictModel


@dataclass(frozen=True, slots=True)
class OfferTimes:
    """When this node rests, and when it requested last. Times are monotonic."""

    rest_s: float  # for so long outputs must be safe before the machine counts as unused
    again_s: float  # between two requests during a rest
    rests_since_s: float | None = None  # None: in use
    requested_s: float = float("-inf")

    def stirred(self, *, is_resting: bool, now_s: float) -> "OfferTimes":
        """Return the times after a look at the outputs."""
        if is_resting == (self.rests_since_s is not None):
            return self
        return replace(self, rests_since_s=now_s if is_resting else None)

    def requested(self, now_s: float) -> "OfferTimes":
        """Return the times after a request."""
        return replace(self, requested_s=now_s)

    @property
    def due_s(self) -> float | None:
        """When to request the release: once per rest, then from time to time; None: not while the
        machine is in use."""
        if self.rests_since_s is None:
            return None
        first_s = self.rests_since_s + self.rest_s
        return first_s if self.requested_s < first_s else self.requested_s + self.again_s


class _SeenBoot(StrictModel):
    """boot.json"""

    boot_id: str = ""


def is_first_start(state: Path) -> bool:
    """Return whether noded starts for the first time since the machine did, and note it. Where that
    cannot be noted the answer is no: a process that was restarted may have had live outputs a
    moment ago. Blocks.
    """
    store = StateStore(state / "boot.json", _SeenBoot, version=1)
    seen = _SeenBoot(boot_id=computer.boot_id())
    try:
        if store.load() == seen:
            return False
        store.save(seen)
    except SaintError:
        return False
    return True
