"""The rclpy backend over the fake: threads, loop hops, services that do not block."""

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from saint_services.lib.bus import NodeView, Qos, Sample, Topic
from saint_services.lib.bus.ros import bus as ros_bus
from saint_services.lib.bus.ros import services as ros_services
from saint_services.lib.bus.ros.bus import RosBus
from saint_services.lib.errors import SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import ResetNode_Request, ResetNode_Response
from saint_services.lib.generated.std_msgs import String
from tests.unit.lib.bus.ros import fake_rclpy
from tests.waiting import until

CHATTER = Topic("/chatter", String, Qos())
RESET = topics.NODES_RESET


class Kind:
    """A service or message class of rclpy."""

    class Request: ...

    class Response: ...


@pytest.fixture
async def bus(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RosBus]:
    for module in (ros_bus, ros_services):
        monkeypatch.setattr(module, "ros_class", lambda _name: Kind)
    rclpy = fake_rclpy.made()
    opened = RosBus(rclpy, *ros_bus._node(rclpy, NodeView("/", "tested"), 0))
    yield opened
    await opened.close()


async def test_sample_arrives_in_the_loops_thread(bus: RosBus) -> None:
    got: list[tuple[Sample[String], threading.Thread]] = []
    bus.subscribe(CHATTER, lambda sample: got.append((sample, threading.current_thread())))
    bus.publisher(CHATTER).publish(String("hello"))
    await until(lambda: got)
    sample, thread = got[0]
    assert sample.message == String("hello")
    assert thread is threading.current_thread()
    assert 0.0 <= sample.age_s < 1.0
    assert sample.origin == bus.origin == ""


async def test_own_samples_are_left_out_on_request(bus: RosBus) -> None:
    got: list[str] = []
    bus.subscribe(CHATTER, lambda sample: got.append(sample.message.data), own=False)
    bus.publisher(CHATTER).publish(String("mine"))
    foreign = fake_rclpy.Publisher("/chatter")
    foreign.publish(b"\0\1\0\0\x07\0\0\0theirs\0\0")
    await until(lambda: got)
    assert got == ["theirs"]


async def test_malformed_bytes_are_counted(bus: RosBus) -> None:
    got: list[Any] = []
    bus.subscribe(CHATTER, got.append)
    fake_rclpy.Publisher("/chatter").publish(b"\0\7\0\0garbage")
    await until(lambda: bus.refused)
    assert bus.refused == {"/chatter": 1}
    assert got == []


async def test_handler_may_call_another_service(bus: RosBus) -> None:
    """A handler that waits for a reply must not block the executor's thread."""
    inner = topics.NODE_RESET.at(node_id="pi_1")

    async def outer_handler(request: ResetNode_Request) -> ResetNode_Response:
        answer = await bus.call(inner, request, 1.0)
        return ResetNode_Response(True, f"outer {answer.message}")

    async def inner_handler(request: ResetNode_Request) -> ResetNode_Response:
        return ResetNode_Response(True, f"inner {request.node_id}")

    bus.serve(RESET, outer_handler)
    bus.serve(inner, inner_handler)
    answer = await bus.call(RESET, ResetNode_Request("pi_1"), 2.0)
    assert answer == ResetNode_Response(True, "outer inner pi_1")


async def test_request_for_another_server_gets_no_reply(bus: RosBus) -> None:
    async def silent(request: ResetNode_Request) -> ResetNode_Response | None:
        requested.append(request.node_id)

    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    requested: list[str] = []
    bus.serve(RESET, silent)
    with pytest.raises(SaintError, match="did not answer"):
        await bus.call(RESET, ResetNode_Request("pi_1"), 0.2)
    assert (requested, faults) == (["pi_1"], [])


async def test_call_without_server_times_out(bus: RosBus) -> None:
    with pytest.raises(SaintError, match="has no server"):
        await bus.call(RESET, ResetNode_Request(), 0.06)


async def test_fault_in_rclpy_is_counted_and_spinning_goes_on(bus: RosBus) -> None:
    def fail() -> None:
        raise RuntimeError("failed to take request")

    fake_rclpy.DOMAIN.executors[0].do(fail)
    await until(lambda: bus.refused)
    got: list[Any] = []
    bus.subscribe(CHATTER, got.append)
    bus.publisher(CHATTER).publish(String("still here"))
    await until(lambda: got)
    assert bus.refused == {"(rclpy)": 1}


async def test_close_ends_the_thread_and_the_node(bus: RosBus) -> None:
    publisher = bus.publisher(CHATTER)
    await bus.close()
    assert bus.node.is_destroyed
    publisher.publish(String("late"))
    await until(lambda: not any(one.name == "bus-rclpy" for one in threading.enumerate()))
    with pytest.raises(SaintError, match="closed"):
        bus.graph()


async def test_graph_is_rclpys(bus: RosBus) -> None:
    graph = bus.graph()
    assert graph.nodes == (NodeView("/", "tested"),)
    assert graph.topics == {"/chatter": ("std_msgs/msg/String",)}
