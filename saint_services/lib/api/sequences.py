"""Sequences on routerd's socket: movements of one target with time stamps, recorded from any
master, written by hand or imported from an episode of LeRobot, and played as an input of the
router.

The format (a file of `saintctl sequence export`, the body of `save`):

    {"joints": ["shoulder_pan", "gripper"], "units": ["deg", "ratio"],
     "frames": [[0.0, -12.5, 0.1], [0.02, -12.3, 0.1]], "source": "recorded from leader:left"}

A frame is its time in seconds, from 0 and rising, and one value for each joint, in the unit of the
target's field. Between frames the way is straight.
"""

import math
from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from ..access.levels import Level
from . import Done, Reply, Request
from .endpoint import Nothing, Rows
from .routing import Target

MOST_FRAMES: Final = 15_000  # 5 minutes at 50 frames a second
LONGEST_S: Final = 900.0
MOST_JOINTS: Final = 32
MOST_EPISODE_CHARACTERS: Final = 900_000

SequenceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
JointName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,47}$")]
Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e5, le=1e5)]


class JointSequence(Request):
    """A movement of the joints of one target."""

    joints: list[JointName] = Field(min_length=1, max_length=MOST_JOINTS)
    units: list[Literal["deg", "ratio"]] = Field(min_length=1, max_length=MOST_JOINTS)
    frames: list[list[Number]] = Field(min_length=2, max_length=MOST_FRAMES)
    source: str = Field(default="", max_length=200)  # where it comes from, for people

    @model_validator(mode="after")
    def _frames_fit(self) -> "JointSequence":
        width = len(self.joints)
        if len(set(self.joints)) != width:
            raise ValueError("joints names a joint twice")
        if len(self.units) != width:
            raise ValueError(f"units has {len(self.units)} entries, joints has {width}")
        before = -math.inf
        for number, frame in enumerate(self.frames):
            if len(frame) != width + 1:
                raise ValueError(
                    f"frame {number} has {len(frame)} numbers; a time and {width} values are needed"
                )
            if frame[0] <= before:
                raise ValueError(f"frame {number} is at {frame[0]:g} s, not after the one before")
            before = frame[0]
        if self.frames[0][0] != 0.0:
            raise ValueError(f"the first frame is at {self.frames[0][0]:g} s, not at 0")
        if before > LONGEST_S:
            raise ValueError(f"it lasts {before:g} s; {LONGEST_S:g} s at most")
        return self

    @property
    def duration_s(self) -> float:
        """How long it lasts at its own speed."""
        return self.frames[-1][0]


class SequenceInfo(Reply):
    """A stored sequence."""

    name: str
    joints: list[str] = []
    duration_s: float = 0.0
    frames: int = 0
    source: str = ""
    fault: str = ""  # why it cannot be read


class PlayingInfo(Reply):
    """A sequence that a target plays, or has played last."""

    target: str
    name: str
    state: Literal["approaching", "playing", "ended"]
    at_s: float  # in the sequence
    rounds: int  # played to the end
    reason: str = ""  # why it has ended


class SequenceRecording(Reply):
    """A recording in progress."""

    target: str
    name: str
    frames: int
    at_s: float


class SequenceList(Reply):
    """All sequences, and what is played and recorded now."""

    sequences: list[SequenceInfo]
    playing: list[PlayingInfo] = []
    recording: SequenceRecording | None = None


class SequenceParams(Request):
    """A sequence by its name."""

    sequence_name: SequenceName


class SaveSequence(SequenceParams):
    """Store a sequence; one of the same name is replaced."""

    sequence: JointSequence


class ImportEpisode(SequenceParams):
    """Make a sequence of an episode of LeRobot."""

    target: Target = Field(description="Whose joints it moves: parts.follower.")
    text: str = Field(max_length=MOST_EPISODE_CHARACTERS, description="The file.")
    format: Literal["csv", "json"] = Field(default="csv", description="csv or json.")
    episode: int | None = Field(default=None, ge=0, description="Which one, if there are several.")
    degrees: bool = Field(default=True, description="Off: joints count -100 to 100 of their range.")


class RecordSequence(SequenceParams):
    """Record what a target is commanded, whichever master drives it, until `finish`."""

    target: Target = Field(description="parts.follower, arms.left, ...")


class PlaySequence(SequenceParams):
    """Play a sequence. The target is locked meanwhile."""

    target: Target = Field(description="parts.follower, arms.left, ...")
    speed: float = Field(default=1.0, ge=0.05, le=3.0, description="Of its own speed.")
    loop: bool = Field(default=False, description="Again and again, until stopped.")
    takeover: bool = Field(default=False, description="Take the target from another holder.")


class StopSequence(Request):
    """The target that is to stop playing."""

    target: Target = Field(description="parts.follower, arms.left, ...")


ROWS = Rows("sequence", "routerd")
_row = ROWS.row
_OPERATOR = Level.OPERATOR

# fmt: off
LIST_SEQUENCES = _row(
    "list", "GET", "/sequences", Nothing, SequenceList,
    "List the sequences, and what is played and recorded now.",
)
GET_SEQUENCE = _row(
    "get", "GET", "/sequences/{sequence_name}", SequenceParams, JointSequence, "Get a sequence.",
)
SAVE_SEQUENCE = _row(
    "save", "PUT", "/sequences/{sequence_name}", SaveSequence, SequenceInfo,
    "Store a sequence.",
    level=_OPERATOR, log="Sequence {sequence_name} was saved", body="sequence",
)
DELETE_SEQUENCE = _row(
    "delete", "DELETE", "/sequences/{sequence_name}", SequenceParams, Done,
    "Delete a sequence.", level=_OPERATOR, log="Sequence {sequence_name} was deleted",
)
IMPORT_EPISODE = _row(
    "import_episode", "POST", "/sequences/{sequence_name}/episode", ImportEpisode, SequenceInfo,
    "Make a sequence of an episode of LeRobot.",
    level=_OPERATOR, log="Sequence {sequence_name} was imported",
)
RECORD_SEQUENCE = _row(
    "record", "POST", "/sequences/{sequence_name}/record", RecordSequence, SequenceList,
    "Record a target from its next motion on.",
    level=_OPERATOR, log="Recording of {target} as sequence {sequence_name} began",
)
FINISH_RECORDING = _row(
    "finish", "POST", "/sequence-recording/finish", Nothing, SequenceInfo,
    "End the recording and store it.",
    level=_OPERATOR, log=lambda _, reply: f"Sequence {reply.name} was recorded",
)
PLAY_SEQUENCE = _row(
    "play", "POST", "/sequences/{sequence_name}/play", PlaySequence, SequenceList,
    "Play a sequence on a target, beginning softly where its joints stand.",
    level=_OPERATOR, log="Sequence {sequence_name} is played on {target}",
)
STOP_SEQUENCE = _row(
    "stop", "POST", "/sequence-playing/stop", StopSequence, SequenceList,
    "End the sequence that a target plays; its joints stay.",
    level=_OPERATOR, log="The sequence on {target} was stopped",
)
