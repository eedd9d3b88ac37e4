"""Name and Wi-Fi of a simulated server change in files of its own folder."""

from pathlib import Path

import pytest

from saint_services.lib.api.machine import JoinWifi, MachineRequest
from saint_services.lib.machine import settings_request
from tools.launch.machines import machine_settings


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A server's folder, and webd's view of it."""
    machine_settings.prepare(tmp_path)
    monkeypatch.setenv("SAINT_SETTINGS_DIR", str(machine_settings.folder(tmp_path)))
    monkeypatch.setattr(machine_settings, "_JOIN_LIMIT_S", 0.0)
    return tmp_path


def test_simulated_server_begins_with_its_own_hotspot(home: Path) -> None:
    reported = settings_request.network_status()
    assert (reported.hostname, reported.wifi, reported.has_radio) == ("saint-server", "", True)
    assert reported.hotspot.startswith("saint-")
    assert not machine_settings.is_requested(home)


def test_simulated_server_joins_a_network_and_keeps_it(home: Path) -> None:
    settings_request.submit(MachineRequest(join=JoinWifi(ssid="stage", password="open sesame")))
    assert machine_settings.is_requested(home)
    machine_settings.follow(home)
    assert settings_request.last_change().state == "done"
    machine_settings.prepare(home)  # the next start
    assert settings_request.network_status().wifi == "stage"


def test_simulated_server_comes_back_from_nowhere(home: Path) -> None:
    settings_request.submit(MachineRequest(join=JoinWifi(ssid="nowhere", password="open sesame")))
    machine_settings.follow(home)
    assert settings_request.last_change().state == "taken_back"
    assert settings_request.network_status().wifi == ""


def test_simulated_server_takes_a_name(home: Path) -> None:
    settings_request.submit(MachineRequest(hostname="robi"))
    machine_settings.follow(home)
    assert settings_request.network_status().hostname == "robi"
