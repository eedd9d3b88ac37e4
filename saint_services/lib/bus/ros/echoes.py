"""Recognises our own messages when they are received, for backends whose samples do not name their
writer. Pure.
"""

from collections import deque

_LONGEST_S = 1.0  # a lost echo must not hide a later message
_MOST = 512


class Echoes:
    """The recently sent messages of one topic."""

    __slots__ = ("_sent",)

    def __init__(self) -> None:
        self._sent: deque[tuple[bytes, float]] = deque(maxlen=_MOST)

    def sent(self, data: bytes, now_s: float) -> None:
        self._sent.append((data, now_s))

    def is_own(self, data: bytes, now_s: float) -> bool:
        """Return True once for each message sent. An equal message of another writer may be matched
        instead, which makes no difference: the content is the same.
        """
        while self._sent and now_s - self._sent[0][1] > _LONGEST_S:
            self._sent.popleft()
        for index, (known, _sent_s) in enumerate(self._sent):
            if known == data:
                del self._sent[index]
                return True
        return False
