"""`saintctl log` with a webd and fake daemons, and without any daemon."""

import json
from pathlib import Path

from typer.testing import CliRunner

from saint_services.saintctl.app import app
from tests.unit.saintctl.conftest import RunSaintctl
from tests.web.fakes.logs import fake_logs


async def test_log_show_prints_filtered_lines_newest_last(saintctl: RunSaintctl) -> None:
    result = await saintctl("log", "show", "--source", "routerd", "--search", "source")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0 and len(lines) == 3
    assert "warning" in lines[1] and lines[1].endswith("server routerd: source lost source=rc")


async def test_log_show_as_json_is_one_object_per_line(saintctl: RunSaintctl) -> None:
    result = await saintctl("log", "show", "--level", "error", "--json")
    assert [json.loads(line)["node"] for line in result.stdout.splitlines()] == ["head"]


async def test_log_of_unknown_level_is_wrong_usage(saintctl: RunSaintctl) -> None:
    result = await saintctl("log", "show", "--level", "loud")
    assert result.exit_code == 2 and "loud" in result.output


def test_log_is_read_while_no_daemon_runs(tmp_path: Path) -> None:
    with fake_logs(tmp_path):
        (tmp_path / "run").mkdir(exist_ok=True)
        line = ["--run", str(tmp_path / "run"), "log", "show", "--level", "error"]
        assert "servo controller" in CliRunner().invoke(app, line).stdout
