"""The pulses of the self-test end with its process, however that ends: the guard sees to it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guard_rig import guarding
from tests.waiting import block_until
from tools.sim import environment
from tools.sim.observe import PinWatch

SENDER = 12
_SCRIPT = """
import asyncio, sys
from pathlib import Path
from saint_services.lib.hw import open_board
from saint_services.lib.role.guard_client import GuardClient
from saint_services.lib.selftest import pwm_loop

async def guard(will, is_moving, on_lost):
    client = GuardClient(asyncio.get_running_loop(), is_moving, on_lost)
    await client.open(Path(sys.argv[1]) / "guardd.sock", will)
    return client

pwm_loop._LISTEN_S = 60.0  # it pulses until it is ended from outside
board = open_board(f"sim:{sys.argv[2]}")
asyncio.run(pwm_loop.PwmLoop(board, "pwm0", guard, "selftest").run())
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "frozen"])
def test_pulses_end_with_the_process_that_sends_them(tmp_path: Path, how: signal.Signals) -> None:
    runtime, hardware = tmp_path / "run", tmp_path / "hw"
    hardware.mkdir()
    (hardware / "board.yaml").write_text("wires: [[12, 6]]\n")
    watch = PinWatch(hardware)
    with guarding(runtime):
        command = [sys.executable, "-c", _SCRIPT, str(runtime), str(hardware)]
        process = subprocess.Popen(command, env=environment())
        try:
            block_until(lambda: watch.read(SENDER).value > 0.0)
            process.send_signal(how)
            # How soon a guard acts is tested with the guard (tests/faults); here, that it does.
            block_until(lambda: watch.read(SENDER).value == 0.0, 5.0, pause_s=0.002)
        finally:
            process.kill()
            process.wait(10.0)
    assert watch.read(SENDER).value == 0.0
    watch.close()
