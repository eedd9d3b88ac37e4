"""`saintctl estop set` without the rest of saintctl, which takes half a second to load: a stop must
not wait for that. Whatever is unusual is left to the full program, which words what is wrong.
Imports as little as possible; not here: any other command.
"""

import os
import sys
from _socket import AF_UNIX, SOCK_STREAM, socket  # the plain one brings enum, re and selectors

LIMIT_S = 1.0
_BODY = b'{"source":"saintctl","reason":""}'
_REQUEST = (
    b"POST /estop HTTP/1.1\r\nHost: routerd\r\nConnection: close\r\n"
    b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)
)
_LARGEST_BYTES = 65_536


def press(arguments: list[str]) -> bool:
    """True when these arguments ask for a stop and routerd has confirmed it."""
    if os.environ.get("SAINT_SERVER"):
        return False  # another robot is meant
    given = os.environ.get("SAINT_RUN", "")
    if len(arguments) == 4 and arguments[0] == "--run":
        given, arguments = arguments[1], arguments[2:]
    if arguments != ["estop", "set"] or not _is_confirmed(given or _runtime_directory()):
        return False
    print("E-stop is active: nothing moves until it is cleared.")
    return True


def _runtime_directory() -> str:
    """As connect.py finds it, where nothing in the environment says otherwise."""
    if "SAINT_SHARE" in os.environ or "RUNTIME_DIRECTORY" in os.environ:
        return ""
    checkout = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120 - pathlib takes 5 ms to load
    simulated = f"{checkout}/.run/current"
    return simulated if os.path.isdir(simulated) else "/run/saint"  # noqa: PTH112


def _is_confirmed(directory: str) -> bool:
    router = socket(AF_UNIX, SOCK_STREAM)
    try:
        router.settimeout(LIMIT_S)
        router.connect(f"{directory}/routerd.sock")
        router.sendall(_REQUEST)
        reply = b""
        while len(reply) < _LARGEST_BYTES and (more := router.recv(4096)):
            reply += more
    except OSError:
        return False
    finally:
        router.close()
    told = reply.replace(b" ", b"")
    is_stored = b'"stored":true' in told  # else the full program says what that means
    return reply.startswith(b"HTTP/1.1 200 ") and b'"active":true' in told and is_stored


def main() -> bool:
    """With the arguments of this process."""
    return press(sys.argv[1:])
