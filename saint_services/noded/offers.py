"""Decides when a node requests its server's release: at a start of the machine before its roles
begin, later only while its outputs rest; and whether an update started the machine. Not here: the
request (server/release_offers.py), whether a release is installed (lib/update).
"""

import json
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


@dataclass(frozen=True, slots=True)
class NodeStart:
    """How noded was started."""

    is_first: bool  # since the machine was
    # The machine was just started, and not by an update: roles may move joints home.
    may_home: bool


class _SeenBoot(StrictModel):
    """boot.json"""

    boot_id: str = ""
    may_home: bool = True  # for an earlier release, after a rollback: it reads this


def node_start(state: Path) -> NodeStart:
    """Return how noded was started, and note it. Where that cannot be noted it is no first start: a
    process that was restarted may have had live outputs a moment ago, and nobody at the robot
    expects a motion. Blocks.
    """
    # Version 1 did not know what the start was for.
    store = StateStore(state / "boot.json", _SeenBoot, version=2, migrations={1: dict})
    now = _SeenBoot(boot_id=computer.boot_id(), may_home=not _is_update_open(state))
    try:
        seen = store.load()
        if seen.boot_id == now.boot_id:
            return NodeStart(False, may_home=False)
        store.save(now)
    except SaintError:
        return NodeStart(False, may_home=False)
    return NodeStart(True, now.may_home)


def _is_update_open(state: Path) -> bool:
    """Return whether the record has an update without a verdict, so that it or its rollback has
    restarted the machine. To be read before lib/update gives a verdict; of any version."""
    try:
        record = json.loads((state / "update.json").read_bytes())
        return record["pending"] is not None
    except FileNotFoundError:
        return False
    except (OSError, ValueError, LookupError, TypeError):
        return True
