"""`saintctl status` with fake daemons, with some of them missing, and without a robot."""

from pathlib import Path

from saint_services.lib.api.adoption import (
    NodeState,
)
from tests.unit.saintctl.fake_daemons import NODE, FakeDaemons


async def test_status_shows_that_no_node_is_active(daemons: FakeDaemons) -> None:
    sentence = "no node is active in a role: nothing can move"
    assert sentence not in (await daemons.saintctl("status")).stdout
    daemons.node = NODE.model_copy(update={"state": NodeState.UNADOPTED, "role": ""})
    assert sentence in (await daemons.saintctl("status")).stdout


async def test_status_without_some_daemons_shows_the_rest(daemons: FakeDaemons) -> None:
    result = await daemons.saintctl("status")
    assert result.exit_code == 0
    assert "1 active" in result.stdout
    assert "rcd" in result.stdout  # and that it does not answer


async def test_status_without_a_robot_exits_7(tmp_path: Path) -> None:
    result = await FakeDaemons(tmp_path).saintctl("status")
    assert result.exit_code == 7
    assert "Traceback" not in result.output
