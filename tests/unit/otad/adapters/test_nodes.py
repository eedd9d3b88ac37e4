"""How a node is requested to update: by a signed order where the registry can sign one."""

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from saint_services.lib.api import Done
from saint_services.lib.api.orders import UPDATE, UpdateNode
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.daemon import bind
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.lib.ipc import Api, Call
from saint_services.otad.adapters.nodes import NodeFirmwareClient
from saint_services.otad.rollout.logic import UpdateRequest

REQUEST = UpdateRequest("pi_1", "1.2.0", is_rollback=False, is_forced=False)


class Rig:
    """A registry that answers as the test sets it, and a node that receives unsigned requests."""

    def __init__(self, runtime: Path) -> None:
        self.domain = LocalDomain()
        self.signed: list[UpdateNode] = []
        self.unsigned: list[msgs.UpdateNode_Request] = []
        self.refusal: SaintError | None = None
        self.nodes = NodeFirmwareClient(self.domain.bus("otad"), runtime, "", Counter())
        service = topics.NODE_UPDATE.at(node_id="pi_1")
        self.domain.bus("node").serve(service, self._unsigned)

    async def _unsigned(self, request: msgs.UpdateNode_Request) -> msgs.UpdateNode_Response:
        self.unsigned.append(request)
        return msgs.UpdateNode_Response(success=True, message="installs, unsigned")

    async def update(self, call: Call[UpdateNode]) -> Done:
        if self.refusal:
            raise self.refusal
        self.signed.append(call.body)
        return Done(message="installs")


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    rig = Rig(tmp_path)
    yield rig
    await rig.nodes.close()


async def request_with_registry(rig: Rig, runtime: Path) -> str:
    api = Api()
    api.bind(UPDATE, rig.update)
    server = await api.serve([bind(runtime, "adoptiond")])
    try:
        return await rig.nodes.request(REQUEST, None, "http://192.168.10.1:8080/saint.raucb")
    finally:
        await server.close()


async def test_node_that_belongs_to_the_server_gets_a_signed_order(rig: Rig, tmp_path: Path):
    assert await request_with_registry(rig, tmp_path) == "installs"
    assert [(o.action, o.version) for o in rig.signed] == [("install", "1.2.0")]
    assert rig.unsigned == []


async def test_node_that_belongs_to_no_server_gets_an_unsigned_request(rig: Rig, tmp_path: Path):
    rig.refusal = SaintError(Code.NOT_FOUND, "pi_1 does not belong to this server's key")
    assert await request_with_registry(rig, tmp_path) == "installs, unsigned"


async def test_nothing_is_requested_unsigned_while_the_registry_is_away(rig: Rig):
    with pytest.raises(SaintError) as caught:
        await rig.nodes.request(REQUEST, None, "http://192.168.10.1:8080/x")
    assert caught.value.code is Code.DAEMON_UNREACHABLE
    assert rig.unsigned == []


@pytest.mark.parametrize("code", [Code.REFUSED, Code.BUS_TIMEOUT])
async def test_refusal_of_a_signed_order_is_not_tried_again_unsigned(
    rig: Rig, tmp_path: Path, code: Code
):
    rig.refusal = SaintError(code, "its outputs are live: stop the tracks first")
    with pytest.raises(SaintError) as caught:
        await request_with_registry(rig, tmp_path)
    assert caught.value.code is code
    assert "outputs are live" in caught.value.message
    assert rig.unsigned == []
