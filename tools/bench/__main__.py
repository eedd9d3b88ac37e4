"""`python -m tools.bench [NAME ...]`: every benchmark, or those named. Each stands beside a
baseline that is measured in the same run: absolute times say little on a shared machine.
"""

import subprocess
import sys
import time

TITLES = {
    "latency": "Serial byte to actuator, beside a bare chain of the same hops",
    "bus": "The bus by itself",
    "router": "The router's core",
    "parsers": "Parsers of receivers and phones",
    "web": "webd from outside",
    "crowd": "Stick to motor beside fifty pages",
    "soak": "Fifty pages for ten minutes: webd's memory, and stick to motor",
    "pages": "Pages: a browser's processor time",
    "estop": "E-stop: from a press to safe pins",
    "start": "From `make run` to a robot that is ready",
    "nodes": "Thirty nodes, and twenty adoptions at once",
    "role_loop": "How evenly a role moves a joint",
    "remote": "Remote operation: a message to the bus, and five viewers beside one",
    "glass": "Remote operation: age of the picture on the screen",
    "bad_network": "Remote operation: half an hour over a network that changes",
    "leader": "A leader arm at 200 Hz: processor time of a turn",
    "follower": "Leader to follower: position read, goal written",
    "servo_jitter": "Six bus servos: how evenly turns begin at 200 Hz",
    "servos": "Six bus servos: turns, and processor time of a turn",
    "camera": "Whether a camera disturbs the head",
    "wagon": "Stick to a wagon's motor controllers, through host and boards",
    "memory": "Memory and idle load of every process",
}
LIMIT_S = 900.0
LONG_LIMIT_S = {"bad_network": 2400.0}


def main() -> int:
    """Exit code 1 when a benchmark failed; budgets are judged by people."""
    names = sys.argv[1:] or list(TITLES)
    if unknown := [name for name in names if name not in TITLES]:
        print(f"there is no benchmark {unknown[0]!r}; there are {', '.join(TITLES)}")
        return 2
    failed = []
    for name in names:
        began_s = time.monotonic()
        print(f"\n{TITLES[name]}  (python -m tools.bench.{name})", flush=True)
        command = [sys.executable, "-m", f"tools.bench.{name}"]
        if subprocess.run(command, timeout=LONG_LIMIT_S.get(name, LIMIT_S), check=False).returncode:
            failed.append(name)
        print(f"took {time.monotonic() - began_s:.0f} s", flush=True)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
