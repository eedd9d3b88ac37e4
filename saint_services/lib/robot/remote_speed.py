"""Declares the curve of a robot file by which remote operation slows down as the delay grows: the
share of the top speed for each delay. Pure. Not here: the delay (teleopd/delay.py).
"""

from itertools import pairwise
from typing import Annotated

from pydantic import Field, model_validator

from ..strict import StrictModel

Point = tuple[
    Annotated[float, Field(ge=0, le=10_000)],  # ms: from the camera to the operator, and back
    Annotated[float, Field(ge=0, le=1)],  # of the top speed
]


class RemoteSpeed(StrictModel):
    """`remote:` of a robot. Below the first delay its share counts, between two a line."""

    # At 1 m/s the robot drives a metre before the operator's hand can stop it, after a second.
    speed_by_delay_ms: list[Point] = Field(
        default=[(250.0, 1.0), (600.0, 0.4), (1000.0, 0.0)], min_length=1, max_length=16
    )

    @model_validator(mode="after")
    def _ends_at_rest(self) -> "RemoteSpeed":
        for (before_ms, faster), (after_ms, slower) in pairwise(self.speed_by_delay_ms):
            if after_ms <= before_ms or slower > faster:
                text = "speed_by_delay_ms: delays must rise and shares must not"
                raise ValueError(f"{text}; [{after_ms:g}, {slower:g}] follows {before_ms:g} ms")
        if self.speed_by_delay_ms[-1][1] > 0:
            raise ValueError("speed_by_delay_ms must end with the share 0: then the robot stops")
        return self

    @property
    def stop_ms(self) -> float:
        """The delay from which nothing moves."""
        return next(delay for delay, share in self.speed_by_delay_ms if not share)

    def share(self, delay_ms: float) -> float:
        """Return the share of the top speed; 0 for a delay that is no number."""
        points = self.speed_by_delay_ms
        if delay_ms <= points[0][0]:
            return points[0][1]
        for (before_ms, faster), (after_ms, slower) in pairwise(points):
            if delay_ms < after_ms:
                way = (delay_ms - before_ms) / (after_ms - before_ms)
                return faster + (slower - faster) * way
        return 0.0
