"""Runs inside the image's machine: a stand-in BALANCE board on a CAN interface of the kernel, until
its standard input ends. Prints one line of JSON for each change that it obeys.

    python3 can_board.py can9     with balance_board.py beside it
"""

import json
import select
import sys
import time

from balance_board import BalanceBoard  # type: ignore[import-not-found]  # tests/unit/role_wagond

from saint_services.lib.hw.can.opening import open_can

REPORT_S = 0.02


def main() -> None:
    """Obey and report."""
    port, board = open_can(sys.argv[1], "real"), BalanceBoard()
    shown, due_s, turns = "", 0.0, 0
    while True:
        ready, _, _ = select.select([port, sys.stdin], [], [], REPORT_S / 4)
        if sys.stdin in ready and not sys.stdin.read(1):
            return
        now_s = time.monotonic()
        for frame in port.receive():
            board.received(frame, now_s)
        if now_s >= due_s:
            due_s, turns = now_s + REPORT_S, turns + 1
            port.send(board.attitude(now_s))
            if turns % 5 == 0:
                port.send(board.power())
        found = json.dumps({"state": board.state.name, "speed": board.speed})
        if found != shown:
            shown = found
            print(shown, flush=True)


if __name__ == "__main__":
    main()
