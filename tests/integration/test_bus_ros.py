"""The rclpy backend on a real ROS 2 installation, beside our own where the middleware allows it."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from saint_services.lib.bus import Bus, NodeView, Qos, Sample, Topic
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated import topics
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import ResetNode_Request, ResetNode_Response
from saint_services.lib.generated.std_msgs import String
from tests.integration.bus_rig import DOMAIN, LOOPBACK
from tests.waiting import every, until

pytest.importorskip("rclpy", reason="no ROS 2 installation is sourced")

CHATTER = Topic("/chatter", String, Qos())
CMD_VEL = Topic("/cmd_vel", Twist, Qos(reliable=False, depth=1))
LATCHED = Topic("/latched", String, Qos(depth=1, latched=True))
RESET = topics.NODES_RESET
IS_CYCLONE = os.environ.get("RMW_IMPLEMENTATION") == "rmw_cyclonedds_cpp"


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CYCLONEDDS_URI", LOOPBACK)  # for rclpy's copy of the library


@asynccontextmanager
async def opened(*wanted: str) -> AsyncIterator[list[Bus]]:
    """Buses of the named backends."""
    buses = [
        await open_bus(f"{backend}_{number}", backend=backend, domain_id=DOMAIN)
        for number, backend in enumerate(wanted)
    ]
    try:
        yield buses
    finally:
        for bus in buses:
            await bus.close()


async def exchange(sender: Bus, receiver: Bus, topic: Topic[Any], message: Any) -> Sample[Any]:
    """Publish until the first sample arrives."""
    got: list[Sample[Any]] = []
    subscription = receiver.subscribe(topic, got.append)
    publisher = sender.publisher(topic)
    async for _ in every(0.05, until=lambda: got):
        publisher.publish(message)
    subscription.close()
    return got[0]


async def test_topics_pass_between_two_nodes() -> None:
    async with opened("rclpy", "rclpy") as [one, two]:
        text = await exchange(one, two, CHATTER, String("grüß dich"))
        assert text.message == String("grüß dich")
        assert -0.1 < text.age_s < 1.0
        twist = Twist(Vector3(0.5, 0.0, -1.0), Vector3(0.0, 0.0, 0.25))
        assert (await exchange(one, two, CMD_VEL, twist)).message == twist


async def test_latched_sample_reaches_late_subscriber() -> None:
    async with opened("rclpy", "rclpy") as [one, two]:
        one.publisher(LATCHED).publish(String("early"))
        got: list[Sample[String]] = []
        two.subscribe(LATCHED, got.append)
        await until(lambda: got)
        assert got[0].message == String("early")


async def test_own_samples_are_left_out_on_request() -> None:
    async with opened("rclpy", "rclpy") as [one, two]:
        got: list[str] = []
        one.subscribe(CHATTER, lambda sample: got.append(sample.message.data), own=False)
        mine, theirs = one.publisher(CHATTER), two.publisher(CHATTER)
        async for _ in every(0.05, until=lambda: got):
            mine.publish(String("mine"))
            theirs.publish(String("theirs"))
        assert set(got) == {"theirs"}


async def test_graph_shows_both_nodes() -> None:
    async with opened("rclpy", "rclpy") as [one, two]:
        two.publisher(CHATTER)
        await until(lambda: NodeView("/", "rclpy_1") in one.graph().nodes)
        await until(lambda: one.graph().topics.get("/chatter") == ("std_msgs/msg/String",))


@pytest.mark.skipif(not IS_CYCLONE, reason="services need rmw_cyclonedds_cpp on both sides")
@pytest.mark.parametrize(("server", "client"), [("dds", "rclpy"), ("rclpy", "dds")])
async def test_services_pass_between_backends(server: str, client: str) -> None:
    pytest.importorskip("saint_msgs", reason="manifests/saint_msgs is not built here")

    async def handle(request: ResetNode_Request) -> ResetNode_Response:
        return ResetNode_Response(True, f"did {request.node_id}")

    async with opened(server, client) as [serving, calling]:
        serving.serve(RESET, handle)
        answer = await calling.call(RESET, ResetNode_Request("pi_1"), 10.0)
        assert answer == ResetNode_Response(True, "did pi_1")


@pytest.mark.parametrize(("sender", "receiver"), [("dds", "rclpy"), ("rclpy", "dds")])
async def test_topics_pass_between_backends(sender: str, receiver: str) -> None:
    if not IS_CYCLONE:
        pytest.skip("on one machine without multicast only rmw_cyclonedds_cpp meets our settings")
    async with opened(sender, receiver) as [one, two]:
        assert (await exchange(one, two, CHATTER, String("hé"))).message == String("hé")


async def test_services_pass_between_two_nodes_and_do_not_block() -> None:
    pytest.importorskip("saint_msgs", reason="manifests/saint_msgs is not built here")
    inner = topics.NODE_RESET.at(node_id="pi_1")

    async with opened("rclpy", "rclpy") as [one, two]:

        async def outer_handler(request: ResetNode_Request) -> ResetNode_Response:
            return await one.call(inner, request, 5.0)

        async def inner_handler(request: ResetNode_Request) -> ResetNode_Response:
            return ResetNode_Response(True, request.node_id)

        one.serve(RESET, outer_handler)
        one.serve(inner, inner_handler)
        answer = await two.call(RESET, ResetNode_Request("pi_1"), 10.0)
        assert answer == ResetNode_Response(True, "pi_1")
