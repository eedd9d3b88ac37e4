"""How long from a press to safe pins, in real processes: web page, RC switch, terminal, ROS topic.
The bounds leave room for a busy computer; `python -m tools.bench.estop` measures.
"""

import json
import subprocess
import sys

import pytest

from tests.integration.robot import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

SAMPLES = 7
USUAL_MS = 50.0
LONGEST_MS = 500.0


def test_every_press_makes_the_pins_safe_in_time() -> None:
    command = [sys.executable, "-m", "tools.bench.estop", "--json", "--samples", str(SAMPLES)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, timeout=200, check=True)
    found = json.loads(done.stdout)
    # A terminal has to start a process first; on a busy computer that alone takes its time.
    start = found.pop("bare Python process")
    assert set(found) == {"web", "RC switch", "CLI", "ROS topic"}
    for name, times in found.items():
        assert times["min_ms"] > 0.0, f"{name}: stopped before it was pressed: {times}"
        usual_ms = USUAL_MS + (start["p50_ms"] if name == "CLI" else 0.0)
        longest_ms = LONGEST_MS + (start["max_ms"] if name == "CLI" else 0.0)
        assert times["p50_ms"] <= usual_ms, f"{name}: {times}"
        assert times["max_ms"] <= longest_ms, f"{name}: {times}"
