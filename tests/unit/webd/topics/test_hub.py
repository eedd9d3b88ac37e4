"""When subscribers are notified: groups of one rate share a grid and a frame."""

import time
from collections import Counter

import pytest

from saint_services.webd.topics.hub import Hub, _next
from tests.waiting import every, stays, until


class Client:
    """Takes what it is offered at once."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.offers: list[str] = []

    def offer(self, topic: str) -> None:
        self.offers.append(topic)
        self.hub.frame(topic)


@pytest.fixture
def counters() -> Counter[str]:
    return Counter()


@pytest.fixture
def hub(counters: Counter[str]) -> Hub:
    return Hub({"head": lambda: {"pan": 1.0}, "log": lambda: None}, counters)


async def test_late_subscriber_is_offered_what_there_is(hub: Hub) -> None:
    client = Client(hub)
    hub.subscribe("head", client, 1.0)
    assert client.offers == ["head"]


async def test_every_change_is_offered_without_a_period(hub: Hub) -> None:
    client = Client(hub)
    hub.subscribe("head", client, 0.0)
    for _ in range(5):
        hub.changed("head")
    assert len(client.offers) == 6


@pytest.mark.timed
async def test_many_of_one_rate_are_notified_together_and_share_a_frame(
    hub: Hub, counters: Counter[str]
) -> None:
    clients = [Client(hub) for _ in range(50)]
    for client in clients:
        hub.subscribe("head", client, 0.05)
    counters.clear()
    began_s = time.monotonic()
    async for _ in every(0.005, times=40):
        hub.changed("head")
    most = (time.monotonic() - began_s) / 0.05 + 3  # a busy computer takes longer
    counts = {len(client.offers) for client in clients}
    assert len(counts) == 1
    assert 3 <= counts.pop() <= most
    assert counters["states_encoded"] <= most


async def test_last_change_is_not_lost(hub: Hub) -> None:
    client = Client(hub)
    hub.subscribe("head", client, 0.02)
    hub.changed("head")
    hub.changed("head")
    before = len(client.offers)
    await until(lambda: len(client.offers) == before + 1)


async def test_client_that_left_is_not_notified_and_nobody_is_left_behind(hub: Hub) -> None:
    wanted: list[bool] = []
    hub.when_subscribed("head", wanted.append)
    fast, slow = Client(hub), Client(hub)
    hub.subscribe("head", fast, 0.0)
    hub.subscribe("head", slow, 0.02)
    hub.changed("head")
    hub.changed("head")  # plans a timer for the slow one
    hub.unsubscribe("head", slow)
    hub.unsubscribe("head", slow)
    assert hub.is_subscribed("head")
    hub.unsubscribe("head", fast)
    assert not hub.is_subscribed("head")
    reported = len(fast.offers) + len(slow.offers)
    hub.changed("head")
    await stays(lambda: len(fast.offers) + len(slow.offers) == reported, 0.05)
    assert wanted == [True, False]


async def test_topic_without_a_state_has_no_frame(hub: Hub) -> None:
    assert hub.frame("log") is None


@pytest.mark.parametrize("period_s", [0.001, 0.02, 0.1, 1 / 3, 1.0])
def test_grid_goes_on_by_whole_periods(period_s: float) -> None:
    at_s = _next(12_345.678, period_s)
    for _ in range(1000):
        after_s = _next(at_s, period_s)
        assert after_s - at_s == pytest.approx(period_s, rel=1e-3)
        at_s = after_s
