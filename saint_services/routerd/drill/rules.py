"""The stop drill: which press counts for which way to stop, and whether every role confirmed in
time. Pure; the times come from the outcomes. Not here: requests and the file (api.py).
"""

from collections.abc import Mapping, Sequence

from ...lib.api.drill import LIMIT_MS, WAYS, DrillReport, DrillStep, DrillTarget, Way
from ...lib.api.routing import StopOutcomeInfo
from ..estop.outcomes import is_confirmed

GIVE_UP_S = 2.0  # after a press: a role that has not confirmed by then has failed


def way_of(source: str) -> Way | None:
    """Return the way of a press by its source; None if the drill has no step for it."""
    if source.startswith("participant "):
        return "ros"
    ways: dict[str, Way] = {"websocket": "page", "rc": "rc", "console": "console", "ros": "ros"}
    return ways.get(source.partition(":")[0])


def begun(now: str, by: str, versions: Mapping[str, str]) -> DrillReport:
    """Return a new drill; every step is open."""
    steps = [DrillStep(way=way) for way in WAYS]
    return DrillReport(began=now, by=by, versions=dict(versions), steps=steps)


def waiting(report: DrillReport, way: Way) -> DrillReport:
    """Return the drill with this step, and no other, waiting for its press."""
    steps = [
        step.model_copy(update={"state": "open"}) if step.state == "waiting" else step
        for step in report.steps
    ]
    return with_step(
        report.model_copy(update={"steps": steps}), DrillStep(way=way, state="waiting")
    )


def with_step(report: DrillReport, step: DrillStep) -> DrillReport:
    """Return the drill with this step in place of the earlier one."""
    steps = [step if each.way == step.way else each for each in report.steps]
    return report.model_copy(update={"steps": steps})


def ended(report: DrillReport, now: str) -> DrillReport:
    """Return the finished drill; a step that still waits for its press has failed."""
    if way := awaited(report):
        report = with_step(report, DrillStep(way=way, state="failed", reason="no press came"))
    return report.model_copy(update={"ended": now})


def awaited(report: DrillReport | None) -> Way | None:
    """Return the way whose step waits for its press, if there is one."""
    steps = report.steps if report else []
    return next((step.way for step in steps if step.state == "waiting"), None)


def judged(
    way: Way, source: str, outcomes: Sequence[StopOutcomeInfo], waited_s: float
) -> DrillStep:
    """Return the step after its press: it waits until every role has confirmed or time is up."""
    targets = [
        DrillTarget(
            target=each.target, state=each.state, after_ms=each.after_ms, detail=each.detail
        )
        for each in outcomes
        if each.state != "absent"
    ]
    found = DrillStep(way=way, state="waiting", source=source, targets=targets)
    if not targets:
        reason = "no node holds a role, so nothing was stopped"
        return found.model_copy(update={"state": "failed", "reason": reason})
    if is_confirmed(outcomes):
        late = [each.target for each in targets if _is_late(each.after_ms)]
        reason = f"confirmed later than {LIMIT_MS:g} ms: {', '.join(late)}" if late else ""
    elif waited_s < GIVE_UP_S:
        return found
    else:
        silent = [each.target for each in targets if each.state not in ("stopped", "guard")]
        reason = f"not confirmed within {GIVE_UP_S:g} s: {', '.join(silent)}"
    return found.model_copy(update={"state": "failed" if reason else "passed", "reason": reason})


def _is_late(after_ms: float | None) -> bool:
    """Return whether a confirmation is late; one without a time counts as late."""
    return after_ms is None or after_ms > LIMIT_MS


def released(step: DrillStep) -> DrillStep:
    """Return the waiting step after a clear: failed if a role had not confirmed the press."""
    if not step.source:
        return step
    reason = "the e-stop was cleared before every role had confirmed it"
    return step.model_copy(update={"state": "failed", "reason": reason})


def killed(target: str, after_ms: float, detail: str, failed: str) -> DrillStep:
    """Return the step after a role's process was killed."""
    state = "stopping" if failed else "guard"
    found = DrillTarget(target=target, state=state, after_ms=after_ms, detail=failed or detail)
    reason = failed or (
        f"the guard acted later than {LIMIT_MS:g} ms" if after_ms > LIMIT_MS else ""
    )
    return DrillStep(
        way="kill", state="failed" if reason else "passed", reason=reason, targets=[found]
    )
