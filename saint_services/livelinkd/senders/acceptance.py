"""Decides which capture senders may move the robot: those that an operator has accepted, those of
the settings, and those whose subject's name ends with the robot's code. Others are listed and move
nothing. Pure; bounded, as any number of senders can be forged. Not here: the owner of a subject
(logic.py), what is persisted (state.py).
"""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from ..logic import LONG_NAME, UNNAMED
from ..protocols import Frame, Refused
from ..protocols.names import LONGEST_NAME
from .limits import NOT_ACCEPTED

MAX_ACCEPTED: Final = 64
MAX_WAITING: Final = 32
MAX_WAITING_OF_ONE: Final = 4  # of one address, so that none fills the list alone
FORGET_S: Final = 10.0  # a sender without frames for longer is no longer listed ...
ROOM_S: Final = 2.0  # ... and makes room for another one after this
EVERY: Final = "*"  # of the settings: every subject of an address
CODE_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another
CODE_LENGTH: Final = 10  # 2^49 codes: guessing takes thousands of years


@dataclass(frozen=True, slots=True)
class SenderKey:
    """Identity of a sender: format, address and subject. Ports change with each start of an app."""

    format: str
    ip: str
    subject: str


@dataclass(slots=True)
class WaitingSender:
    """A sender that is not accepted."""

    frame: Frame
    first_s: float
    last_s: float
    frames: int = 0

    def rate_hz(self) -> float:
        """Return the mean rate since its first frame; 0 while all came in one datagram."""
        elapsed_s = self.last_s - self.first_s
        return (self.frames - 1) / elapsed_s if elapsed_s > 0.0 else 0.0


@dataclass(slots=True)
class SenderGate:
    """Admits frames of accepted senders, and lists the others for operators."""

    settings: frozenset[SenderKey] = frozenset()
    accepted: dict[SenderKey, float] = field(default_factory=dict)  # and when, seconds since 1970
    code: str = ""
    accepts_all: bool = False
    waiting: dict[SenderKey, WaitingSender] = field(default_factory=dict)
    with_code: dict[SenderKey, None] = field(default_factory=dict)  # the subject without the code

    def refusal(self, frame: Frame, format: str, ip: str, now_s: float) -> Refused | None:
        """Return why the frame is refused, or None. Removes the code from the subject's name."""
        key = SenderKey(format, ip, frame.subject or UNNAMED)
        if key in self.accepted:
            return None
        if self._has_code(frame.subject):
            frame.subject = frame.subject[: -len(self.code)].rstrip(" -_.") or UNNAMED
            self._note_code(SenderKey(format, ip, frame.subject))
            return None
        if self.accepts_all or self.is_known(key):
            return None
        if len(frame.subject) > LONGEST_NAME:
            return LONG_NAME
        self._show(key, frame, now_s)
        return NOT_ACCEPTED

    def is_known(self, key: SenderKey) -> bool:
        """Return True when an operator or the settings accepted this sender."""
        if key in self.accepted or key in self.settings:
            return True
        return bool(self.settings) and SenderKey(key.format, key.ip, EVERY) in self.settings

    def accept(self, key: SenderKey, wall_s: float) -> None:
        """Admit this sender from its next frame on."""
        self.accepted[key] = wall_s
        self.waiting.pop(key, None)

    def shown(self, now_s: float) -> Iterable[tuple[SenderKey, WaitingSender]]:
        """Return the waiting senders with recent frames."""
        for key in [k for k, each in self.waiting.items() if now_s - each.last_s >= FORGET_S]:
            del self.waiting[key]
        return self.waiting.items()

    def _has_code(self, subject: str) -> bool:
        if not self.code or len(subject) > LONGEST_NAME:
            return False
        given = subject[-len(self.code) :].lower()
        return hmac.compare_digest(given.encode(), self.code.encode())

    def _note_code(self, key: SenderKey) -> None:
        if key not in self.with_code and len(self.with_code) >= MAX_ACCEPTED:
            del self.with_code[next(iter(self.with_code))]
        self.with_code[key] = None

    def _show(self, key: SenderKey, frame: Frame, now_s: float) -> None:
        known = self.waiting.get(key)
        if known is None:
            if not self._has_room(key.ip, now_s):
                return
            known = self.waiting[key] = WaitingSender(frame, now_s, now_s)
        known.frame, known.last_s = frame, now_s
        known.frames += 1

    def _has_room(self, ip: str, now_s: float) -> bool:
        """Make room for one more, if need be by dropping the longest silent one."""
        own = [key for key in self.waiting if key.ip == ip]
        if len(own) >= MAX_WAITING_OF_ONE:
            return self._drop_longest_silent(own, now_s)
        if len(self.waiting) >= MAX_WAITING:
            return self._drop_longest_silent(list(self.waiting), now_s)
        return True

    def _drop_longest_silent(self, keys: list[SenderKey], now_s: float) -> bool:
        longest = min(keys, key=lambda key: self.waiting[key].last_s)
        if now_s - self.waiting[longest].last_s < ROOM_S:
            return False
        del self.waiting[longest]
        return True
