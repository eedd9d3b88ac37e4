"""The rules of a roll-out, one by one; tests/property/test_rollout_life.py mixes them."""

from dataclasses import replace

from saint_services.lib.api.firmware import (
    RolloutState,
    RolloutStep,
    UpdateState,
    UpdateVerdict,
)
from saint_services.otad.rollout import logic, requests
from saint_services.otad.rollout.logic import Rollout
from tests.unit.otad.rollout.rollout_rig import LIMITS, Play, machine


def test_server_goes_last_or_first_as_wanted():
    last, first = Play("a", "b", "s", server="s"), Play("a", "b", "s", server="s")
    assert last.begin() == ("a",)
    assert last.becomes_healthy("a") == ("b",)
    assert last.becomes_healthy("b") == ("s",)
    assert first.begin(server_last=False) == ("s",)
    assert first.becomes_healthy("s") == ("a",)


def test_after_the_first_node_so_many_at_once_as_configured():
    play = Play("a", "b", "c", "d", limits=replace(LIMITS, parallel=2))
    assert play.begin() == ("a",)
    assert play.becomes_healthy("a") == ("b", "c")
    assert play.becomes_healthy("b") == ("d",)


def test_server_is_never_updated_beside_a_node():
    play = Play("a", "b", "s", server="s", limits=replace(LIMITS, parallel=3))
    play.begin()
    assert play.becomes_healthy("a") == ("b",)
    assert play.becomes_healthy("b") == ("s",)


def test_server_waits_for_a_node_that_reads_a_bundle_of_its_own_accord():
    play = Play("a", "s", "x", server="s", limits=replace(LIMITS, parallel=3))
    play.begin(nodes=["a", "s"])
    play.machines["x"] = machine("x", state=UpdateState.INSTALLING)
    assert play.becomes_healthy("a") == ()
    assert play.reports("x", state=UpdateState.IDLE) == ("s",)


def test_machine_that_runs_it_already_gets_no_request():
    play = Play("a", "b")
    play.machines["a"] = machine("a", version="1.1.0")
    assert play.begin() == ("b",)


def test_machine_that_comes_into_use_before_a_slot_is_touched_is_waited_for():
    play = Play("a", "b")
    play.begin()
    play.agrees("a")
    live = "its outputs are live"
    requested = play.reports(
        "a", state=UpdateState.IDLE, verdict=UpdateVerdict.REFUSED, reason=live, blocked_by=live
    )
    assert (play.state, requested) == (RolloutState.RUNNING, ("b",))
    assert play.becomes_healthy("b") == ()
    assert play.reports("a", blocked_by="") == ("a",)
    assert play.becomes_healthy("a") == ()
    assert play.state is RolloutState.DONE


def test_machine_that_is_never_done_halts_it_and_one_that_waits_for_its_driver_does_not():
    play = Play("a")
    play.begin()
    play.agrees("a")
    play.reports("a", state=UpdateState.RESTARTING, blocked_by="its outputs are live")
    play.advance(500.0)
    play.reports("a", blocked_by="")
    play.advance(99.0)
    assert play.state is RolloutState.RUNNING
    play.advance(2.0)
    assert play.state is RolloutState.HALTED
    assert play.rollout.plan
    assert play.rollout.plan.reason == "a: the update is not done after 100 s"


def test_machine_that_cannot_leave_a_rejected_release_halts_it():
    play = Play("a", "b")
    play.begin()
    play.agrees("a")
    facts = {"state": UpdateState.RESTARTING, "version": "1.1.0", "reason": "the role is silent"}
    play.reports("a", **facts, blocked_by="its outputs are live")
    play.advance(99.0)
    assert play.state is RolloutState.RUNNING
    play.advance(2.0)
    assert play.rollout.plan
    assert (play.state, play.rollout.plan.reason) == (
        RolloutState.HALTED,
        "a: the role is silent; the machine has not left the release after 100 s",
    )


def test_old_verdict_is_not_taken_for_the_new_one():
    play = Play("a", "b")
    old = {
        "verdict": UpdateVerdict.ROLLED_BACK,
        "target_version": "1.1.0",
        "attempt": 1,
        "reason": "old",
    }
    play.machines["a"] = machine("a", **old)
    play.begin()
    play.rollout = logic.answered(play.rollout, "a", True, "", 0.0)
    assert play.advance(5.0) == ()
    assert play.state is RolloutState.RUNNING
    play.reports("a", attempt=2, reason="new")
    assert play.state is RolloutState.HALTED


def test_short_blink_of_a_node_is_a_new_verdict_without_its_states_between():
    play = Play("a", "b")
    play.begin()
    play.reports("a", target_version="1.1.0", attempt=1, verdict=UpdateVerdict.FAILED, reason="no")
    assert (play.state, play.rollout.plan.reason) == (RolloutState.HALTED, "a: no")


CUT = {
    "state": UpdateState.IDLE,
    "is_online": True,
    "target_version": "1.1.0",
    "verdict": UpdateVerdict.FAILED,
    "reason": "writing 1.1.0 was interrupted",
}


def test_machine_whose_power_was_cut_while_it_wrote_is_requested_again():
    play = Play("a", "b")
    play.begin()
    play.agrees("a")
    play.reports("a", is_online=False)
    assert play.reports("a", **CUT) == ("a",)
    assert play.state is RolloutState.RUNNING
    assert play.becomes_healthy("a") == ("b",)


def test_robot_that_is_switched_off_while_a_machine_writes_goes_on_with_the_roll_out():
    play = Play("a", "b")
    play.begin()
    play.agrees("a")
    play.rollout = Rollout(saved=play.rollout.saved)  # all that outlives the server's power
    assert play.reports("a", **CUT) == ("a",)
    assert play.state is RolloutState.RUNNING


def test_machine_that_never_gets_through_its_installation_halts_the_roll_out():
    play = Play("a", "b")
    play.begin()
    for _ in range(logic.MOST_REFUSALS):
        play.agrees("a")
        play.reports("a", is_online=False)
        play.reports("a", **CUT)
    assert play.state is RolloutState.HALTED
    assert play.rollout.plan.reason == "a: writing 1.1.0 was interrupted"


# Its installer starts later than it reports: what became of the update is not known yet.
UNREAD = {
    "state": UpdateState.IDLE,
    "is_online": True,
    "target_version": "1.1.0",
    "attempt": 1,
    "blocked_by": "updates are off on this machine: RAUC has not answered within 3 s",
}


def test_machine_whose_installer_starts_late_after_a_cut_is_waited_for():
    play = Play("a", "b")
    play.begin()
    play.agrees("a")
    play.reports("a", is_online=False)
    assert play.reports("a", **UNREAD) == ()
    assert play.advance(60.0) == ()
    assert play.state is RolloutState.RUNNING
    assert play.reports("a", **CUT, blocked_by="") == ("a",)
    assert play.becomes_healthy("a") == ("b",)


def test_machine_whose_installer_never_answers_again_halts_the_roll_out():
    play = Play("a", "b")
    play.begin()
    play.agrees("a")
    play.reports("a", **UNREAD)
    play.advance(LIMITS.machine_limit_s + 1.0)
    assert play.rollout.plan
    assert (play.state, play.rollout.plan.reason) == (
        RolloutState.HALTED,
        f"a: {UNREAD['blocked_by']}; no verdict after 100 s",
    )


def test_release_that_did_not_start_is_not_requested_again():
    play = Play("a", "b")
    play.begin()
    play.agrees("a")
    play.reports("a", is_online=False)
    play.reports("a", **{**CUT, "verdict": UpdateVerdict.ROLLED_BACK, "reason": "no"})
    assert (play.state, play.rollout.plan.reason) == (RolloutState.HALTED, "a: no")


LED_BACK = {
    "state": UpdateState.IDLE,
    "version": "1.0.0",
    "verdict": UpdateVerdict.ROLLED_BACK,
    "reason": "after its trial: the role head crashed 3 times",
}


def test_release_that_its_first_machine_led_back_in_the_hour_after_goes_no_further():
    play = Play("a", "b", "c")
    play.begin()
    assert play.becomes_healthy("a") == ("b",)
    play.reports("a", **LED_BACK)
    assert play.rollout.plan
    assert (play.state, play.rollout.plan.reason) == (
        RolloutState.HALTED,
        f"a: {LED_BACK['reason']}",
    )
    assert play.becomes_healthy("b") == ()
    assert play.steps() == [RolloutStep.FAILED, RolloutStep.HEALTHY, RolloutStep.WAITING]


def test_machine_that_waits_for_a_rest_to_leave_the_release_halts_the_roll_out_at_once():
    play = Play("a", "b", "c", limits=replace(LIMITS, parallel=2))
    play.begin()
    play.becomes_healthy("a")
    play.reports(
        "a", state=UpdateState.RESTARTING, verdict=UpdateVerdict.NONE, reason=LED_BACK["reason"]
    )
    assert play.state is RolloutState.HALTED
    assert play.steps()[0] is RolloutStep.FAILED
    play.reports("a", **LED_BACK)
    play.becomes_healthy("b")
    play.rollout = requests.resume(play.rollout)  # a user wants it again
    assert play.advance() == ("a",)


def test_done_roll_out_is_no_longer_done_when_a_machine_leads_its_release_back():
    play = Play("a", "b")
    play.rollout = replace(
        play.rollout, saved=play.rollout.saved.model_copy(update={"current": "1.0.0"})
    )
    play.begin()
    play.becomes_healthy("a")
    play.becomes_healthy("b")
    assert (play.state, play.rollout.saved.current) == (RolloutState.DONE, "1.1.0")
    play.reports("b", **LED_BACK)
    assert (play.state, play.rollout.saved.current) == (RolloutState.HALTED, "1.0.0")
    back = requests.roll_back(play.rollout, play.robot())
    assert back.plan
    assert back.plan.version == "1.0.0"
    assert [step.node_id for step in back.plan.steps] == ["a"]
    play.rollout = requests.resume(play.rollout)
    assert play.advance() == ("b",)
    play.becomes_healthy("b")
    assert (play.state, play.rollout.saved.current) == (RolloutState.DONE, "1.1.0")


def test_same_release_that_is_installed_again_is_not_led_back():
    """After a factory reset a node installs what is offered, whatever runs."""
    play = Play("a", "b")
    play.begin()
    play.becomes_healthy("a")
    play.reports("a", state=UpdateState.RESTARTING, verdict=UpdateVerdict.NONE, reason="")
    assert play.steps()[0] is RolloutStep.HEALTHY
    assert play.state is RolloutState.RUNNING


def test_silent_machine_is_requested_again_after_a_pause_and_fails_in_the_end():
    play = Play("a", "b")
    play.begin()
    requested = []
    for _ in range(4):
        play.rollout = logic.unanswered(play.rollout, "a", play.now_s)
        assert play.advance(5.0) == ()
        requested.append(play.advance(6.0))
    assert requested == [("a",), ("a",), (), ()]
    assert play.state is RolloutState.HALTED
    assert play.rollout.plan.reason == "a: the machine did not answer"


def test_machine_that_began_without_an_answer_gets_one_request():
    play = Play("a", "b")
    play.begin()
    play.rollout = logic.unanswered(play.rollout, "a", 0.0)
    play.reports("a", state=UpdateState.INSTALLING, target_version="1.1.0", attempt=1)
    assert play.advance(60.0) == ()
    assert play.steps() == [RolloutStep.UPDATING, RolloutStep.WAITING]


def test_refusal_is_tried_three_times():
    play = Play("a", "b")
    play.begin()
    for _ in range(2):
        play.rollout = logic.answered(play.rollout, "a", False, "not now", play.now_s)
        # The next one may go first meanwhile; here it cannot.
        play.machines["b"] = machine("b", blocked_by="armed")
        assert play.advance(11.0) == ("a",)
    play.rollout = logic.answered(play.rollout, "a", False, "not now", play.now_s)
    play.advance()
    assert (play.state, play.rollout.plan.reason) == (RolloutState.HALTED, "a: not now")


def test_machine_that_does_not_come_back_halts_it():
    play = Play("a", "b")
    play.begin()
    play.agrees("a")
    play.reports("a", is_online=False)
    assert play.advance(99.0) == ()
    assert play.state is RolloutState.RUNNING
    play.advance(2.0)
    assert play.rollout.plan.reason == "a: the machine did not come back after 100 s"


def test_machine_that_comes_while_it_runs_gets_its_turn():
    play = Play("a", "b")
    play.machines["b"] = machine("b", is_online=False)
    play.begin()
    play.advance(31.0)
    assert play.steps() == [RolloutStep.UPDATING, RolloutStep.SKIPPED]
    play.reports("b", is_online=True)
    assert play.becomes_healthy("a") == ("b",)


OFF = "updates are off on this machine: RAUC does not answer"


def test_machine_whose_updates_are_off_is_reported_and_the_others_go_on():
    play = Play("a", "b")
    play.reports("a", blocked_by=OFF)
    assert play.begin(version="1.1.0", canary="a") == ()
    assert play.advance(LIMITS.away_after_s + 1.0) == ("b",)
    play.becomes_healthy("b")
    assert (play.steps(), play.state) == (
        [RolloutStep.SKIPPED, RolloutStep.HEALTHY],
        RolloutState.DONE,
    )
    assert play.rollout.plan
    assert play.rollout.plan.steps[0].reason == f"{OFF}; the roll-out goes on without this machine"


def test_machine_whose_installer_starts_late_gets_its_turn():
    play = Play("a", "b")
    play.reports("a", blocked_by=OFF)
    play.begin(version="1.1.0", canary="a")
    assert play.advance(LIMITS.away_after_s - 1.0) == ()
    assert play.reports("a", blocked_by="") == ("a",)


def test_roll_out_to_machines_that_take_none_halts_and_says_why():
    play = Play("a")
    play.reports("a", blocked_by=OFF)
    play.begin(version="1.1.0")
    play.advance(LIMITS.away_after_s + 1.0)
    assert play.state is RolloutState.HALTED
    assert play.rollout.plan
    assert f"a: {OFF}" in play.rollout.plan.reason


def test_machine_that_was_left_out_and_got_it_at_boot_counts():
    play = Play("a", "b")
    play.machines["b"] = machine("b", is_online=False)
    play.begin()
    play.advance(31.0)
    play.becomes_healthy("a")
    assert play.state is RolloutState.DONE
    play.reports("b", is_online=True, version="1.1.0")
    assert play.steps() == [RolloutStep.HEALTHY, RolloutStep.HEALTHY]


def test_roll_out_with_nobody_there_does_not_change_the_offer():
    play = Play("a")
    play.begin()
    play.rollout = logic.answered(play.rollout, "a", False, "no", 0.0)
    play.reports("a", is_online=False)
    play.advance(31.0)
    assert (play.state, play.rollout.saved.current) == (RolloutState.HALTED, "")


def test_part_of_the_robot_does_not_change_the_offer():
    play = Play("a", "b")
    play.begin(nodes=["b"])
    play.becomes_healthy("b")
    assert (play.state, play.rollout.saved.current) == (RolloutState.DONE, "")


def test_machine_at_work_of_its_own_is_waited_for():
    play = Play("a", "b")
    play.machines["b"] = machine("b", state=UpdateState.INSTALLING, target_version="9")
    assert play.begin() == ()
    assert play.reports("b", state=UpdateState.IDLE) == ("a",)


def test_machine_whose_hardware_is_too_old_is_skipped_without_a_request():
    play = Play("a", "b", "c")
    play.machines["b"] = machine("b", unfit="1.1.0 needs hardware revision 1.2")
    assert play.begin() == ("a",)
    assert play.becomes_healthy("a") == ("c",)
    play.becomes_healthy("c")
    assert play.state is RolloutState.DONE
    assert play.steps() == [RolloutStep.HEALTHY, RolloutStep.SKIPPED, RolloutStep.HEALTHY]
    assert play.rollout.plan
    assert play.rollout.plan.steps[1].reason == "1.1.0 needs hardware revision 1.2"


def test_roll_out_that_fits_no_machine_halts_with_the_reason():
    play = Play("a")
    play.machines["a"] = machine("a", unfit="1.1.0 needs hardware revision 1.2")
    assert play.begin() == ()
    assert play.state is RolloutState.HALTED
    assert play.rollout.plan
    assert "a: 1.1.0 needs hardware revision 1.2" in play.rollout.plan.reason


def test_automatic_roll_out_begins_with_no_machine_outside_the_owners_limits():
    play = Play("a", "b")
    assert play.begin(is_automatic=True) == ("a",)
    play.is_closed = True  # the window ended, or the robot is driven
    assert play.becomes_healthy("a") == ()
    assert play.advance(10_000.0) == ()
    assert play.steps() == [RolloutStep.HEALTHY, RolloutStep.WAITING]
    play.is_closed = False
    assert play.advance() == ("b",)


def test_users_roll_out_is_bound_by_no_limits():
    play = Play("a", "b")
    play.is_closed = True
    assert play.begin() == ("a",)
    other = Play("a", "b")
    other.begin(is_automatic=True)
    other.rollout = requests.pause(other.rollout)
    other.is_closed = True
    other.becomes_healthy("a")
    other.rollout = requests.resume(other.rollout)  # now it is this user's
    assert other.advance() == ("b",)
