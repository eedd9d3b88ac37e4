"""The in-process backend fulfils the contract of the bus."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.bus import NodeView, Qos, Sample, Topic, cdr
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.bus.open import open_bus
from saint_services.lib.errors import SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.errors import Code
from saint_services.lib.generated.saint_msgs import ResetNode_Request, ResetNode_Response
from saint_services.lib.generated.std_msgs import String
from tests.waiting import turns

CHATTER = Topic("/chatter", String, Qos())
LATCHED = Topic("/latched", String, Qos(depth=1, latched=True))
RESET = topics.NODES_RESET


async def test_sample_says_who_wrote_it() -> None:
    domain = LocalDomain()
    one, two = domain.bus("one"), domain.bus("two")
    got: list[Sample[String]] = []
    two.subscribe(CHATTER, got.append)
    one.publisher(CHATTER).publish(String("hello"))
    assert got == []  # delivered by the loop, never synchronously
    await turns()
    assert got[0].message == String("hello")
    assert got[0].origin == one.origin != two.origin
    assert 0.0 <= got[0].age_s < 1.0


async def test_publisher_knows_whether_it_is_read() -> None:
    domain = LocalDomain()
    publisher = domain.bus("one").publisher(CHATTER)
    assert not publisher.has_readers
    domain.bus("two").subscribe(LATCHED, lambda _: None)
    assert not publisher.has_readers
    reading = domain.bus("three").subscribe(CHATTER, lambda _: None)
    assert publisher.has_readers
    reading.close()
    assert not publisher.has_readers


async def test_own_samples_are_left_out_on_request() -> None:
    domain = LocalDomain()
    one, two = domain.bus("one"), domain.bus("two")
    got: list[Sample[String]] = []
    one.subscribe(CHATTER, got.append, own=False)
    one.publisher(CHATTER).publish(String("mine"))
    two.publisher(CHATTER).publish(String("theirs"))
    await turns()
    assert [sample.message.data for sample in got] == ["theirs"]


async def test_latched_sample_reaches_late_subscriber() -> None:
    domain = LocalDomain()
    one, two = domain.bus("one"), domain.bus("two")
    publisher = one.publisher(LATCHED)
    publisher.publish(String("old"))
    publisher.publish(String("new"))
    got: list[Sample[String]] = []
    two.subscribe(LATCHED, got.append)
    await turns()
    assert [sample.message.data for sample in got] == ["new"]


@pytest.mark.parametrize(
    ("offered", "wanted", "is_received"),
    [
        (Qos(reliable=False), Qos(reliable=True), False),
        (Qos(reliable=True), Qos(reliable=False), True),
        (Qos(), Qos(latched=True), False),
    ],
)
async def test_quality_of_service_matches_as_in_dds(
    offered: Qos, wanted: Qos, is_received: bool
) -> None:
    bus = LocalDomain().bus("one")
    got: list[Any] = []
    bus.subscribe(Topic("/x", String, wanted), got.append)
    bus.publisher(Topic("/x", String, offered)).publish(String("?"))
    await turns()
    assert bool(got) is is_received


async def test_call_is_answered_and_waits_for_a_server() -> None:
    domain = LocalDomain()
    one, two = domain.bus("one"), domain.bus("two")

    async def handle(request: ResetNode_Request) -> ResetNode_Response:
        return ResetNode_Response(True, request.node_id)

    call = asyncio.create_task(one.call(RESET, ResetNode_Request("pi_1"), 1.0))
    await turns()
    two.serve(RESET, handle)
    assert await call == ResetNode_Response(True, "pi_1")


async def test_server_that_is_not_meant_sends_no_reply() -> None:
    domain = LocalDomain()

    async def silent(_request: ResetNode_Request) -> ResetNode_Response | None:
        return None

    async def answering(request: ResetNode_Request) -> ResetNode_Response | None:
        return ResetNode_Response(True, request.node_id)

    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    domain.bus("foreign").serve(RESET, silent)
    with pytest.raises(SaintError):
        await domain.bus("one").call(RESET, ResetNode_Request("pi_1"), 0.02)
    domain.bus("own").serve(RESET, answering)
    answer = await domain.bus("one").call(RESET, ResetNode_Request("pi_1"), 1.0)
    assert answer == ResetNode_Response(True, "pi_1")
    assert faults == []


async def test_call_without_server_times_out() -> None:
    with pytest.raises(SaintError) as caught:
        await LocalDomain().bus("one").call(RESET, ResetNode_Request(), 0.02)
    assert caught.value.code is Code.BUS_TIMEOUT


async def test_handler_that_raises_goes_to_the_loop_and_caller_times_out() -> None:
    bus = LocalDomain().bus("one")
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))

    async def handle(_request: ResetNode_Request) -> ResetNode_Response:
        raise ValueError("programming fault")

    bus.serve(RESET, handle)
    with pytest.raises(SaintError):
        await bus.call(RESET, ResetNode_Request(), 0.05)
    assert isinstance(faults[0]["exception"], ValueError)


async def test_graph_shows_all_buses() -> None:
    domain = LocalDomain()
    one, _two = domain.bus("one"), domain.bus("role-headd")
    one.publisher(CHATTER)
    graph = one.graph()
    assert graph.nodes == (NodeView("/", "one"), NodeView("/", "role_headd"))
    assert graph.topics == {"/chatter": ("std_msgs/msg/String",)}


async def test_closed_bus_neither_sends_nor_receives() -> None:
    domain = LocalDomain()
    one, two = domain.bus("one"), domain.bus("two")
    got: list[Any] = []
    two.subscribe(CHATTER, got.append)
    publisher = one.publisher(CHATTER)
    await one.close()
    publisher.publish(String("late"))
    await turns()
    assert got == []
    assert one.graph().nodes == (NodeView("/", "two"),)


@given(data=st.one_of(st.binary(max_size=200), st.binary(max_size=200).map(cdr.HEADER.__add__)))
async def test_random_bytes_are_counted_never_raised(data: bytes) -> None:
    domain = LocalDomain()
    bus = domain.bus("one")
    faults: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    got: list[Any] = []
    for topic in (topics.INPUT_RC, topics.ROUTER_STATUS, topics.TRACKS_CMD_VEL, CHATTER):
        bus.subscribe(topic, got.append)
        domain.publish_bytes(topic, data)
    await turns()
    assert faults == []
    assert len(got) + sum(bus.refused.values()) == 4


async def test_open_bus_refuses_unknown_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAINT_BUS", "carrier-pigeon")
    with pytest.raises(SaintError, match="carrier-pigeon"):
        await open_bus("one")


@pytest.mark.parametrize("value", ["x", "-1", "233", "1e1", "²"])
async def test_open_bus_refuses_wrong_domain(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", value)
    with pytest.raises(SaintError, match="ROS_DOMAIN_ID"):
        await open_bus("one", backend="local")
