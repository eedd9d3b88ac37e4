"""Our bus against a participant that knows ROS 2's wire conventions but none of our code."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from saint_services.lib.bus import NodeView, Qos, Sample, Service, Topic
from saint_services.lib.generated import topics
from saint_services.lib.generated.builtin_interfaces import Time
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import (
    InputSample,
    ResetNode_Request,
    ResetNode_Response,
)
from saint_services.lib.generated.std_msgs import Empty, String
from tests.integration.bus_rig import PeerProcess, independent_peer, opened
from tests.waiting import until

pytest.importorskip("cyclonedds", reason="the official binding exists for x86_64 only")

CHATTER = Topic("/chatter", String, Qos())
CMD_VEL = Topic("/cmd_vel", Twist, Qos())
LATCHED = Topic("/latched", String, Qos(depth=1, latched=True))
NOTHING = Topic("/nothing", Empty, Qos())
RESET: Service[ResetNode_Request, ResetNode_Response] = topics.NODES_RESET
RQ, RR = "rq/saint/nodes/resetRequest", "rr/saint/nodes/resetReply"


@pytest.fixture
async def peer() -> AsyncIterator[PeerProcess]:
    async with independent_peer() as process:
        yield process


async def test_string_and_twist_arrive_from_peer(peer: PeerProcess) -> None:
    async with opened("listener") as [bus]:
        strings: list[Sample[String]] = []
        twists: list[Sample[Twist]] = []
        bus.subscribe(CHATTER, strings.append)
        bus.subscribe(CMD_VEL, twists.append, own=False)
        await peer.do("publish", topic="rt/chatter", type="String", value={"data": "grüß dich"})
        twist = {"linear": {"x": 0.5, "y": 0.0, "z": -1e9}, "angular": {"z": 0.25}}
        await peer.do("publish", topic="rt/cmd_vel", type="Twist", value=twist)
        await until(lambda: strings and twists)
        assert strings[0].message == String("grüß dich")
        assert twists[0].message == Twist(Vector3(0.5, 0.0, -1e9), Vector3(0.0, 0.0, 0.25))
        assert 0.0 <= strings[0].age_s < 1.0
        assert len(strings[0].origin) == 24
        assert strings[0].origin == twists[0].origin != bus.origin


async def test_input_sample_arrives_from_peer_best_effort(peer: PeerProcess) -> None:
    async with opened("listener") as [bus]:
        got: list[Sample[InputSample]] = []
        bus.subscribe(topics.INPUT_AUTONOMOUS, got.append)
        value: dict[str, Any] = {
            "stamp": {"sec": 7, "nanosec": 9},
            "source": "autonomous:peer",
            "sequence": 2**40,
            "failsafe": True,
            "target": "head",
            "names": ["pan", "tilt_x", ""],
            "values": [0.5, -1.0, 2.0],
        }
        while not got:  # best effort: what comes before both sides know each other is lost
            await peer.do(
                "publish",
                topic="rt/saint/input/autonomous",
                type="InputSample",
                value=value,
                reliable=False,
            )
        assert got[0].message == InputSample(
            Time(7, 9),
            "autonomous:peer",
            2**40,
            True,
            "head",
            ("pan", "tilt_x", ""),
            (0.5, -1.0, 2.0),
        )


async def test_messages_arrive_at_peer(peer: PeerProcess) -> None:
    async with opened("talker") as [bus]:
        await peer.do("subscribe", topic="rt/chatter", type="String")
        await peer.do("subscribe", topic="rt/saint/input/rc", type="InputSample", reliable=False)
        await peer.do("subscribe", topic="rt/nothing", type="Empty")
        chatter, inputs = bus.publisher(CHATTER), bus.publisher(topics.INPUT_RC)
        nothing = bus.publisher(NOTHING)
        sample = InputSample(
            Time(1, 2), "rc", 3, False, "", ("channel_1", "channel_2"), (0.25, -0.5)
        )

        def all_there() -> bool:
            chatter.publish(String("hé"))
            inputs.publish(sample)
            nothing.publish(Empty())
            return all(
                peer.values(name) for name in ("rt/chatter", "rt/saint/input/rc", "rt/nothing")
            )

        await until(all_there)
        assert peer.values("rt/chatter")[0] == {"data": "hé"}
        assert peer.values("rt/saint/input/rc")[0] == {
            "stamp": {"sec": 1, "nanosec": 2},
            "source": "rc",
            "sequence": 3,
            "failsafe": False,
            "target": "",
            "names": ["channel_1", "channel_2"],
            "values": [0.25, -0.5],
        }


async def test_latched_sample_reaches_late_joiners_both_ways(peer: PeerProcess) -> None:
    async with opened("latch") as [bus]:
        bus.publisher(LATCHED).publish(String("early"))
        await peer.do("subscribe", topic="rt/latched", type="String", latched=True, depth=1)
        await until(lambda: peer.values("rt/latched") == [{"data": "early"}])
        kept = {"topic": "rt/kept", "type": "String", "latched": True, "depth": 1}
        await peer.do("writer_of_latched", **kept, value={"data": "theirs"})
        got: list[Sample[String]] = []
        bus.subscribe(Topic("/kept", String, Qos(depth=1, latched=True)), got.append)
        await until(lambda: got)
        assert got[0].message == String("theirs")


async def test_peer_calls_our_service(peer: PeerProcess) -> None:
    async with opened("server") as [bus]:

        async def handle(request: ResetNode_Request) -> ResetNode_Response:
            return ResetNode_Response(request.factory_reset, f"did {request.node_id}")

        bus.serve(RESET, handle)
        await peer.do("call", request=RQ, reply=RR, node_id="pi_1")
        await until(lambda: peer.values(RR))
        assert peer.values(RR) == [
            {
                "guid": 2**63 + 17,
                "sequence_number": 41,
                "success": True,
                "message": "did pi_1",
            }
        ]


async def test_we_call_peers_service(peer: PeerProcess) -> None:
    async with opened("client") as [bus]:
        await peer.do("serve", request=RQ, reply=RR)
        for node in ("pi_1", "pi_2"):
            response = await bus.call(RESET, ResetNode_Request(node), timeout_s=5.0)
            assert response == ResetNode_Response(True, f"peer did {node}")


async def test_graph_is_visible_both_ways(peer: PeerProcess) -> None:
    async with opened("routerd") as [bus]:
        got: list[Sample[String]] = []
        bus.subscribe(CHATTER, got.append)
        bus.publisher(CMD_VEL)

        async def handle(_request: ResetNode_Request) -> ResetNode_Response:
            return ResetNode_Response()

        bus.serve(RESET, handle)
        await peer.do("publish", topic="rt/chatter", type="String", value={"data": ""})
        await peer.do("announce", node="unknown")

        def our_node() -> dict[str, Any]:
            nodes = [node for one in peer.events for node in one.get("nodes", ())]
            return next(
                (node for node in reversed(nodes) if node["name"] == "routerd"), {"writers": []}
            )

        await until(lambda: len(our_node()["writers"]) == 2)  # cmd_vel, the service's reply
        ours = our_node()
        assert ours["namespace"] == "/"
        assert len(ours["readers"]) == 2  # chatter, the service's request
        assert all(gid[:24] == bus.origin for gid in ours["readers"] + ours["writers"])

        await until(lambda: NodeView("/", "unknown") in bus.graph().nodes)
        graph = bus.graph()
        assert NodeView("/", "routerd") in graph.nodes
        assert graph.topics["/chatter"] == ("std_msgs/msg/String",)
        assert graph.topics["/cmd_vel"] == ("geometry_msgs/msg/Twist",)
        assert graph.services == {"/saint/nodes/reset": ("saint_msgs/srv/ResetNode",)}


async def test_endpoints_carry_type_hash_and_service_id(peer: PeerProcess) -> None:
    async with opened("described") as [bus]:
        bus.publisher(CMD_VEL)

        async def handle(_request: ResetNode_Request) -> ResetNode_Response:
            return ResetNode_Response()

        bus.serve(RESET, handle)

        def found() -> dict[str, tuple[str, str]]:
            lists = [one["endpoints"] for one in peer.events if "endpoints" in one]
            return {name: (kind, data) for name, kind, data in lists[-1]} if lists else {}

        while "rt/cmd_vel" not in found() or RR not in found():
            await peer.do("endpoints")
        kind, data = found()["rt/cmd_vel"]
        assert kind == "geometry_msgs::msg::dds_::Twist_"
        # Of ROS 2 itself, as `ros2 topic info -v` shows it.
        known = "9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a"
        assert data == f"typehash=RIHS01_{known};"
        kind, data = found()[RR]
        assert kind == "saint_msgs::srv::dds_::ResetNode_Response_"
        service_id, type_hash = data.removesuffix(";").split(";")
        assert service_id.startswith("serviceid=")
        assert type_hash == f"typehash={RESET.hash}"


async def test_longer_type_of_same_name_is_counted(peer: PeerProcess) -> None:
    async with opened("listener") as [bus]:
        got: list[Sample[String]] = []
        bus.subscribe(CHATTER, got.append)
        value = {"data": "too much"}
        await peer.do("publish", topic="rt/chatter", type="LongString", value=value)
        await until(lambda: bus.refused.get("/chatter") == 1)
        await peer.do("publish", topic="rt/chatter", type="String", value={"data": "fine"})
        await until(lambda: got)
        assert [one.message.data for one in got] == ["fine"]


async def test_shorter_type_of_same_name_is_counted(peer: PeerProcess) -> None:
    async with opened("listener") as [bus]:
        got: list[Sample[Twist]] = []
        bus.subscribe(CMD_VEL, got.append)
        value = {"linear": {"x": 1.0}}
        await peer.do("publish", topic="rt/cmd_vel", type="ShortTwist", value=value)
        await until(lambda: bus.refused.get("/cmd_vel") == 1)
        assert got == []


@pytest.mark.parametrize(
    ("what", "data"),
    [
        ("XCDR2 header", "00070000 03000000 616200"),
        ("parameter list", "00030000 03000000 616200"),
        ("text not UTF-8", "00010000 03000000 fffe00"),
        ("length past the end", "00010000 ffffff7f 616200"),
        ("length zero and more", "00010000 00000000 00000000 00000000"),
    ],
)
async def test_garbage_is_counted_and_harmless(peer: PeerProcess, what: str, data: str) -> None:
    async with opened("listener") as [bus]:
        got: list[Sample[String]] = []
        bus.subscribe(CHATTER, got.append)
        await peer.do("raw", topic="rt/chatter", type="Anything", data=data.replace(" ", ""))
        await until(lambda: bus.refused.get("/chatter") == 1)
        await peer.do("publish", topic="rt/chatter", type="String", value={"data": "fine"})
        await until(lambda: got)
        assert [one.message.data for one in got] == ["fine"], what


async def test_vanished_peer_sends_no_sample_and_leaves_the_graph() -> None:
    async with opened("listener") as [bus]:
        got: list[Sample[String]] = []
        bus.subscribe(CHATTER, got.append)
        async with independent_peer() as peer:
            await peer.do("publish", topic="rt/chatter", type="String", value={"data": "bye"})
            await peer.do("announce", node="unknown")
            await until(lambda: NodeView("/", "unknown") in bus.graph().nodes and got)
        await until(lambda: NodeView("/", "unknown") not in bus.graph().nodes)
        assert len(got) == 1
        assert bus.refused == {}
