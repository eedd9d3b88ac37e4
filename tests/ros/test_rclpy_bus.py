"""The rclpy backend by itself: what lib.bus promises, between two of its nodes."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.bus import Bus, NodeView, Qos, Sample, Service, Topic
from saint_services.lib.bus.open import open_bus
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import ResetNode_Request, ResetNode_Response
from saint_services.lib.generated.std_msgs import Bool, String
from tests.ros.peers import our_bus
from tests.waiting import every, let_pass, stand_still, until

LIMIT_S = 15.0
TALK = Topic("/talk", String, Qos())
LATCHED = Topic("/latched", String, Qos(depth=1, latched=True))
RESET: Service[ResetNode_Request, ResetNode_Response] = topics.NODES_RESET
IDLE_S = 3.0


@pytest.fixture
async def buses(domain: int) -> AsyncIterator[tuple[Bus, Bus]]:
    one = await open_bus("one", backend="rclpy", domain_id=domain)
    two = await open_bus("two", backend="rclpy", domain_id=domain)
    yield one, two
    await one.close()
    await two.close()


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def met(sender: Bus, receiver: Bus, topic: Topic[String], **options: Any) -> list[str]:
    """Both know each other: what `receiver` gets on the topic from now on."""
    got: list[str] = []
    receiver.subscribe(topic, lambda sample: got.append(sample.message.data), **options)
    publisher = sender.publisher(topic)
    async for _ in every(0.05, until=lambda: got):
        publisher.publish(String("hello"))
    publisher.publish(String("last"))
    await until(lambda: got[-1] == "last")
    got.clear()
    return got


async def test_sample_has_age_and_arrival(buses: tuple[Bus, Bus]) -> None:
    one, two = buses
    got: list[Sample[String]] = []
    two.subscribe(TALK, got.append)
    publisher = one.publisher(TALK)
    async for _ in every(0.05, until=lambda: got):
        publisher.publish(String("x"))
    assert -0.001 <= got[0].age_s < 1.0
    assert 0.0 <= time.monotonic() - got[0].received_s < 1.0


async def test_own_messages_are_received_unless_not_wanted(buses: tuple[Bus, Bus]) -> None:
    one, two = buses
    received: list[str] = []
    others: list[str] = []
    one.subscribe(TALK, lambda sample: received.append(sample.message.data))
    one.subscribe(TALK, lambda sample: others.append(sample.message.data), own=False)
    await met(two, one, TALK)
    others.clear()
    publisher = one.publisher(TALK)
    for number in range(20):
        publisher.publish(String(f"own {number}"))
    two.publisher(TALK).publish(String("foreign"))
    await until(lambda: "own 19" in received and "foreign" in others)
    assert others == ["foreign"]


async def test_equal_message_of_another_is_received_when_we_sent_none_lately(
    buses: tuple[Bus, Bus],
) -> None:
    one, two = buses
    got = await met(two, one, TALK, own=False)
    two.publisher(TALK).publish(String("same"))
    await until(lambda: got == ["same"])


async def test_latched_message_reaches_late_subscriber_once(buses: tuple[Bus, Bus]) -> None:
    one, two = buses
    publisher = one.publisher(LATCHED)
    publisher.publish(String("old"))
    publisher.publish(String("new"))
    got: list[str] = []
    two.subscribe(LATCHED, lambda sample: got.append(sample.message.data))
    await until(lambda: got)
    assert got == ["new"]


async def test_burst_arrives_whole_and_in_order(buses: tuple[Bus, Bus]) -> None:
    one, two = buses
    deep = Topic("/burst", String, Qos(depth=1000))
    got = await met(one, two, deep)
    publisher = one.publisher(deep)
    for number in range(1000):
        publisher.publish(String(str(number)))
    await until(lambda: len(got) >= 1000)
    assert got == [str(number) for number in range(1000)]


async def test_raising_callback_is_reported_and_harms_nobody(buses: tuple[Bus, Bus]) -> None:
    one, two = buses
    reports: list[Any] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: reports.append(context["exception"]))

    def fail(_sample: Sample[String]) -> None:
        raise ValueError("a fault of ours")

    two.subscribe(TALK, fail)
    got: list[str] = []
    two.subscribe(TALK, lambda sample: got.append(sample.message.data))
    publisher = one.publisher(TALK)
    async for _ in every(0.05, until=lambda: len(got) >= 3 and len(reports) >= 3):
        publisher.publish(String("x"))
    assert {str(one) for one in reports} == {"a fault of ours"}


async def test_closed_subscription_is_silent(buses: tuple[Bus, Bus]) -> None:
    one, two = buses
    received = await met(one, two, TALK)
    ended: list[str] = []
    subscription = two.subscribe(TALK, lambda sample: ended.append(sample.message.data))
    publisher = one.publisher(TALK)
    async for _ in every(0.05, until=lambda: ended):
        publisher.publish(String("x"))
    subscription.close()
    ended.clear()
    publisher.publish(String("after"))
    await until(lambda: received and received[-1] == "after")
    assert ended == []


async def test_other_type_on_a_topic_does_not_arrive(domain: int, buses: tuple[Bus, Bus]) -> None:
    one, two = buses
    odd = await open_bus("odd", backend="rclpy", domain_id=domain)
    odd_publisher = odd.publisher(Topic("/talk", Bool, Qos()))
    got = await met(one, two, TALK)
    odd_publisher.publish(Bool(True))
    one.publisher(TALK).publish(String("fine"))
    await until(lambda: got == ["fine"])
    await odd.close()
    assert sum(two.refused.values()) == 0


async def test_services_answer_many_calls_at_once(buses: tuple[Bus, Bus]) -> None:
    one, two = buses

    async def handle(request: ResetNode_Request) -> ResetNode_Response:
        await let_pass(0.1)  # all calls are waiting at once
        return ResetNode_Response(True, request.node_id)

    one.serve(RESET, handle)
    names = [f"pi_{number}" for number in range(10)]
    calls = [two.call(RESET, ResetNode_Request(name), timeout_s=LIMIT_S) for name in names]
    assert [reply.message for reply in await asyncio.gather(*calls)] == names


async def test_oldest_idle_client_makes_room(
    buses: tuple[Bus, Bus], monkeypatch: pytest.MonkeyPatch
) -> None:
    from saint_services.lib.bus import services as shared

    monkeypatch.setattr(shared, "MOST", 2)
    one, two = buses

    async def handle(request: ResetNode_Request) -> ResetNode_Response:
        return ResetNode_Response(True, request.node_id)

    services = [topics.NODE_RESET.at(node_id=f"pi_{number}") for number in (1, 2, 3, 1)]
    for service in services[:3]:
        one.serve(service, handle)
    for service in services:
        reply = await two.call(service, ResetNode_Request(service.name), timeout_s=LIMIT_S)
        assert reply.message == service.name


async def test_failing_handler_leaves_the_caller_without_answer(buses: tuple[Bus, Bus]) -> None:
    one, two = buses
    reports: list[Any] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: reports.append(context["exception"]))

    async def handle(request: ResetNode_Request) -> ResetNode_Response:
        if request.factory_reset:
            raise ValueError("a fault of ours")
        return ResetNode_Response(True, "")

    one.serve(RESET, handle)
    assert (await two.call(RESET, ResetNode_Request("x"), timeout_s=LIMIT_S)).success
    with pytest.raises(SaintError) as caught:
        await two.call(RESET, ResetNode_Request("x", True), timeout_s=0.5)
    assert caught.value.code is Code.BUS_TIMEOUT
    assert [str(one) for one in reports] == ["a fault of ours"]
    assert (await two.call(RESET, ResetNode_Request("x"), timeout_s=LIMIT_S)).success


async def test_graph_shows_nodes_topics_services(buses: tuple[Bus, Bus]) -> None:
    one, two = buses

    async def handle(_request: ResetNode_Request) -> ResetNode_Response:
        return ResetNode_Response()

    one.serve(RESET, handle)
    one.publisher(TALK)
    await until(lambda: RESET.name in two.graph().services)
    await until(lambda: NodeView("/", "one") in two.graph().nodes)
    graph = two.graph()
    assert graph.topics["/talk"] == ("std_msgs/msg/String",)
    assert graph.services[RESET.name] == ("saint_msgs/srv/ResetNode",)


async def test_closed_bus_refuses_and_closes_twice(domain: int) -> None:
    bus = await open_bus("brief", backend="rclpy", domain_id=domain)
    publisher = bus.publisher(TALK)
    await bus.close()
    await bus.close()
    publisher.publish(String("into nowhere"))
    with pytest.raises(SaintError) as caught:
        bus.publisher(TALK)
    assert caught.value.code is Code.BUS_UNAVAILABLE


async def test_opening_and_closing_leaves_no_thread_and_no_descriptor(domain: int) -> None:
    async def open_and_close() -> int:
        bus = await open_bus("again", backend="rclpy", domain_id=domain)
        bus.subscribe(TALK, lambda _sample: None)
        await bus.close()
        return descriptors()

    first = await open_and_close()  # what the library keeps for good
    assert [await open_and_close() for _ in range(4)][-1] <= first
    await until(lambda: all(one.name != "bus-rclpy" for one in threading.enumerate()))


def test_daemon_without_a_home_opens_its_bus(domain: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/proc/nowhere")
    monkeypatch.delenv("ROS_LOG_DIR", raising=False)
    with our_bus("rclpy", domain, "homeless") as peer:
        assert peer.do("about")["refused"] == {}


def test_idle_bus_uses_no_processor(domain: int) -> None:
    with our_bus("rclpy", domain, "idle") as peer:
        peer.do("subscribe", topic="/talk", type="std_msgs/msg/String")
        stand_still(1.0)  # it has met its neighbours
        before_s = peer.cpu_s()
        stand_still(IDLE_S)
        assert (peer.cpu_s() - before_s) / IDLE_S < 0.03
