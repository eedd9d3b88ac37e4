"""saintctl log, backup, doctor, and its completion, against a webd with fake daemons around it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from saint_services.lib.backup.archive import unpack
from saint_services.saintctl.app import app
from tests.unit.saintctl.conftest import Ask
from tests.web.fakes.backup import Words
from tests.web.fakes.logs import fake_logs
from tests.web.fakes.robot import FakeRobot


async def test_log_show_prints_filtered_lines_newest_last(saintctl: Ask) -> None:
    result = await saintctl("log", "show", "--source", "routerd", "--search", "source")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0 and len(lines) == 3
    assert "warning" in lines[1] and lines[1].endswith("server routerd: source lost source=rc")


async def test_log_show_as_json_is_one_object_per_line(saintctl: Ask) -> None:
    result = await saintctl("log", "show", "--level", "error", "--json")
    assert [json.loads(line)["node"] for line in result.stdout.splitlines()] == ["head"]


async def test_log_of_unknown_level_is_wrong_usage(saintctl: Ask) -> None:
    result = await saintctl("log", "show", "--level", "loud")
    assert result.exit_code == 2 and "loud" in result.output


async def test_backup_is_created_shown_and_restored(
    saintctl: Ask, robot: FakeRobot, tmp_path: Path
) -> None:
    file = tmp_path / "robot.zip"
    assert (await saintctl("backup", "create", str(file))).exit_code == 0
    assert "rcd" in unpack(file.read_bytes()).daemons
    assert file.stat().st_mode & 0o777 == 0o600
    robot.kept["rcd"].words = Words(words=["changed"])
    shown = await saintctl("backup", "show", str(file))
    assert shown.exit_code == 0 and "receiver" in shown.stdout and "not included:" in shown.stdout
    restored = await saintctl("backup", "restore", str(file), "--yes")
    assert restored.exit_code == 0 and "Restored: adoptiond, routerd, rcd" in restored.stdout
    assert robot.kept["rcd"].words == Words(words=["crsf"])
    assert (await saintctl("backup", "undo")).exit_code == 0
    assert robot.kept["rcd"].words == Words(words=["changed"])


async def test_backup_never_replaces_a_file_unasked(saintctl: Ask, tmp_path: Path) -> None:
    file = tmp_path / "robot.zip"
    file.write_text("mine")
    result = await saintctl("backup", "create", str(file))
    assert result.exit_code == 5 and file.read_text() == "mine"


async def test_backup_restore_of_another_file_is_refused_unsent(
    saintctl: Ask, tmp_path: Path
) -> None:
    file = tmp_path / "holiday.zip"
    file.write_text("no zip")
    result = await saintctl("backup", "restore", str(file), "--yes")
    assert result.exit_code == 2 and "no backup" in result.output


async def test_doctor_names_the_daemon_that_is_silent(saintctl: Ask, robot: FakeRobot) -> None:
    await robot.stop("rcd")
    result = await saintctl("doctor", "--json")
    found = {row["check"]: row for row in json.loads(result.stdout)["checks"]}
    assert result.exit_code == 1
    assert found["rcd"]["state"] == "bad" and found["rcd"]["fix"]
    assert found["nodes online"]["text"] == "offline: sim_console"
    assert found["power supply"]["state"] == "not applicable"


def test_completion_completes_nouns(tmp_path: Path) -> None:
    """As a shell asks for it."""
    asked = {"_SAINTCTL_COMPLETE": "complete_bash", "COMP_WORDS": "saintctl ba", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "saint_services.saintctl"],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **asked},
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["backup"]


def test_completion_is_shown_as_the_shell_reads_it(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["--show-completion", "bash"], prog_name="saintctl")
    assert result.exit_code == 0 and "_SAINTCTL_COMPLETE" in result.stdout


def test_log_is_read_while_no_daemon_runs(tmp_path: Path) -> None:
    with fake_logs(tmp_path):
        (tmp_path / "run").mkdir(exist_ok=True)
        line = ["--run", str(tmp_path / "run"), "log", "show", "--level", "error"]
        assert "servo controller" in CliRunner().invoke(app, line).stdout
