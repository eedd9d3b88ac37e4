"""The options of all commands, wrong usage, and completion."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from saint_services.saintctl.app import app
from tests.unit.saintctl.fake_daemons import FakeDaemons


async def test_missing_folder_is_named(daemons: FakeDaemons) -> None:
    daemons.run = daemons.run / "nowhere"
    result = await daemons.saintctl("node", "list")
    assert result.exit_code == 7
    assert f"there is no folder {daemons.run}" in result.stderr
    assert "leave out --run" in result.stderr


async def test_fault_as_json_goes_to_stderr(daemons: FakeDaemons) -> None:
    result = await daemons.saintctl("node", "adopt", "sim_spare", "head", "--json")
    assert json.loads(result.stderr)["code"] == "conflict"
    assert result.stdout == ""


async def test_unknown_command_exits_2(tmp_path: Path) -> None:
    result = await FakeDaemons(tmp_path).saintctl("fly")
    assert result.exit_code == 2


def test_unreachable_robot_is_named_with_what_to_check() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    result = CliRunner().invoke(app, ["--server", f"127.0.0.1:{port}", "node", "list"])
    assert result.exit_code == 7
    assert f"no robot answers at 127.0.0.1:{port}: " in result.stderr
    assert "Is it switched on" in result.stderr
    assert "journalctl" not in result.stderr


def test_version_is_printed() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout.startswith("saintctl ")


def test_short_help_is_help() -> None:
    assert "Usage" in CliRunner().invoke(app, ["node", "-h"]).stdout


def test_completion_completes_nouns(tmp_path: Path) -> None:
    """Request a completion as a shell does."""
    environment = {
        "_SAINTCTL_COMPLETE": "complete_bash",
        "COMP_WORDS": "saintctl bac",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "saint_services.saintctl"],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **environment},
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["backup"]


def test_completion_is_shown_as_the_shell_reads_it(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["--show-completion", "bash"], prog_name="saintctl")
    assert result.exit_code == 0 and "_SAINTCTL_COMPLETE" in result.stdout
