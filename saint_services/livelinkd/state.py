"""What livelinkd keeps over restarts: each subject's zero, scale and sign."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from ..lib.state import Store
from .protocols.names import LONGEST_NAME
from .protocols.skeleton import Quaternion
from .tuning import Tuning

VERSION = 1
MAX_SUBJECTS = 64
FILE = "subjects.json"

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


class SavedTuning(BaseModel):
    """Of one subject."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    zero: dict[str, float] = {}
    rest: dict[str, Quaternion] = {}
    scale: dict[str, float] = {}


class Saved(BaseModel):
    """subjects.json"""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    subjects: dict[Name, SavedTuning] = Field(default={}, max_length=MAX_SUBJECTS)

    @classmethod
    def of(cls, tunings: dict[str, Tuning]) -> "Saved":
        """As they are now."""
        return cls(
            subjects={
                name: SavedTuning(zero=dict(t.zero), rest=dict(t.rest), scale=dict(t.scale))
                for name, t in tunings.items()
            }
        )

    def tunings(self) -> dict[str, Tuning]:
        """As they were."""
        return {name: Tuning(t.zero, t.rest, t.scale) for name, t in self.subjects.items()}


Saving = Store[Saved]
