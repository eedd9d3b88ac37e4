"""A daemon for the launcher's tests: answers every line with its pid; knows a few words. No package
of ours in it, so that it tests what the launcher hands over and not how we take it.
"""

import os
import signal
import socket
import sys


def _notify(text: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(text.encode(), os.environ["NOTIFY_SOCKET"])


def _answer(line: str) -> str:
    if line == "hang":
        signal.pause()
    if line.startswith("exit "):
        os._exit(int(line.split()[1]))
    if line == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if line == "variables":
        names = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_USEC", "WATCHDOG_PID")
        return " ".join(f"{name}={os.environ.get(name, '')}" for name in names)
    if line == "directories":
        names = ("RUNTIME_DIRECTORY", "STATE_DIRECTORY", "CONFIGURATION_DIRECTORY")
        return " ".join(os.environ[name] for name in names)
    if line == "open":
        return " ".join(sorted(os.listdir("/dev/fd"), key=int))  # noqa: PTH208 (numbers)
    return f"pid {os.getpid()}"


def _serve(listener: socket.socket) -> None:
    while True:
        _notify("WATCHDOG=1")
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            continue
        with connection, connection.makefile("rw") as stream:
            for line in stream:
                stream.write(_answer(line.strip()) + "\n")
                stream.flush()


def main() -> None:
    if os.environ["LISTEN_PID"] != str(os.getpid()):
        sys.exit("LISTEN_PID is not mine")
    names = os.environ["LISTEN_FDNAMES"].split(":")
    listener = socket.socket(fileno=3 + names.index("api"))
    listener.settimeout(0.1)
    print("tiny daemon is up", flush=True)
    _notify("READY=1\nSTATUS=up")
    _serve(listener)


main()
