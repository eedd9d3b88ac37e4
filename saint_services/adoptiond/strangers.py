"""Devices that were heard and are no nodes of the registry, with the reason, for people who look
for theirs. Bounded: anybody on the bus can make up names.
"""

from ..lib.api.adoption import UnknownDevice
from .logic import clean
from .registry import LONGEST_NAME

_MOST = 16
_FORGOTTEN_AFTER_S = 60.0


class Strangers:
    """Those of the last minute."""

    def __init__(self) -> None:
        self._heard: dict[str, tuple[str, float]] = {}

    def heard(self, name: str, reason: str, now_s: float) -> None:
        """One life sign. When there are too many the oldest is given up."""
        name = clean(name, LONGEST_NAME) or "a device without a name"
        self._heard.pop(name, None)
        self._heard[name] = reason, now_s
        while len(self._heard) > _MOST:
            del self._heard[next(iter(self._heard))]

    def seen(self, now_s: float) -> list[UnknownDevice]:
        """The last one first."""
        recent = [(name, *said) for name, said in self._heard.items()]
        return [
            UnknownDevice(name=name, reason=reason, seen_age_s=round(now_s - seen_s, 3))
            for name, reason, seen_s in reversed(recent)
            if now_s - seen_s <= _FORGOTTEN_AFTER_S
        ]
