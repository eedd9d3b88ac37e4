"""saintctl system: names and Wi-Fi of the server, with a fake setup service."""

import asyncio
import json
from functools import partial
from pathlib import Path

import pytest

from saint_services.lib.api.machine import MachineRequest
from saint_services.saintctl.system import commands as system
from tests.unit.saintctl.conftest import RunSaintctl
from tests.waiting import until
from tests.web.fakes.machine import report_change, take_request


@pytest.fixture
def run(saintctl: RunSaintctl, monkeypatch: pytest.MonkeyPatch) -> RunSaintctl:
    """Run `saintctl system` with a short period between requests."""
    monkeypatch.setattr(system, "_PERIOD_S", 0.01)
    return partial(saintctl, "system")


async def fulfil(root: Path, state: str, message: str) -> MachineRequest:
    """Carry out a request as setup does."""
    request = root / "run/saint-settings/request"
    await until(lambda: asyncio.to_thread(request.exists))
    found = take_request(root)
    report_change(root, state, message)
    return found


async def test_server_is_shown_with_its_network(run: RunSaintctl) -> None:
    shown = (await run("show")).output
    assert "SAINT-01" in shown and "workshop" in shown
    assert json.loads((await run("show", "--json")).output)["wifi"] == "workshop"


async def test_wifi_prompts_for_the_password_and_waits_for_the_outcome(
    run: RunSaintctl, tmp_path: Path
) -> None:
    setup = asyncio.create_task(fulfil(tmp_path, "done", "The server uses the Wi-Fi stage."))
    result = await run("wifi", "stage", "--country", "GB", typed="open sesame\n")
    assert result.exit_code == 0 and "uses the Wi-Fi stage" in result.output
    assert "sesame" not in result.output
    join = (await setup).join
    assert join is not None
    assert (join.ssid, join.password, join.country) == ("stage", "open sesame", "GB")


async def test_wifi_that_is_rolled_back_is_a_refusal(run: RunSaintctl, tmp_path: Path) -> None:
    setup = asyncio.create_task(fulfil(tmp_path, "taken_back", "The server is back on workshop."))
    result = await run("hotspot")
    assert result.exit_code == 5 and "back on workshop" in result.output
    assert (await setup).leave_wifi


@pytest.mark.parametrize("words", [("hostname", "My Robot"), ("rename", " ")])
async def test_malformed_name_is_wrong_usage(run: RunSaintctl, words: list[str]) -> None:
    assert (await run(*words)).exit_code == 2


async def test_wrong_password_is_not_repeated(run: RunSaintctl) -> None:
    result = await run("wifi", "stage", typed="secret1\n")
    assert result.exit_code == 2
    assert "8 to 63" in result.output and "secret1" not in result.output


async def test_robot_is_renamed(run: RunSaintctl) -> None:
    assert "Robi" in (await run("rename", "Robi")).output
