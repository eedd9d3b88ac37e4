"""The short form of `make test-faults`: forty rounds of what no person should ever see."""

import os
import secrets
from collections.abc import Iterator

import pytest

from tests.faults.rounds import Course, Harm, Plan
from tests.faults.runner import HARMS, course, faults_of, summary

ROUNDS = 40
pytestmark = [pytest.mark.integration, pytest.mark.timed, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def robot() -> Iterator[Course]:
    with course() as found:
        yield found


@pytest.mark.parametrize(
    "victims",
    [
        (("role-tracksd", "kill"), ("noded", "kill")),  # powered for 4.4 to 8.0 s without a guard
        (("role-tracksd", "freeze"), ("noded", "freeze")),  # 9.3 s
        (("role-tracksd", "freeze"),),  # 1.6 to 1.9 s
        (("role-tracksd", "kill"), ("guardd", "kill"), ("noded", "kill")),
        (("role-tracksd", "freeze"), ("guardd", "freeze")),
    ],
    ids=lambda victims: "+".join(f"{harm}_{name}" for name, harm in victims),
)
def test_motors_stop_when_these_processes_are_gone_at_once(
    robot: Course, victims: tuple[tuple[str, Harm], ...]
) -> None:
    outcome = robot.play(Plan(0, "rc", victims, is_held=True, pause_s=0.2))
    assert outcome.fault == ""


def test_outputs_are_safe_whatever_processes_are_killed_or_frozen_together(robot: Course) -> None:
    seed = int(os.environ.get("SAINT_SEED", secrets.randbelow(10_000)))
    print(f"SAINT_SEED={seed}")
    plans = [Plan.of(seed, number, HARMS["processes"]) for number in range(ROUNDS)]
    outcomes = [robot.play(plan) for plan in plans]
    assert faults_of(outcomes) == [], summary(outcomes)
