"""Several roles on one node, step by step: independent of each other, without conflicts."""

from pathlib import Path

import pytest

from saint_services.lib import config as settings
from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.node import RoleReport
from saint_services.lib.robot.manifest import RobotManifest, read_role
from saint_services.lib.role_config.model import RoleConfig
from saint_services.noded.lifecycle import model
from saint_services.noded.lifecycle.model import (
    Action,
    AdoptRequested,
    Assignment,
    ResetRequested,
    RoleId,
)
from saint_services.noded.lifecycle.node import NodeLifecycle, fresh, step

MANIFESTS = Path(__file__).parents[4] / "manifests"
# On a robot whose upper half is one computer.
UPPER = settings.load(RobotManifest, MANIFESTS / "robots" / "saint_two.yaml", required=True)
ROLES = {entry.target: read_role(MANIFESTS, entry) for entry in UPPER.roles}
READY = RoleReport(ready=True, safe=True, estop=False)
MOVING = RoleReport(ready=True, safe=False, estop=False)
HEAD, CONSOLE, TRACKS = "head", "console", "tracks"


def assignment(name: str) -> Assignment:
    return Assignment(*ROLES[name], "SAINT-01")


def started(*names: str) -> NodeLifecycle:
    """Return a node that has resumed these roles; all are ready."""
    read = model.RolesLoaded(tuple(model.RoleLoaded(held=assignment(name)) for name in names))
    node, _ = step(fresh("pi_1"), read)
    for slot in node.lives:
        node, _ = step(node, model.RoleReported(node.lives[slot].attempt, READY), slot)
    return node


def adding(node: NodeLifecycle, name: str) -> tuple[NodeLifecycle, int]:
    wanted = assignment(name)
    node, actions = step(node, AdoptRequested(7, "pi_1", wanted, adds=True))
    slot = max(node.lives)
    assert (slot, model.StartRole(1, wanted.config)) in actions
    return node, slot


def answers(actions: tuple[tuple[int, Action], ...]) -> list[model.AnswerRequest]:
    return [action for _, action in actions if isinstance(action, model.AnswerRequest)]


def test_resuming_makes_each_role_safe_and_starts_it():
    read = model.RolesLoaded(
        (model.RoleLoaded(held=assignment(HEAD)), model.RoleLoaded(held=assignment(CONSOLE)))
    )
    node, actions = step(fresh("pi_1"), read)
    assert [life.wanted for life in node.roles] == [RoleId("head"), RoleId("console")]
    assert actions == (
        (0, model.MakeSafe(assignment(HEAD).config)),
        (0, model.StartRole(1, assignment(HEAD).config)),
        (1, model.MakeSafe(assignment(CONSOLE).config)),
        (1, model.StartRole(1, assignment(CONSOLE).config)),
        (0, model.Announce()),
    )


def test_another_role_is_added_only_on_request():
    node, actions = step(started(HEAD), AdoptRequested(7, "pi_1", assignment(CONSOLE)))
    assert answers(actions)[0].message == "pi_1 holds head; reset it first, or add console to it"
    assert len(node.lives) == 1


def test_adding_leaves_the_role_at_work_alone():
    before = started(HEAD)
    node, slot = adding(before, CONSOLE)
    assert (node.state, node.is_adopted) == (NodeState.ACTIVE, True)
    node, second = step(node, model.RoleReported(1, READY), slot)
    node, third = step(node, model.StoreResult(1), slot)
    assert {whose for whose, _ in (*second, *third)} == {slot}
    assert answers(third) == [model.AnswerRequest(7, True, "pi_1 is now console", "/saint/console")]
    assert node.lives[0] == before.lives[0]


LEFT, RIGHT = assignment("arms.left"), assignment("arms.right")


def both_arms() -> NodeLifecycle:
    read = model.RolesLoaded((model.RoleLoaded(held=LEFT), model.RoleLoaded(held=RIGHT)))
    return step(fresh("pi_1"), read)[0]


def test_two_roles_of_one_program_get_a_process_each():
    assert [life.process for life in both_arms().roles] == [1, 2]
    assert [life.process for life in started(HEAD, CONSOLE).roles] == [1, 1]


def test_process_stays_with_its_role_and_one_that_is_free_is_used_again():
    node, _ = step(both_arms(), ResetRequested(3, "pi_1", wanted=LEFT.wanted))
    node, _ = step(node, model.Forgotten(2), 0)
    assert [(str(life.wanted), life.process) for life in node.roles] == [("arms right", 2)]
    node, slot = adding(node, "arms.left")
    assert (node.lives[1].process, node.lives[slot].process) == (2, 1)


def test_third_role_of_one_program_is_refused():
    both, _ = step(both_arms(), model.RoleReported(1, READY), 0)
    both, _ = step(both, model.RoleReported(1, READY), 1)
    text = LEFT.text.replace("instance: left", "instance: middle").replace(
        "address: 66", "address: 68"
    )
    middle = Assignment(settings.parse(RoleConfig, text, "middle"), text, "SAINT-01")
    node, actions = step(both, AdoptRequested(7, "pi_1", middle, adds=True))
    assert answers(actions)[0].message.startswith("arms.left and arms.right are on this node")
    assert node == both


def test_whole_robot_is_as_much_as_one_node_holds():
    before = started(HEAD, "arms.left", "arms.right", CONSOLE, TRACKS)
    text = LEFT.text.replace("instance: left", "instance: middle")
    middle = Assignment(settings.parse(RoleConfig, text, "middle"), text, "SAINT-01")
    node, actions = step(before, AdoptRequested(7, "pi_1", middle, adds=True))
    assert answers(actions)[0].message.endswith("more than 5 roles do not fit")
    assert node == before


def test_pin_without_pwm_of_this_board_is_refused():
    text = ROLES[HEAD][1].replace("pin: 13", "pin: 18")
    head = Assignment(settings.parse(RoleConfig, text, "head"), text, "SAINT-01")
    node, _ = step(fresh("pi_1", {12: 0, 13: 1}), model.RolesLoaded())
    node, actions = step(node, AdoptRequested(7, "pi_1", head))
    assert "GPIO18 of head (tilt) has no hardware PWM" in answers(actions)[0].message
    assert node.state is NodeState.UNADOPTED


@pytest.mark.parametrize("name", ["tracks"])
def test_role_that_needs_a_pin_of_another_is_refused_and_both_are_named(name: str):
    node, actions = step(started(HEAD), AdoptRequested(7, "pi_1", assignment(name), adds=True))
    (answer,) = answers(actions)
    assert (answer.success, list(node.lives)) == (False, [0])
    assert answer.message == (
        "GPIO12 is used by head (pan) and would be used by tracks (left_motor); "
        "put them on two nodes, or change one"
    )


def test_configuration_that_wants_a_pin_of_another_role_is_not_taken():
    node = started(HEAD, CONSOLE)
    text = ROLES[CONSOLE][1].replace("pin: 5}", "pin: 13}")
    newer = Assignment(settings.parse(RoleConfig, text, "console"), text, "SAINT-01")
    node, _ = step(node, model.ConfigChecked(newer), 1)
    assert node.lives[1].held == assignment(CONSOLE)
    assert node.reason == (
        "console: configuration 1.0.0 is not applied: GPIO13 is used by head (tilt) and would be "
        "used by console (button_a); put them on two nodes, or change one"
    )


def test_role_that_dies_is_made_safe_alone():
    before = started(HEAD, CONSOLE)
    node, actions = step(before, model.RoleBroken(1, "it died"), 0)
    assert actions[0] == (0, model.MakeSafe(assignment(HEAD).config))
    assert {whose for whose, _ in actions} == {0}
    assert node.lives[1] == before.lives[1]
    assert (node.reason, node.restarts) == ("head: it died", 1)


def test_reset_of_one_role_forgets_it_alone_and_the_next_one_becomes_the_first():
    node, actions = step(started(HEAD, CONSOLE), ResetRequested(3, "pi_1", wanted=RoleId("head")))
    forget = model.ForgetRole(2, wanted=RoleId("head"))
    assert (0, model.StopRole()) in actions
    assert (0, forget) in actions
    assert node.state is NodeState.ACTIVE
    node, actions = step(node, model.Forgotten(2), 0)
    assert answers(actions)[0].success
    assert [life.wanted for life in node.lives.values()] == [RoleId("console")]


def test_reset_of_the_node_stops_every_role_and_forgets_all_at_once():
    node, actions = step(started(HEAD, CONSOLE), ResetRequested(3, "pi_1"))
    stopped = [whose for whose, action in actions if action == model.StopRole()]
    assert sorted(stopped) == [0, 1]
    forgets = [action for _, action in actions if isinstance(action, model.ForgetRole)]
    assert forgets == [model.ForgetRole(2)]
    node, actions = step(node, model.Forgotten(2))
    assert (node.state, answers(actions)[0].success) == (NodeState.UNADOPTED, True)


@pytest.mark.parametrize(
    ("event", "word"),
    [
        (ResetRequested(3, "", wanted=RoleId("tracks")), "does not hold tracks; it holds head and"),
        (ResetRequested(3, "", factory=True, wanted=RoleId("head")), "name none"),
        (ResetRequested(3, "pi_2"), "this is pi_1"),
        (AdoptRequested(3, "pi_2", assignment(TRACKS), adds=True), "this is pi_1"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(event: model.Event, word: str):
    before = started(HEAD, CONSOLE)
    node, actions = step(before, event)
    (answer,) = answers(actions)
    assert word in answer.message
    assert (node, answer.success) == (before, False)


def test_button_of_one_role_resets_the_whole_node():
    held = READY.model_copy(update={"reset_wanted": True})
    node, actions = step(started(HEAD, CONSOLE), model.RoleReported(1, held), 1)
    assert [life.held for life in node.lives.values()] == [None]
    assert (0, model.ForgetRole(2, forgets_server=True)) in actions


def test_update_stops_every_role_and_resumes_every_role():
    node, actions = step(started(HEAD, CONSOLE), model.UpdateBegan())
    assert {whose for whose, action in actions if action == model.StopRole()} == {0, 1}
    assert node.state is NodeState.UPDATING
    node, actions = step(node, model.UpdateEnded())
    assert sorted(w for w, action in actions if isinstance(action, model.StartRole)) == [0, 1]
    assert node.state is NodeState.ACTIVE


def test_update_does_not_begin_while_a_role_is_being_added():
    before, _ = adding(started(HEAD), CONSOLE)
    assert step(before, model.UpdateBegan()) == (before, ())


def test_adoption_that_fails_leaves_nothing_of_the_added_role():
    node, slot = adding(started(HEAD), CONSOLE)
    node, actions = step(node, model.RoleBroken(1, "its display does not answer"), slot)
    assert answers(actions)[0].message == "its display does not answer"
    assert node.lives == started(HEAD).lives


def test_role_that_is_gone_is_not_brought_back_by_late_events():
    node, slot = adding(started(HEAD), CONSOLE)
    node, _ = step(node, ResetRequested(8, "pi_1"))
    assert step(node, model.RoleReported(1, READY), slot) == (node, ())


def with_pins(name: str, **pins: tuple[int, int]) -> Assignment:
    """Return a role with other pins: from, to."""
    text = ROLES[name][1]
    for before, after in pins.values():
        text = text.replace(f"pin: {before}}}", f"pin: {after}}}")
        text = text.replace(f"pin: {before},", f"pin: {after},")
    return Assignment(settings.parse(RoleConfig, text, name), text, "SAINT-01")


# GPIO13 and GPIO5 change hands between the head's tilt and the console's button.
SWAPPED = {0: with_pins(HEAD, tilt=(13, 5)), 1: with_pins(CONSOLE, button=(5, 13))}


def all_checked(found: dict[int, Assignment]) -> model.ConfigsChecked:
    return model.ConfigsChecked(
        tuple((slot, model.ConfigChecked(newer)) for slot, newer in found.items())
    )


def test_roles_that_change_hands_of_a_pin_change_together():
    node, actions = step(started(HEAD, CONSOLE), all_checked(SWAPPED))
    assert {slot: life.held for slot, life in node.lives.items()} == SWAPPED
    kinds = [type(action).__name__ for _, action in actions]
    assert kinds == ["StopRole", "StopRole", "StoreRoles", "StartRole", "StartRole", "Announce"]
    assert node.reason == ""


def test_no_role_changes_while_an_output_of_one_of_them_moves():
    before, _ = step(started(HEAD, CONSOLE), model.RoleReported(1, MOVING), 0)
    node, actions = step(before, all_checked(SWAPPED))
    assert [life.held for life in node.lives.values()] == [assignment(HEAD), assignment(CONSOLE)]
    assert {type(action) for _, action in actions} == {model.Announce}
    assert "waits until the outputs of head are safe" in node.lives[1].reason
    node, _ = step(node, model.RoleReported(1, READY), 0)
    node, _ = step(node, all_checked(SWAPPED))
    assert {slot: life.held for slot, life in node.lives.items()} == SWAPPED


def test_role_that_does_not_change_goes_on_while_another_one_does():
    before, _ = step(started(HEAD, CONSOLE), model.RoleReported(1, MOVING), 0)
    checked = model.ConfigsChecked(
        ((0, model.ConfigChecked()), (1, model.ConfigChecked(with_pins(CONSOLE, b=(5, 16)))))
    )
    node, actions = step(before, checked)
    assert {slot for slot, action in actions if not isinstance(action, model.Announce)} == {1}
    assert node.lives[0].attempt == before.lives[0].attempt


def test_robot_in_which_two_roles_need_one_pin_is_not_applied_at_all():
    clash = {0: with_pins(HEAD, tilt=(13, 6)), 1: with_pins(CONSOLE, button=(5, 16))}
    node, actions = step(started(HEAD, CONSOLE), all_checked(clash))
    assert [life.held for life in node.lives.values()] == [assignment(HEAD), assignment(CONSOLE)]
    assert "GPIO6 is used by head (tilt) and would be used by console (button_b)" in node.reason
    assert not [action for _, action in actions if isinstance(action, model.StopRole)]
