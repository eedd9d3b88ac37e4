"""A command that is older than another one moves nothing."""

import pytest

from saint_services.lib.remote.messages import RemoteMessageError
from saint_services.lib.remote.order import CommandOrder


def refused(order: CommandOrder, sequence: int | None, time: str | float | None, at: float) -> str:
    try:
        order.check(sequence, time, at)
    except RemoteMessageError as err:
        return err.reason
    return ""


def test_a_lower_or_repeated_sequence_is_old() -> None:
    order = CommandOrder()
    assert [refused(order, n, None, 1.0) for n in (4, 5, 5, 3, 9, 8)] == [
        "", "", "old", "old", "", "old",
    ]  # fmt: skip


def test_without_a_sequence_the_time_counts() -> None:
    order = CommandOrder()
    times = ["2024-01-15T10:30:00Z", "2024-01-15T10:30:00Z", "2024-01-15T10:29:59Z"]
    assert [refused(order, None, time, 1.0) for time in times] == ["", "", "old"]


def test_a_command_that_was_held_back_is_late() -> None:
    order = CommandOrder()
    assert refused(order, 1, 1_000_000.0, 10.0) == ""
    assert refused(order, 2, 1_000_050.0, 10.05) == ""
    assert refused(order, 3, 1_000_100.0, 10.4) == "late"  # 0.3 s later than the quickest
    assert refused(order, 4, 1_000_400.0, 10.4) == ""


def test_a_steady_delay_is_no_reason() -> None:
    order = CommandOrder()
    assert [refused(order, n, 1000.0 * n, n + 0.2) for n in range(20)] == [""] * 20


def test_a_time_in_whole_seconds_is_never_late() -> None:
    order = CommandOrder()
    assert refused(order, None, "2024-01-15T10:30:00Z", 10.0) == ""
    assert refused(order, None, "2024-01-15T10:30:00Z", 10.9) == ""


def test_a_refused_command_does_not_count_as_the_newest() -> None:
    order = CommandOrder()
    assert refused(order, 1, 0.0, 0.0) == ""
    assert refused(order, 99, 0.0, 5.0) == "late"
    assert refused(order, 2, 5000.0, 5.0) == ""


def test_a_time_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(RemoteMessageError, match="time stamp"):
        CommandOrder().check(None, "soon", 0.0)
