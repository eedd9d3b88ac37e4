"""Rate limits and refusals of senders, in tables that do not grow."""

from saint_services.livelinkd.protocols import Refused
from saint_services.livelinkd.senders.limits import MAX_REASONS, MAX_SENDERS, Refusals, SenderLimit


def test_sender_limit_is_per_address_and_refills() -> None:
    limit = SenderLimit(10)
    assert sum(limit.allows("a", 1.0) for _ in range(100)) == 10
    assert limit.allows("b", 1.0)
    assert sum(limit.allows("a", 1.5) for _ in range(100)) == 5


def test_sender_limit_forgets_the_oldest() -> None:
    limit = SenderLimit(10, max_senders=4)
    for i in range(1000):
        limit.allows(f"10.0.0.{i}", 1.0)
    assert len(limit._buckets) == 4


def test_refusals_are_counted_by_reason_and_by_sender() -> None:
    refusals = Refusals()
    for ip, reason in (("a", "x"), ("a", "y"), ("b", "x")):
        refusals.count(Refused(reason), ip)
    assert refusals.by_reason == {"x": 2, "y": 1}
    assert refusals.by_sender == {"a": {"x": 1, "y": 1}, "b": {"x": 1}}


def test_forged_senders_and_reasons_do_not_fill_the_memory() -> None:
    refusals = Refusals()
    for i in range(2000):
        refusals.count(Refused(f"reason {i}"), f"10.0.{i // 256}.{i % 256}")
        refusals.count(Refused("again"), "192.168.1.9")
    assert len(refusals.by_sender) == MAX_SENDERS and "192.168.1.9" in refusals.by_sender
    assert len(refusals.by_reason) <= MAX_REASONS + 1
    assert refusals.by_reason.total() == 4000
