"""What an operator may set fits below the dead-man timer of a trial."""

import pytest

from saint_services.lib.update.events import UpdateLimits
from saint_services.lib.update.settings import BOOT_S, fitted


@pytest.mark.parametrize("timeout_s", [1.0, 120.0, 300.0, 3600.0])
@pytest.mark.parametrize("settle_s", [0.0, 10.0, 600.0])
@pytest.mark.parametrize("deadman_s", [60.0, 150.0, 300.0, 3600.0])
def test_trial_is_over_before_the_dead_man(
    timeout_s: float, settle_s: float, deadman_s: float
) -> None:
    limits = fitted(UpdateLimits(timeout_s, settle_s), deadman_s)
    assert limits.settle_s <= settle_s and limits.health_timeout_s <= timeout_s
    assert limits.health_timeout_s + limits.settle_s <= max(deadman_s - BOOT_S, deadman_s / 2)
    assert limits.health_timeout_s > 0


@pytest.mark.parametrize("deadman_s", [300.0, 3600.0, None])
def test_usual_limits_are_as_set(deadman_s: float | None) -> None:
    assert fitted(UpdateLimits(), deadman_s) == UpdateLimits()


def test_machine_without_slots_has_no_dead_man() -> None:
    limits = UpdateLimits(3600.0, 600.0)
    assert fitted(limits, None) == limits
