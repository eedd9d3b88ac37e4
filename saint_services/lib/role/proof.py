"""Checks the credentials of routers for one role: which participant the node's server signed for.
Not here: what a proven router may do (gate.py).
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from ..api.credentials import router_parts
from ..bus import Sample
from ..crypto.signing import is_signed
from ..generated.saint_msgs import RouterCredential

# A check takes about 0.2 ms on a Raspberry Pi 4, and the loop that does it also moves motors.
_CHECKS_PER_S = 10
_FIRST_PAUSE_S = 1.0  # after a false credential, for its writer; doubles up to the longest
_LONGEST_PAUSE_S = 60.0
_NEW = (0.0, _FIRST_PAUSE_S / 2)  # of a writer that has not failed: again at, pause
_MOST_WRITERS = 64
_SIGNATURE_CHARS = 128
V = TypeVar("V")


class Proofs:
    """Checks every credential; `on_proven` gets the participant and term of genuine ones.

    A router publishes its own credential: one that another participant sends in its name is not
    checked, so a flood of false ones delays its own writers only.
    """

    def __init__(self, server_key: str, on_proven: Callable[[str, int], None]) -> None:
        self.refused = 0
        self._server_key = server_key
        self._on_proven = on_proven
        self._known: OrderedDict[str, tuple[int, str]] = OrderedDict()  # genuine, by participant
        self._failed: OrderedDict[str, tuple[float, float]] = OrderedDict()  # again at, pause
        self._second = -1
        self._checks = 0

    def receive(self, sample: Sample[RouterCredential]) -> None:
        """Check a credential, unless it is not its writer's own or its writer must wait."""
        said, origin = sample.message, sample.origin
        if not origin or said.origin != origin or said.server_key != self._server_key:
            self.refused += 1
            return
        if self._known.get(origin) == (said.term, said.signature):
            return
        if not self._may_check(origin, sample.received_s):
            self.refused += 1
            return
        is_whole = len(said.signature) == _SIGNATURE_CHARS
        if is_whole and is_signed(
            self._server_key, said.signature, *router_parts(origin, said.term)
        ):
            self._failed.pop(origin, None)
            _keep(self._known, origin, (said.term, said.signature))
            self._on_proven(origin, said.term)
            return
        self.refused += 1
        _, pause_s = self._failed.get(origin, _NEW)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        _keep(self._failed, origin, (sample.received_s + pause_s, pause_s))

    def _may_check(self, origin: str, now_s: float) -> bool:
        if not self._server_key or now_s < self._failed.get(origin, _NEW)[0]:
            return False
        if int(now_s) != self._second:
            self._second, self._checks = int(now_s), 0
        self._checks += 1
        return self._checks <= _CHECKS_PER_S


def _keep(kept: OrderedDict[str, V], origin: str, value: V) -> None:
    kept[origin] = value
    kept.move_to_end(origin)
    if len(kept) > _MOST_WRITERS:
        kept.popitem(last=False)
