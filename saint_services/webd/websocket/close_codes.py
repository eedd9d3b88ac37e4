"""Why webd ends a WebSocket (RFC 6455, section 7.4.1), in the words of the document. Not here: when
it does (adapters/session.py, adapters/wire.py, frames.py).
"""

from enum import IntEnum


class CloseCode(IntEnum):
    """All that webd uses; a client's own code is answered with the same."""

    DONE = 1000
    STOPPING = 1001
    BROKEN = 1002
    NO_TEXT = 1007
    REFUSED = 1008
    TOO_LARGE = 1009
    TRY_LATER = 1013


TEXTS = {
    CloseCode.DONE: "The client said goodbye.",
    CloseCode.STOPPING: "webd is stopping; connect again, it is started anew.",
    CloseCode.BROKEN: "The client's bytes are no WebSocket frames of a client.",
    CloseCode.NO_TEXT: "A text is not UTF-8.",
    CloseCode.REFUSED: "No token came within 10 s, the sign-in has ended, or an admin ended it.",
    CloseCode.TOO_LARGE: "A message has more than 64 KiB.",
    CloseCode.TRY_LATER: "Too slow, no answer to a ping, or not signed in while others wait.",
}
