"""`route test` against results that are worked out by hand from the router's description. Positions
are used where the way does not matter: their first command is taken at once.
"""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from saint_services.saintctl.route.replay import route_test


@pytest.fixture
def replay(tmp_path: Path) -> Any:
    def run(routes: list[dict[str, Any]], *lines: Any, **blending: Any) -> list[dict[str, Any]]:
        file = {"routes": routes, "blending": blending}
        (tmp_path / "r.yaml").write_text(json.dumps(file))  # JSON is YAML
        (tmp_path / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        out = io.StringIO()
        assert route_test(str(tmp_path / "r.yaml"), "", str(tmp_path / "s.jsonl"), out) == 0
        shown = [
            json.loads(line, parse_constant=pytest.fail) for line in out.getvalue().split("\n")[:-1]
        ]
        assert len(shown) == len(lines)
        assert [line["t_ms"] for line in shown] == [line["t_ms"] for line in lines]
        return shown

    return run


def route(name: str, source: str, target: str, to: str = "", **more: Any) -> dict[str, Any]:
    mapping = "passthrough" if not to else [{"from": "x", "to": to, **more}]
    return {
        "id": name, "input": {"source": source}, "output": {"target": target}, "mapping": mapping,
    }  # fmt: skip


def rc(t_ms: float, x: float, **more: Any) -> dict[str, Any]:
    return {"t_ms": t_ms, "source": "rc", "values": {"x": x}, **more}


def web(t_ms: float, target: str, client: str = "a", **values: float) -> dict[str, Any]:
    line = {"t_ms": t_ms, "source": "websocket", "client": client, "target": target}
    return line | {"values": values}


def face(t_ms: float, x: float, subject: str = "Face") -> dict[str, Any]:
    return {"t_ms": t_ms, "source": "livelink", "subject": subject, "values": {"x": x}}


@pytest.mark.parametrize(
    ("mapping", "x", "expected", "is_clamped"),
    [
        ({}, 0.5, 0.5, False),
        ({"inverted": True}, 0.5, -0.5, False),
        ({"deadzone": 0.1}, 0.1, 0.0, False),
        ({"deadzone": 0.1}, -0.1, 0.0, False),
        ({"deadzone": 0.1}, 0.55, 0.5, False),  # (0.55 - 0.1) / 0.9
        ({"deadzone": 0.1}, -1.0, -1.0, False),
        ({"curve": "exponential", "expo": 0.3}, 0.5, 0.3875, False),  # 0.7 x 0.5 + 0.3 x 0.125
        ({"curve": "exponential", "expo": 0.3}, -1.0, -1.0, False),
        ({"curve": "exponential", "expo": 1.0}, 0.5, 0.125, False),
        ({"curve": "linear", "expo": 1.0}, 0.5, 0.5, False),
        ({"scale": 90.0, "offset": 10.0}, 0.5, 55.0, False),
        ({"scale": 2.0, "offset": 1.0, "inverted": True}, 0.5, 0.0, False),
        (
            {"inverted": True, "deadzone": 0.1, "curve": "exponential", "expo": 0.3,
             "scale": 90.0, "offset": 10.0},
            0.55, -24.875, False,
        ),
        ({"scale": 90.0, "offset": 10.0, "clamp": [-20.0, 20.0]}, 0.5, 20.0, True),
        ({"scale": 90.0, "offset": 10.0, "clamp": [-20.0, 20.0]}, 0.0, 10.0, False),
        ({"scale": 400.0}, 1.0, 180.0, True),
        ({"scale": -400.0}, 1.0, -180.0, True),
        ({"scale": 400.0, "clamp": [-300.0, 300.0]}, 1.0, 180.0, True),  # the role's limit wins
        ({"scale": 1.0, "clamp": [200.0, 300.0]}, 1.0, 180.0, True),
        ({"mode": "switch"}, 0.5, 1.0, False),
        ({"mode": "switch"}, 0.499, 0.0, False),
        ({"mode": "switch", "inverted": True}, 0.499, 1.0, False),
        ({"mode": "switch", "inverted": True}, 0.5, 0.0, False),
        ({"mode": "switch", "threshold": -0.25, "scale": 30.0, "offset": 5.0}, -0.25, 35.0, False),
        ({"mode": "switch", "threshold": -0.25, "scale": 30.0, "offset": 5.0}, -0.26, 5.0, False),
        ({"scale": 0.0, "offset": 7.0}, 1.0, 7.0, False),
    ],
)  # fmt: skip
def test_mapping_steps_follow_their_order(
    replay: Any, mapping: dict[str, Any], x: float, expected: float, is_clamped: bool
) -> None:
    (line,) = replay([route("r", "rc", "head", "pan", **mapping)], rc(0, x))
    assert line["outputs"]["head"]["pan"] == pytest.approx(expected, abs=1e-6)
    assert line["why"]["head.pan"]["clamped"] is is_clamped
    assert line["why"]["head.pan"]["winner"] == "r"


@pytest.mark.parametrize(
    ("kind", "line", "timeout_ms"),
    [("rc", rc(0, 9.0), 120), ("livelink", face(0, 9.0), 500),
     ("websocket", web(0, "", x=9.0) | {"target": ""}, 300),
     ("autonomous", {"t_ms": 0, "source": "autonomous", "name": "ros", "values": {"x": 9.0}}, 300)],
)  # fmt: skip
def test_source_is_lost_after_its_time_and_the_position_holds(
    replay: Any, kind: str, line: dict[str, Any], timeout_ms: int
) -> None:
    ticks = [{"t_ms": timeout_ms + more, "tick": True} for more in (-1, 0, 5_000)]
    lines = replay([route("r", kind, "head", "pan")], line, *ticks)
    whys = [each["why"]["head.pan"] for each in lines]
    assert [why["winner"] for why in whys] == ["r", "r", None, None]
    assert (whys[1]["age_ms"], whys[2]["age_ms"]) == (timeout_ms - 1, None)
    assert [each["outputs"]["head"]["pan"] for each in lines] == [9.0] * 4


def test_higher_priority_wins_and_contenders_are_listed(replay: Any) -> None:
    routes = [route("low", "livelink", "head", "pan"), route("high", "rc", "head", "pan")]
    lines = replay(routes, face(0, 5.0), rc(10, 5.0))
    assert lines[0]["why"]["head.pan"]["winner"] == "low"
    why = lines[1]["why"]["head.pan"]
    assert (why["winner"], why["source"], why["age_ms"]) == ("high", "rc", 0)
    contender = {
        "route": "low",
        "source": "livelink:Face",
        "age_ms": 10,
        "reason": "lower priority",
    }
    assert why["rivals"] == [contender]


def test_equal_priority_keeps_control(replay: Any) -> None:
    lines = replay(
        [route("web", "websocket", "*")], web(0, "head", pan=5.0), web(10, "head", "b", pan=5.0)
    )
    why = lines[1]["why"]["head.pan"]
    assert why["source"] == "websocket:a"
    assert why["rivals"][0]["reason"] == "came later"


def test_route_priority_and_a_disabled_route(replay: Any) -> None:
    low = route("low", "rc", "head", "pan") | {"priority": 10}
    off = route("off", "livelink", "head", "pan") | {"enabled": False}
    high = route("high", "livelink", "head", "pan") | {"priority": 11}
    (_, line) = replay([low, off, high], rc(0, 5.0), face(0, 5.0))
    assert line["why"]["head.pan"]["winner"] == "high"
    assert {each["route"] for each in line["why"]["head.pan"]["rivals"]} == {"low"}


def steady(seconds: float) -> list[dict[str, Any]]:
    """RC requests 40, the face 0."""
    times = range(0, round(seconds * 1000), 50)
    return [each for t_ms in times for each in (rc(t_ms, 40.0), face(t_ms, 0.0))]


@pytest.mark.parametrize(
    ("mode", "weights", "expected"),
    [
        ("priority", (None, None), 40.0),
        ("blend", (None, None), 30.0),  # (300 x 40 + 100 x 0) / 400
        ("blend", (1.0, 3.0), 10.0),
        ("blend", (0.0, 0.0), 20.0),
        ("additive", (None, None), 40.0),
    ],
)
def test_contenders_are_combined(
    replay: Any, mode: str, weights: tuple[float | None, ...], expected: float
) -> None:
    routes = [
        route(kind, kind, "head", "pan") | ({} if weight is None else {"weight": weight})
        for kind, weight in zip(("rc", "livelink"), weights, strict=True)
    ]
    last = replay(routes, *steady(1.5), mode=mode)[-1]
    assert last["outputs"]["head"]["pan"] == pytest.approx(expected, abs=1e-4)


def test_sum_stays_within_the_limits(replay: Any) -> None:
    routes = [route(kind, kind, "head", "pan", scale=4.0) for kind in ("rc", "livelink")]
    lines = [each | {"values": {"x": 40.0}} for each in steady(2.0)]
    assert replay(routes, *lines, mode="additive")[-1]["outputs"]["head"]["pan"] == 180.0


def test_velocity_ramps_up_at_its_rate_and_to_zero_after_a_loss(replay: Any) -> None:
    drive = route("r", "rc", "tracks", "linear", scale=1.5)
    samples = [rc(t_ms, 1.0) for t_ms in range(0, 500, 20)]
    ticks = [{"t_ms": t_ms, "tick": True} for t_ms in (599, 600, 625, 660)]
    lines = replay([drive], *samples, *ticks)
    speeds = [line["outputs"]["tracks"]["linear"] for line in lines]
    assert speeds[0] == pytest.approx(0.06)  # 6 m/s2 for 10 ms
    assert speeds[12] == pytest.approx(1.5)  # 0.06 + 0.24 s x 6 m/s2
    assert speeds[11] < 1.5
    assert speeds[-4] == 1.5 and speeds[-1] == 0.0
    assert lines[-3]["why"]["tracks.linear"]["winner"] is None
    assert 0.0 < speeds[-2] < 1.5


def both(t_ms: float, x: float, y: float) -> dict[str, Any]:
    return {"t_ms": t_ms, "source": "rc", "values": {"x": x, "y": y}}


def test_stop_outlives_its_switch_and_needs_a_move_after_the_reset(replay: Any) -> None:
    stop = route("stop", "rc", "*", "estop", mode="switch")
    stop["mapping"][0]["from"] = "y"
    drive = route("drive", "rc", "tracks", "linear")
    lines = replay(
        [stop, drive],
        both(0, 0.05, 0.0),
        both(20, 0.05, 1.0),
        {"t_ms": 30, "estop": "clear"},  # the switch is still on
        both(40, 0.05, 0.0),
        {"t_ms": 50, "estop": "clear"},  # the stick is not neutral
        both(60, 0.0, 0.0),
        {"t_ms": 70, "estop": "clear"},
        both(80, 0.0, 0.0),
        both(100, 0.06, 0.0),
    )
    assert [line["estop"] for line in lines] == [False] + [True] * 5 + [False] * 3
    assert ["refused" in line for line in lines] == [False] + [True] * 5 + [False] * 3
    assert "e-stop is active" in str(lines[5]["refused"])
    assert lines[1]["outputs"]["tracks"] == {"linear": 0.0, "angular": 0.0}
    assert lines[7]["why"]["tracks.linear"]["winner"] is None
    assert lines[8]["why"]["tracks.linear"]["winner"] == "drive"


def test_direct_commands_need_a_target_and_known_fields(replay: Any) -> None:
    lines = replay(
        [route("web", "websocket", "*")],
        web(0, "head", pan=12.0, tilt=-3.0),
        web(10, "arms.left", joint_0=20.0, nose=1.0),
        web(20, "legs", pan=1.0),
    )
    assert (lines[0]["outputs"]["head"]["pan"], lines[0]["outputs"]["head"]["tilt"]) == (12.0, -3.0)
    assert lines[1]["outputs"]["arms.left"]["joint_0"] == 20.0
    assert "unknown target" in lines[2]["refused"]


def test_subject_chooses_the_face(replay: Any) -> None:
    chosen = route("r", "livelink", "head", "pan")
    chosen["input"]["subject"] = "Face"
    lines = replay([chosen], face(0, 5.0, "Other"), face(10, 7.0))
    assert [line["why"]["head.pan"]["winner"] for line in lines] == [None, "r"]
    assert lines[1]["outputs"]["head"]["pan"] == 7.0


def test_timers_due_at_a_line_have_fired(replay: Any) -> None:
    # 0.05 s and 0.01 s are 0.060000000000000005 s: the step must not come a line late.
    drive = route("r", "rc", "tracks", "linear", scale=1.5)
    lines = replay([drive], *[rc(t_ms, 1.0) for t_ms in range(0, 240, 10)])
    speeds = [line["outputs"]["tracks"]["linear"] for line in lines]
    assert speeds == pytest.approx([0.06 * (step + 1) for step in range(24)])
    for begin in range(0, 100, 7):
        times = (begin, begin + 119, begin + 120)
        first, *ticks = times
        lines = replay([drive], rc(first, 0.0), *[{"t_ms": t, "tick": True} for t in ticks])
        whys = [line["why"]["tracks.linear"] for line in lines]
        assert [why["winner"] for why in whys] == ["r", "r", None]
        assert whys[2]["rivals"][0]["reason"] == "timed out"
