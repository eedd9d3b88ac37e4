"""The life cycle of a role, step by step. Waits and orders are typed by hand."""

from dataclasses import replace
from pathlib import Path

from saint_services.lib import config as settings
from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.node import RoleReport
from saint_services.lib.role_config.model import RoleConfig
from saint_services.noded.lifecycle import model
from saint_services.noded.lifecycle.model import Assignment, RoleId, RoleLifecycle
from saint_services.noded.lifecycle.role import pause_s, step

ROLES = Path(__file__).parents[4] / "manifests/roles"


def assignment(name: str) -> Assignment:
    text = (ROLES / f"{name}.yaml").read_text()
    return Assignment(settings.parse(RoleConfig, text, name), text, "SAINT-01")


HEAD = assignment("head")
READY = RoleReport(ready=True, safe=True, estop=False)


def unadopted() -> RoleLifecycle:
    return step(RoleLifecycle("pi_1"), model.RoleLoaded())[0]


def adopting() -> RoleLifecycle:
    return step(unadopted(), model.AdoptRequested(7, "pi_1", HEAD))[0]


def active() -> RoleLifecycle:
    life = step(RoleLifecycle("pi_1"), model.RoleLoaded(held=HEAD))[0]
    return step(life, model.RoleReported(life.attempt, READY))[0]


def test_started_without_role_is_unadopted_and_announces():
    life, actions = step(RoleLifecycle("pi_1"), model.RoleLoaded())
    assert life.state is NodeState.UNADOPTED
    assert actions == (model.Announce(),)


def test_started_with_role_makes_safe_then_starts_it_without_a_request_to_the_server():
    life, actions = step(RoleLifecycle("pi_1"), model.RoleLoaded(held=HEAD))
    assert life.state is NodeState.ACTIVE
    assert actions[:2] == (model.MakeSafe(HEAD.config), model.StartRole(1, HEAD.config))


def test_started_with_unusable_configuration_fetches_it_and_stays_adopted():
    life, actions = step(
        RoleLifecycle("pi_1"), model.RoleLoaded(wanted=RoleId("head"), problem="cut off")
    )
    assert (life.state, life.is_adopted, life.reason) == (NodeState.ADOPTING, True, "cut off")
    life, actions = step(life, model.ConfigFailed(life.attempt, "no server"))
    assert life.state is NodeState.ADOPTING
    assert model.FetchConfig(1, RoleId("head"), 0.5) in actions
    life, actions = step(life, model.ConfigArrived(life.attempt, HEAD))
    assert life.state is NodeState.ACTIVE
    assert model.StoreRole(1, HEAD) in actions


def test_adoption_stores_only_after_the_role_is_ready():
    life, actions = step(unadopted(), model.AdoptRequested(7, "pi_1", HEAD))
    assert life.state is NodeState.ADOPTING
    start = (model.MakeSafe(HEAD.config), model.StartRole(2, HEAD.config))
    assert actions == (*start, model.Announce())
    life, actions = step(
        life, model.RoleReported(2, RoleReport(ready=False, safe=True, estop=False))
    )
    assert actions == ()
    life, actions = step(life, model.RoleReported(2, READY))
    assert actions == (model.StoreRole(2, HEAD),)
    assert life.state is NodeState.ADOPTING
    life, actions = step(life, model.StoreResult(2))
    assert life.state is NodeState.ACTIVE
    assert actions[0] == model.AnswerRequest(7, True, "pi_1 is now head", "/saint/head")


def test_adoption_for_another_node_is_refused():
    life, actions = step(unadopted(), model.AdoptRequested(1, "pi_2", HEAD))
    assert life == unadopted()
    assert isinstance(actions[0], model.AnswerRequest)
    assert not actions[0].success
    assert "this is pi_1" in actions[0].message


def test_adoption_of_an_active_node_same_role_succeeds_other_is_refused():
    _, (same,) = step(active(), model.AdoptRequested(1, "pi_1", HEAD))
    _, (other,) = step(active(), model.AdoptRequested(1, "pi_1", assignment("arms_left")))
    assert same == model.AnswerRequest(1, True, "already head", "/saint/head")
    assert isinstance(other, model.AnswerRequest)
    assert other.message == "pi_1 holds head; reset it first, or add arms left to it"


def test_second_adoption_meanwhile_is_busy():
    _, (answer,) = step(adopting(), model.AdoptRequested(8, "pi_1", HEAD))
    assert isinstance(answer, model.AnswerRequest)
    assert "busy (adopting)" in answer.message


def test_adoption_waits_for_no_configuration_of_the_server():
    before = adopting()
    assert step(before, model.ConfigArrived(2, assignment("console"))) == (before, ())
    assert step(before, model.ConfigFailed(2, "no answer")) == (before, ())


def test_configuration_of_another_role_is_requested_again():
    life = step(
        RoleLifecycle("pi_1"), model.RoleLoaded(wanted=RoleId("console"), problem="cut off")
    )[0]
    life, actions = step(life, model.ConfigArrived(life.attempt, HEAD))
    assert (life.state, life.held) == (NodeState.ADOPTING, None)
    assert life.reason == "requested console, received head"
    assert model.FetchConfig(1, RoleId("console"), 0.5) in actions


def test_adoption_that_fails_says_why_and_stores_nothing():
    life, actions = step(adopting(), model.RoleBroken(2, "no answer"))
    assert (life.state, life.reason, life.held) == (NodeState.UNADOPTED, "no answer", None)
    assert model.AnswerRequest(7, False, "no answer") in actions
    assert not any(isinstance(a, model.StoreRole) for a in actions)


def test_adoption_role_breaks_while_storing_is_undone_on_disk():
    life = step(adopting(), model.RoleReported(2, READY))[0]
    life, actions = step(life, model.RoleBroken(2, "servo chip does not answer"))
    assert life.state is NodeState.UNADOPTED
    assert model.ForgetRole(3, wanted=RoleId("head")) in actions
    assert step(life, model.StoreResult(2)) == (life, ())  # the write that came too late


def test_adoption_that_cannot_be_stored_fails():
    life = step(adopting(), model.RoleReported(2, READY))[0]
    life, actions = step(life, model.StoreResult(2, "disk full"))
    assert life.reason == "the role could not be stored: disk full"
    assert model.StopRole() in actions


def test_role_dies_outputs_are_made_safe_before_anything_else():
    life, actions = step(active(), model.RoleBroken(1, "gone"))
    assert actions[0] == model.MakeSafe(HEAD.config)
    assert actions[1] == model.StartRole(2, HEAD.config, 0.05)
    assert (life.state, life.restarts, life.role_alive) == (NodeState.ACTIVE, 1, False)
    assert not life.outputs_safe
    assert step(life, model.MadeSafe())[0].outputs_safe


def test_outputs_that_cannot_be_made_safe_are_reported_until_the_role_says_so():
    life = step(step(active(), model.RoleBroken(1, "gone"))[0], model.MadeSafe("no pins"))[0]
    assert not life.outputs_safe
    assert life.reason == "gone; the outputs could not be made safe: no pins"
    cannot_open = RoleReport(ready=False, safe=True, estop=False, reason="no chip")
    life = step(life, model.RoleReported(2, cannot_open))[0]
    assert not life.outputs_safe  # it knows nothing of the pins of the role before it
    assert life.reason == "no chip; the outputs could not be made safe: no pins"
    assert step(life, model.RoleReported(2, READY))[0].reason == ""


def test_reconnecting_pauses_grow_to_two_seconds_and_start_over_when_ready():
    life, pauses = active(), []
    for _ in range(8):
        life, actions = step(life, model.RoleBroken(life.attempt, "gone"))
        pauses += [a.pause_s for a in actions if isinstance(a, model.StartRole)]
    assert pauses == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]
    assert life.restarts == 1  # it was alive once
    life, _ = step(life, model.RoleReported(life.attempt, READY))
    assert step(life, model.RoleBroken(life.attempt, "gone"))[0].failures == 1
    assert pause_s(10**9, 0.05, 2.0) == 2.0


def test_late_events_of_an_older_attempt_change_nothing():
    life = step(active(), model.RoleBroken(1, "gone"))[0]
    for event in (model.RoleBroken(1, "x"), model.RoleReported(1, READY), model.StoreResult(1)):
        assert step(life, event) == (life, ())


def test_reset_stops_the_role_forgets_it_and_answers_when_it_is_off_the_disk():
    life, actions = step(active(), model.ResetRequested(9, "pi_1"))
    assert life.state is NodeState.BOOT
    assert actions[:2] == (model.StopRole(), model.MakeSafe(HEAD.config))
    assert model.ForgetRole(2, False) in actions
    life, actions = step(life, model.Forgotten(2))
    assert life.state is NodeState.UNADOPTED
    assert actions[0] == model.AnswerRequest(9, True, "pi_1 is unadopted")


def test_reset_during_adoption_answers_both():
    life, actions = step(adopting(), model.ResetRequested(9, "pi_1", factory=True))
    assert model.AnswerRequest(7, False, "pi_1 was reset meanwhile") in actions
    assert model.ForgetRole(life.attempt, factory=True, forgets_server=True) in actions


def test_reset_that_cannot_be_written_is_said():
    life = step(active(), model.ResetRequested(9, ""))[0]
    life, (answer, _) = step(life, model.Forgotten(2, "read-only disk"))
    assert isinstance(answer, model.AnswerRequest)
    assert not answer.success
    assert "read-only disk" in life.reason


def test_newer_configuration_is_taken_over_only_while_outputs_are_safe():
    newer = replace(HEAD, config=HEAD.config.model_copy(update={"version": "1.1.0"}))
    moving = step(active(), model.RoleReported(1, READY.model_copy(update={"safe": False})))[0]
    life, actions = step(moving, model.ConfigChecked(newer))
    assert life.held == HEAD
    assert life.notice == "configuration 1.1.0 waits until the outputs are safe"
    life, actions = step(active(), model.ConfigChecked(newer))
    assert life.held == newer
    assert actions[:2] == (model.StopRole(), model.StoreRole(2, newer))


def test_server_that_refuses_our_role_is_shown_and_the_role_goes_on():
    life, actions = step(active(), model.ConfigChecked(notice="no such role"))
    assert (life.state, life.reason) == (NodeState.ACTIVE, "no such role")
    assert actions == (model.Announce(),)
    assert step(life, model.ConfigChecked())[0].reason == ""


def test_button_of_the_role_resets_and_forgets_the_server():
    life = active()
    held = READY.model_copy(update={"reset_wanted": True})
    life, actions = step(life, model.RoleReported(life.attempt, held))
    assert life.state is NodeState.BOOT
    assert model.StopRole() in actions
    assert model.MakeSafe(HEAD.config) in actions
    assert model.ForgetRole(life.attempt, factory=False, forgets_server=True) in actions
    assert step(life, model.Forgotten(life.attempt))[0].state is NodeState.UNADOPTED


def test_button_of_a_role_that_is_not_at_work_yet_changes_nothing():
    life = adopting()
    held = READY.model_copy(update={"reset_wanted": True})
    assert step(life, model.RoleReported(life.attempt, held))[0].state is NodeState.ADOPTING


def test_process_that_a_stop_drill_ends_has_not_crashed():
    life = step(active(), model.RoleKilled())[0]
    life = step(life, model.RoleBroken(life.attempt, "the connection ended"))[0]
    assert (life.role_alive, life.restarts) == (False, 0)
    life = step(life, model.RoleReported(life.attempt, READY))[0]
    life = step(life, model.RoleBroken(life.attempt, "the connection ended"))[0]
    assert life.restarts == 1
    dead = step(life, model.RoleKilled())[0]
    assert dead == life  # it does not work: nothing to kill
