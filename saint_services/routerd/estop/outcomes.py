"""What the newest stop has done to each target: confirmed, not confirmed, or doubtful. Pure. Not
here: which reports count as proven (proven_roles.py), publishing (confirmations.py).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

LONGEST_DETAIL = 200
LONGEST_NODE_ID = 64


class StopState(StrEnum):
    """What is known about one target."""

    STOPPED = "stopped"  # its role reports that the outputs are at rest
    GUARD = "guard"  # the guard of its node made the outputs safe
    STOPPING = "stopping"  # an output may still move
    SILENT = "silent"  # no report has come
    ABSENT = "absent"  # no node holds the role


CONFIRMED = (StopState.STOPPED, StopState.GUARD)


@dataclass(frozen=True, slots=True)
class ReceivedReport:
    """What a role, or its node, reports of a stop."""

    target: str
    node_id: str
    generation: int
    state: StopState
    detail: str = ""
    is_proven: bool = False  # a node of this robot has signed for its writer


@dataclass(frozen=True, slots=True)
class TargetOutcome:
    """What the stop has done to one target. `after_ms` is the time from the press to the
    confirmation; None without one.
    """

    target: str
    node_id: str
    state: StopState
    after_ms: float | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TargetOutcomes:
    """The outcomes of the newest press; only its reports count. `holders` maps a target to its
    node; None while that is not known: then every target is expected to confirm.
    """

    targets: tuple[str, ...]
    is_active: bool = False
    generation: int = 0
    pressed_s: float = 0.0
    holders: Mapping[str, str] | None = None
    reported: Mapping[str, TargetOutcome] = field(default_factory=dict)

    def latched(self, generation: int, now_s: float, *, is_active: bool) -> "TargetOutcomes":
        """Return the outcomes after a press or a clear: earlier reports do not count for it."""
        if (is_active, generation) == (self.is_active, self.generation):
            return self
        return replace(
            self, is_active=is_active, generation=generation, pressed_s=now_s, reported={}
        )

    def held_by(self, holders: Mapping[str, str] | None) -> "TargetOutcomes":
        """Return the outcomes with these holders."""
        return replace(self, holders=holders)

    def after(self, report: ReceivedReport, now_s: float) -> "TargetOutcomes":
        """Return the outcomes after a report. An unproven one can only add doubt."""
        if not self._counts(report):
            return self
        if report.state not in CONFIRMED:
            doubt = TargetOutcome(report.target, report.node_id, report.state, detail=report.detail)
            return self._with(doubt)
        before = self.reported.get(report.target)
        if before and before.state in CONFIRMED and before.node_id == report.node_id:
            return self  # the first confirmation has the time
        after_ms = round((now_s - self.pressed_s) * 1000, 1)
        confirmed = TargetOutcome(
            report.target, report.node_id, report.state, max(0.0, after_ms), report.detail
        )
        return self._with(confirmed)

    def _counts(self, report: ReceivedReport) -> bool:
        is_ours = report.is_proven or self.is_holder(report)
        is_doubt = report.state is StopState.STOPPING
        return (
            self.is_active
            and report.target in self.targets
            and report.generation == self.generation
            and (report.is_proven if not is_doubt else is_ours)
        )

    def is_holder(self, report: ReceivedReport) -> bool:
        """Whether the report names the node that holds its target."""
        return (self.holders or {}).get(report.target) == report.node_id

    def _with(self, outcome: TargetOutcome) -> "TargetOutcomes":
        return replace(self, reported={**self.reported, outcome.target: outcome})

    def listed(self) -> tuple[TargetOutcome, ...]:
        """Return every target in the order of the manifests; none while the latch is open."""
        return tuple(map(self._of, self.targets)) if self.is_active else ()

    def _of(self, target: str) -> TargetOutcome:
        found = self.reported.get(target)
        holder = None if self.holders is None else self.holders.get(target, "")
        if found and holder in (None, found.node_id):
            return found
        if holder == "" and not found:
            return TargetOutcome(target, "", StopState.ABSENT)
        if found and found.state not in CONFIRMED:
            return found
        return TargetOutcome(target, holder or "", StopState.SILENT)

    @property
    def is_confirmed(self) -> bool:
        """True when every expected role has confirmed the newest press."""
        return self.is_active and is_confirmed(self.listed())


class HasState(Protocol):
    """An outcome, of this module or of a reply."""

    @property
    def state(self) -> str: ...


def is_confirmed(outcomes: Iterable[HasState]) -> bool:
    """Return whether the outputs of every target with a role are known to be at rest."""
    return all(each.state in (*CONFIRMED, StopState.ABSENT) for each in outcomes)
