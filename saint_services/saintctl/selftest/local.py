"""Makes the checks in this program, on a machine without a node (`role: server`). Not here: the
same by noded, and tests with a wire (noded/self_test.py).
"""

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

from ...lib.api.selftest import SelfTestCheck, SelfTestReport
from ...lib.errors import SaintError
from ...lib.hw import Board, open_board
from ...lib.machine import computer
from ...lib.machine.root_access import AS_ROOT
from ...lib.machine.service_manager import Directories
from ...lib.selftest import passive
from ...lib.selftest.report import reported
from ...lib.selftest.result import skipped
from ...lib.selftest.situation import Situation

RELEASE = Path("/usr/lib/saint/release.env")
_ON_THE_CARD = Path("/var/lib/saint")
_REFUSED = os.strerror(errno.EACCES)


def is_device() -> bool:
    """Return True on a machine that runs the image."""
    return RELEASE.exists()


def self_tested(hardware: str = "real", scratch: Path = _ON_THE_CARD) -> SelfTestReport:
    """Test this machine. Blocks for some seconds."""
    board, problem = _opened(hardware)
    share = Directories.from_environment().share
    writable = scratch if os.access(scratch, os.W_OK) else None
    machine = passive.MachineUnderTest(board, problem, hardware, share, writable)
    try:
        checks = [without_refusals(check) for check in passive.checks(machine, Situation())]
        began = datetime.now(UTC).isoformat(timespec="seconds")
        return reported(machine.root, computer.version(), began, checks, ())
    finally:
        if board:
            board.close()


def without_refusals(check: SelfTestCheck) -> SelfTestCheck:
    """Return a check as skipped when the kernel refused this user a device: no fault of it."""
    if check.state != "failed" or _REFUSED not in check.text:
        return check
    text = f"Not tried as this user: {check.text}"
    return skipped(check.name, text, f"Test {AS_ROOT}.")


def _opened(hardware: str) -> tuple[Board | None, str]:
    try:
        return open_board(hardware), ""
    except SaintError as err:
        return None, err.message
