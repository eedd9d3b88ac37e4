"""Runs inside the image's machine: the host side of the wagon, as its role has it (BoardLine and
WagonHost), on a CAN interface of the kernel. Arms, drives, stops; prints what the board reported as
one line of JSON.

    python3 can_host.py can9
"""

import json
import select
import sys
import time
from collections.abc import Sequence

from saint_services.lib.hw.can.opening import open_can
from saint_services.lib.hw.can.port import CanFilter, CanPort
from saint_services.lib.role_config.devices import CanDevice
from saint_services.role_wagond.adapters import BoardLine
from saint_services.role_wagond.logic import REPEAT_S, WagonHost
from saint_services.role_wagond.motors import MotorView

LIMIT_S = 20.0


class KernelBoard:
    """The one method of a board that the line needs."""

    def can(self, port: str, bit_rate: int, filters: Sequence[CanFilter] = ()) -> CanPort:
        """Open an interface of the kernel."""
        return open_can(port, "real", bit_rate, filters)


class Driven:
    """A host, its line, and what was reported."""

    def __init__(self, interface: str) -> None:
        device = CanDevice(port=interface, driver="wagon", id=0)
        self.line = BoardLine(KernelBoard(), device, MotorView({}))  # type: ignore[arg-type]
        self.host = WagonHost(self.line.send)

    def step(self, speed_mps: float | None = None) -> None:
        """Do what the role does in 20 ms."""
        select.select([], [], [], REPEAT_S)  # a role is woken by frames too
        now_s = time.monotonic()
        for report in self.line.read(now_s):
            self.host.received(report, now_s)
        if speed_mps is not None:
            self.host.renew(now_s, is_motion=bool(speed_mps))
            self.host.drive(speed_mps, 0.0, now_s)
        self.host.step(now_s)

    def until(self, state: str, speed_mps: float | None = None) -> float:
        """Step until the board reports a state; return the seconds."""
        began_s = time.monotonic()
        while time.monotonic() - began_s < LIMIT_S:
            self.step(speed_mps)
            found = self.host.board.state(time.monotonic())
            if found is not None and found.name == state:
                return time.monotonic() - began_s
        raise TimeoutError(f"the board did not report {state}")


def main() -> None:
    """Drive once."""
    driven = Driven(sys.argv[1])
    driven.until("DISARMED", 0.0)
    for _ in range(25):
        driven.step(0.0)
    refusal = driven.host.arm(time.monotonic())
    driven.until("ARMED", 0.0)
    speeds = []
    for _ in range(100):
        driven.step(0.5)
        attitude = driven.host.board.attitude(time.monotonic())
        speeds.append(attitude.speed if attitude else 0.0)
    driven.host.stop(time.monotonic())
    stopped_s = driven.until("ESTOP")
    state = driven.line.state
    print(
        json.dumps(
            {
                "refusal": refusal,
                "fastest": max(speeds),
                "stopped_s": stopped_s,
                "sent": state.sent,
                "received": state.received,
                "damaged": driven.line.damaged,
                "foreign": driven.line.foreign,
                "bus": state.bus.value,
            }
        )
    )


if __name__ == "__main__":
    main()
