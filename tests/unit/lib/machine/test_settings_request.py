"""What webd reads of setup, when a change never ended or nobody has told anything."""

import socket
from pathlib import Path

import pytest

from saint_services.lib import clock
from saint_services.lib.api.machine import MachineChange, MachineRequest, NetworkStatus
from saint_services.lib.machine import settings_request


@pytest.fixture(autouse=True)
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where setup tells."""
    (tmp_path / "run/saint").mkdir(parents=True)
    (tmp_path / "run/saint-settings").mkdir()
    monkeypatch.setenv("SAINT_SETTINGS_DIR", str(tmp_path / "run/saint-settings"))
    return tmp_path / "run/saint"


@pytest.mark.parametrize("text", ["", "{", '{"state": "strange"}', "[]"])
def test_report_that_cannot_be_read_is_none(told: Path, text: str) -> None:
    (told / settings_request.CHANGE).write_text(text)
    assert settings_request.last_change() == MachineChange()


def test_change_that_never_ended_does_not_block_the_next(told: Path) -> None:
    long_ago_s = clock.monotonic_s() - settings_request.LONGEST_S - 1
    cut_off = MachineChange(state="trying", message="The server changes.", begun_s=long_ago_s)
    (told / settings_request.CHANGE).write_text(cut_off.model_dump_json())
    assert "without a result" in settings_request.last_change().message
    settings_request.submit(MachineRequest(hostname="robi"))


def test_name_is_what_setup_says_whatever_this_process_sees(told: Path) -> None:
    assert settings_request.hostname() == socket.gethostname()  # nobody has set this computer up
    (told / settings_request.NETWORK_STATUS).write_text(
        NetworkStatus(hostname="robi").model_dump_json()
    )
    assert settings_request.hostname() == "robi"
