"""The short form of `make test-faults`: forty rounds of what no person should ever see."""

import os
import secrets

import pytest

from tests.faults.rounds import Plan
from tests.faults.runner import HARMS, course, faults_of, summary

ROUNDS = 40
pytestmark = [pytest.mark.integration, pytest.mark.timed, pytest.mark.timeout(600)]


def test_outputs_are_safe_whatever_processes_are_killed_or_frozen_together() -> None:
    seed = int(os.environ.get("SAINT_SEED", secrets.randbelow(10_000)))
    print(f"SAINT_SEED={seed}")
    with course() as robot:
        plans = [Plan.of(seed, number, HARMS["processes"]) for number in range(ROUNDS)]
        outcomes = [robot.play(plan) for plan in plans]
    assert faults_of(outcomes) == [], summary(outcomes)
