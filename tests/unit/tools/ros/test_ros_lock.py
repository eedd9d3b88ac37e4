"""The lock file of `make test-ros` holds what our own code needs, in our versions."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
FIX = "make lock && python -m tools.ros.rig lock"


def locked(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text().splitlines()
    found = (re.match(r"([a-z0-9-]+)==([^ ;]+)", line) for line in lines)
    return {match[1]: match[2] for match in found if match}


def needed() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {re.split(r"[^a-z0-9-]", text)[0] for text in project["dependencies"]}


def test_ros_lock_has_our_dependencies_in_our_versions() -> None:
    ours, ros = locked("requirements.lock"), locked("requirements-ros.lock")
    assert needed() <= ours.keys()
    assert {name: ros.get(name) for name in needed()} == {name: ours[name] for name in needed()}, (
        FIX
    )


def test_ros_lock_names_no_place() -> None:
    text = (ROOT / "requirements-ros.lock").read_text()
    assert "://" not in text
    assert "--hash=sha256:" in text
