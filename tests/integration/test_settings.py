"""A wrong line in any daemon's settings: one clear sentence, and the daemon works all the same.
Where nothing else holds (environment, manifests): one sentence, exit code 2, nothing started.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DAEMONS = sorted(yaml.safe_load((ROOT / "manifests" / "daemons.yaml").read_text()))


# Every daemon once; how else a text can be wrong is the same code for all of them. The guard has no
# settings file.
WRONG = [(daemon, "# settings\nno_such_setting: 1\n", ("line 2", "no_such_setting"))
         for daemon in DAEMONS if daemon != "guardd"] + [
    ("adoptiond", "just a sentence\n", ("line 1",)),
    ("adoptiond", "a: [1\n", ("line",)),
]  # fmt: skip


@pytest.mark.parametrize(("daemon", "text", "expected"), WRONG)
def test_wrong_settings_are_one_sentence_and_the_defaults_hold(
    tmp_path: Path, daemon: str, text: str, expected: tuple[str, ...]
) -> None:
    file = tmp_path / f"{daemon.replace('_', '-')}.yaml"
    file.write_text(text)
    first = _first_line(daemon, tmp_path)
    for part in ("warning", file.name, *expected, "The defaults are in force"):
        assert part in first


def test_wrong_environment_of_the_guard_is_one_sentence_and_exit_2(tmp_path: Path) -> None:
    run = _start("guardd", tmp_path, SAINT_ENABLE_LINE="GPIO24")
    assert run.returncode == 2, run.stderr
    assert "Traceback" not in run.stderr
    assert len(run.stderr.strip().splitlines()) <= 2
    for part in ("SAINT_ENABLE_LINE", "GPIO24", "write 24 for GPIO24"):
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
    assert expected in _first_line(daemon, tmp_path)


def _first_line(daemon: str, folder: Path) -> str:
    """What a daemon logs first; it is ended then."""
    command = [sys.executable, "-m", f"saint_services.{daemon}"]
    with subprocess.Popen(
        command, cwd=ROOT, env=_environment(folder), stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr
        try:
            return process.stderr.readline()
        finally:
            process.kill()


def _start(daemon: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", f"saint_services.{daemon}"],
        cwd=ROOT, env=_environment(folder) | more, capture_output=True, text=True, timeout=20,
        check=False,
    )  # fmt: skip


def _environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "CONFIGURATION_DIRECTORY": str(folder),
        "RUNTIME_DIRECTORY": str(folder / "run"),
        "STATE_DIRECTORY": str(folder / "state"),
    }


@pytest.mark.parametrize("daemon", ["adoptiond", "routerd"])
@pytest.mark.parametrize(
    ("file", "right", "wrong", "expected"),
    [
        ("roles/tracks.yaml", "deadline_ms:", "deadline_mss:", "did you mean 'deadline_ms'"),
        ("roles/head.yaml", "limits: [-90, 90]", "limits: [-90, far]", "limits"),
        ("robots/saint.yaml", "role: console", "role: consle", "console"),
    ],
)
def test_wrong_manifest_is_one_sentence_and_exit_2(
    tmp_path: Path, daemon: str, file: str, right: str, wrong: str, expected: str
) -> None:
    shutil.copytree(ROOT / "manifests", tmp_path / "manifests")
    manifest = tmp_path / "manifests" / file
    text = manifest.read_text()
    assert right in text
    manifest.write_text(text.replace(right, wrong, 1))
    line = text[: text.index(right)].count("\n") + 1
    run = _start(daemon, tmp_path, SAINT_SHARE=str(tmp_path))
    assert run.returncode == 2, run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
    for part in (manifest.name, f"line {line}", expected):
        assert part in run.stderr
