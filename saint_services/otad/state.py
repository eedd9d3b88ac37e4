"""What otad persists: the offered release and the roll-out. The releases themselves are found on
the disk (releases/repository.py).
"""

from typing import Any

from pydantic import Field

from ..lib.api.firmware import RolloutState, RolloutStep
from ..lib.strict import StrictModel


class SavedStep(StrictModel):
    """One machine of a roll-out."""

    node_id: str
    step: RolloutStep = RolloutStep.WAITING
    reason: str = ""
    is_accepted: bool = False  # the machine has accepted the request
    has_begun: bool = False  # the machine was seen updating
    before: str = ""  # its last verdict before the request: a new one must differ
    refusals: int = 0
    is_leftover: bool = False  # still updating to the release of the plan before


class SavedPlan(StrictModel):
    """A roll-out, in the order of its machines."""

    version: str
    state: RolloutState = RolloutState.RUNNING
    is_rollback: bool = False
    is_partial: bool = False  # of some machines only: the offer on boot does not change
    is_forced: bool = False
    is_automatic: bool = False  # no user began it: the owner's limits hold for each machine
    canary: str = ""  # named in the request; no other node goes first
    server: str = ""  # the machine that serves the bundles; empty: not part of the plan
    is_server_last: bool = False
    reason: str = ""
    steps: tuple[SavedStep, ...] = Field(default=(), max_length=300)


VERSION = 3


def unchanged(data: dict[str, Any]) -> dict[str, Any]:
    """Version 1 did not know when the last roll-out was done, nor version 2 what a user left."""
    return data


MIGRATIONS = {1: unchanged, 2: unchanged}


class SavedFirmware(StrictModel):
    """otad.json"""

    current: str = ""  # the release that booting nodes are offered
    previous: str = ""  # the offer before
    rejected: str = ""  # the newest release that a user left for an older one
    plan: SavedPlan | None = None
    updated_s: float = 0.0  # when the last roll-out was done, seconds since 1970; 0: never
