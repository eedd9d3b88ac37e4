"""`python -m tools.ros.rig setup|build|env|test|lock|python`: our tests against a real ROS 2.

    setup   the sourced ROS 2, or one of wheels (requirements-ros.lock) in build/ros
    build   saint_msgs for it
    env     its variables, for `source <(python -m tools.ros.rig env)`
    test    tests/ros over it; further arguments are pytest's
    lock    compute requirements-ros.lock again from tools/ros/requirements.in
    python  the Python 3.12 that the wheels need

Each does what comes before it first. Not here: how (installation.py, workspace.py).
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from .installation import (
    OUR_LOCK,
    ROOT,
    WHEELS_LOCK,
    RigError,
    Ros,
    environment_of,
    installed,
    python312,
    run,
)
from .workspace import built

_LOCKS_S = 300.0
_PROFILE = str(ROOT / "tools" / "ros" / "fastdds-loopback.xml")
# A robot's default is to keep to its machine.
_BESIDE_ROBOT = {
    "FASTDDS_DEFAULT_PROFILES_FILE": _PROFILE,  # Fast DDS 3
    "FASTRTPS_DEFAULT_PROFILES_FILE": _PROFILE,  # Fast DDS 2
    "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
}
_UV = ROOT / "build" / "lock" / "bin" / "uv"


def main() -> int:
    """Command line."""
    name, *arguments = sys.argv[1:] or ["help"]
    try:
        if name not in _COMMANDS:
            raise RigError(__doc__ or "")
        return _COMMANDS[name](arguments)
    except RigError as err:
        print(err, file=sys.stderr)
        return 2


def _setup(_: list[str]) -> int:
    installed()
    return 0


def _build(_: list[str]) -> int:
    built(installed())
    return 0


def _env(_: list[str]) -> int:
    ros = built(installed())
    for name, value in sorted((dict(ros.environment) | _BESIDE_ROBOT).items()):
        print(f"export {name}={shlex.quote(value)}")
    return 0


def _test(arguments: list[str]) -> int:
    ros = built(installed())
    (ROOT / "build" / "ros" / "log").mkdir(parents=True, exist_ok=True)
    folder = [] if any(one.startswith("tests/ros") for one in arguments) else ["tests/ros"]
    command: list[str | Path] = [ros.python, "-m", "pytest", *folder, *arguments]
    return subprocess.run(command, cwd=ROOT, env=_test_environment(ros), check=False).returncode


def _test_environment(ros: Ros) -> dict[str, str]:
    """The product runs beside it with its own interpreter and libraries, which is this one."""
    return (
        environment_of(ros)
        | _BESIDE_ROBOT
        | {
            "SAINT_PRODUCT_PYTHON": sys.executable,
            "SAINT_PRODUCT_PATHS": os.pathsep.join(sorted(ros.environment)),
        }
    )


def _lock(_: list[str]) -> int:
    """In our own lock's versions, but for setuptools, which colcon needs older."""
    if not _UV.exists():
        raise RigError("uv is missing; `make lock` installs it.")
    ours = ROOT / "build" / "lock" / "ours.txt"
    ours.write_text(_without("setuptools", OUR_LOCK))
    command: list[str | Path] = [_UV, "pip", "compile", "--quiet", "--python-version", "3.12"]
    command += ["--generate-hashes", "--no-header", "--no-emit-index-url", "--no-annotate"]
    command += ["--no-emit-find-links", "-c", ours, "-o", WHEELS_LOCK]
    needed = [ROOT / "tools/ros/requirements.in", ROOT / "pyproject.toml"]
    run("uv pip compile", [*command, *needed], _LOCKS_S)
    return 0


def _without(package: str, lock: Path) -> str:
    """A lock's lines, without those of a package."""
    kept: list[str] = []
    is_kept = True
    for line in lock.read_text().splitlines():
        if line[:1].strip():
            is_kept = not line.startswith(f"{package}==")
        if is_kept:
            kept.append(line)
    return "\n".join(kept) + "\n"


def _python(_: list[str]) -> int:
    print(python312())
    return 0


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "setup": _setup,
    "build": _build,
    "env": _env,
    "test": _test,
    "lock": _lock,
    "python": _python,
}

if __name__ == "__main__":
    sys.exit(main())
