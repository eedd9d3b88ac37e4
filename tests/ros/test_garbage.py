"""Bytes of stock nodes that are no message: counted, said once, and nothing else happens."""

from collections.abc import Iterator

import pytest

from tests.ros.messages import STRING
from tests.ros.peers import Peer, our_bus, stock_node

# Another encoding, a length past the end, text that is not UTF-8, cut off.
GARBAGE = ("0007000003000000616200", "00010000ffffff7f616200", "0001000003000000fffe00", "0001")
QOS = {"reliable": True, "depth": 10}


@pytest.fixture(scope="module", params=["dds", "rclpy"])
def ours(request: pytest.FixtureRequest, domain: int) -> Iterator[Peer]:
    with our_bus(request.param, domain, quiet=False) as peer:
        yield peer


@pytest.fixture(scope="module")
def stock(domain: int) -> Iterator[Peer]:
    with stock_node(domain) as peer:
        yield peer


@pytest.mark.parametrize("data", GARBAGE)
def test_garbage_of_stock_node_is_counted(ours: Peer, stock: Peer, data: str) -> None:
    channel = {"topic": f"/garbage/case_{GARBAGE.index(data)}", "type": STRING.type, "qos": QOS}
    ours.do("subscribe", **channel)

    def has_come(text: str) -> bool:
        stock.do("publish", **channel, value={"data": text})
        return {"data": text} in ours.values(channel["topic"])

    ours.wait(lambda: has_come("before"))
    stock.do("garbage", **channel, data=data)
    ours.wait(lambda: has_come("after"))
    assert {one["data"] for one in ours.values(channel["topic"])} == {"before", "after"}
    ours.wait(lambda: ours.do("about")["refused"].get(channel["topic"]) == 1)
