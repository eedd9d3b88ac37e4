"""A participant written by hand, to test our bus against another implementation's idea of ROS 2.

It uses the official Python binding of Cyclone DDS and types typed in by hand; nothing of
saint_services. Runs as its own process: commands come as JSON lines, events go out as JSON lines.
"""

import json
import os
import select
import sys
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from cyclonedds._clayer import ddspy_write
from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsPublication
from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl import types as idl
from cyclonedds.idl.annotations import final
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic


@final
@dataclass
class String(IdlStruct, typename="std_msgs.msg.dds_.String_"):
    data: str = ""


@final
@dataclass
class LongString(IdlStruct, typename="std_msgs.msg.dds_.String_"):
    """Another idea of the same name: longer."""

    data: str = ""
    more: idl.array[idl.float64, 4] = (1.0, 2.0, 3.0, 4.0)


@final
@dataclass
class Anything(IdlStruct, typename="std_msgs.msg.dds_.String_"):
    """For bytes of our choice: the binding itself does not look beyond the first."""

    first: idl.uint8 = 0


@final
@dataclass
class Vector3(IdlStruct, typename="geometry_msgs.msg.dds_.Vector3_"):
    x: idl.float64 = 0.0
    y: idl.float64 = 0.0
    z: idl.float64 = 0.0


@final
@dataclass
class Twist(IdlStruct, typename="geometry_msgs.msg.dds_.Twist_"):
    linear: Vector3 = field(default_factory=Vector3)
    angular: Vector3 = field(default_factory=Vector3)


@final
@dataclass
class ShortTwist(IdlStruct, typename="geometry_msgs.msg.dds_.Twist_"):
    """Another idea of the same name: shorter."""

    linear: Vector3 = field(default_factory=Vector3)


@final
@dataclass
class Time(IdlStruct, typename="builtin_interfaces.msg.dds_.Time_"):
    sec: idl.int32 = 0
    nanosec: idl.uint32 = 0


@final
@dataclass
class InputSample(IdlStruct, typename="saint_msgs.msg.dds_.InputSample_"):
    stamp: Time = field(default_factory=Time)
    source: str = ""
    sequence: idl.uint64 = 0
    failsafe: bool = False
    target: str = ""
    names: idl.sequence[str] = field(default_factory=list)
    values: idl.sequence[idl.float32] = field(default_factory=list)


@final
@dataclass
class TrackState(IdlStruct, typename="saint_msgs.msg.dds_.TrackState_"):
    left_velocity: idl.float32 = 0.0
    right_velocity: idl.float32 = 0.0
    left_current: idl.float32 = 0.0
    right_current: idl.float32 = 0.0
    estop_active: bool = False
    motors_enabled: bool = False


@final
@dataclass
class HeadCommand(IdlStruct, typename="saint_msgs.msg.dds_.HeadCommand_"):
    pan: idl.float32 = 0.0
    tilt: idl.float32 = 0.0
    roll: idl.float32 = 0.0
    speed: idl.float32 = 0.0


@final
@dataclass
class Bool(IdlStruct, typename="std_msgs.msg.dds_.Bool_"):
    data: bool = False


@final
@dataclass
class Empty(IdlStruct, typename="std_msgs.msg.dds_.Empty_"):
    structure_needs_at_least_one_member: idl.uint8 = 0


@final
@dataclass
class ResetRequest(IdlStruct, typename="saint_msgs.srv.dds_.ResetNode_Request_"):
    guid: idl.uint64 = 0
    sequence_number: idl.int64 = 0
    node_id: str = ""
    factory_reset: bool = False


@final
@dataclass
class ResetReply(IdlStruct, typename="saint_msgs.srv.dds_.ResetNode_Response_"):
    guid: idl.uint64 = 0
    sequence_number: idl.int64 = 0
    success: bool = False
    message: str = ""


@final
@dataclass
class Gid(IdlStruct, typename="rmw_dds_common.msg.dds_.Gid_"):
    data: idl.array[idl.uint8, 16] = (0,) * 16


@final
@dataclass
class NodeEntities(IdlStruct, typename="rmw_dds_common.msg.dds_.NodeEntitiesInfo_"):
    node_namespace: idl.bounded_str[256] = "/"
    node_name: idl.bounded_str[256] = ""
    readers: idl.sequence[Gid] = field(default_factory=list)
    writers: idl.sequence[Gid] = field(default_factory=list)


@final
@dataclass
class Participant(IdlStruct, typename="rmw_dds_common.msg.dds_.ParticipantEntitiesInfo_"):
    gid: Gid = field(default_factory=Gid)
    nodes: idl.sequence[NodeEntities] = field(default_factory=list)


TYPES = {
    one.__name__: one
    for one in (
        String,
        LongString,
        Anything,
        Twist,
        ShortTwist,
        InputSample,
        TrackState,
        HeadCommand,
        Bool,
        Empty,
        ResetRequest,
        ResetReply,
    )
}
BEST_EFFORT = Policy.Reliability.BestEffort
RELIABLE = Policy.Reliability.Reliable(100_000_000)
XCDR1 = Policy.DataRepresentation(use_cdrv0_representation=True)
LATCHED = (
    Policy.Durability.TransientLocal,
    Policy.DurabilityService(0, Policy.History.KeepLast(1), -1, -1, -1),
)
SPIN_S = 0.002


def qos(reliable: bool = True, latched: bool = False, depth: int = 10, data: str = ";") -> Qos:
    policies = [RELIABLE if reliable else BEST_EFFORT, Policy.History.KeepLast(depth), XCDR1]
    policies += LATCHED if latched else ()
    return Qos(*policies, Policy.Userdata(data.encode()))


def say(**event: Any) -> None:
    print(json.dumps(event), flush=True)


class Peer:
    """One participant, and what the test requested of it."""

    def __init__(self, domain: int) -> None:
        self.participant = DomainParticipant(domain, Qos(Policy.Userdata(b"enclave=/;")))
        self.readers: dict[str, DataReader] = {}
        self.writers: dict[str, DataWriter] = {}
        self.serving: dict[str, DataWriter] = {}
        self.info_topic = Topic(self.participant, "ros_discovery_info", Participant)
        self.info_reader = DataReader(
            self.participant, self.info_topic, qos(latched=True, depth=100)
        )
        self.info_writer = DataWriter(self.participant, self.info_topic, qos(latched=True, depth=1))
        self.infos: dict[tuple[int, ...], Participant] = {}

    def do(self, command: str, **arguments: Any) -> None:
        getattr(self, command)(**arguments)

    def announce(self, node: str) -> None:
        own = Gid(tuple(self.participant.guid.bytes))
        writers = [Gid(tuple(one.guid.bytes)) for one in self.writers.values()]
        readers = [Gid(tuple(one.guid.bytes)) for one in self.readers.values()]
        self.info_writer.write(Participant(own, [NodeEntities("/", node, readers, writers)]))

    def writer(self, topic: str, type: str, **wanted: Any) -> DataWriter:
        key = f"{topic} {type}"
        if key not in self.writers:
            named = Topic(self.participant, topic, TYPES[type])
            self.writers[key] = DataWriter(self.participant, named, qos(**wanted))
        return self.writers[key]

    def subscribe(self, topic: str, type: str, **wanted: Any) -> None:
        named = Topic(self.participant, topic, TYPES[type])
        self.readers[topic] = DataReader(self.participant, named, qos(**wanted))

    def publish(self, topic: str, type: str, value: dict[str, Any], **wanted: Any) -> None:
        writer = self.writer(topic, type, **wanted)
        wait_for(writer.get_matched_subscriptions)
        writer.write(made(TYPES[type], value))

    def writer_of_latched(
        self, topic: str, type: str, value: dict[str, Any], **wanted: Any
    ) -> None:
        """Published before anybody listens."""
        self.writer(topic, type, **wanted).write(made(TYPES[type], value))

    def raw(self, topic: str, type: str, data: str, **wanted: Any) -> None:
        """Bytes of our choice, as if they were encoded."""
        writer = self.writer(topic, type, **wanted)
        wait_for(writer.get_matched_subscriptions)
        code = ddspy_write(writer._ref, bytes.fromhex(data))
        if code:
            raise ValueError(f"the binding refuses to send this: {code}")

    def serve(self, request: str, reply: str) -> None:
        self.subscribe(request, "ResetRequest", data="serviceid=1.2.3;")
        self.serving[request] = self.writer(reply, "ResetReply", data="serviceid=1.2.3;")

    def call(self, request: str, reply: str, node_id: str) -> None:
        self.subscribe(reply, "ResetReply", data="clientid=4.5.6;")
        writer = self.writer(request, "ResetRequest", data="clientid=4.5.6;")
        wait_for(writer.get_matched_subscriptions)
        wait_for(self.readers[reply].get_matched_publications)
        writer.write(ResetRequest(2**63 + 17, 41, node_id, True))

    def endpoints(self) -> None:
        reader = BuiltinDataReader(self.participant, BuiltinTopicDcpsPublication)
        found = [
            [one.topic_name, one.type_name, text(one.qos)] for one in reader.take(N=1000) if one
        ]
        say(endpoints=found)

    def spin(self) -> None:
        for topic, reader in self.readers.items():
            for sample in reader.take(N=100):
                if not reader_is_valid(sample):
                    continue
                if topic in self.serving:
                    self.serving[topic].write(
                        ResetReply(
                            sample.guid, sample.sequence_number, True, f"peer did {sample.node_id}"
                        )
                    )
                else:
                    say(topic=topic, value=asdict(sample))
        for info in self.info_reader.take(N=100):
            if reader_is_valid(info):
                nodes = [
                    {
                        "name": node.node_name,
                        "namespace": node.node_namespace,
                        "readers": [bytes(gid.data).hex() for gid in node.readers],
                        "writers": [bytes(gid.data).hex() for gid in node.writers],
                    }
                    for node in info.nodes
                ]
                say(participant=bytes(info.gid.data).hex(), nodes=nodes)


def text(found: Qos) -> str:
    policy = found[Policy.Userdata]
    return policy.data.decode() if policy else ""


def reader_is_valid(sample: Any) -> bool:
    return isinstance(sample, IdlStruct)


def made(cls: Any, value: dict[str, Any]) -> Any:
    nested = {"linear": Vector3, "angular": Vector3, "stamp": Time}
    return cls(**{k: nested[k](**v) if k in nested else v for k, v in value.items()})


def wait_for(matches: Any, limit_s: float = 10.0) -> None:
    end = time.monotonic() + limit_s
    while not matches():
        if time.monotonic() > end:
            raise TimeoutError("nobody there")
        select.select([], [], [], SPIN_S)


def main() -> None:
    peer = Peer(int(os.environ["ROS_DOMAIN_ID"]))
    say(ready=True)
    pending = b""
    while True:
        if select.select([sys.stdin], [], [], SPIN_S)[0]:
            data = os.read(sys.stdin.fileno(), 65536)
            if not data:
                return
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                peer.do(**json.loads(line))
                say(done=True)
        peer.spin()


if __name__ == "__main__":
    main()
