"""How the launcher has nodes adopted: an adoptiond that is slow, that refuses, that was left
half-way.
"""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from saint_services.lib.api.adoption import (
    ADOPT_NODE,
    GET_NODE_INFO,
    LIST_NODES,
    AdoptNode,
    AdoptReply,
    NodeInfo,
    NodeList,
    NodeParams,
    NodeRoleInfo,
    NodeState,
)
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Api, Call
from tools.launch.registry import Known, Registry, Role

LEFT, RIGHT = Role("arms", "left"), Role("arms", "right")


class Adoptiond:
    """One node, whose first adoptions fail."""

    def __init__(self, failures: int = 0, held: tuple[Role, ...] = ()) -> None:
        self.failures = failures
        self.held = list(held)
        self.requested: list[AdoptNode] = []

    def _node(self) -> NodeInfo:
        roles = [NodeRoleInfo(role=each.role, instance=each.instance) for each in self.held]
        state = NodeState.ACTIVE if roles else NodeState.UNADOPTED
        return NodeInfo(node_id="sim_arms", display_name="", state=state, roles=roles)

    async def _nodes(self, _: Call[Nothing]) -> NodeList:
        return NodeList(nodes=[self._node()])

    async def _one(self, _: Call[NodeParams]) -> NodeInfo:
        return self._node()

    async def _adopt(self, call: Call[AdoptNode]) -> AdoptReply:
        self.requested.append(call.body)
        if len(self.requested) <= self.failures:
            raise SaintError(Code.CONFLICT, "role-armsd was not ready within 15 s")
        self.held.append(Role(call.body.role, call.body.instance))
        return AdoptReply(message="", topic_prefix="")

    @asynccontextmanager
    async def serve(self, run: Path) -> AsyncIterator[Registry]:
        api = Api()
        api.bind(LIST_NODES, self._nodes)
        api.bind(GET_NODE_INFO, self._one)
        api.bind(ADOPT_NODE, self._adopt)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(run / "adoptiond.sock"))
        listening.listen()
        listening.setblocking(False)
        server = await api.serve([listening])
        try:
            yield Registry(run)
        finally:
            await server.close()


async def test_a_node_that_was_too_slow_is_requested_again(tmp_path: Path) -> None:
    adoptiond = Adoptiond(failures=2)
    async with adoptiond.serve(tmp_path) as registry:
        assert await registry.adopt("sim_arms", [LEFT], "Arms") == ""
    assert [each.role for each in adoptiond.requested] == ["arms"] * 3


async def test_a_refusal_that_stays_is_reported(tmp_path: Path) -> None:
    adoptiond = Adoptiond(failures=9)
    async with adoptiond.serve(tmp_path) as registry:
        problem = await registry.adopt("sim_arms", [LEFT], "Arms")
    assert problem == "Conflict: role-armsd was not ready within 15 s"
    assert len(adoptiond.requested) == 3


async def test_a_node_left_half_way_gets_what_it_lacks(tmp_path: Path) -> None:
    adoptiond = Adoptiond(held=(LEFT,))
    async with adoptiond.serve(tmp_path) as registry:
        assert await registry.adopt("sim_arms", [LEFT, RIGHT], "Arms") == ""
        assert await registry.nodes() == {"sim_arms": Known("active", frozenset({LEFT, RIGHT}))}
    (requested,) = adoptiond.requested
    assert (requested.instance, requested.add) == ("right", True)


async def test_no_nodes_while_adoptiond_starts(tmp_path: Path) -> None:
    assert await Registry(tmp_path).nodes() == {}


@pytest.mark.parametrize("roles", [(), (LEFT,)])
async def test_a_node_with_all_its_roles_is_left_alone(
    tmp_path: Path, roles: tuple[Role, ...]
) -> None:
    adoptiond = Adoptiond(held=roles)
    async with adoptiond.serve(tmp_path) as registry:
        assert await registry.adopt("sim_arms", roles, "Arms") == ""
    assert adoptiond.requested == []
