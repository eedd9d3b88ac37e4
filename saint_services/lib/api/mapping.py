"""How one input drives one output field: the part of a route that is declared by its user. Not
here: routes, blending and the rows (routing.py).
"""

from collections.abc import Iterable
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field

from . import Request

# Strict: true and "1.0" are not numbers.
FiniteNumber = Annotated[float, Field(ge=-1e6, le=1e6, strict=True)]
CombineMode = Literal["sum", "mean", "greatest"]
Point = tuple[FiniteNumber, FiniteNumber]
CURVES_BY_POINTS: Final = ("points", "smooth")
MOST_POINTS: Final = 9
MOST_CONDITIONS: Final = 4


def _own_name(name: object) -> object:
    """Return `eye_pan` for `eyes`, the specification's one name for the eyes of a head: a single
    number turns them left and right.
    """
    if not isinstance(name, str):
        return name
    target, dot, field = name.rpartition(".")
    return f"{target}{dot}eye_pan" if field == "eyes" else name


MappedField = Annotated[str, BeforeValidator(_own_name), Field(min_length=1)]


class MappingCondition(Request):
    """A mapping counts only while this holds. A source that timed out or lost its signal holds
    nothing.

    With one of `above` and `below` the input decides; it ends when the input falls short of that by
    `hysteresis`. Without an input it holds while the source is live: "while the face is seen".
    """

    source: str = Field(default="rc", min_length=1, max_length=128)  # livelink:*, livelink:Face
    input: str = Field(default="", max_length=128)
    above: FiniteNumber | None = None  # holds at or above
    below: FiniteNumber | None = None  # holds below
    hysteresis: float = Field(default=0.05, ge=0, le=1e6)


class Mapping(Request):
    """Maps one input to one output field. Applied in this order:

    invert or switch, deadzone (rescaled), curve, scale, offset, clamp, field limits, filter, rate
    limit, slew limit of the field.
    """

    from_: str = Field(alias="from", min_length=1)
    to: MappedField
    mode: Literal["axis", "switch"] = "axis"
    threshold: float = 0.5  # switch: on at or above
    inverted: bool = False
    deadzone: float = Field(default=0.0, ge=0.0, lt=1.0)
    curve: Literal["linear", "exponential", "points", "smooth"] = "linear"
    expo: float = Field(default=0.0, ge=0.0, le=1.0)  # y = (1-e)x + ex^3
    # curve points and smooth: input and output before scale, the inputs rise
    points: list[Point] = Field(default=[], max_length=MOST_POINTS)
    scale: float = 1.0
    offset: float = 0.0
    clamp: tuple[float, float] | None = None
    filter: Literal["none", "low_pass", "one_euro"] = "none"
    cutoff_hz: float = Field(default=3.0, ge=0.05, le=50)  # one_euro: while the input rests
    # one_euro: Hz that the cut-off rises by for each full range of the field per second
    beta: float = Field(default=5.0, ge=0, le=1000)
    derivative_hz: float = Field(default=1.0, ge=0.05, le=50)  # one_euro: cut-off of the speed
    rate_limit: float | None = Field(default=None, gt=0, le=1e6)  # unit/s; None: the field's own
    only_while: list[MappingCondition] = Field(default=[], max_length=MOST_CONDITIONS)

    model_config = Request.model_config | {"populate_by_name": True}

    @property
    def is_filtered(self) -> bool:
        """Whether the value depends on the samples before."""
        return self.filter != "none" or self.rate_limit is not None


def condition_text(condition: MappingCondition) -> str:
    """Describe a condition: "rc channel_7 at or above 0.5"."""
    if condition.above is not None:
        return f"{condition.source} {condition.input} at or above {condition.above:g}"
    if condition.below is not None:
        return f"{condition.source} {condition.input} below {condition.below:g}"
    return f"{condition.source} is live"


def conditions_text(conditions: Iterable[MappingCondition]) -> str:
    return " and ".join(condition_text(each) for each in conditions)
