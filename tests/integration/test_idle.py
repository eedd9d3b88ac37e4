"""A robot at rest wakes its processes only for a reason: every wake-up costs a small computer
processor time and power. Counted are voluntary context switches (/proc).
"""

import sys
import time
from pathlib import Path

import pytest

from tests.integration.robot import Robot
from tests.waiting import stand_still

MOST_PER_S = 25.0
COUNTED_S = 5.0
WINDOWS = 4  # a robot comes to rest a while after its start, joints at home
# The control chain, and what the guard promises: its beat of 20 Hz.
EXEMPT = {"routerd", "role-headd", "role-armsd", "role-tracksd", "guardd"}
# Threads of the bus library: what they cost depends on the number of processes on the bus.
LIBRARY = {"gc", "dq.builtins", "tev", "recv"}
# What exceeds the limit today, and why, with a third for a busy computer.
KNOWN = {
    "role-consoled": 35.0,  # 25: the router's status and the e-stop's topics, two wake-ups each
    "webd": 65.0,  # 50: the states of the router, of the receiver and of the robot, six each
    "adoptiond": 33.0,  # 24: heartbeats read four times a second, routerd's checks of credentials
}

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="counts in /proc"),
]


def wake_ups(pid: int) -> dict[str, int]:
    """Return the voluntary context switches so far of each of our threads in a process."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().strip() in LIBRARY:
            continue
        status = (task / "status").read_text()
        found[task.name] = int(status.split("voluntary_ctxt_switches:")[1].split()[0])
    return found


def per_second(before: dict[str, int], after: dict[str, int], elapsed_s: float) -> float:
    return sum(count - before.get(task, 0) for task, count in after.items()) / elapsed_s


def excess(robot: Robot) -> dict[tuple[str, str], float]:
    """Return what woke up too often, so often a second, while nothing happened."""
    pids = robot.pids()
    began_s, before = time.monotonic(), {name: wake_ups(pid) for name, pid in pids.items()}
    stand_still(COUNTED_S)  # nothing happens meanwhile: that is what is tested
    elapsed_s = time.monotonic() - began_s
    rates = {name: per_second(before[name], wake_ups(pid), elapsed_s) for name, pid in pids.items()}
    for (machine, daemon), rate in sorted(rates.items()):
        print(f"{machine:10} {daemon:16} {rate:6.1f} wake-ups/s")
    return {
        name: round(rate, 1)
        for name, rate in rates.items()
        if name[1] not in EXEMPT and rate > KNOWN.get(name[1], MOST_PER_S)
    }


def test_process_at_rest_wakes_at_most_25_times_a_second(robot: Robot) -> None:
    too_many = {}
    for _ in range(WINDOWS):
        if not (too_many := excess(robot)):
            return
    assert not too_many
