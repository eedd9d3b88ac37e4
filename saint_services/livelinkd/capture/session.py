"""Protocol of one connection to a phone in the capture mode: requests and what follows from their
replies. Pure: bytes and time come in, bytes go out. Experimental, see protocols/capture.py.
"""

from dataclasses import dataclass, field
from typing import Any

from ..protocols.capture import DescribedSubject, Unpacker, described, packed
from ..protocols.frames import WrongError

KEEP_ALIVE_S = 2.0
ANSWER_S = 5.0  # a request without a reply for so long has timed out
_MAX_PENDING = 16  # requests without a reply

_START, _ALIVE, _STOP = "/session/start", "/session/keep-alive", "/session/stop"
_SUBJECTS, _STREAM = "/stream/subjects", "/stream/start"
# Updates of the phone after which its subjects are requested again.
_NEWS = ("/event/", "/state")


@dataclass(slots=True)
class CaptureSession:
    """`port` is ours, to which the phone is to send frames. Methods raise WrongError for invalid
    replies, refusals and time-outs: close the connection then.
    """

    port: int
    subjects: dict[str, DescribedSubject] = field(default_factory=dict)
    is_streaming: bool = False
    _id: str = ""
    _transaction: int = 0
    _pending: dict[int, tuple[str, float]] = field(
        default_factory=dict
    )  # path and time of requests
    _next_alive_s: float = float("inf")
    _unpacker: Unpacker = field(default_factory=Unpacker)

    def begin(self, now_s: float) -> bytes:
        """Return the first request."""
        self._next_alive_s = now_s + KEEP_ALIVE_S
        return self._request(_START, None, now_s)

    def receive(self, data: bytes, now_s: float) -> bytes:
        """Return the requests that follow from the received bytes."""
        return b"".join(self._answer(message, now_s) for message in self._unpacker.feed(data))

    def due(self, now_s: float) -> bytes:
        """Return the requests due at this time."""
        for path, sent_s in self._pending.values():
            if now_s - sent_s >= ANSWER_S:
                raise WrongError(f"the phone did not answer {path}")
        if now_s < self._next_alive_s:
            return b""
        self._next_alive_s = now_s + KEEP_ALIVE_S
        return self._request(_ALIVE, None, now_s) if self._id else b""

    def end(self) -> bytes:
        """Return the last request."""
        return self._request(_STOP, None, 0.0) if self._id else b""

    def _answer(self, message: dict[str, Any], now_s: float) -> bytes:
        path, kind = message.get("addressPath"), message.get("type")
        if kind == "update" and isinstance(path, str) and path.startswith(_NEWS):
            return self._request(_SUBJECTS, None, now_s) if self._id else b""
        transaction = message.get("transactionId")
        if kind != "response" or not isinstance(transaction, int | str):
            return b""
        pending = self._pending.pop(_whole(transaction), None)
        if pending is None:
            return b""
        if message.get("error"):
            raise WrongError(f"the phone refuses {pending[0]}")
        return self._follow(pending[0], message, now_s)

    def _follow(self, request: str, message: dict[str, Any], now_s: float) -> bytes:
        body = message.get("body")
        if request == _START:
            session_id = message.get("sessionId") or (
                body.get("sessionId") if isinstance(body, dict) else None
            )
            if not isinstance(session_id, str) or not 0 < len(session_id) <= 200:
                raise WrongError("the phone sent no session id")
            self._id = session_id
            return self._request(_SUBJECTS, None, now_s)
        if request == _SUBJECTS:
            self.subjects = described(body)
            if not self.subjects:
                return b""  # an update follows when there are some
            wanted = [{"id": id_} for id_ in self.subjects]
            return self._request(_STREAM, {"port": self.port, "subjects": wanted}, now_s)
        if request == _STREAM:
            self.is_streaming = True
        return b""

    def _request(self, path: str, body: dict[str, Any] | None, now_s: float) -> bytes:
        if len(self._pending) >= _MAX_PENDING:
            raise WrongError("the phone does not answer")
        self._transaction += 1
        self._pending[self._transaction] = path, now_s
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
    """Parse a transaction number, which phones may return as text; -1 if it is none."""
    text = str(transaction)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1
