"""Nodes, topics and services as ROS 2's tools list them, and as we list ROS 2's."""

from collections.abc import Iterator

import pytest

from saint_services.lib.generated import topics
from tests.ros.messages import RESET, ROUTE_STATUS, STRING
from tests.ros.peers import Peer, our_bus, stock_node

SERVICE = "/saint/nodes/reset"


@pytest.fixture(scope="module", params=["dds", "rclpy"])
def both(request: pytest.FixtureRequest, domain: int) -> Iterator[tuple[Peer, Peer]]:
    """Our bus and a stock node, each with a topic and a service."""
    with our_bus(request.param, domain, "/saint/ours") as ours, stock_node(domain) as stock:
        ours.do("publish", **ROUTE_STATUS.channel, value={})
        ours.do("serve", name=SERVICE, type=RESET, value={})
        stock.do("publish", **STRING.channel, value={})
        stock.do("serve", name="/stock/reset", type=RESET, value={})
        yield ours, stock


def test_stock_node_sees_us(both: tuple[Peer, Peer]) -> None:
    _, stock = both
    stock.wait(lambda: ["/saint", "ours"] in stock.do("graph")["nodes"])
    stock.wait(lambda: SERVICE in stock.do("graph")["services"])
    graph = stock.do("graph")
    assert graph["topics"][ROUTE_STATUS.topic] == [ROUTE_STATUS.type]
    assert graph["services"][SERVICE] == [RESET]


def test_we_see_stock_node(both: tuple[Peer, Peer]) -> None:
    ours, _ = both
    ours.wait(lambda: ["/", "stock"] in ours.do("graph")["nodes"])
    ours.wait(lambda: "/stock/reset" in ours.do("graph")["services"])
    graph = ours.do("graph")
    assert graph["topics"][STRING.topic] == [STRING.type]
    assert graph["services"]["/stock/reset"] == [RESET]


def test_stock_node_reads_our_type_hash_and_node_of_a_topic(both: tuple[Peer, Peer]) -> None:
    _, stock = both

    def nodes() -> list[str]:
        return [one["node"] for one in stock.do("endpoints", topic=ROUTE_STATUS.topic)]

    stock.wait(lambda: nodes() == ["ours"])
    (found,) = stock.do("endpoints", topic=ROUTE_STATUS.topic)
    assert found["type"] == ROUTE_STATUS.type
    wanted = topics.BY_TYPE[ROUTE_STATUS.type].HASH.removeprefix("RIHS01_")
    assert wanted in found["hash"]


def test_we_leave_the_graph_when_we_close(domain: int, both: tuple[Peer, Peer]) -> None:
    _, stock = both
    with our_bus("dds", domain, "brief_dds"), our_bus("rclpy", domain, "brief_rclpy"):
        stock.wait(lambda: _names(stock) >= {"brief_dds", "brief_rclpy"})
    stock.wait(lambda: not _names(stock) & {"brief_dds", "brief_rclpy"})


def test_nobody_complains(both: tuple[Peer, Peer]) -> None:
    ours, stock = both
    assert (ours.complaints, stock.complaints) == ("", "")


def _names(peer: Peer) -> set[str]:
    return {name for _, name in peer.do("graph")["nodes"]}
