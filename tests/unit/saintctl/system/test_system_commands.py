"""saintctl system: names and Wi-Fi of the server; setup's side is played from here."""

import asyncio
import json
from functools import partial
from pathlib import Path

import pytest

from saint_services.lib.api.machine import MachineRequest
from saint_services.saintctl.system import commands as system
from tests.unit.saintctl.conftest import Ask
from tests.web.fakes.machine import tell, wish


@pytest.fixture
def ask(saintctl: Ask, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """`saintctl system`, which looks often here."""
    monkeypatch.setattr(system, "_PERIOD_S", 0.01)
    return partial(saintctl, "system")


async def fulfil(root: Path, state: str, message: str) -> MachineRequest:
    """As setup does, once it is asked."""
    request = root / "run/saint-settings/request"
    for _ in range(2000):
        if await asyncio.to_thread(request.exists):
            break
        await asyncio.sleep(0.01)
    found = wish(root)
    tell(root, state, message)
    return found


async def test_server_is_shown_with_its_network(ask: Ask) -> None:
    shown = (await ask("show")).output
    assert "SAINT-01" in shown and "workshop" in shown
    assert json.loads((await ask("show", "--json")).output)["wifi"] == "workshop"


async def test_wifi_asks_for_the_password_and_waits_for_the_end(ask: Ask, tmp_path: Path) -> None:
    setup = asyncio.create_task(fulfil(tmp_path, "done", "The server uses the Wi-Fi stage."))
    result = await ask("wifi", "stage", "--country", "GB", typed="open sesame\n")
    assert result.exit_code == 0 and "uses the Wi-Fi stage" in result.output
    assert "sesame" not in result.output
    join = (await setup).join
    assert join is not None
    assert (join.ssid, join.password, join.country) == ("stage", "open sesame", "GB")


async def test_wifi_that_is_taken_back_is_a_refusal(ask: Ask, tmp_path: Path) -> None:
    setup = asyncio.create_task(fulfil(tmp_path, "taken_back", "The server is back on workshop."))
    result = await ask("hotspot")
    assert result.exit_code == 5 and "back on workshop" in result.output
    assert (await setup).leave_wifi


@pytest.mark.parametrize("words", [("hostname", "My Robot"), ("rename", " ")])
async def test_name_that_cannot_be_one_is_wrong_usage(ask: Ask, words: list[str]) -> None:
    assert (await ask(*words)).exit_code == 2


async def test_wrong_password_is_not_repeated(ask: Ask) -> None:
    result = await ask("wifi", "stage", typed="secret1\n")
    assert result.exit_code == 2
    assert "8 to 63" in result.output and "secret1" not in result.output


async def test_robot_is_renamed(ask: Ask) -> None:
    assert "Robi" in (await ask("rename", "Robi")).output
