"""Status files of setup as webd reads them: missing, damaged, or of a change that never ended."""

import socket
from pathlib import Path

import pytest

from saint_services.lib import clock
from saint_services.lib.api.machine import MachineChange, MachineRequest, NetworkStatus
from saint_services.lib.machine import settings_request


@pytest.fixture(autouse=True)
def status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of setup's status files."""
    (tmp_path / "run/saint").mkdir(parents=True)
    (tmp_path / "run/saint-settings").mkdir()
    monkeypatch.setenv("SAINT_SETTINGS_DIR", str(tmp_path / "run/saint-settings"))
    return tmp_path / "run/saint"


@pytest.mark.parametrize("text", ["", "{", '{"state": "strange"}', "[]"])
def test_report_that_cannot_be_read_is_none(status: Path, text: str) -> None:
    (status / settings_request.CHANGE).write_text(text)
    assert settings_request.last_change() == MachineChange()


def test_change_that_never_ended_does_not_block_the_next(status: Path) -> None:
    long_ago_s = clock.monotonic_s() - settings_request.LONGEST_S - 1
    cut_off = MachineChange(state="trying", message="The server changes.", begun_s=long_ago_s)
    (status / settings_request.CHANGE).write_text(cut_off.model_dump_json())
    assert "without a result" in settings_request.last_change().message
    settings_request.submit(MachineRequest(hostname="robi"))


def test_name_is_what_setup_says_whatever_this_process_sees(status: Path) -> None:
    assert settings_request.hostname() == socket.gethostname()  # a computer without setup
    (status / settings_request.NETWORK_STATUS).write_text(
        NetworkStatus(hostname="robi").model_dump_json()
    )
    assert settings_request.hostname() == "robi"
