"""One conversation with a phone in the capture mode: what is said next, and what follows from its
answers. Pure: bytes and time come in, bytes go out. Experimental, see protocols/capture.py.
"""

from dataclasses import dataclass, field
from typing import Any

from ..protocols.capture import Described, Unpacker, described, packed
from ..protocols.frames import WrongError

KEEP_ALIVE_S = 2.0
ANSWER_S = 5.0  # a phone that does not answer for so long has gone
_MAX_SAID = 16  # requests without an answer

_START, _ALIVE, _STOP = "/session/start", "/session/keep-alive", "/session/stop"
_SUBJECTS, _STREAM = "/stream/subjects", "/stream/start"
# What may change on the phone so that its subjects have to be asked for again.
_NEWS = ("/event/", "/state")


@dataclass(slots=True)
class CaptureSession:
    """`port` is ours, where the phone shall send its frames. Raises WrongError when the phone says
    what cannot be, and when it refuses or has gone: the connection is to be closed then.
    """

    port: int
    subjects: dict[str, Described] = field(default_factory=dict)
    is_streaming: bool = False
    _id: str = ""
    _transaction: int = 0
    _waiting: dict[int, tuple[str, float]] = field(default_factory=dict)  # what was asked, when
    _next_alive_s: float = float("inf")
    _unpacker: Unpacker = field(default_factory=Unpacker)

    def begin(self, now_s: float) -> bytes:
        """The first thing to say."""
        self._next_alive_s = now_s + KEEP_ALIVE_S
        return self._request(_START, None, now_s)

    def heard(self, data: bytes, now_s: float) -> bytes:
        """What to say to that."""
        return b"".join(self._answer(message, now_s) for message in self._unpacker.feed(data))

    def due(self, now_s: float) -> bytes:
        """What to say because of the time."""
        for path, asked_s in self._waiting.values():
            if now_s - asked_s >= ANSWER_S:
                raise WrongError(f"the phone did not answer {path}")
        if now_s < self._next_alive_s:
            return b""
        self._next_alive_s = now_s + KEEP_ALIVE_S
        return self._request(_ALIVE, None, now_s) if self._id else b""

    def end(self) -> bytes:
        """The last thing to say."""
        return self._request(_STOP, None, 0.0) if self._id else b""

    def _answer(self, message: dict[str, Any], now_s: float) -> bytes:
        path, kind = message.get("addressPath"), message.get("type")
        if kind == "update" and isinstance(path, str) and path.startswith(_NEWS):
            return self._request(_SUBJECTS, None, now_s) if self._id else b""
        transaction = message.get("transactionId")
        if kind != "response" or not isinstance(transaction, int | str):
            return b""
        asked = self._waiting.pop(_whole(transaction), None)
        if asked is None:
            return b""
        if message.get("error"):
            raise WrongError(f"the phone refuses {asked[0]}")
        return self._follow(asked[0], message, now_s)

    def _follow(self, asked: str, message: dict[str, Any], now_s: float) -> bytes:
        body = message.get("body")
        if asked == _START:
            told = message.get("sessionId") or (
                body.get("sessionId") if isinstance(body, dict) else None
            )
            if not isinstance(told, str) or not 0 < len(told) <= 200:
                raise WrongError("the phone told no session")
            self._id = told
            return self._request(_SUBJECTS, None, now_s)
        if asked == _SUBJECTS:
            self.subjects = described(body)
            if not self.subjects:
                return b""  # it tells when there are some
            wanted = [{"id": id_} for id_ in self.subjects]
            return self._request(_STREAM, {"port": self.port, "subjects": wanted}, now_s)
        if asked == _STREAM:
            self.is_streaming = True
        return b""

    def _request(self, path: str, body: dict[str, Any] | None, now_s: float) -> bytes:
        if len(self._waiting) >= _MAX_SAID:
            raise WrongError("the phone does not answer")
        self._transaction += 1
        self._waiting[self._transaction] = path, now_s
        return packed(
            {
                "sessionId": self._id,
                "addressPath": path,
                "transactionId": self._transaction,
                "timestamp": int(now_s * 1_000_000),
                "type": "request",
                "body": body or {},
            }
        )


def _whole(transaction: int | str) -> int:
    """Ours are whole numbers; a phone may give them back as text."""
    text = str(transaction)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1
