"""Refuses requests that may have waited while the router stood still: who sent one believes that it
did nothing, and stands where the robot may move. Not here: samples (input_topics.py); a stop, which
is carried out however late it comes.
"""

from typing import Final

from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.stall import StallWatch

LATE_S: Final = 1.0  # from then on a person takes it for lost


def check_in_time(stalls: StallWatch, undone: str) -> None:
    """Raise SaintError refused for what may have waited longer; `undone` says what was not done."""
    waited_s = stalls.waited_s(monotonic_s())
    if waited_s > LATE_S:
        raise SaintError(
            Code.REFUSED,
            f"the router stood still for {waited_s:.1f} s, so {undone}",
            fix="Look at the robot, then request it again.",
        )
