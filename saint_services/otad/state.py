"""What otad remembers over a restart: the release that is offered, and how the roll-out stands.
The releases themselves are found on the disk (adapters/repository.py).
"""

from pydantic import BaseModel, ConfigDict, Field

from ..lib.api.firmware import RolloutState, RolloutStep


class SavedStep(BaseModel):
    """One machine of a roll-out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    node_id: str
    step: RolloutStep = RolloutStep.WAITING
    reason: str = ""
    is_asked: bool = False  # it has agreed to begin
    has_begun: bool = False  # it was seen at work on it
    before: str = ""  # its last verdict when it was asked: a new one must differ
    refusals: int = 0
    is_leftover: bool = False  # at work on what the plan before wanted


class SavedPlan(BaseModel):
    """A roll-out, in the order of its machines."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    state: RolloutState = RolloutState.RUNNING
    is_rollback: bool = False
    is_partial: bool = False  # of some machines only: what is offered on boot stays as it is
    is_forced: bool = False
    canary: str = ""  # asked for by name; nobody goes before it
    server: str = ""  # the machine that serves the bundles; empty: it is not part of it
    is_server_last: bool = False
    reason: str = ""
    steps: tuple[SavedStep, ...] = Field(default=(), max_length=300)


class SavedFirmware(BaseModel):
    """otad.json"""

    model_config = ConfigDict(extra="forbid", frozen=True)

    current: str = ""  # the release that nodes are offered on boot
    previous: str = ""  # what it was before
    plan: SavedPlan | None = None
