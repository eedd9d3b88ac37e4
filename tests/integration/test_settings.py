"""A wrong line in any daemon's settings: one clear sentence, exit code 2, nothing started."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DAEMONS = sorted(yaml.safe_load((ROOT / "manifests" / "daemons.yaml").read_text()))


@pytest.mark.parametrize("daemon", DAEMONS)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# settings\nno_such_setting: 1\n", ("line 2", "no_such_setting")),
        ("just a sentence\n", ("line 1",)),
        ("a: [1\n", ("line",)),
    ],
    ids=["unknown key", "no mapping", "broken yaml"],
)
def test_wrong_settings_are_one_sentence_and_exit_2(
    tmp_path: Path, daemon: str, text: str, expected: tuple[str, ...]
) -> None:
    file = tmp_path / f"{daemon.replace('_', '-')}.yaml"
    file.write_text(text)
    run = _start(daemon, tmp_path)
    assert run.returncode == 2, run.stderr
    assert "Traceback" not in run.stderr
    assert len(run.stderr.strip().splitlines()) <= 2
    for part in (file.name, *expected):
        assert part in run.stderr


@pytest.mark.parametrize(
    ("daemon", "text", "expected"),
    [
        ("rcd", "rc_receiver:\n  enabled: true\n  protocoll: crsf\n", "did you mean 'protocol'"),
        ("rcd", "rc_receiver:\n  failsafe: {timeout_ms: soon}\n", "line 2"),
        ("routerd", "presett: default\n", "did you mean 'preset'"),
        ("webd", "auth: {requird: true}\n", "did you mean 'required'"),
    ],
)
def test_misspelt_key_names_the_nearest_one(
    tmp_path: Path, daemon: str, text: str, expected: str
) -> None:
    (tmp_path / f"{daemon}.yaml").write_text(text)
    run = _start(daemon, tmp_path)
    assert run.returncode == 2, run.stderr
    assert expected in run.stderr


def _start(daemon: str, folder: Path) -> subprocess.CompletedProcess[str]:
    variables = {
        "CONFIGURATION_DIRECTORY": str(folder),
        "RUNTIME_DIRECTORY": str(folder / "run"),
        "STATE_DIRECTORY": str(folder / "state"),
    }
    return subprocess.run(
        [sys.executable, "-m", f"saint_services.{daemon}"],
        cwd=ROOT, env=os.environ | variables, capture_output=True, text=True, timeout=20,
        check=False,
    )  # fmt: skip
