"""The real package livekit has what teleopd calls, and the fake of the tests has the same. Needs
`make test-menlo`, which installs it for Python 3.12. No LiveKit server was tried.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from saint_services.teleopd.room.package import SIGNATURES
from tests.integration.livekit_signatures import described
from tests.unit.teleopd import fake_livekit

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "build/menlo/bin/python"
if not PYTHON.exists():
    pytest.skip("needs livekit: make test-menlo", allow_module_level=True)


@pytest.fixture(scope="module")
def real() -> dict[str, Any]:
    done = subprocess.run(
        [PYTHON, ROOT / "tests/integration/livekit_signatures.py"],
        input=json.dumps(list(SIGNATURES)), capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_real_package_takes_what_is_given(real: dict[str, Any]) -> None:
    for name, parameters in SIGNATURES.items():
        assert real[name] is not None, name
        assert set(parameters) <= real[name].keys(), name


def test_fake_is_like_the_real_package(real: dict[str, Any]) -> None:
    fake = described(fake_livekit, list(SIGNATURES))
    for name, found in fake.items():
        if isinstance(found, dict) and name in SIGNATURES:
            assert found.items() <= real[name].items(), name
        else:
            assert found == real[name], name
