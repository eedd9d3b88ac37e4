"""When subscribers are notified: groups of one rate share a grid and a frame."""

import time
from collections import Counter
from typing import Any

import pytest

from saint_services.webd.topics import hub as hubs
from saint_services.webd.topics.hub import Hub, Snapshot, _next, says_the_same
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


class Robot:
    """Its head has moved at each look; its tracks say what the test sets."""

    def __init__(self) -> None:
        self.pan = 0.0
        self.tracks: dict[str, Any] | None = {"left": 0.0, "odom": {"x": 1.0}}

    def head(self) -> dict[str, Any]:
        self.pan += 1.0
        return {"pan": self.pan}


@pytest.fixture
def robot() -> Robot:
    return Robot()


@pytest.fixture
def hub(counters: Counter[str], robot: Robot) -> Hub:
    topics: dict[str, Snapshot] = {"head": robot.head, "log": lambda: None}
    return Hub(topics | {"tracks": lambda: robot.tracks}, counters)


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


async def test_state_that_says_the_same_is_a_sign_of_life_ten_times_a_second(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hubs.LIFE_S == 0.1
    monkeypatch.setattr(hubs, "LIFE_S", 0.3)
    client = Client(hub)
    hub.subscribe("tracks", client, 0.0)
    began_s = time.monotonic()
    hub.changed("tracks")  # the group's first
    for _ in range(50):
        hub.changed("tracks")
    assert len(client.offers) == 2 or time.monotonic() - began_s > 0.3
    async for _ in every(0.01, until=lambda: len(client.offers) == 3):
        hub.changed("tracks")
    assert time.monotonic() - began_s >= 0.3


async def test_producer_that_is_silent_gives_no_sign_of_life(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "LIFE_S", 0.02)
    client = Client(hub)
    hub.subscribe("tracks", client, 0.0)
    hub.changed("tracks")
    offers = len(client.offers)
    await stays(lambda: len(client.offers) == offers, 0.1)


async def test_changed_state_is_offered_at_once_after_the_same(
    hub: Hub, robot: Robot, counters: Counter[str]
) -> None:
    client = Client(hub)
    hub.subscribe("tracks", client, 0.0)
    hub.changed("tracks")
    hub.changed("tracks")
    offers = len(client.offers)
    robot.tracks = {"left": 0.1, "odom": {"x": 1.0}}
    hub.changed("tracks")
    assert len(client.offers) == offers + 1
    assert b"0.1" in (hub.frame("tracks") or b"")
    assert counters["states_unchanged"] == 1


async def test_each_rate_gets_the_last_change(hub: Hub, robot: Robot) -> None:
    fast, slow = Client(hub), Client(hub)
    hub.subscribe("tracks", fast, 0.0)
    hub.subscribe("tracks", slow, 0.05)
    hub.changed("tracks")
    robot.tracks = {"left": 0.2, "odom": {"x": 1.0}}
    hub.changed("tracks")
    offers = len(slow.offers)
    hub.changed("tracks")  # says the same; the slow one still waits for the change
    await until(lambda: len(slow.offers) == offers + 1)


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ({"a": 1.0}, {"a": 1.0}, True),
        ({"a": 1.0}, {"a": 1.0001}, False),
        ({"a": 1.0}, {"b": 1.0}, False),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, True),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": 2}]}, False),
        ({"a": [1]}, {"a": [1, 2]}, False),
        (None, {"a": 1}, False),
        ({"a": 1}, None, False),
        ({"age_ms": 0}, {"age_ms": 49}, True),
        ({"arm": [{"age_ms": 101}]}, {"arm": [{"age_ms": 149}]}, True),
        ({"age_ms": 49}, {"age_ms": 50}, False),
        ({"router_age_ms": 349}, {"router_age_ms": 350}, False),
        ({"age_ms": None}, {"age_ms": 0}, False),
        ({"age_ms": 3, "a": 1}, {"age_ms": 4, "a": 2}, False),
        ({"changed_ms": 1}, {"changed_ms": 2}, False),
    ],
)
def test_what_counts_as_the_same(before: Any, after: Any, is_same: bool) -> None:
    assert says_the_same(before, after) is is_same


async def test_topic_without_a_state_has_no_frame(hub: Hub) -> None:
    assert hub.frame("log") is None


@pytest.mark.parametrize("period_s", [0.001, 0.02, 0.1, 1 / 3, 1.0])
def test_grid_goes_on_by_whole_periods(period_s: float) -> None:
    at_s = _next(12_345.678, period_s)
    for _ in range(1000):
        after_s = _next(at_s, period_s)
        assert after_s - at_s == pytest.approx(period_s, rel=1e-3)
        at_s = after_s
