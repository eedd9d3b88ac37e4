"""Name and Wi-Fi of the server's machine by webd's API; setup's side is played from here."""

import asyncio
from pathlib import Path

import pytest

from saint_services.lib.api.machine import JoinWifi, MachineRequest
from saint_services.lib.api.routing import FieldOutput
from tests.unit.webd.web_rig import Rig
from tests.waiting import until
from tests.web.fakes.machine import (
    report_addresses,
    report_change,
    request_mode,
    take_request,
)

STAGE = {"ssid": "stage", "password": "open sesame"}


async def test_settings_report_the_network_in_force_and_how_the_last_change_goes(
    rig: Rig, tmp_path: Path
) -> None:
    chat = await rig.chat()
    report_change(tmp_path, "trying", "The server changes to the Wi-Fi stage.")
    found = await chat.do("settings", "get")
    assert (found["wifi"], found["hotspot"], found["has_radio"]) == ("workshop", "", True)
    assert found["change"]["state"] == "trying"


async def test_settings_name_the_wrong_file_of_a_daemon_and_what_holds_instead(rig: Rig) -> None:
    fault = "/etc/saint/rcd.yaml, line 3: odd. The last good settings are in force"
    rig.robot.wrong_settings["rcd"] = fault
    await rig.robot.stop("otad")  # one that does not answer hides no other
    found = await (await rig.chat()).do("settings", "get")
    assert found["problems"] == [fault]


async def test_server_that_gives_no_addresses_says_why_at_once(
    rig: Rig, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    chat = await rig.chat()
    await chat.subscribe("system")
    assert (await chat.state("system"))["data"]["problems"] == []
    said = ("Another DHCP server gives addresses.", "Unplug it.")
    await asyncio.to_thread(report_addresses, tmp_path, "refused", *said)

    async def shown() -> bool:
        problems = (await chat.state("system"))["data"]["problems"]
        return bool(problems == ["Another DHCP server gives addresses."])

    await until(shown)
    found = await chat.do("settings", "get")
    assert found["addresses"] == {
        "state": "refused", "text": "Another DHCP server gives addresses.", "fix": "Unplug it.",
    }  # fmt: skip
    assert "health issue code=no_addresses" in caplog.text
    await asyncio.to_thread(report_addresses, tmp_path, "serving")

    async def gone() -> bool:
        return bool((await chat.state("system"))["data"]["problems"] == [])

    await until(gone)


async def test_request_for_a_network_is_for_setup_alone(rig: Rig, tmp_path: Path) -> None:
    reply = await (await rig.chat()).do("settings", "join_wifi", **STAGE)
    assert request_mode(tmp_path) == 0o600
    assert take_request(tmp_path) == MachineRequest(
        join=JoinWifi(ssid="stage", password="open sesame")
    )
    assert "the one" not in reply["message"] and "sesame" not in reply["message"]


async def test_password_is_shown_to_nobody(
    rig: Rig, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    chat = await rig.chat()
    await chat.do("settings", "join_wifi", **STAGE)
    take_request(tmp_path)
    log = await chat.do("management", "get_activity_log")
    audit = await chat.do("system", "get_audit_log")
    said = capfd.readouterr()
    assert not any("sesame" in str(each) for each in (log, audit, said.out, said.err))


@pytest.mark.parametrize("password", ["short12", "ümlaut and more", 1234567890, "x" * 70])
async def test_password_that_cannot_be_one_is_refused_without_being_shown(
    rig: Rig, tmp_path: Path, password: object
) -> None:
    given = {"ssid": "stage", "password": password}
    error = await (await rig.chat()).fail("settings", "join_wifi", **given)
    assert error["message"].startswith("params.password")
    assert str(password) not in error["message"]
    assert not (tmp_path / "run/saint-settings/request").exists()


@pytest.mark.parametrize("name", ["", "Robi", "a b", "-x", "x.local", "x" * 64])
async def test_host_name_that_no_network_takes_is_refused(rig: Rig, name: str) -> None:
    error = await (await rig.chat()).fail("settings", "set_hostname", hostname=name)
    assert "hostname" in error["message"]


async def test_host_name_is_requested(rig: Rig, tmp_path: Path) -> None:
    await (await rig.chat()).do("settings", "set_hostname", hostname="robi")
    assert take_request(tmp_path) == MachineRequest(hostname="robi")


async def test_second_request_waits_for_the_first(rig: Rig, tmp_path: Path) -> None:
    chat = await rig.chat()
    await chat.do("settings", "leave_wifi")
    assert (
        "previous change" in (await chat.fail("settings", "set_hostname", hostname="a"))["message"]
    )
    take_request(tmp_path)
    report_change(tmp_path, "trying", "The server changes to its own hotspot.")
    assert (
        "previous change" in (await chat.fail("settings", "set_hostname", hostname="a"))["message"]
    )
    report_change(tmp_path, "done", "The server uses its own hotspot.")
    await chat.do("settings", "set_hostname", hostname="a")


async def test_network_is_not_left_while_an_output_is_driven(rig: Rig, tmp_path: Path) -> None:
    rig.robot.outputs = [
        FieldOutput(
            target="tracks", field="linear", unit="m/s", value=0.4, winner="rc_drive", source="rc",
            age_ms=10, policy="live", clamped=False, changed_ms=0,
        )
    ]  # fmt: skip
    error = await (await rig.chat()).fail("settings", "leave_wifi")
    assert error["message"] == "rc drives tracks linear now"
    assert not (tmp_path / "run/saint-settings/request").exists()


async def test_machine_that_accepts_no_requests_says_what_to_do(rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "run/saint-settings").rmdir()
    error = await (await rig.chat()).fail("settings", "set_hostname", hostname="robi")
    assert "saint.yaml" in error["fix"]
