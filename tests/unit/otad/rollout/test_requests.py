"""The requests of users: which are refused, what they change."""

import pytest

from saint_services.lib.api.firmware import (
    RolloutState,
    RolloutStep,
    UpdateState,
    UpdateVerdict,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.otad.rollout import logic, requests
from saint_services.otad.rollout.logic import Rollout, UpdateRequest
from saint_services.otad.state import SavedFirmware
from tests.unit.otad.rollout.rollout_rig import Play, machine


def test_rollback_waits_for_a_request_on_its_way():
    play = Play("a", "b", "c")
    play.begin()
    play.becomes_healthy("a")
    assert play.steps()[1] is RolloutStep.UPDATING
    play.rollout = requests.roll_back(play.rollout, play.robot())
    assert play.advance() == ()  # b may begin with the unwanted release any moment
    assert play.steps() == [RolloutStep.WAITING, RolloutStep.UPDATING]
    play.agrees("b")
    assert play.advance() == ()
    play.reports("b", state=UpdateState.IDLE, version="1.1.0", spare_version="1.0.0")
    assert play.requests_made == (UpdateRequest("a", "1.0.0", True, True),)
    assert play.steps() == [RolloutStep.UPDATING, RolloutStep.WAITING]


def test_rollback_goes_on_where_one_fails():
    play = Play("a", "b")
    play.begin()
    play.becomes_healthy("a")
    play.becomes_healthy("b")
    play.rollout = requests.roll_back(play.rollout, play.robot())
    assert play.advance() == ("a",)
    play.rollout = logic.answered(play.rollout, "a", True, "", 0.0)
    failed = {
        "target_version": "1.0.0",
        "attempt": 2,
        "verdict": UpdateVerdict.FAILED,
        "reason": "no",
    }
    assert play.reports("a", **failed) == ("b",)
    play.reports("b", version="1.0.0", attempt=2, verdict=UpdateVerdict.HEALTHY)
    assert play.steps() == [RolloutStep.FAILED, RolloutStep.HEALTHY]
    assert (play.state, play.rollout.plan.reason) == (RolloutState.HALTED, "a did not roll back")


def test_rollback_ends_the_offer_at_once():
    play = Play("a", "b")
    play.rollout = Rollout(saved=SavedFirmware(current="1.0.0"))
    play.begin()
    play.becomes_healthy("a")
    play.becomes_healthy("b")
    assert play.rollout.saved.current == "1.1.0"
    play.rollout = requests.roll_back(play.rollout, play.robot())
    assert play.rollout.saved.current == "1.0.0"


def test_resume_after_a_halt_tries_the_failed_one_again():
    play = Play("a", "b")
    play.begin()
    play.agrees("a")
    play.reports("a", state=UpdateState.IDLE, verdict=UpdateVerdict.ROLLED_BACK, reason="bad")
    assert play.state is RolloutState.HALTED
    play.rollout = requests.resume(play.rollout)
    assert play.advance() == ("a",)


@pytest.mark.parametrize("order", [requests.pause, requests.resume, requests.cancel])
def test_order_without_a_roll_out_is_refused(order):
    with pytest.raises(SaintError, match="there was none yet"):
        order(Rollout())


@pytest.mark.parametrize(
    ("params", "code", "words"),
    [
        ({"version": "7.0"}, Code.NOT_FOUND, "there is no release '7.0'; known: 1.1.0, 1.0.0"),
        ({"canary": "x"}, Code.NOT_FOUND, "machine 'x' is not known"),
        ({"canary": "AA"}, Code.NOT_FOUND, "did you mean 'a'"),
        ({"nodes": ["a"], "canary": "b"}, Code.REQUEST_INVALID, "b is not among"),
        ({"canary": "s"}, Code.REQUEST_INVALID, "s is the server; a node goes first"),
        ({"canary": "b"}, Code.REFUSED, "b, which should go first, is offline"),
        ({"nodes": ["b"]}, Code.REFUSED, "none of these machines is online"),
    ],
)
def test_roll_out_that_makes_no_sense_is_refused(params, code, words):
    play = Play("a", "b", "s", server="s")
    play.machines["b"] = machine("b", is_online=False)
    with pytest.raises(SaintError) as caught:
        play.begin(**params)
    assert caught.value.code is code
    assert words in caught.value.message


def test_new_roll_out_waits_for_the_last_machine_of_a_cancelled_one():
    play = Play("a", "b")
    play.begin()
    play.agrees("a")
    play.rollout = requests.cancel(play.rollout)
    with pytest.raises(SaintError, match=r"a is still updating to 1\.1\.0"):
        play.begin()


def test_servers_own_release_is_offered_while_no_other_ever_was():
    robot = Play("a").robot()
    offered = requests.offer_own(Rollout(), "1.0.0", robot)
    assert offered.saved.current == "1.0.0"
    assert requests.offer_own(offered, "1.1.0", robot) == offered
    assert requests.offer_own(Rollout(), "0.9.0", robot) == Rollout()
    begun = Play("a")
    begun.begin()
    assert requests.offer_own(begun.rollout, "1.0.0", robot) == begun.rollout


@pytest.mark.parametrize("named", [{"nodes": ["a"]}, {"canary": "a"}])
def test_machine_that_is_named_must_have_the_hardware(named: dict[str, object]):
    play = Play("a", "b")
    play.versions["1.1.0"] = "1.2"
    play.machines["a"] = machine("a", hardware_rev="c03111")
    with pytest.raises(SaintError, match=r"a: .* needs hardware revision") as caught:
        play.begin(**named)
    assert caught.value.code is Code.REFUSED


def test_newest_release_is_due_once_while_a_machine_runs_an_older_one():
    play = Play("a", "b")
    assert requests.due_by_itself(play.rollout, play.robot()) == "1.1.0"
    play.begin()
    assert requests.due_by_itself(play.rollout, play.robot()) == ""  # it is open
    play.agrees("a")
    play.reports("a", state=UpdateState.IDLE, verdict=UpdateVerdict.ROLLED_BACK)
    assert play.state is RolloutState.HALTED
    assert requests.due_by_itself(play.rollout, play.robot()) == ""  # never again by itself
    play.versions["1.2.0"] = ""
    assert requests.due_by_itself(play.rollout, play.robot()) == "1.2.0"


def test_nothing_is_due_where_no_machine_is_behind_or_one_is_ahead():
    play = Play("a", "b")
    play.machines["a"] = machine("a", version="1.2.0")
    assert requests.due_by_itself(play.rollout, play.robot()) == ""
    play.machines = {"a": machine("a", version="1.1.0"), "b": machine("b", is_online=False)}
    assert requests.due_by_itself(play.rollout, play.robot()) == ""
    play.versions.clear()
    assert requests.due_by_itself(play.rollout, play.robot()) == ""


def rolled_back(play: Play, *names: str, **params: object) -> None:
    """Roll 1.1.0 out and back."""
    play.begin(**params)
    for name in names:
        play.becomes_healthy(name)
    play.rollout = requests.roll_back(play.rollout, play.robot())
    play.advance()
    for attempt, name in enumerate(names, 2):
        play.rollout = logic.answered(play.rollout, name, True, "", play.now_s)
        play.reports(
            name, version="1.0.0", target_version="1.0.0", attempt=attempt,
            verdict=UpdateVerdict.HEALTHY,
        )  # fmt: skip
    assert play.rollout.plan
    assert (play.rollout.plan.is_rollback, play.state) == (True, RolloutState.DONE)


def test_release_that_a_user_rolled_back_is_never_due_by_itself():
    play = Play("a", "b")
    play.rollout = Rollout(saved=SavedFirmware(current="1.0.0"))
    rolled_back(play, "a", "b")
    assert requests.due_by_itself(play.rollout, play.robot()) == ""
    play.begin(version="1.0.0", nodes=["a"])  # another plan takes the place of the rollback
    play.versions["1.0.5"] = ""
    assert requests.due_by_itself(play.rollout, play.robot()) == ""
    del play.versions["1.1.0"]  # also when it was removed: 1.0.5 is not newer
    assert requests.due_by_itself(play.rollout, play.robot()) == ""
    play.versions["1.2.0"] = ""
    assert requests.due_by_itself(play.rollout, play.robot()) == "1.2.0"


def test_users_roll_out_of_a_rejected_release_accepts_it_again():
    play = Play("a", "b")
    play.rollout = Rollout(saved=SavedFirmware(current="1.0.0"))
    rolled_back(play, "a", "b")
    play.begin(version="1.1.0", nodes=["a"])  # of one machine: the robot still rejects it
    play.rollout = requests.cancel(play.rollout)
    assert play.rollout.saved.rejected == "1.1.0"
    play = Play("a", "b")
    rolled_back(play, "a", "b")
    play.begin(version="1.1.0")
    assert play.rollout.saved.rejected == ""


def test_release_that_a_user_left_for_an_older_one_is_not_due_by_itself():
    play = Play("a", "b")
    play.begin()
    play.becomes_healthy("a")
    play.becomes_healthy("b")
    play.begin(version="1.0.0", force=True)
    for name in ("a", "b"):
        play.rollout = logic.answered(play.rollout, name, True, "", play.now_s)
        play.reports(name, version="1.0.0", attempt=2, verdict=UpdateVerdict.HEALTHY)
    assert play.state is RolloutState.DONE
    play.begin(version="1.0.0", nodes=["a"])
    assert requests.due_by_itself(play.rollout, play.robot()) == ""
