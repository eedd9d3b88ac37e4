"""What the fake robot's roles say of a stop."""

from collections.abc import Collection
from math import nan

from saint_services.lib.api.routing import StopOutcome
from saint_services.lib.clock import stamp
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.routerd.estop import Latch

TARGETS = ("head", "arms.left", "arms.right", "tracks")


def outcomes(silent: Collection[str]) -> list[StopOutcome]:
    """Return one for each target; those in `silent` have not answered."""
    return [
        StopOutcome(target=target, state="silent")
        if target in silent
        else StopOutcome(target=target, node_id="fake", state="stopped", after_ms=8.0)
        for target in TARGETS
    ]


def message(latch: Latch, found: list[StopOutcome]) -> msgs.StopOutcomes:
    """Return the same for the bus."""
    is_confirmed = bool(found) and all(each.state == "stopped" for each in found)
    listed = tuple(
        msgs.StopOutcome(
            each.target,
            each.node_id,
            each.state,
            nan if each.after_ms is None else each.after_ms,
            each.detail,
        )
        for each in found
    )
    return msgs.StopOutcomes(stamp(), latch.active, latch.generation, is_confirmed, listed)
