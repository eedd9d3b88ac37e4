"""Builds manifests/saint_msgs with colcon, as a ROS 2 site does, in build/ros; and where they are
missing, tf2_msgs, which is part of every ROS 2 but has no wheel, and audio_common_msgs.

Not here: which ROS 2 it is built with (installation.py).
"""

import hashlib
import shutil
import sys
from dataclasses import replace
from pathlib import Path

from .installation import BUILD, ROOT, WHEELS_LOCK, RigError, Ros, environment_of, run, with_front

PACKAGE = ROOT / "manifests" / "saint_msgs"
OF_ROS = (ROOT / "tools" / "ros" / "tf2_msgs", ROOT / "manifests" / "audio_common_msgs")
WORKSPACE = BUILD / "ws"
INSTALLED = WORKSPACE / "install"
_BUILDS_S = 1800.0


def built(ros: Ros) -> Ros:
    """The ROS 2 with saint_msgs in it, built first when its definitions have changed."""
    _build(ros)
    packages = next(INSTALLED.glob("lib/python3*/site-packages"))
    return replace(ros, environment=dict(ros.environment) | _overlay(ros, packages))


def _overlay(ros: Ros, packages: Path) -> dict[str, str]:
    """What sourcing the workspace sets, and where our own code is."""

    def before(name: str, folder: Path) -> str:
        known = ros.environment.get(name)
        return f"{folder}:{known}" if known else with_front(name, folder)

    return {
        "AMENT_PREFIX_PATH": before("AMENT_PREFIX_PATH", INSTALLED),
        "LD_LIBRARY_PATH": before("LD_LIBRARY_PATH", INSTALLED / "lib"),
        "PYTHONPATH": f"{before('PYTHONPATH', packages)}:{ROOT}",
    }


def _build(ros: Ros) -> None:
    mark = WORKSPACE / "built-from"
    wanted = _digest(ros)
    if mark.exists() and mark.read_text() == wanted:
        return
    missing = [tool for tool in ("cmake", "make", "c++") if shutil.which(tool) is None]
    if missing:
        text = f"Building saint_msgs needs {', '.join(missing)}. On Debian: "
        raise RigError(f"{text}apt-get install cmake g++ make")
    print("Building saint_msgs with colcon (some minutes, when it has changed)", file=sys.stderr)
    shutil.rmtree(WORKSPACE, ignore_errors=True)
    for package in _packages(ros):
        shutil.copytree(package, WORKSPACE / "src" / package.name)
    command: list[str | Path] = ["colcon", "build", "--merge-install"]
    command += ["--cmake-args", "-DBUILD_TESTING=OFF"]
    command.append(f"-DPython3_EXECUTABLE={ros.python}")
    run("colcon build", command, _BUILDS_S, cwd=WORKSPACE, env=environment_of(ros))
    mark.write_text(wanted)


def _packages(ros: Ros) -> list[Path]:
    prefixes = environment_of(ros).get("AMENT_PREFIX_PATH", "").split(":")
    index = Path("share/ament_index/resource_index/packages")

    def is_there(package: Path) -> bool:
        return any((Path(prefix) / index / package.name).exists() for prefix in prefixes if prefix)

    return [PACKAGE, *(each for each in OF_ROS if not is_there(each))]


def _digest(ros: Ros) -> str:
    """Of the definitions and of the ROS 2 that they are built with."""
    wheels = [line for line in WHEELS_LOCK.read_text().splitlines() if line.startswith("ros-")]
    distribution = environment_of(ros)["ROS_DISTRO"]
    digest = hashlib.sha256(str([ros.python, distribution, wheels]).encode())
    for package in _packages(ros):
        for path in sorted(package.rglob("*")):
            if path.is_file():
                digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()
