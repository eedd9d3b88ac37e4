"""`saintctl board decode`: prints the messages in a recording of the link between the boards."""

import json
from typing import Any, TextIO

from ...lib.wagon.board_link import BoardLinkParser, BoardNfc, BoardOther, row_of
from .. import recordings


def board_decode(source: str, out: TextIO) -> int:
    """Write one JSON object per frame and a summary. Return the exit code."""
    parser = BoardLinkParser()
    with recordings.opened(source) as file:
        for data in recordings.chunks(file, source):
            _write(parser.feed(data), out)
            if source == "-":
                out.flush()
    _write(parser.flush(), out)
    summary = {
        "kind": "summary",
        "frames": parser.frames,
        "rejected": parser.rejected,
        "discarded_bytes": parser.discarded_bytes,
    }
    out.write(json.dumps(summary) + "\n")
    out.flush()
    return 0


def _write(messages: list[Any], out: TextIO) -> None:
    for message in messages:
        out.write(json.dumps(described(message)) + "\n")


def described(message: Any) -> dict[str, Any]:
    """Return the output line of a message."""
    if isinstance(message, BoardOther):
        return {"kind": "other", "type": message.type, "length": len(message.payload)}
    row = row_of(message)
    if isinstance(message, BoardNfc):
        uid = message.uid[: message.length].hex()
        return {"kind": row.name, "uid": uid, "length": message.length}
    return {"kind": row.name} | row.layout.values(message)
