"""Models the fields of a role configuration, which routes drive, and the command messages that
carry them. Not here: the outputs of parts (parts.py), the whole configuration (model.py).
"""

from typing import Any, Literal

from pydantic import Field, model_validator

from ..strict import StrictModel

FieldKind = Literal["position", "velocity", "switch", "light"]


# What a switch and a light need not say.
_USUAL: dict[str, dict[str, Any]] = {
    "switch": {"unit": "", "limits": (0, 1), "max_rate": 1000, "on_loss": "ramp_to_zero"},
    "light": {"unit": "ratio", "limits": (0, 1), "max_rate": 10, "on_loss": "hold"},
}


class CommandTopic(StrictModel):
    """A command message of the role: its topic, and its constant fields."""

    topic: str
    type: str  # "saint_msgs/msg/HeadCommand"
    constants: dict[str, float] = {}


class FieldSpec(StrictModel):
    """One output that a route may drive. Limits and rates are in `unit`.

    A switch is off at 0, on from 0.5; like a velocity it rests at 0. A light is harmless: it stays
    as it is when commands end, during an e-stop too.
    """

    command: str  # key in `commands`
    path: str = ""  # "linear.x", "target_positions[0]"; none in a PartCommand, which has names
    kind: FieldKind
    unit: str
    limits: tuple[float, float]
    max_rate: float = Field(gt=0)  # unit per second
    # Unit per second squared; without it a motion starts and ends at its rate. For positions.
    max_acceleration: float | None = Field(default=None, gt=0)
    on_loss: Literal["hold", "neutral", "park", "ramp_to_zero"]
    neutral: float = 0.0
    park: float | None = None  # the position of `on_loss: park`

    @model_validator(mode="before")
    @classmethod
    def _of_its_kind(cls, data: Any) -> Any:
        usual = _USUAL.get(str(data.get("kind"))) if isinstance(data, dict) else None
        return usual | data if usual else data

    @property
    def rests_at_zero(self) -> bool:
        """Whether 0 is its safe value: it is brought there when nobody commands it."""
        return self.kind in ("velocity", "switch")
