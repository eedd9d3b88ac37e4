"""`livelink decode`: the lines that people keep scripts on."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import SaintError
from saint_services.saintctl.livelink_decode import livelink_decode

DATA = Path(__file__).parents[2] / "data"


def livelink(path: Path) -> list[dict[str, Any]]:
    out = io.StringIO()
    assert livelink_decode("llf", str(path), out) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_livelink_capture_is_printed_line_by_line() -> None:
    lines = livelink(DATA / "live-link-face.jsonl")
    assert list(lines[0]) == [
        "kind", "subject", "device", "type", "frame", "subframe", "rate", "face", "values",
    ]  # fmt: skip
    assert len(lines[0]["values"]) == 61
    assert lines[6]["face"] is False and "values" not in lines[6]
    assert lines[-1] == {"kind": "summary", "frames": 20, "refused": 0, "lost": 0}


def test_livelink_loss_and_refusals_are_summed_up(tmp_path: Path) -> None:
    captured = (DATA / "live-link-face.jsonl").read_text().splitlines()
    recording = tmp_path / "x.jsonl"
    bad = json.dumps({"t_us": 1, "hex": "05", "from": "192.168.1.50:50000"})
    recording.write_text("\n".join([captured[0], bad, captured[3]]))
    lines = livelink(recording)
    assert lines[1] == {"kind": "refused", "reason": "version 5 is not supported"}
    assert lines[-1] == {"kind": "summary", "frames": 2, "refused": 1, "lost": 2}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "line 2 is not JSON"),
        ("[" * 100_000, "line 2 is not JSON"),
        ("[]", "line 2 is not a JSON object"),
        ('{"t_us": 1}', "line 2: hex"),
        ('{"t_us": 1, "hex": "0"}', "line 2: hex"),
        ('{"t_us": 1, "hex": "zz"}', "line 2: hex"),
        ('{"t_us": "1", "hex": "00"}', "line 2: t_us"),
        ('{"t_us": true, "hex": "00"}', "line 2: t_us"),
        ('{"hex": "00"}', "line 2: t_us"),
    ],
)
def test_wrong_line_is_a_file_error(tmp_path: Path, text: str, told: str) -> None:
    recording = tmp_path / "x.jsonl"
    recording.write_text('{"t_us": 0, "hex": ""}\n' + text + "\n")
    with pytest.raises(SaintError) as caught:
        livelink_decode("llf", str(recording), io.StringIO())
    assert caught.value.exit_code == 2
    assert told in caught.value.message


def test_unknown_and_later_formats_are_refused() -> None:
    for name, told in (("json", "not supported yet"), ("x", "not known")):
        with pytest.raises(SaintError, match=told) as caught:
            livelink_decode(name, "-", io.StringIO())
        assert caught.value.exit_code == 2
