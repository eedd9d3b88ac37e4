"""Topics between our buses and stock ROS 2 nodes: both backends, both directions."""

from collections.abc import Iterator

import pytest

from tests.ros.messages import ESTOP, STREAMED, STRING, Traffic
from tests.ros.peers import Peer, our_bus, stock_node

BURST = 1000
RELIABLE = {"reliable": True, "depth": BURST}


@pytest.fixture(scope="module", params=["dds", "rclpy"])
def backend(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def ours(backend: str, domain: int) -> Iterator[Peer]:
    with our_bus(backend, domain) as peer:
        yield peer


@pytest.fixture(scope="module")
def stock(backend: str, domain: int) -> Iterator[Peer]:
    with stock_node(domain) as peer:
        yield peer


def arrives(sender: Peer, receiver: Peer, traffic: Traffic) -> None:
    """The message arrives as it was sent; sent again until both know each other."""
    receiver.do("subscribe", **traffic.channel)

    def has_come() -> bool:
        sender.do("publish", **traffic.channel, value=traffic.value)
        return bool(receiver.values(traffic.topic))

    receiver.wait(has_come)
    assert receiver.values(traffic.topic)[0] == traffic.value


def on(topic: str, traffic: Traffic) -> Traffic:
    """On a topic of its own."""
    return Traffic(topic, traffic.type, traffic.value, traffic.qos)


@pytest.mark.parametrize("traffic", STREAMED, ids=lambda one: one.topic)
def test_message_of_ours_reaches_stock_node(ours: Peer, stock: Peer, traffic: Traffic) -> None:
    arrives(ours, stock, on(f"/to_stock{traffic.topic}", traffic))


@pytest.mark.parametrize("traffic", STREAMED, ids=lambda one: one.topic)
def test_message_of_stock_node_reaches_us(ours: Peer, stock: Peer, traffic: Traffic) -> None:
    arrives(stock, ours, on(f"/to_us{traffic.topic}", traffic))
    last = ours.events[-1]
    assert -0.001 < last["age_s"] < 1.0
    assert ours.do("about")["refused"] == {}


def test_latched_message_of_ours_reaches_late_stock_node(ours: Peer, stock: Peer) -> None:
    estop = on("/ours/estop", ESTOP)
    ours.do("publish", **estop.channel, value={**estop.value, "generation": 1})
    ours.do("publish", **estop.channel, value=estop.value)
    stock.do("subscribe", **estop.channel)
    stock.wait(lambda: stock.values(estop.topic))
    assert stock.values(estop.topic) == [estop.value]


def test_latched_message_of_stock_node_reaches_us_late(ours: Peer, stock: Peer) -> None:
    estop = on("/theirs/estop", ESTOP)
    stock.do("publish", **estop.channel, value={**estop.value, "generation": 1})
    stock.do("publish", **estop.channel, value=estop.value)
    ours.do("subscribe", **estop.channel)
    ours.wait(lambda: ours.values(estop.topic))
    assert ours.values(estop.topic) == [estop.value]


@pytest.mark.parametrize("direction", ["to_stock", "to_us"])
def test_thousand_messages_arrive_whole_and_in_order(
    ours: Peer, stock: Peer, direction: str
) -> None:
    sender, receiver = (ours, stock) if direction == "to_stock" else (stock, ours)
    burst = Traffic(f"/burst/{direction}", STRING.type, {"data": "start"}, RELIABLE)
    receiver.do("subscribe", **burst.channel)

    def knows() -> bool:
        sender.do("publish", **burst.channel, value=burst.value)
        return bool(receiver.values(burst.topic))

    receiver.wait(knows)
    sender.do("burst", **burst.channel, count=BURST)
    receiver.wait(lambda: {"data": str(BURST - 1)} in receiver.values(burst.topic))
    numbers = [one["data"] for one in receiver.values(burst.topic) if one["data"] != "start"]
    assert numbers == [str(number) for number in range(BURST)]


def test_reliable_publisher_reaches_our_best_effort_reader(ours: Peer, stock: Peer) -> None:
    """`ros2 topic pub` is reliable by default; our command topics are read best effort."""
    ours.do("subscribe", topic="/mixed", type=STRING.type, qos={"reliable": False, "depth": 1})

    def has_come() -> bool:
        stock.do("publish", topic="/mixed", type=STRING.type, value=STRING.value)
        return bool(ours.values("/mixed"))

    ours.wait(has_come)
    assert ours.values("/mixed")[0] == STRING.value
