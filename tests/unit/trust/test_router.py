"""The server signs for its router, nodes for their consoles; roles learn which router to obey."""

import pytest

from saint_services.adoptiond.credentials import SavedRouters
from saint_services.lib.api.credentials import (
    ROLE_PROOF,
    ROUTER_CREDENTIAL,
    Credential,
    CredentialRequest,
    RoleProof,
    router_parts,
)
from saint_services.lib.api.node import RESET, NodeReset, RoleReport
from saint_services.lib.crypto.signing import PrivateKey, is_signed
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import RoleCredential
from saint_services.lib.generated.topics import ROLE_CREDENTIAL
from saint_services.lib.ipc import Client
from tests.unit.trust.trust_rig import Robot, adopt, eventually, report, seen
from tests.waiting import until

FIRST, SECOND = "0a" * 12, "0b" * 12


async def signed(server: Client, origin: str) -> Credential:
    return await server.request(ROUTER_CREDENTIAL, CredentialRequest(origin=origin))


async def test_router_gets_a_signature_of_the_servers_key_and_keeps_its_term(robot: Robot):
    async with robot.server() as server:
        first = await signed(server, FIRST)
        parts = router_parts(FIRST, first.term)
        assert is_signed(first.server_key, first.signature, *parts)
        second = await signed(server, SECOND)
        assert second.term > first.term
        assert await signed(server, FIRST) == first
    async with robot.server() as server:
        assert (await signed(server, FIRST)).term == first.term
        assert (await signed(server, "0c" * 12)).term > second.term


async def test_credential_is_for_the_user_of_routerd_alone(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("saint_services.lib.access.person._daemon_uid", lambda daemon: 4_000_000)
    async with robot.server() as server:
        with pytest.raises(SaintError) as caught:
            await signed(server, FIRST)
        assert caught.value.code is Code.FORBIDDEN


def test_terms_rise_without_a_clock_and_without_a_file() -> None:
    saved = SavedRouters().with_router("a", 1000.0)
    assert saved.terms == {"a": 1000}
    assert saved.with_router("b", 5.0).terms == {"a": 1000, "b": 1001}
    assert saved.with_router("a", 9000.0) == saved
    for number in range(40):
        saved = saved.with_router(f"r{number}", 5.0)
    assert len(saved.terms) == 16
    assert list(saved.terms)[-1] == "r39"
    assert saved.terms["r39"] == 1040


async def test_role_is_assigned_with_the_key_of_the_nodes_server(robot: Robot):
    role = await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node():
        await seen(server, "pi_1")
        await adopt(server, "pi_1")
        key = (await signed(server, FIRST)).server_key
    assert [each.server_key for each in role.assignments] == [key]


async def test_node_that_gets_a_server_restarts_its_role_with_that_key(robot: Robot):
    role = await robot.role("pi_1", "role-headd")
    robot.adopt_without_keys("pi_1", "SAINT-01")
    async with robot.node(), robot.server() as server:
        await until(lambda: len(role.assignments) == 2)
        key = (await signed(server, FIRST)).server_key
    assert [each.server_key for each in role.assignments] == ["", key]


async def test_node_signs_for_its_console_and_the_server_knows_it(robot: Robot):
    role = await robot.role("pi_1", "role-consoled")
    role.first = RoleReport(ready=True, safe=True, estop=False, origin=FIRST)
    said: list[RoleCredential] = []
    robot.watcher.subscribe(
        ROLE_CREDENTIAL,
        lambda sample: said.append(sample.message) if sample.message.role == "console" else None,
    )
    async with robot.server() as server, robot.node() as node:
        await seen(server, "pi_1")
        await adopt(server, "pi_1", role="console")
        await until(lambda: bool(said))

        async def checked(**changes: str) -> str:
            fields = {name: getattr(said[0], name) for name in RoleProof.model_fields} | changes
            body = RoleProof(**fields)
            return (await server.request(ROLE_PROOF, body)).message

        async def refused() -> bool:
            try:
                await checked()
            except SaintError:
                return True
            return False

        assert await eventually(checked, bool) == "pi_1 signed for its console"
        for changes in (
            {"origin": SECOND},
            {"role": "head"},
            {"signature": PrivateKey(b"e" * 32).sign("role", "pi_1", FIRST, "console")},
            {"node_id": "pi_9"},
        ):
            with pytest.raises(SaintError):
                await checked(**changes)
        await node.request(RESET, NodeReset())
        await eventually(lambda: report(node), lambda found: not found.role)
        await eventually(refused, bool)
