"""Remembers what stopped the wagon, and its faults and warnings, for people. Pure: times come in as
arguments. Not here: the state itself (role_wagond).
"""

from collections import deque
from dataclasses import dataclass, replace
from typing import Final

from ..lib.api.wagon import WagonEvent
from ..lib.generated.saint_msgs import WagonState

MOST: Final = 50
_STOPS: Final = {
    "failsafe": "no RC signal arrived: motors off",
    "estop": "stopped: motors off",
    "tilt": "tilted beyond 25 degrees: motors off",
    "fault": "a fault: motors off",
    "silent": "the BALANCE board does not report",
}


@dataclass(frozen=True, slots=True)
class _Open:
    """What is wrong now: a stop of the board, or a fault."""

    text: str
    began_s: float
    pitch: float


class WagonHistory:
    """The last events, newest first. Of a state and of a fault one each can be open."""

    def __init__(self) -> None:
        self._over: deque[WagonEvent] = deque(maxlen=MOST)
        self._open: dict[str, _Open] = {}

    def see(self, state: WagonState, wall_s: float) -> None:
        """Follow a published state. `wall_s`: seconds since 1970."""
        self._follow("state", _STOPS.get(state.state, ""), state, wall_s)
        self._follow("fault", state.fault, state, wall_s)

    def events(self) -> list[WagonEvent]:
        """Return all events, those that last first."""
        lasting = [_event(each, None) for each in self._open.values()]
        lasting.sort(key=lambda event: -event.time)
        return (lasting + list(reversed(self._over)))[:MOST]

    def _follow(self, kind: str, text: str, state: WagonState, wall_s: float) -> None:
        before = self._open.get(kind)
        if before is not None and before.text == text:
            if abs(state.pitch) > abs(before.pitch):
                self._open[kind] = replace(before, pitch=state.pitch)
            return
        if before is not None:
            self._over.append(_event(before, wall_s))
            del self._open[kind]
        if text:
            self._open[kind] = _Open(text, wall_s, state.pitch)


def _event(found: _Open, until_s: float | None) -> WagonEvent:
    pitch = round(found.pitch, 1) if found.pitch == found.pitch else None
    return WagonEvent(time=found.began_s, until=until_s, text=found.text, pitch=pitch)
