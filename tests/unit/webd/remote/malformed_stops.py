"""Stops that a remote side sends malformed; each stops the robot."""

import json


def of(kind: str) -> dict[str, str]:
    """Return malformed messages by what is wrong with them, for the type of a stop."""

    def stop(**more: object) -> str:
        return json.dumps({"type": kind, **more})

    return {
        "reason too long": stop(reason="x" * 201),
        "reason far too long": stop(reason="x" * 60_000),
        "reason of a wrong type": stop(reason=7),
        "reason null": stop(reason=None),
        "id of a wrong type": stop(id={"far": 7}, reason=["a"]),
        "id too long": stop(id="x" * 129, reason=7),
        "time of a wrong type": stop(timestamp=[], reason=7),
        "text after it": stop() + '{"type": "heartbeat"}',
        "bytes after it": stop() + "\0\0\x1b[0m",
        "bytes before it": "\0\ufeff" + stop(),
        "cut off": stop(reason="hand")[:-3],
        "capital letters": stop(reason=7).replace(kind, kind.upper()),
        "letters escaped": f'{{"type": "\\u0065{kind[1:]}", "reason": 7}}',
        "bare word": kind,
    }
