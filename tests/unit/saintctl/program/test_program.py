"""`saintctl program`: packing on the owner's computer, and the commands against a webd."""

import zipfile
from pathlib import Path

import pytest

from saint_services.saintctl.program import pack as packing
from tests.unit.saintctl.conftest import RunSaintctl

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "patrol"
    (made / "__pycache__").mkdir(parents=True)
    (made / "__pycache__/main.pyc").write_bytes(b"x")
    (made / "program.yaml").write_text("name: patrol\ndescription: to and [fro]\n")
    (made / "main.py").write_text("print('hello')\n")
    return made


def wheel(folder: Path, name: str, tag: str) -> None:
    """Write a wheel with one module for that platform."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-{tag}.whl", "w") as made:
        made.writestr(f"{name}.py", "VALUE = 1\n")
        made.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        head = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
        made.writestr(f"{info}/WHEEL", f"{head}Tag: {tag}\n")
        made.writestr(f"{info}/RECORD", "")


def names(archive: Path) -> list[str]:
    with zipfile.ZipFile(archive) as found:
        return sorted(found.namelist())


async def test_folder_becomes_an_archive_that_runs_on_the_robot(
    saintctl: RunSaintctl, folder: Path, tmp_path: Path
) -> None:
    archive = str(tmp_path / "patrol.zip")
    result = await saintctl("program", "pack", str(folder), "-o", archive)
    assert result.exit_code == 0, result.output
    assert names(Path(archive)) == ["main.py", "program.yaml"]
    result = await saintctl("program", "add", archive)
    assert "patrol was added" in result.output, result.output
    assert "starts" in (await saintctl("program", "start", "patrol")).output
    shown = (await saintctl("program", "list")).output
    assert "running" in shown and "to and [fro]" in shown
    assert (await saintctl("program", "log", "patrol")).exit_code == 0
    assert (await saintctl("program", "stop", "patrol")).exit_code == 0
    assert (await saintctl("program", "remove", "patrol")).exit_code == 0
    assert "no program yet" in (await saintctl("program", "list")).output
    assert (await saintctl("program", "start", "patrol")).exit_code == 4


def test_packages_of_the_robots_python_are_packed(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "wheels"
    wheel(store, "plain", "py3-none-any")
    wheel(store, "native", "cp313-cp313-manylinux_2_28_aarch64")
    (folder / "requirements.txt").write_text("plain\nnative\n")
    options = ("--no-index", f"--find-links={store}")
    made = packing.pack(folder, tmp_path / "patrol.zip", options)
    assert {"lib/plain.py", "lib/native.py", "main.py"} <= set(names(made))
    again = packing.pack(folder, tmp_path / "again.zip", options)
    assert again.read_bytes() == made.read_bytes(), "the same folder gives the same archive"


def test_package_without_a_wheel_for_the_robot_is_named(
    saintctl: RunSaintctl, folder: Path, tmp_path: Path
) -> None:
    store = tmp_path / "wheels"
    wheel(store, "native", "cp313-cp313-manylinux_2_28_x86_64")
    (folder / "requirements.txt").write_text("native\n")
    with pytest.raises(Exception, match="native"):
        packing.pack(folder, tmp_path / "patrol.zip", ("--no-index", f"--find-links={store}"))
    assert not list(tmp_path.glob("*.zip")) and not list(tmp_path.glob(".*.new"))


async def test_folder_without_description_is_refused_with_an_example(
    saintctl: RunSaintctl, tmp_path: Path
) -> None:
    result = await saintctl("program", "pack", str(tmp_path))
    assert result.exit_code == 4
    assert "program.yaml" in result.output and "command:" in result.output
