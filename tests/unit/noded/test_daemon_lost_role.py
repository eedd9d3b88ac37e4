"""A node whose list of roles is lost requests it from its server, and nothing moves until then."""

from pathlib import Path

import pytest

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.node import RoleReport
from saint_services.lib.state import last_good
from saint_services.noded.lifecycle import model
from saint_services.noded.lifecycle.model import RoleId
from saint_services.noded.lifecycle.node import NodeLifecycle, Outcome, fresh, step
from saint_services.noded.state import NodeFiles
from tests.unit.noded.lifecycle.test_node import assignment
from tests.unit.noded.test_daemon_more_roles import CONSOLE, HEAD, stored
from tests.unit.noded.test_state_last_good import lose

LOST = model.RolesLoaded((model.RoleLoaded(problem="role.yaml is damaged"),), is_incomplete=True)
BOTH = (RoleId("head"), RoleId("console"))


def lost() -> NodeLifecycle:
    node, actions = step(fresh("pi_1"), LOST)
    assert [each for each in actions if isinstance(each[1], model.FetchRoles)] == [
        (0, model.FetchRoles())
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
    read = NodeFiles(tmp_path).load_roles()
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
    read = NodeFiles(tmp_path).load_roles()
    assert read.is_incomplete
    assert [role.held for role in read.roles] == [HEAD]


def test_list_of_roles_that_is_whole_is_not_incomplete(tmp_path: Path) -> None:
    stored(tmp_path, HEAD, CONSOLE)
    assert not NodeFiles(tmp_path).load_roles().is_incomplete
    lose(tmp_path / "role.yaml", b"")
    assert not NodeFiles(tmp_path).load_roles().is_incomplete  # the copy is in force


def test_node_that_was_reset_has_lost_nothing(tmp_path: Path) -> None:
    stored(tmp_path, HEAD, CONSOLE)
    NodeFiles(tmp_path).forget()
    assert NodeFiles(tmp_path).load_roles() == model.RolesLoaded()
    stored(tmp_path, HEAD)
    NodeFiles(tmp_path).forget(RoleId("head"))
    assert NodeFiles(tmp_path).load_roles() == model.RolesLoaded()


def test_lost_list_is_requested_and_the_node_says_so_without_a_role() -> None:
    node = lost()
    assert node.is_lost
    assert not node.is_adopted
    assert node.state is NodeState.ADOPTING
    assert "role.yaml is damaged" in node.reason
    assert "moves nothing" in node.reason


def test_request_to_a_server_that_is_away_is_repeated_with_growing_pauses() -> None:
    node, pauses, pause_s = lost(), [], 0.0
    for _ in range(6):
        node, ((_, again), *_) = step(node, model.RolesFailed("no answer", pause_s))
        assert isinstance(again, model.FetchRoles)
        assert node.is_lost
        assert "no answer" in node.reason
        pause_s = again.pause_s
        pauses.append(pause_s)
    assert pauses == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]


def test_roles_of_the_server_are_fetched_each_and_started() -> None:
    outcome = step(lost(), model.RolesArrived(BOTH))
    node = outcome[0]
    assert not node.is_lost
    assert [life.wanted for life in node.roles] == list(BOTH)
    assert kinds(outcome) == [model.FetchConfig, model.FetchConfig, model.Announce]
    for slot, name in ((0, "head"), (1, "console")):
        arrived = model.ConfigArrived(node.lives[slot].attempt, assignment(name))
        node, actions = step(node, arrived, slot)
        assert any(isinstance(action, model.StoreRole) for _, action in actions)
        assert any(isinstance(action, model.StartRole) for _, action in actions)
    assert node.state is NodeState.ACTIVE
    assert "role.yaml is damaged" in lost().reason


def test_role_at_work_goes_on_while_the_further_ones_are_requested() -> None:
    read = model.RolesLoaded((model.RoleLoaded(held=assignment("head")),), is_incomplete=True)
    node, actions = step(fresh("pi_1"), read)
    assert (0, model.FetchRoles()) in actions
    attempt = node.lives[0].attempt
    node, actions = step(node, model.RolesArrived(BOTH))
    assert node.lives[0].attempt == attempt
    assert [life.wanted for life in node.roles] == list(BOTH)
    assert [action.wanted for _, action in actions if isinstance(action, model.FetchConfig)] == [
        RoleId("console")
    ]


def test_server_that_knows_no_role_leaves_the_node_unadopted_with_the_reason() -> None:
    node, actions = step(lost(), model.RolesArrived(()))
    assert not node.is_lost
    assert node.state is NodeState.UNADOPTED
    assert "adopt it again" in node.reason
    assert actions == ((0, model.Announce()),)


def test_answer_during_an_adoption_or_an_update_is_requested_again() -> None:
    adopting, _ = step(lost(), model.AdoptRequested(7, "pi_1", assignment("tracks")))
    updating, _ = step(lost(), model.UpdateBegan())
    for node in (adopting, updating):
        after, actions = step(node, model.RolesArrived(BOTH))
        assert after == node
        assert [type(action) for _, action in actions] == [model.FetchRoles]


@pytest.mark.parametrize(
    "event",
    [
        model.ResetRequested(7, "pi_1"),
        model.ResetRequested(7, "pi_1", forgets_server=True),
        model.ServerChanged(),
    ],
)
def test_reset_and_another_server_end_the_request(event: model.Event) -> None:
    node, _ = step(lost(), event)
    assert not node.is_lost
    assert step(node, model.RolesArrived(BOTH)) == (node, ())
    assert step(node, model.RolesFailed("no answer")) == (node, ())


def test_button_of_the_only_role_ends_the_request() -> None:
    read = model.RolesLoaded((model.RoleLoaded(held=assignment("head")),), is_incomplete=True)
    node, _ = step(fresh("pi_1"), read)
    pressed = RoleReport(ready=True, safe=True, estop=False, reset_wanted=True)
    node, _ = step(node, model.RoleReported(node.lives[0].attempt, pressed), 0)
    assert not node.is_lost


def test_unknown_roles_and_more_than_fit_are_left_out() -> None:
    many = tuple(RoleId("arms", f"n{number}") for number in range(9))
    node, _ = step(lost(), model.RolesArrived((RoleId("wings"), *many)))
    assert [life.wanted for life in node.roles] == list(many[:5])
