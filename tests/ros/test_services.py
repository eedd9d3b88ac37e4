"""Services between the rclpy backend and stock ROS 2 nodes. Those of the dds backend are for ROS 2
over Cyclone DDS: services of Fast DDS are different on the wire."""

from collections.abc import Iterator

import pytest

from tests.ros.messages import ADOPT, RESET
from tests.ros.peers import Peer, our_bus, stock_node

ADOPTED = {"success": True, "message": "grüß dich", "assigned_topic_prefix": "/saint/arms/left"}
REQUEST = {"node_id": "pi_1", "role": "arms", "instance": "left"}
CALL_S = 10.0


@pytest.fixture(scope="module")
def ours(domain: int) -> Iterator[Peer]:
    with our_bus("rclpy", domain) as peer:
        yield peer


@pytest.fixture(scope="module")
def other(domain: int) -> Iterator[Peer]:
    with our_bus("rclpy", domain, "other") as peer:
        yield peer


@pytest.fixture(scope="module")
def stock(domain: int) -> Iterator[Peer]:
    with stock_node(domain) as peer:
        yield peer


def test_stock_node_calls_our_service(ours: Peer, stock: Peer) -> None:
    ours.do("serve", name="/ours/adopt", type=ADOPT, value=ADOPTED)
    call = {"name": "/ours/adopt", "type": ADOPT, "value": REQUEST, "timeout_s": CALL_S}
    assert stock.do("call", **call) == ADOPTED
    assert stock.do("call", **call) == ADOPTED
    ours.wait(lambda: ours.values("/ours/adopt") == [REQUEST, REQUEST])


def test_we_call_service_of_stock_node(ours: Peer, stock: Peer) -> None:
    stock.do("serve", name="/stock/adopt", type=ADOPT, value=ADOPTED)
    call = {"name": "/stock/adopt", "type": ADOPT, "value": REQUEST, "timeout_s": CALL_S}
    assert ours.do("call", **call) == ADOPTED
    assert ours.do("call", **call) == ADOPTED
    stock.wait(lambda: stock.values("/stock/adopt") == [REQUEST, REQUEST])


def test_our_processes_call_each_other(ours: Peer, other: Peer) -> None:
    other.do("serve", name="/other/adopt", type=ADOPT, value=ADOPTED)
    call = {"name": "/other/adopt", "type": ADOPT, "value": REQUEST, "timeout_s": CALL_S}
    assert ours.do("call", **call) == ADOPTED
    other.wait(lambda: other.values("/other/adopt") == [REQUEST])


def test_call_without_server_times_out(ours: Peer) -> None:
    answer = ours.do("call", name="/nobody", type=RESET, value={}, timeout_s=0.3)
    assert answer == {"error": "bus_timeout"}
