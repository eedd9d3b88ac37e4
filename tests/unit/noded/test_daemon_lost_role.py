"""A node whose list of roles is lost requests it from its server, and nothing moves until then."""

from pathlib import Path

import pytest

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.node import RoleReport
from saint_services.lib.state import last_good
from saint_services.noded.lifecycle import model as lives
from saint_services.noded.lifecycle.model import Wanted
from saint_services.noded.lifecycle.node import NodeLife, Outcome, fresh, step
from saint_services.noded.state import NodeFiles
from tests.unit.noded.lifecycle.test_node import assignment
from tests.unit.noded.test_daemon_more_roles import CONSOLE, HEAD, stored
from tests.unit.noded.test_state_last_good import lose

LOST = lives.DiskRead((lives.Started(problem="role.yaml is damaged"),), is_incomplete=True)
BOTH = (Wanted("head"), Wanted("console"))


def lost() -> NodeLife:
    node, actions = step(fresh("pi_1"), LOST)
    assert [each for each in actions if isinstance(each[1], lives.FetchRoles)] == [
        (0, lives.FetchRoles())
    ]
    return node


def kinds(outcome: Outcome) -> list[type]:
    return [type(action) for _, action in outcome[1]]


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"version_of_format: 9\nx: 1\n"])
def test_role_file_lost_with_its_copy_makes_the_list_incomplete(
    tmp_path: Path, content: bytes | None
) -> None:
    stored(tmp_path, HEAD, CONSOLE)
    for path in (tmp_path / "role.yaml", last_good(tmp_path / "role.yaml")):
        lose(path, content)
    read = NodeFiles(tmp_path).started()
    assert read.is_incomplete
    assert [role.held for role in read.roles] == [None]
    assert content is None or "role.yaml" in read.roles[0].problem


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"version_of_format: 9\nx: 1\n"])
def test_file_of_further_roles_damaged_with_its_copy_makes_the_list_incomplete(
    tmp_path: Path, content: bytes
) -> None:
    stored(tmp_path, HEAD, CONSOLE)
    for path in (tmp_path / "more_roles.yaml", last_good(tmp_path / "more_roles.yaml")):
        lose(path, content)
    read = NodeFiles(tmp_path).started()
    assert read.is_incomplete
    assert [role.held for role in read.roles] == [HEAD]


def test_list_of_roles_that_is_whole_is_not_incomplete(tmp_path: Path) -> None:
    stored(tmp_path, HEAD, CONSOLE)
    assert not NodeFiles(tmp_path).started().is_incomplete
    lose(tmp_path / "role.yaml", b"")
    assert not NodeFiles(tmp_path).started().is_incomplete  # the copy is in force


def test_node_that_was_reset_has_lost_nothing(tmp_path: Path) -> None:
    stored(tmp_path, HEAD, CONSOLE)
    NodeFiles(tmp_path).forget()
    assert NodeFiles(tmp_path).started() == lives.DiskRead()
    stored(tmp_path, HEAD)
    NodeFiles(tmp_path).forget(Wanted("head"))
    assert NodeFiles(tmp_path).started() == lives.DiskRead()


def test_lost_list_is_requested_and_the_node_says_so_without_a_role() -> None:
    node = lost()
    assert node.is_lost
    assert not node.is_adopted
    assert node.state is NodeState.ADOPTING
    assert "role.yaml is damaged" in node.reason
    assert "moves nothing" in node.reason


def test_server_that_is_away_is_asked_again_with_growing_pauses() -> None:
    node, pauses, pause_s = lost(), [], 0.0
    for _ in range(6):
        node, ((_, again), *_) = step(node, lives.RolesFailed("no answer", pause_s))
        assert isinstance(again, lives.FetchRoles)
        assert node.is_lost
        assert "no answer" in node.reason
        pause_s = again.pause_s
        pauses.append(pause_s)
    assert pauses == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]


def test_roles_of_the_server_are_fetched_each_and_started() -> None:
    outcome = step(lost(), lives.RolesArrived(BOTH))
    node = outcome[0]
    assert not node.is_lost
    assert [life.wanted for life in node.roles] == list(BOTH)
    assert kinds(outcome) == [lives.FetchConfig, lives.FetchConfig, lives.Announce]
    for slot, name in ((0, "head"), (1, "console")):
        arrived = lives.ConfigArrived(node.lives[slot].attempt, assignment(name))
        node, actions = step(node, arrived, slot)
        assert any(isinstance(action, lives.StoreRole) for _, action in actions)
        assert any(isinstance(action, lives.StartRole) for _, action in actions)
    assert node.state is NodeState.ACTIVE
    assert "role.yaml is damaged" in lost().reason


def test_role_at_work_goes_on_while_the_further_ones_are_requested() -> None:
    read = lives.DiskRead((lives.Started(held=assignment("head")),), is_incomplete=True)
    node, actions = step(fresh("pi_1"), read)
    assert (0, lives.FetchRoles()) in actions
    attempt = node.lives[0].attempt
    node, actions = step(node, lives.RolesArrived(BOTH))
    assert node.lives[0].attempt == attempt
    assert [life.wanted for life in node.roles] == list(BOTH)
    assert [action.wanted for _, action in actions if isinstance(action, lives.FetchConfig)] == [
        Wanted("console")
    ]


def test_server_that_knows_no_role_leaves_the_node_unadopted_with_the_reason() -> None:
    node, actions = step(lost(), lives.RolesArrived(()))
    assert not node.is_lost
    assert node.state is NodeState.UNADOPTED
    assert "adopt it again" in node.reason
    assert actions == ((0, lives.Announce()),)


def test_answer_during_an_adoption_or_an_update_is_asked_for_again() -> None:
    adopting, _ = step(lost(), lives.AdoptRequested(7, "pi_1", assignment("tracks")))
    updating, _ = step(lost(), lives.UpdateBegan())
    for node in (adopting, updating):
        after, actions = step(node, lives.RolesArrived(BOTH))
        assert after == node
        assert [type(action) for _, action in actions] == [lives.FetchRoles]


@pytest.mark.parametrize(
    "event",
    [
        lives.ResetRequested(7, "pi_1"),
        lives.ResetRequested(7, "pi_1", forgets_server=True),
        lives.ServerChanged(),
    ],
)
def test_reset_and_another_server_end_the_request(event: lives.Event) -> None:
    node, _ = step(lost(), event)
    assert not node.is_lost
    assert step(node, lives.RolesArrived(BOTH)) == (node, ())
    assert step(node, lives.RolesFailed("no answer")) == (node, ())


def test_button_of_the_only_role_ends_the_request() -> None:
    read = lives.DiskRead((lives.Started(held=assignment("head")),), is_incomplete=True)
    node, _ = step(fresh("pi_1"), read)
    pressed = RoleReport(ready=True, safe=True, estop=False, reset_wanted=True)
    node, _ = step(node, lives.RoleReported(node.lives[0].attempt, pressed), 0)
    assert not node.is_lost


def test_unknown_roles_and_more_than_fit_are_left_out() -> None:
    many = tuple(Wanted("arms", f"n{number}") for number in range(9))
    node, _ = step(lost(), lives.RolesArrived((Wanted("wings"), *many)))
    assert [life.wanted for life in node.roles] == list(many[:5])
