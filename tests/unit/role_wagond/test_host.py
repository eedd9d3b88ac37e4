"""The role wagon as a daemon: in a loop, under a real guard, with a board on its bus."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from saint_services.role_wagond.config import Config
from saint_services.role_wagond.daemon import run
from tests.unit.role.host_rig import House, house
from tests.unit.role.role_rig import load_role
from tests.waiting import until
from tools.sim.can_bus import SimCan


@pytest.fixture
async def role(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    async with house(tmp_path, monkeypatch, "role-wagond", Config(), run) as found:
        yield found


async def test_assignment_is_ready_while_the_board_is_silent_and_sends_nothing(
    role: House, tmp_path: Path
) -> None:
    bus = SimCan(tmp_path / "hw", "can0")
    async with aclosing(role.assign(load_role("wagon"))) as reports:
        report = await anext(reports)
        assert report.ready and report.safe, report.reason
        async for report in reports:
            if "does not report" in report.reason:
                break
    await until(lambda: True)
    assert bus.receive() == []
    bus.close()
