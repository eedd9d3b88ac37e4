"""What `make run` installs is a part of what developing needs, in the same versions."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
DEVELOPING = {"hypothesis", "mypy", "playwright", "pytest", "rosbags", "ruff"}


def locked(name: str) -> dict[str, str]:
    """Return version and hashes by package."""
    text = (ROOT / name).read_text()
    found = re.finditer(r"^([A-Za-z0-9._-]+)==(\S+).*?(?=^[A-Za-z0-9]|\Z)", text, re.M | re.S)
    hashes = {
        each[1]: " ".join([each[2], *sorted(re.findall(r"sha256:\w+", each[0]))]) for each in found
    }
    assert hashes
    return hashes


def test_running_needs_a_part_of_what_developing_needs() -> None:
    runs, all_of_it = locked("requirements-run.lock"), locked("requirements.lock")
    assert runs.items() <= all_of_it.items()
    assert {"aiohttp", "pydantic", "setuptools"} <= runs.keys()
    assert not DEVELOPING & runs.keys()
    assert all_of_it.keys() >= DEVELOPING
