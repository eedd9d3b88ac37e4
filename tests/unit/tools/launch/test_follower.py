"""The second robot of `make run --follower`: which arms are linked, and what is said if not."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools.launch import follower
from tools.launch import roster as rosters
from tools.launch.follower import SecondRobot, arms
from tools.launch.robot import Roster
from tools.launch.summary import Terminal


@pytest.fixture
def second(tmp_path: Path) -> SecondRobot:
    return SecondRobot("so101", tmp_path)


@pytest.fixture
def pair() -> Roster:
    return rosters.read("so101_pair")


def report(second: SecondRobot, **values: object) -> None:
    second.folder.mkdir(exist_ok=True)
    (second.folder / "robot.json").write_text(json.dumps(values))


def test_arms_and_parts_may_be_linked_and_nothing_else(pair: Roster, tmp_path: Path) -> None:
    assert arms(pair) == {"parts.follower"}
    assert arms(rosters.choose("saint", tmp_path)) == {"arms.left", "arms.right"}


async def test_arms_of_both_robots_are_linked_and_engaged(
    second: SecondRobot,
    pair: Roster,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    report(second, ready=True, ports={"http": 8081})
    sent: list[tuple[int, str, dict[str, Any]]] = []
    links = [{"name": "follower-parts-follower", "is_connected": True}]

    async def reply(port: int, request: str, body: dict[str, Any], *, timeout_s: float) -> Any:
        sent.append((port, request, body))
        return {"links": links}

    monkeypatch.setattr(follower.requests, "over_tcp", reply)
    await second.follow(8080, pair, Terminal())
    assert [(port, request) for port, request, _ in sent] == [
        (8080, f"POST /api/v1/link/{action}") for action in ("add", "list", "engage")
    ]
    assert sent[0][2]["url"] == "ws://127.0.0.1:8081"
    assert "follows: parts.follower" in capsys.readouterr().out


async def test_second_robot_without_a_common_arm_is_said(
    second: SecondRobot, capsys: pytest.CaptureFixture[str]
) -> None:
    report(second, ready=True, ports={"http": 8081})
    await second.follow(8080, Roster("none", ()), Terminal())
    assert "no arm, as both robots have none in common" in capsys.readouterr().out


async def test_second_robot_that_is_never_ready_is_said(
    second: SecondRobot,
    pair: Roster,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    report(second, ready=False)
    monkeypatch.setattr(follower, "_START_S", 0.01)
    await second.follow(8080, pair, Terminal())
    assert "does not follow: it was not ready in time" in capsys.readouterr().out
