"""`saintctl node` with fake daemons."""

import json

import pytest

from saint_services.lib.api.adoption import (
    AdoptNode,
    IgnoreNode,
    Peripheral,
    ReplaceNode,
    ResetNode,
)
from tests.unit.saintctl.fake_daemons import NODE, FakeDaemons


async def test_node_list_shows_role_and_state(daemons: FakeDaemons) -> None:
    result = await daemons.saintctl("node", "list")
    assert result.exit_code == 0
    assert "sim_tracks" in result.stdout
    assert "active" in result.stdout


async def test_node_list_shows_devices_that_are_not_offered_and_why(daemons: FakeDaemons) -> None:
    result = await daemons.saintctl("node", "list")
    assert "not offered: pi-1: its id is no name" in result.stdout


async def test_node_replace_is_one_command_and_shows_the_code(daemons: FakeDaemons) -> None:
    result = await daemons.saintctl("node", "replace", "sim_tracks", "sim_spare")
    assert daemons.requests == [ReplaceNode(node_id="sim_tracks", by="sim_spare")]
    assert "sim_spare is now /saint/tracks and replaces sim_tracks" in result.stdout
    assert "code 482 173" in result.stdout


async def test_node_ignore_and_unignore_send_the_flag(daemons: FakeDaemons) -> None:
    await daemons.saintctl("node", "ignore", "pi_1")
    result = await daemons.saintctl("node", "unignore", "pi_1")
    assert daemons.requests == [
        IgnoreNode(node_id="pi_1", is_ignored=True),
        IgnoreNode(node_id="pi_1", is_ignored=False),
    ]
    assert "pi_1 is offered again" in result.stdout


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"server": "SAINT-01", "is_ours": True, "code": "482 173"}, "SAINT-01, code 482 173"),
        ({"server": "SAINT-02", "not_offered": "belongs to SAINT-02"}, "belongs to SAINT-02"),
        ({"not_offered": "ignored; saintctl node unignore sim_tracks"}, "saintctl node unignore"),
    ],
)
async def test_node_show_prints_its_server_and_why_it_is_not_offered(
    daemons: FakeDaemons, facts: dict[str, object], said: str
) -> None:
    daemons.node = NODE.model_copy(update=facts)
    assert said in (await daemons.saintctl("node", "show", "sim_tracks")).stdout


async def test_node_show_marks_silent_devices_except_spi(daemons: FakeDaemons) -> None:
    silent = {"description": "chip", "responsive": False}
    daemons.node = NODE.model_copy(update={"peripherals": [
        Peripheral(type="i2c", address="1:0x40", **silent),
        Peripheral(type="spi", address="0.0", **silent),
    ]})  # fmt: skip
    text = (await daemons.saintctl("node", "show", "sim_tracks")).stdout
    assert "i2c 1:0x40: chip, does not answer" in text
    assert "spi 0.0: chip" in text and "spi 0.0: chip," not in text


async def test_node_rename_prints_the_new_name(daemons: FakeDaemons) -> None:
    result = await daemons.saintctl("node", "rename", "sim_tracks", "Big Wheels")
    assert "sim_tracks is now called Big Wheels" in result.stdout


async def test_node_list_as_json_is_the_daemons_answer(daemons: FakeDaemons) -> None:
    result = await daemons.saintctl("node", "list", "--json")
    assert json.loads(result.stdout)["nodes"][0]["role"] == "tracks"


async def test_adopt_sends_role_instance_and_name(daemons: FakeDaemons) -> None:
    words = ("node", "adopt", "sim_spare", "arms", "--instance", "left", "--name", "Lefty")
    result = await daemons.saintctl(*words)
    assert result.exit_code == 0
    assert "/saint/arms/left" in result.stdout
    names = {"role": "arms", "instance": "left", "display_name": "Lefty"}
    assert daemons.requests == [AdoptNode(node_id="sim_spare", **names)]


async def test_adopt_of_an_assigned_role_exits_5_and_names_the_holder(daemons: FakeDaemons) -> None:
    result = await daemons.saintctl("node", "adopt", "sim_spare", "head")
    assert result.exit_code == 5
    assert "head is held by sim_head" in result.stderr


async def test_reset_says_what_happened(daemons: FakeDaemons) -> None:
    result = await daemons.saintctl("node", "reset", "sim_tracks", "--factory")
    assert "no role" in result.stdout
    assert daemons.requests == [ResetNode(node_id="sim_tracks", factory_reset=True)]
