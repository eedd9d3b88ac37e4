"""Nodes over the real bus: how soon one is offered, twenty adopted at once."""

import asyncio
import time

import pytest

from saint_services.lib.api.adoption import ADOPT_NODE, AdoptNode, NodeList, NodeState
from tests.integration.node_crowd import kept_waiting_s, running_crowd

pytestmark = pytest.mark.timeout(120)
MANY = 20
TRIES = 3
OFFERED_S = 2.0


@pytest.mark.timed
async def test_node_is_offered_within_two_seconds_of_its_start() -> None:
    with running_crowd(roles=1) as crowd:
        with crowd.noded("warm_up"):  # the server is up, the programs are in memory
            await crowd.offered("warm_up")
        taken_s: list[float] = []
        while len(taken_s) < TRIES and min(taken_s, default=OFFERED_S) >= OFFERED_S:
            began_s, node_id = time.monotonic(), f"node_{len(taken_s)}"
            with crowd.noded(node_id) as node:
                await crowd.offered(node_id)
                # The machine may be busy with other things; that is not the node's time.
                taken_s.append(time.monotonic() - began_s - kept_waiting_s(node.pid))
        assert min(taken_s) < OFFERED_S, taken_s


@pytest.mark.long
async def test_twenty_nodes_are_adopted_at_once() -> None:
    with running_crowd(roles=MANY) as crowd, crowd.nodes(MANY) as nodes:
        await crowd.offered(*(f"crowd_{n}" for n in range(MANY)))
        async with crowd.client() as client:
            began_s = time.monotonic()
            bodies = [
                AdoptNode(node_id=f"crowd_{n}", role="arms", instance=f"n{n}") for n in range(MANY)
            ]
            replies = await asyncio.gather(
                *(client.request(ADOPT_NODE, body) for n, body in enumerate(bodies))
            )
            taken_s = time.monotonic() - began_s
            found = {n.node_id: n for n in (await client.get("/nodes", NodeList)).nodes}
        assert [r.topic_prefix for r in replies] == [f"/saint/arms/n{n}" for n in range(MANY)]
        assert {node.state for node in found.values()} == {NodeState.ACTIVE}
        assert all(node.is_ours for node in found.values())
        assert len({node.code for node in found.values()}) > MANY - 3  # by chance two may be equal
        assert all(r.code == found[f"crowd_{n}"].code for n, r in enumerate(replies))
        assert taken_s < 20.0
        assert nodes.poll() is None
