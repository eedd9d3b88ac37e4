"""A simulated board for the self-test, whole: each test breaks one thing of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from saint_services.lib.api.selftest import SelfTestCheck
from saint_services.lib.hw import Board, open_board
from saint_services.lib.selftest import passive
from saint_services.lib.selftest.card_facts import CardSpeed
from saint_services.lib.selftest.passive import MachineUnderTest
from saint_services.lib.selftest.situation import Situation

REPOSITORY = Path(__file__).parents[4]
GOOD_SPEED = CardSpeed(write_mbps=20.0, read_mbps=40.0, slowest_ms=30.0)
Tested = Callable[..., dict[str, SelfTestCheck]]


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    found = open_board(f"sim:{tmp_path / 'hw'}")
    yield found
    found.close()


@pytest.fixture
def root(board: Board) -> Path:
    """The kernel's files of the board."""
    return board.root()


@pytest.fixture
def tested(board: Board, tmp_path: Path) -> Tested:
    """Run all checks that drive nothing, on the board as it is now."""

    def run(
        here: Situation | None = None, speed: CardSpeed = GOOD_SPEED
    ) -> dict[str, SelfTestCheck]:
        machine = MachineUnderTest(
            board, "", f"sim:{tmp_path / 'hw'}", REPOSITORY, tmp_path, lambda _: speed
        )
        return {check.name: check for check in passive.checks(machine, here or Situation())}

    return run
