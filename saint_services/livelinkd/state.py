"""Models of livelinkd's state files: each subject's zero, scale and sign; accepted senders."""

from typing import Annotated

from pydantic import Field

from ..lib.api.livelink import Acceptance, FormatName, SenderIp
from ..lib.state import StateStore
from ..lib.strict import StrictModel
from .protocols.names import LONGEST_NAME
from .protocols.skeleton import Quaternion
from .tuning import Tuning

VERSION = 1
MAX_SUBJECTS = 64
FILE = "subjects.json"
SENDERS_VERSION = 1
SENDERS_FILE = "senders.json"
CODE_VERSION = 1
CODE_FILE = "sender_code.json"

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


class SavedTuning(StrictModel):
    """Zero, rest and scale of one subject."""

    zero: dict[str, float] = {}
    rest: dict[str, Quaternion] = {}
    scale: dict[str, float] = {}


class SavedTunings(StrictModel):
    """Contents of subjects.json."""

    subjects: dict[Name, SavedTuning] = Field(default={}, max_length=MAX_SUBJECTS)

    @classmethod
    def of(cls, tunings: dict[str, Tuning]) -> "SavedTunings":
        """Copy the current tunings."""
        return cls(
            subjects={
                name: SavedTuning(zero=dict(t.zero), rest=dict(t.rest), scale=dict(t.scale))
                for name, t in tunings.items()
            }
        )

    def tunings(self) -> dict[str, Tuning]:
        """Convert to tunings."""
        return {name: Tuning(t.zero, t.rest, t.scale) for name, t in self.subjects.items()}


class AcceptedSender(StrictModel):
    """One sender that an operator has accepted."""

    format: FormatName
    ip: SenderIp
    subject_name: Name
    accepted_s: float = 0.0  # seconds since 1970


class SavedSenders(StrictModel):
    """Contents of senders.json. With a file that cannot be read, no sender is accepted."""

    senders: list[AcceptedSender] = Field(default=[], max_length=64)
    accept: Acceptance | None = None  # as an admin has switched it; None: as livelinkd.yaml says


class SavedCode(StrictModel):
    """Contents of sender_code.json. Not part of a backup: it stays with its robot."""

    code: str = Field(default="", pattern=r"^([a-z0-9]{10})?$", repr=False)


TuningStore = StateStore[SavedTunings]
