"""Makes the archive of a program on the owner's computer: its folder, and the packages of its
requirements.txt as the robot's Python needs them (the image has no pip, and no compiler). Calls
block.
"""

import contextlib
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from ...lib.errors import Code, SaintError
from ...lib.programs import archive, manifest

PYTHON_VERSION = "3.13"  # Debian 13's
# aarch64, glibc 2.41 and older.
PLATFORMS = (
    *(f"manylinux_2_{minor}_aarch64" for minor in range(41, 16, -1)),
    "manylinux2014_aarch64",
)
REQUIREMENTS, LIBRARIES = "requirements.txt", "lib"
_LIMIT_S = 1800.0  # large wheels over a slow line
_LEFT_OUT = {"__pycache__", ".git", ".venv", "venv", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same folder gives the same archive


def pack(folder: Path, output: Path, pip_options: tuple[str, ...] = ()) -> Path:
    """Pack a folder. Raises SaintError with what is wrong with it, and leaves no archive then."""
    if not (folder / manifest.FILE).is_file():
        text = f"{folder} has no {manifest.FILE}"
        fix = f"Write one: name: {folder.name.lower()}, command: [python3, main.py]."
        raise SaintError(Code.NOT_FOUND, text, fix=fix)
    with tempfile.TemporaryDirectory() as temporary:
        wheels = Path(temporary)
        if (folder / REQUIREMENTS).is_file():
            _install(folder / REQUIREMENTS, wheels, pip_options)
        aside = output.with_name(f".{output.name}.new")
        with contextlib.ExitStack() as undoing:
            undoing.callback(aside.unlink, missing_ok=True)
            with zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED) as made:
                for path, name in _files(folder, wheels):
                    _add(made, path, name)
            archive.check(aside)
            aside.replace(output)
            undoing.pop_all()
    return output


def _install(requirements: Path, target: Path, options: tuple[str, ...]) -> None:
    platforms = [word for name in PLATFORMS for word in ("--platform", name)]
    command = [
        *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--target", str(target), "--requirement", str(requirements)),
        *("--only-binary", ":all:", "--no-compile", "--python-version", PYTHON_VERSION),
        *("--implementation", "cp", *platforms, *options),
    ]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as err:
        raise SaintError(Code.REFUSED, f"pip did not run: {err}") from err
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "ERROR" in line] or ["pip failed"]
        fix = "Only packages with wheels for aarch64 (or pure ones) can be packed."
        raise SaintError(Code.REFUSED, said[0].removeprefix("ERROR: "), fix=fix)


def _files(folder: Path, wheels: Path) -> Iterator[tuple[Path, str]]:
    """Yield all files and their names in the archive; the program's own before pip's."""
    found: dict[str, Path] = {}
    for root, prefix in ((wheels, f"{LIBRARIES}/"), (folder, "")):
        for path in sorted(root.rglob("*")):
            inside = path.relative_to(root)
            if path.is_file() and not path.is_symlink() and not _LEFT_OUT & set(inside.parts):
                found[prefix + inside.as_posix()] = path
    for name in sorted(found):
        yield found[name], name


def _add(made: zipfile.ZipFile, path: Path, name: str) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
    entry.external_attr = (stat.S_IFREG | mode) << 16
    entry.file_size = path.stat().st_size
    with path.open("rb") as source, made.open(entry, "w") as target:
        while chunk := source.read(1 << 20):
            target.write(chunk)
