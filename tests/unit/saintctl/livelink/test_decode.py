"""`livelink decode`: the lines that people keep scripts on."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import SaintError
from saint_services.saintctl.livelink.decode import livelink_decode

DATA = Path(__file__).parents[3] / "data"


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
    ("text", "message"),
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
def test_wrong_line_is_a_file_error(tmp_path: Path, text: str, message: str) -> None:
    recording = tmp_path / "x.jsonl"
    recording.write_text('{"t_us": 0, "hex": ""}\n' + text + "\n")
    with pytest.raises(SaintError) as caught:
        livelink_decode("llf", str(recording), io.StringIO())
    assert caught.value.exit_code == 2
    assert message in caught.value.message


def decoded(tmp_path: Path, format: str, *datagrams: bytes) -> list[dict[str, Any]]:
    recording = tmp_path / "x.jsonl"
    lines = [{"t_us": i, "hex": d.hex(), "from": "10.0.0.9:5"} for i, d in enumerate(datagrams)]
    recording.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = io.StringIO()
    assert livelink_decode(format, str(recording), out) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_json_gives_a_line_per_subject(tmp_path: Path) -> None:
    good = {"Parameter": [{"Name": "JawOpen", "Value": 0.5}]}
    first, second, summary = decoded(
        tmp_path, "json", json.dumps({"Face": good, "Other": {}}).encode()
    )
    assert first == {
        "kind": "frame", "subject": "Face", "device": "", "type": "face", "frame": 0,
        "subframe": 0.0, "rate": [0, 1], "face": True, "values": {"jawOpen": 0.5},
    }  # fmt: skip
    assert second["kind"] == "refused"
    assert summary == {"kind": "summary", "frames": 1, "refused": 1, "lost": 0}


def test_ifacialmocap_and_lines_are_decoded(tmp_path: Path) -> None:
    face = b"jawOpen-25|=head#-1,2,3,0,0,0|"
    line, summary = decoded(tmp_path, "ifacialmocap", face)
    assert line["values"]["jawOpen"] == 0.25 and summary["frames"] == 1
    text = b'{"subject_name": "P", "property_names": ["a"], "property_values": [1]}'
    line, _ = decoded(tmp_path, "lines", text)
    assert line["values"] == {"a": 1.0}


def test_datagrams_of_other_formats_are_left_out(tmp_path: Path) -> None:
    captured = json.loads((DATA / "live-link-face.jsonl").read_text().splitlines()[0])
    recording = tmp_path / "x.jsonl"
    lines = [captured | {"format": "llf"}, {"t_us": 0, "format": "json", "hex": "7b7d"}]
    recording.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (frame, summary) = livelink(recording)
    assert frame["kind"] == "frame" and (summary["frames"], summary["refused"]) == (1, 0)


def test_vmc_is_put_together_by_sender(tmp_path: Path) -> None:
    value = b"/VMC/Ext/Blend/Val\0\0,sf\0A\0\0\0\x3f\0\0\0"
    apply = b"/VMC/Ext/Blend/Apply\0\0\0\0,\0\0\0"
    line, summary = decoded(tmp_path, "vmc", value, apply)
    assert line["values"]["A"] == 0.5 and line["values"]["jawOpen"] == 0.5
    assert summary == {"kind": "summary", "frames": 1, "refused": 0, "lost": 0}


def test_unknown_format_is_refused() -> None:
    with pytest.raises(SaintError, match="not known") as caught:
        livelink_decode("x", "-", io.StringIO())
    assert caught.value.exit_code == 2
    assert "llf, json, vmc, ifacialmocap" in caught.value.fix
