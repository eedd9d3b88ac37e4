"""`saintctl route test`: the form of its lines, the specification's own examples, and what it says
to files that are wrong. Times and values are worked out by hand.
"""

import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from saint_services.lib.errors import SaintError
from saint_services.saintctl.app import app
from saint_services.saintctl.route.replay import route_test

SHARE = Path(__file__).parents[4]
DRIVE = """\
routes:
  - id: rc_drive
    input: {source: rc}
    output: {target: tracks}
    mapping:
      - {from: channel_2, to: linear, deadzone: 0.05, curve: exponential, expo: 0.3}
      - {from: channel_1, to: angular, scale: -3.0}
  - id: web
    input: {source: websocket}
    output: {target: "*"}
    mapping: passthrough
"""
# The specification's "Routing Rules" and "Priority and Blending", word for word but for the rest of
# the joints, and the RC examples of "Channel Mapping Examples".
SPECIFICATION = """\
routes:
  - id: "facecap_to_head"
    enabled: true
    priority: 100
    input:
      source: "livelink"
      subject: "FaceCapture"
      type: "face"
    output:
      target: "head"
    mapping:
      - from: "headYaw"
        to: "pan"
        scale: 1.0
        offset: 0.0
        clamp: [-180, 180]
      - from: "headPitch"
        to: "tilt"
        scale: 1.0
        offset: 0.0
        clamp: [-90, 90]
      - from: "headRoll"
        to: "roll"
        scale: 1.0
        offset: 0.0
        clamp: [-45, 45]
  - id: "ue_character_to_arms"
    enabled: true
    priority: 100
    input:
      source: "livelink"
      subject: "UE_Character"
      type: "animation"
    output:
      target: "arms.left"
    mapping:
      - from: "LeftArm.shoulder"
        to: "joint_0"
        scale: 1.0
      - from: "LeftArm.elbow"
        to: "joint_1"
        scale: 1.0
  - id: "websocket_direct"
    enabled: true
    priority: 200
    input:
      source: "websocket"
      command_types: ["move", "home"]
    output:
      target: "*"  # Any target specified in command
    mapping: "passthrough"
  - id: "rc_drive"
    enabled: true
    priority: 300
    input:
      source: "rc"
      protocol: "sbus"
    output:
      target: "tracks"
    mapping:
      - from: "channel_2"
        to: "linear"
        scale: 1.0
        deadzone: 0.05
        curve: "exponential"
        expo: 0.3
      - from: "channel_1"
        to: "angular"
        scale: 1.0
        deadzone: 0.05
  - id: "rc_arm_gripper"
    enabled: true
    priority: 300
    input:
      source: "rc"
    output:
      target: "arms.left"
    mapping:
      - from: "channel_5"
        to: "gripper"
        mode: "switch"
        threshold: 0.5
  - id: "rc_estop"
    enabled: true
    priority: 1000
    input:
      source: "rc"
    output:
      target: "tracks"
    mapping:
      - from: "channel_6"
        to: "estop"
        mode: "switch"
        inverted: true            # Low = stop
blending:
  mode: "priority"          # "priority", "blend", "additive"
  blend_time_ms: 200        # Smooth transition time
  source_timeout_ms: 500    # Consider source inactive after this
"""


class Bench:
    """Routes and a recording in a folder."""

    def __init__(self, folder: Path) -> None:
        self.routes, self.samples = folder / "routes.yaml", folder / "samples.jsonl"

    def run(self, routes: str, *lines: Any, role_dir: str = "") -> list[dict[str, Any]]:
        self.routes.write_text(routes)
        text = "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines)
        self.samples.write_text(text)
        out = io.StringIO()
        assert route_test(str(self.routes), role_dir, str(self.samples), out) == 0
        return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def rc(t_ms: float, **channels: float) -> dict[str, Any]:
    return {"t_ms": t_ms, "source": "rc", "values": channels}


def web(t_ms: float, target: str = "tracks", **values: float) -> dict[str, Any]:
    return {"t_ms": t_ms, "source": "websocket", "client": "a", "target": target, "values": values}


def test_line_has_outputs_reasons_and_the_latch(bench: Bench) -> None:
    (line,) = bench.run(DRIVE, rc(0, channel_1=0.0, channel_2=0.0) | {"failsafe": False})
    assert list(line) == ["t_ms", "outputs", "why", "estop"]
    assert (line["t_ms"], line["estop"]) == (0, False)
    assert line["outputs"]["tracks"] == {"linear": 0.0, "angular": 0.0}
    assert line["why"]["tracks.linear"] == {
        "winner": "rc_drive",
        "source": "rc",
        "age_ms": 0,
        "clamped": False,
        "policy": "live",
        "rivals": [],
    }
    assert line["why"]["head.pan"]["winner"] is None


def test_specification_examples_load_and_do_what_they_say(bench: Bench) -> None:
    face = {"headYaw": 10.0, "headPitch": -100.0, "headRoll": 5.0}
    bones = {"LeftArm.shoulder": 20.0, "LeftArm.elbow": -30.0}
    lines = bench.run(
        SPECIFICATION,
        {"t_ms": 0, "source": "livelink", "subject": "FaceCapture", "values": face},
        {"t_ms": 1, "source": "livelink", "subject": "UE_Character", "values": bones},
        {"t_ms": 2, "source": "livelink", "subject": "Other", "values": {"headYaw": 90.0}},
        web(3, linear=1.0),
        *[rc(4 + n, channel_1=1, channel_2=0.525, channel_5=0.5, channel_6=1) for n in range(400)],
        rc(405, channel_1=1, channel_2=0.525, channel_5=0.5, channel_6=-1),
    )
    head = lines[2]["outputs"]["head"]
    assert (head["pan"], head["tilt"], head["roll"]) == (10.0, -90.0, 5.0)
    assert lines[0]["why"]["head.tilt"]["clamped"]
    arm = lines[2]["outputs"]["arms.left"]
    assert (arm["joint_0"], arm["joint_1"]) == (20.0, -30.0)
    assert lines[3]["why"]["tracks.linear"]["winner"] is None  # only move and home are let through
    driving = lines[-2]["outputs"]
    assert driving["tracks"]["linear"] == pytest.approx(0.7 * 0.5 + 0.3 * 0.125)
    assert driving["tracks"]["angular"] == 1.0
    assert driving["arms.left"]["gripper"] == 1.0
    assert not lines[-2]["estop"]
    assert lines[-1]["estop"]
    assert lines[-1]["outputs"]["tracks"] == {"linear": 0.0, "angular": 0.0}


def test_blending_alone_is_a_file(bench: Bench) -> None:
    (line,) = bench.run("blending:\n  mode: additive\n", {"t_ms": 5, "tick": True})
    assert line["outputs"]["tracks"]["linear"] == 0.0


def test_time_passes_between_lines_as_on_a_robot(bench: Bench) -> None:
    lines = bench.run(
        DRIVE,
        *[rc(20 * n, channel_2=1.0) for n in range(20)],
        {"t_ms": 499, "tick": True},
        {"t_ms": 500, "tick": True},
        {"t_ms": 525, "tick": True},
        {"t_ms": 560, "tick": True},
    )
    assert lines[0]["outputs"]["tracks"]["linear"] == pytest.approx(0.06)  # 6 m/s2 for 10 ms
    assert lines[1]["outputs"]["tracks"]["linear"] == pytest.approx(0.18)
    assert lines[19]["outputs"]["tracks"]["linear"] == 1.0
    assert lines[20]["why"]["tracks.linear"]["age_ms"] == 119
    assert lines[21]["why"]["tracks.linear"]["winner"] is None
    assert lines[21]["why"]["tracks.linear"]["rivals"][0]["reason"] == "timed out"
    assert 0.3 < lines[22]["outputs"]["tracks"]["linear"] < 0.7
    assert lines[23]["outputs"]["tracks"]["linear"] == 0.0


def test_failsafe_lets_the_next_in_line_drive(bench: Bench) -> None:
    lines = bench.run(
        DRIVE,
        rc(0, channel_2=0.0),
        web(10, linear=0.02),
        rc(20, channel_2=0.0) | {"failsafe": True},
    )
    assert lines[1]["why"]["tracks.linear"]["rivals"] == [
        {"route": "web", "source": "websocket:a", "age_ms": 0, "reason": "lower priority"}
    ]
    why = lines[2]["why"]["tracks.linear"]
    assert (why["winner"], why["source"], why["age_ms"]) == ("web", "websocket:a", 10)
    assert why["rivals"][0]["reason"] == "failsafe"


@pytest.mark.parametrize(
    ("action", "winner", "estop"),
    [("hold", None, False), ("neutral", None, False), ("estop", None, True),
     ("passthrough", "web", False)],
)  # fmt: skip
def test_failsafe_action_can_be_named(
    bench: Bench, action: str, winner: str | None, estop: bool
) -> None:
    lost = rc(20, channel_2=0.0) | {"failsafe": action}
    lines = bench.run(DRIVE, rc(0, channel_2=0.0), web(10, linear=0.02), lost)
    assert (lines[2]["why"]["tracks.linear"]["winner"], lines[2]["estop"]) == (winner, estop)


def test_estop_is_set_and_cleared(bench: Bench) -> None:
    lines = bench.run(
        DRIVE,
        rc(0, channel_2=1.0),
        {"t_ms": 10, "estop": "set"},
        {"t_ms": 20, "estop": "clear"},
        rc(30, channel_2=0.0),
        {"t_ms": 40, "estop": "clear"},
    )
    assert [line["estop"] for line in lines] == [False, True, True, True, False]
    assert lines[1]["outputs"]["tracks"]["linear"] == 0.0
    assert "channel_2" in lines[2]["refused"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"t_ms": 5, "source": "rc", "values": {"channel_2": NaN}}', "value not finite"),
        ('{"t_ms": 5, "source": "rc", "values": {"channel_2": 1e400}}', "value not finite"),
        ('{"t_ms": 5, "source": "rc", "values": {"channel_2": -1e39}}', "value not finite"),
        ({"t_ms": 5, "source": "rc", "values": {"channel_2": 10**400}}, "value not finite"),
        (rc(5) | {"source": "joystick"}, "unknown source"),
        (rc(5) | {"source": ""}, "unknown source"),
        (web(5, "legs", pan=1.0), "unknown target"),
        (rc(-0.0, channel_2=1.0) | {"t_ms": 0}, "older than the line before"),
    ],
)
def test_refused_sample_changes_nothing(bench: Bench, line: Any, reason: str) -> None:
    lines = bench.run(DRIVE, rc(3, channel_2=0.06), line)
    assert reason in lines[1]["refused"]
    assert lines[1]["outputs"] == lines[0]["outputs"]
    values = [v for group in lines[1]["outputs"].values() for v in group.values()]
    assert all(math.isfinite(v) for v in values if v is not None)  # None: not commanded


@pytest.mark.parametrize(
    "late",
    [{"t_ms": 10, "estop": "set"}, rc(10, channel_6=-1.0),
     {"t_ms": 10, "source": "rc", "values": {}, "failsafe": "estop"},
     {"t_ms": 10, "source": "safety", "name": "mat", "values": {}, "failsafe": True}],
)  # fmt: skip
def test_stop_counts_whatever_its_time_stamp(bench: Bench, late: dict[str, Any]) -> None:
    lines = bench.run(SPECIFICATION, rc(50, channel_6=1.0), late, rc(60, channel_6=1.0))
    assert "older than the line before" in lines[1]["refused"]
    assert [line["estop"] for line in lines] == [False, True, True]


@pytest.mark.parametrize("late", [{"t_ms": 10, "estop": "clear"}, rc(10, channel_2=1.0)])
def test_late_line_does_nothing_else(bench: Bench, late: dict[str, Any]) -> None:
    lines = bench.run(DRIVE, {"t_ms": 0, "estop": "set"}, rc(50, channel_2=0.0), late)
    assert lines[-1]["estop"]
    assert lines[-1]["outputs"] == lines[-2]["outputs"]


def test_own_roles_are_used(bench: Bench, tmp_path: Path) -> None:
    roles = tmp_path / "roles"
    roles.mkdir()
    text = (SHARE / "manifests" / "roles" / "tracks.yaml").read_text()
    (roles / "t.yaml").write_text(text.replace("limits: [-1.5, 1.5]", "limits: [-0.5, 0.5]"))
    lines = bench.run(
        DRIVE.replace("expo: 0.3", "scale: 9"),
        *[rc(20 * n, channel_2=1.0) for n in range(20)],
        role_dir=str(roles),
    )
    assert lines[-1]["outputs"] == {"tracks": {"linear": 0.5, "angular": 0.0}}
    (roles / "u.yaml").write_text(text)
    with pytest.raises(SaintError, match="two roles tracks"):
        bench.run(DRIVE, role_dir=str(roles))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("x", "line 1 is not JSON"),
        ("[]", "line 1 is not a JSON object"),
        ({"tick": True}, "t_ms must be a number"),
        ({"t_ms": True, "tick": True}, "t_ms must be a number"),
        ({"t_ms": -1, "tick": True}, "from 0, not -1"),
        ('{"t_ms": NaN, "tick": true}', "t_ms must be a number"),
        ({"t_ms": 1e300, "tick": True}, "t_ms must be a number"),
        ({"t_ms": 0}, "has no source"),
        ({"t_ms": 0, "tick": False}, "has no source"),
        ({"t_ms": 0, "soruce": "rc"}, "did you mean 'source'?"),
        (rc(0) | {"failsave": True}, "did you mean 'failsafe'?"),
        (rc(0) | {"failsafe": 1}, "failsafe must be true, false or one of hold"),
        (rc(0) | {"source": 5}, "source must be a text"),
        (rc(0) | {"values": [1]}, "values must be a group"),
        (rc(0) | {"values": {"channel_2": "1"}}, "values.channel_2 must be a number, not '1'"),
        (rc(0) | {"values": {"channel_2": True}}, "values.channel_2 must be a number"),
        ({"t_ms": 0, "estop": "off"}, "estop must be 'set' or 'clear', not 'off'"),
    ],
)
def test_line_of_another_form_is_named(bench: Bench, line: Any, words: str) -> None:
    with pytest.raises(SaintError) as caught:
        bench.run(DRIVE, line)
    assert words in caught.value.message
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("routes", "words"),
    [
        ("", "the file is empty"),
        ("- 1\n", "must contain 'key: value' pairs"),
        ("route: []\n", "did you mean 'routes'?"),
        ("routes: &a [*a]\n", "anchors are not supported"),
        (DRIVE.replace("expo: 0.3", "expo: .nan"), "expo must be a finite number, not nan"),
        (DRIVE.replace("scale: -3.0", "scale: -.inf"), "scale must be a finite number"),
        (
            DRIVE.replace("exponential", "expo"),
            "curve must be one of 'linear', 'exponential', 'points' or 'smooth'",
        ),
        (DRIVE.replace("to: linear", "to: lineal"), "did you mean 'linear'?"),
        (DRIVE.replace("target: tracks", "target: track"), "did you mean 'tracks'?"),
        (DRIVE.replace("deadzone", "deadzon"), "did you mean 'deadzone'?"),
        (DRIVE.replace("from: channel_2", "from: tracks.linear"), "make a cycle"),
        (DRIVE.replace("scale: -3.0", "clamp: [1, -1]"), "clamp must rise"),
        (DRIVE + "blending: {mode: blnd}\n", "blending.mode must be one of"),
        (DRIVE + "blending: {blend_time_ms: -1}\n", "blend_time_ms must be at least 0"),
        (DRIVE + "blending: {fields: {head.pam: blend}}\n", "did you mean 'head.pan'?"),
    ],
)
def test_unsound_routes_are_named(bench: Bench, routes: str, words: str) -> None:
    with pytest.raises(SaintError) as caught:
        bench.run(routes)
    assert words in caught.value.message
    assert str(bench.routes) in caught.value.message
    assert caught.value.exit_code == 2


def test_command_reads_standard_input_and_exits_with_2_for_faults(tmp_path: Path) -> None:
    routes = tmp_path / "r.yaml"
    routes.write_text(DRIVE)
    good = CliRunner().invoke(
        app, ["route", "test", str(routes), "-"], input='{"t_ms": 0, "tick": true}\n'
    )
    assert good.exit_code == 0
    assert json.loads(good.stdout)["estop"] is False
    for arguments in (["route", "test"], ["route", "test", str(routes), str(tmp_path / "none")]):
        assert CliRunner().invoke(app, arguments).exit_code == 2


@pytest.mark.parametrize("preset", ["default", "facecap_head", "rc_manual", "manual_override"])
def test_shipped_presets_run(bench: Bench, preset: str) -> None:
    text = (SHARE / "manifests" / "routes" / f"{preset}.yaml").read_text()
    (line,) = bench.run(text, {"t_ms": 0, "tick": True})
    assert not line["estop"]
