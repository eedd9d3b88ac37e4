"""saintctl backup with the server's key: sealed in a backup, opened by a restore."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.lib.backup.archive import unpack
from saint_services.saintctl.app import app
from tests.unit.saintctl.conftest import RunSaintctl
from tests.web.fakes.robot import FakeRobot, fake_robot

pytestmark = pytest.mark.slow

PASSPHRASE = "five words are quite enough"


@pytest.fixture
def passphrase(tmp_path: Path) -> Path:
    path = tmp_path / "passphrase"
    path.write_text(f"{PASSPHRASE}\nanother line\n")
    return path


def written(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


async def created(saintctl: RunSaintctl, tmp_path: Path, passphrase: Path) -> Path:
    file = tmp_path / "robot.zip"
    words = ("--with-keys", "--passphrase-file", str(passphrase))
    result = await saintctl("backup", "create", str(file), *words)
    assert result.exit_code == 0, result.output
    return file


async def test_backup_without_the_option_holds_no_key(
    saintctl: RunSaintctl, tmp_path: Path
) -> None:
    file = tmp_path / "robot.zip"
    assert (await saintctl("backup", "create", str(file))).exit_code == 0
    assert "key" not in unpack(file.read_bytes()).daemons["adoptiond"].sections


async def test_backup_with_keys_holds_the_sealed_key_and_not_the_key(
    saintctl: RunSaintctl, robot: FakeRobot, tmp_path: Path, passphrase: Path
) -> None:
    file = await created(saintctl, tmp_path, passphrase)
    section = unpack(file.read_bytes()).daemons["adoptiond"].sections["key"]
    text = json.dumps(section.data)
    assert "SAINT.OS sealed" in text
    assert robot.seed.hex() not in text and PASSPHRASE not in text
    assert file.stat().st_mode & 0o777 == 0o600


async def test_restore_with_keys_gives_the_server_its_key(
    saintctl: RunSaintctl, robot: FakeRobot, tmp_path: Path, passphrase: Path
) -> None:
    file = await created(saintctl, tmp_path, passphrase)
    before, robot.seed = robot.seed, b"n" * 32
    words = ("--yes", "--with-keys", "--passphrase-file", str(passphrase))
    result = await saintctl("backup", "restore", str(file), *words)
    assert result.exit_code == 0, result.output
    assert robot.seed == before


async def test_restore_without_the_option_leaves_the_key(
    saintctl: RunSaintctl, robot: FakeRobot, tmp_path: Path, passphrase: Path
) -> None:
    file = await created(saintctl, tmp_path, passphrase)
    robot.seed = b"n" * 32
    assert (await saintctl("backup", "restore", str(file), "--yes")).exit_code == 0
    assert robot.seed == b"n" * 32


async def test_restore_with_another_passphrase_changes_nothing(
    saintctl: RunSaintctl, robot: FakeRobot, tmp_path: Path, passphrase: Path
) -> None:
    file = await created(saintctl, tmp_path, passphrase)
    robot.seed = b"n" * 32
    other = await asyncio.to_thread(written, tmp_path / "other", "these are other words")
    words = ("--yes", "--with-keys", "--passphrase-file", other)
    result = await saintctl("backup", "restore", str(file), *words)
    assert result.exit_code != 0
    assert "Restored" not in result.output
    assert robot.seed == b"n" * 32


async def test_restore_with_keys_of_a_backup_without_one_says_so(
    saintctl: RunSaintctl, tmp_path: Path, passphrase: Path
) -> None:
    file = tmp_path / "robot.zip"
    assert (await saintctl("backup", "create", str(file))).exit_code == 0
    words = ("--yes", "--with-keys", "--passphrase-file", str(passphrase))
    result = await saintctl("backup", "restore", str(file), *words)
    assert result.exit_code != 0
    assert "holds no key" in result.output


async def test_short_passphrase_is_refused_and_no_file_is_written(
    saintctl: RunSaintctl, tmp_path: Path
) -> None:
    file = tmp_path / "robot.zip"
    short = await asyncio.to_thread(written, tmp_path / "short", "short")
    words = ("--with-keys", "--passphrase-file", short)
    result = await saintctl("backup", "create", str(file), *words)
    assert result.exit_code != 0
    assert not file.exists()


async def test_new_passphrase_is_typed_twice(saintctl: RunSaintctl, tmp_path: Path) -> None:
    file = tmp_path / "robot.zip"
    typed = f"{PASSPHRASE}\nsomething else\n"
    words = ("backup", "create", str(file), "--with-keys")
    assert (await saintctl(*words, typed=typed)).exit_code != 0
    assert not file.exists()
    typed = f"{PASSPHRASE}\n{PASSPHRASE}\n"
    assert (await saintctl(*words, typed=typed)).exit_code == 0
    assert file.exists()


async def test_missing_passphrase_file_is_wrong_usage(
    saintctl: RunSaintctl, tmp_path: Path
) -> None:
    words = ("--with-keys", "--passphrase-file", str(tmp_path / "nowhere"))
    result = await saintctl("backup", "create", str(tmp_path / "robot.zip"), *words)
    assert result.exit_code == 2


@pytest.mark.parametrize("command", ["create", "restore"])
async def test_passphrase_is_not_sent_over_plain_http(
    tmp_path: Path, passphrase: Path, command: str
) -> None:
    file, seed = tmp_path / "robot.zip", b"n" * 32
    async with fake_robot(tmp_path) as (robot, address, _):
        robot.seed = seed
        here, there = ("--run", str(robot.runtime)), ("--server", f"http://{address}")
        if command == "restore":
            keys = ("--with-keys", "--passphrase-file", str(passphrase))
            made = await invoked(*here, "backup", "create", str(file), *keys)
            assert made.exit_code == 0, made.output
            robot.seed = b"o" * 32
        words = ["--with-keys", "--passphrase-file", str(passphrase)]
        words += ["--yes"] if command == "restore" else []
        result = await invoked(*there, "backup", command, str(file), *words)
        assert result.exit_code == 5, result.output
        assert "unencrypted" in result.output
        assert robot.seed == (b"o" * 32 if command == "restore" else seed)
        assert file.exists() == (command == "restore")


async def invoked(*words: str) -> Result:
    """Run a command in a thread, since it runs its own event loop."""
    return await asyncio.to_thread(CliRunner().invoke, app, list(words))
