"""Which machine this is, and its address for nodes."""

import asyncio

import pytest

from saint_services.otad.adapters.local_machine import LocalMachine


@pytest.mark.parametrize(
    ("environment", "own", "is_self_updating"),
    [
        ({}, "", False),
        ({"SAINT_MACHINE": "node"}, "", False),
        ({"SAINT_MACHINE": "server"}, "server", True),
        ({"SAINT_MACHINE": "both", "SAINT_NODE_ID": "pi_1"}, "pi_1", False),
    ],
)
def test_environment_names_the_machine_and_its_updater(
    environment, own: str, is_self_updating: bool
):
    place = LocalMachine.from_environment(environment)
    assert (place.own, place.is_self_updating) == (own, is_self_updating)


async def test_nodes_get_an_address_that_they_reach():
    here = await asyncio.to_thread(LocalMachine.from_environment, {})
    assert await here.address("") == "127.0.0.1"
    alone = await asyncio.to_thread(LocalMachine.from_environment, {"SAINT_DDS_INTERFACE": "lo"})
    assert await alone.address("10.0.0.7") == "10.0.0.7"
