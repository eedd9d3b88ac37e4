"""A node's log as its owner reads it at the server: from the node's own journal, over an order that
the server signs. Lines of the node's other programs stay there.
"""

import shlex
from typing import Any

import pytest

from saint_services.lib.api.logs import LogLine, LogPage
from tests.image.robot import NotYetError, Robot

_ROLE = "saint-role-headd.service"
_FOREIGN = "a line of nobody of ours"


def lines(robot: Robot, **wanted: Any) -> list[LogLine]:
    """As the page requests them, newest first."""
    answer = robot.request("logs", "query", node=robot.node_id, **wanted)
    return LogPage.model_validate(answer).lines


@pytest.fixture
def robot(robot: Robot) -> Robot:
    """Its node has lines to show: the role was killed, and another program wrote too."""
    robot.node.sh(f"echo {shlex.quote(_FOREIGN)} | systemd-cat -t foreign -p warning")
    robot.node.sh(f"systemctl kill -s KILL {_ROLE}")
    robot.until("the role's end is logged", lambda: lines(robot, level="WARNING", search=_ROLE), 60)
    return robot


def test_node_gives_the_lines_of_our_units_that_are_requested(robot: Robot) -> None:
    everything = lines(robot, limit=200)
    assert {line.node for line in everything} == {robot.node_id}
    sources = {line.source for line in everything}
    assert {"noded", "role-headd"} <= sources, sources
    times = [line.time for line in everything]
    assert times == sorted(times, reverse=True)

    bad = lines(robot, level="WARNING", limit=200)
    assert {line.level for line in bad} <= {"WARNING", "ERROR"}
    assert {line.level for line in everything} > {line.level for line in bad}

    of_noded = lines(robot, source="noded", search="ACTIVE")
    assert {line.source for line in of_noded} == {"noded"}
    assert all("active" in line.text.casefold() for line in of_noded)

    assert lines(robot, search=_FOREIGN) == []


def test_node_log_is_read_in_a_terminal(robot: Robot) -> None:
    said = robot.saintctl("log", "show", "--node", robot.node_id, "--level", "warning")
    assert said.code == 0, said.text
    assert _ROLE in said.text
    assert robot.node_id in said.text


@pytest.mark.image_all
def test_log_of_a_node_that_is_away_is_refused_with_a_reason(robot: Robot) -> None:
    robot.node.machine.unplug()
    try:
        with pytest.raises(NotYetError, match=r"does not answer|offline"):
            lines(robot)
        said = robot.saintctl("log", "show", "--node", robot.node_id)
    finally:
        robot.node.machine.plug()
    assert said.code != 0
    assert "Traceback" not in said.text
    assert "does not answer" in said.text or "offline" in said.text, said.text
