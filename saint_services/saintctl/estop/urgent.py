"""Runs `saintctl estop set` without the rest of saintctl, which takes half a second to load: a stop
must not wait for that. Anything unusual is left to the full program, which reports the error.
Imports as little as possible.
"""

import os
import sys
from _socket import AF_UNIX, SOCK_STREAM, socket  # the public module imports enum, re and selectors

LIMIT_S = 1.0
_BODY = b'{"source":"saintctl","reason":""}'
_REQUEST = (
    b"POST /estop HTTP/1.1\r\nHost: routerd\r\nConnection: close\r\n"
    b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)
)
_LARGEST_BYTES = 65_536


def press(arguments: list[str]) -> int | None:
    """Stop the robot when these arguments request a stop. Return 0 when every role has confirmed
    it, 7 when one has not, None when the full program has to run."""
    if os.environ.get("SAINT_SERVER"):
        return None  # a request for another robot
    given = os.environ.get("SAINT_RUN", "")
    if len(arguments) == 4 and arguments[0] == "--run":
        given, arguments = arguments[1], arguments[2:]
    if arguments != ["estop", "set"]:
        return None
    reply = _answer(given or _runtime_directory())
    return None if reply is None else _print(reply)


def _runtime_directory() -> str:
    """Return the same folder as connect.py, or nothing when the environment sets another one."""
    if "SAINT_SHARE" in os.environ or "RUNTIME_DIRECTORY" in os.environ:
        return ""
    simulated = f"{_checkout()}/.run/current"
    return simulated if os.path.isdir(simulated) else "/run/saint"  # noqa: PTH112


def _checkout() -> str:
    """Return the folder that holds saint_services."""
    folder = os.path.abspath(__file__)  # noqa: PTH100 - pathlib takes 5 ms to load
    for _ in __name__.split("."):
        folder = os.path.dirname(folder)  # noqa: PTH120
    return folder


def _answer(directory: str) -> bytes | None:
    """Request the stop. Return the body of routerd's reply when the stop is in force and stored."""
    router = socket(AF_UNIX, SOCK_STREAM)
    try:
        router.settimeout(LIMIT_S)
        router.connect(f"{directory}/routerd.sock")
        router.sendall(_REQUEST)
        reply = b""
        while len(reply) < _LARGEST_BYTES and (more := router.recv(4096)):
            reply += more
    except OSError:
        return None
    finally:
        router.close()
    packed = reply.replace(b" ", b"")
    is_stored = b'"stored":true' in packed  # else the full program explains what that means
    is_set = reply.startswith(b"HTTP/1.1 200 ") and b'"active":true' in packed and is_stored
    return reply.partition(b"\r\n\r\n")[2] if is_set else None


class _Json:
    """Settings of the scanner: numbers and objects are parsed as json does."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def _print(body: bytes) -> int | None:
    """Print the outcome of the stop. Return the exit code, or None for a malformed reply."""
    from _json import make_scanner  # the core of json; json itself imports re and enum

    from .outcomes import ACTIVE, EXIT_UNCONFIRMED, sentences

    try:
        info, _ = make_scanner(_Json())(  # type: ignore[arg-type]  # any object with these names
            body.decode(), 0
        )
        lines = sentences(info["outcomes"])
        is_confirmed = info["confirmed"] is True
    except (ValueError, KeyError, TypeError, StopIteration):
        return None
    print(ACTIVE)
    for line in lines:
        print(line)
    return 0 if is_confirmed else EXIT_UNCONFIRMED


def main() -> int | None:
    """Run with the arguments of this process."""
    return press(sys.argv[1:])
