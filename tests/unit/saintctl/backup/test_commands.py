"""`saintctl backup` with a webd and fake daemons."""

from pathlib import Path

from saint_services.lib.backup.archive import unpack
from tests.unit.saintctl.conftest import RunSaintctl
from tests.web.fakes.backup import Words
from tests.web.fakes.robot import FakeRobot


async def test_backup_is_created_shown_and_restored(
    saintctl: RunSaintctl, robot: FakeRobot, tmp_path: Path
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


async def test_backup_never_replaces_a_file_unasked(saintctl: RunSaintctl, tmp_path: Path) -> None:
    file = tmp_path / "robot.zip"
    file.write_text("mine")
    result = await saintctl("backup", "create", str(file))
    assert result.exit_code == 5 and file.read_text() == "mine"


async def test_backup_restore_of_another_file_is_refused_unsent(
    saintctl: RunSaintctl, tmp_path: Path
) -> None:
    file = tmp_path / "holiday.zip"
    file.write_text("no zip")
    result = await saintctl("backup", "restore", str(file), "--yes")
    assert result.exit_code == 2 and "not a backup" in result.output
