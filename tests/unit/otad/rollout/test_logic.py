"""The rules of a roll-out, one by one; tests/property/test_rollout_life.py mixes them."""

from dataclasses import replace

import pytest

from saint_services.lib.api.adoption import NodeInfo, NodeState
from saint_services.lib.api.firmware import (
    MachineFirmware,
    Release,
    RolloutRequest,
    RolloutState,
    RolloutStep,
    UpdateState,
    UpdateVerdict,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import FirmwareStatus
from saint_services.otad.releases.versions import is_newer, is_offered, retained
from saint_services.otad.rollout import fleet, logic, requests
from saint_services.otad.rollout.fleet import Fleet
from saint_services.otad.rollout.logic import Rollout, RolloutLimits, UpdateRequest
from saint_services.otad.rollout.requests import Robot
from saint_services.otad.state import SavedFirmware

LIMITS = RolloutLimits(parallel=1, machine_limit_s=100.0, away_after_s=30.0)


def machine(node_id: str, **facts: object) -> MachineFirmware:
    return MachineFirmware.model_validate({"node_id": node_id, "version": "1.0.0", **facts})


class Play:
    """A roll-out and its machines; time passes only when set."""

    def __init__(self, *names: str, server: str = "", limits: RolloutLimits = LIMITS) -> None:
        self.machines = {name: machine(name, is_server=name == server) for name in names}
        self.server = server
        self.limits = limits
        self.rollout = Rollout()
        self.now_s = 0.0

    def begin(self, **params: object) -> tuple[str, ...]:
        request = RolloutRequest.model_validate(params)
        self.rollout = requests.begin(self.rollout, request, self.robot())
        return self.advance()

    def robot(self) -> Robot:
        return Robot(self.machines, ["1.0.0", "1.1.0"], self.server, is_server_last=True)

    def advance(self, seconds: float = 0.0) -> tuple[str, ...]:
        """The machines with a request."""
        self.now_s += seconds
        self.rollout, requests_made = logic.advance(
            self.rollout, self.machines, self.now_s, self.limits
        )
        self.requests_made = requests_made
        return tuple(request.node_id for request in requests_made)

    def reports(self, node_id: str, **facts: object) -> tuple[str, ...]:
        self.machines[node_id] = self.machines[node_id].model_copy(update=facts)
        return self.advance()

    def agrees(self, node_id: str) -> None:
        self.rollout = logic.answered(self.rollout, node_id, True, "", self.now_s)
        self.reports(node_id, state=UpdateState.INSTALLING, target_version="1.1.0", attempt=1)

    def becomes_healthy(self, node_id: str) -> tuple[str, ...]:
        self.agrees(node_id)
        return self.reports(
            node_id, state=UpdateState.IDLE, version="1.1.0", spare_version="1.0.0",
            verdict=UpdateVerdict.HEALTHY,
        )  # fmt: skip

    def steps(self) -> list[RolloutStep]:
        assert self.rollout.plan
        return [step.step for step in self.rollout.plan.steps]

    @property
    def state(self) -> RolloutState:
        assert self.rollout.plan
        return self.rollout.plan.state


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
    assert play.rollout.plan.reason == "a: it is not done after 100 s"


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
    assert play.rollout.plan.reason == "a: it did not answer"


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
    assert play.rollout.plan.reason == "a: it did not come back after 100 s"


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
    assert play.rollout.plan.steps[0].reason == f"{OFF}; the others go on without it"


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


def test_rollback_waits_for_a_request_on_its_way():
    play = Play("a", "b", "c")
    play.begin()
    play.becomes_healthy("a")
    assert play.steps()[1] is RolloutStep.UPDATING
    play.rollout = requests.take_back(play.rollout, play.robot())
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
    play.rollout = requests.take_back(play.rollout, play.robot())
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
    play.rollout = requests.take_back(play.rollout, play.robot())
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
        ({"canary": "b"}, Code.REFUSED, "b, which should go first, is away"),
        ({"nodes": ["b"]}, Code.REFUSED, "no machine is there to be updated"),
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
    with pytest.raises(SaintError, match=r"a is still at work on 1\.1\.0"):
        play.begin()


def test_versions_are_ordered_as_numbers():
    assert is_newer("1.10.0", "1.9.0")
    assert is_newer("1.0.0", "1.0.0rc1")
    assert not is_newer("1.0", "1.0.0")
    assert is_newer("0.0.1", "what is this")
    assert not is_offered(None, "1.0.0")
    release = Release(
        version="1.1.0", release_date="", compatible="", checksum_sha256="", size_bytes=1
    )
    assert is_offered(release, "1.0.0")
    assert not is_offered(release, "1.1.0")
    assert not is_offered(release, "2.0.0")


def test_newest_and_needed_releases_stay():
    versions = ["1.0.0", "1.1.0", "1.2.0", "1.10.0"]
    assert retained(versions, 2, {"1.0.0", "9.9.9"}) == {"1.10.0", "1.2.0", "1.0.0"}


def test_machine_that_vanished_at_work_does_not_count_as_updating_without_limit():
    status = FirmwareStatus(node_id="n", state="installing", version="1.0.0")
    known = fleet.report_received(Fleet(), "n", status, 0.0)
    assert known
    gone = [NodeInfo(node_id="n", display_name="", state=NodeState.OFFLINE)]
    known = fleet.register(known, gone, 10.0)
    assert logic.is_busy(fleet.machines(known, 60.0, 100.0)["n"])
    assert not logic.is_busy(fleet.machines(known, 111.0, 100.0)["n"])


def test_node_that_the_registry_forgot_is_forgotten():
    here = [NodeInfo(node_id="n", display_name="", state=NodeState.ACTIVE)]
    known = fleet.register(Fleet(), here, 0.0)
    assert set(known.known) == {"n"}
    assert set(fleet.register(known, [], 1.0).known) == set()


def test_live_outputs_of_any_node_keep_the_server_from_restarting():
    nodes = [
        NodeInfo(node_id="a", display_name="", state=NodeState.ACTIVE, outputs_safe=False),
        NodeInfo(node_id="b", display_name="", state=NodeState.OFFLINE, outputs_safe=False),
    ]
    assert fleet.live_outputs(nodes) == "outputs are live on a"
    assert fleet.live_outputs(nodes[1:]) == ""
