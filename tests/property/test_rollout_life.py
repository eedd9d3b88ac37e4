"""Whatever machines do and people order, in whatever order, and however often otad is restarted: a
roll-out begins with one machine, never has more at work than allowed, and stops at the first that
is not well.
"""

from dataclasses import dataclass

import pytest
from hypothesis import settings as limits
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from saint_services.lib.api.firmware import (
    MachineFirmware,
    RolloutRequest,
    RolloutState,
    RolloutStep,
    UpdateState,
    UpdateVerdict,
)
from saint_services.lib.errors import SaintError
from saint_services.otad.rollout import logic, requests
from saint_services.otad.rollout.logic import Rollout, RolloutLimits, UpdateRequest
from saint_services.otad.state import SavedFirmware
from tests.examples import examples

pytestmark = pytest.mark.timeout(120)  # seconds alone, much longer beside other work
VERSIONS = {"1.0.0": "", "1.1.0": "", "1.2.0": ""}
NAMES = [f"n{number}" for number in range(4)]
NODES = st.sampled_from(NAMES)
SERVER = "n3"


@dataclass
class FakeMachine:
    """The truth about one machine."""

    version: str = "1.0.0"
    spare: str = ""
    is_online: bool = True
    target: str = ""
    attempt: int = 0
    verdict: UpdateVerdict = UpdateVerdict.NONE
    blocked_by: str = ""
    is_at_work: bool = False

    def reported(self, node_id: str) -> MachineFirmware:
        return MachineFirmware(
            node_id=node_id,
            is_online=self.is_online,
            version=self.version,
            spare_version=self.spare,
            state=UpdateState.INSTALLING if self.is_at_work else UpdateState.IDLE,
            target_version=self.target,
            attempt=self.attempt,
            verdict=self.verdict,
            reason="it broke" if self.verdict is UpdateVerdict.ROLLED_BACK else "",
            blocked_by=self.blocked_by,
        )

    def begin(self, request: UpdateRequest) -> None:
        self.target, self.attempt = request.version, self.attempt + 1
        self.verdict, self.is_at_work = UpdateVerdict.NONE, True

    def end(self, is_well: bool) -> None:
        self.is_at_work = False
        self.verdict = UpdateVerdict.HEALTHY if is_well else UpdateVerdict.ROLLED_BACK
        if is_well and self.version != self.target:
            self.version, self.spare = self.target, self.version


class RolloutLife(RuleBasedStateMachine):
    """Four machines, one of them the server; two may be updated at once after the first."""

    def __init__(self) -> None:
        super().__init__()
        self.limits = RolloutLimits(parallel=2, machine_limit_s=1000.0, away_after_s=30.0)
        self.rollout = Rollout()
        self.truth = {name: FakeMachine() for name in NAMES}
        self.update_requests: list[UpdateRequest] = []  # on their way
        self.now_s = 0.0
        self.has_restarted = False

    def machines(self) -> dict[str, MachineFirmware]:
        return {name: machine.reported(name) for name, machine in self.truth.items()}

    def robot(self) -> requests.RolloutTargets:
        return requests.RolloutTargets(self.machines(), VERSIONS, SERVER, is_server_last=True)

    def advance(self) -> None:
        was_halted = self.state() is RolloutState.HALTED
        before = {step.node_id: step.step for step in self.steps()}
        self.rollout, update_requests = logic.advance(
            self.rollout, self.machines(), self.now_s, self.limits
        )
        self.update_requests += update_requests
        if was_halted:
            assert not update_requests
        for request in update_requests:
            assert not self.truth[request.node_id].blocked_by
            assert self.truth[request.node_id].is_online
            assert before[request.node_id] is not RolloutStep.HEALTHY
            self.check_turn(request)
        again, more = logic.advance(self.rollout, self.machines(), self.now_s, self.limits)
        assert not more
        assert again.saved == self.rollout.saved  # settled: a tick alone changes nothing

    def check_turn(self, request: UpdateRequest) -> None:
        plan = self.rollout.plan
        assert plan is not None
        others = [s for s in plan.steps if s.node_id != request.node_id]
        nodes = [s for s in others if s.node_id != plan.server]
        if request.node_id == plan.server and plan.is_server_last:
            assert all(s.step not in (RolloutStep.WAITING, RolloutStep.UPDATING) for s in nodes)
        if request.node_id != plan.server and plan.server and not plan.is_server_last:
            server = next(s for s in plan.steps if s.node_id == plan.server)
            assert server.step not in (RolloutStep.WAITING, RolloutStep.UPDATING)
        if plan.canary and request.node_id != plan.canary and request.node_id != plan.server:
            canary = next(s for s in plan.steps if s.node_id == plan.canary)
            assert canary.step in (RolloutStep.HEALTHY, RolloutStep.SKIPPED)

    def state(self) -> RolloutState | None:
        return self.rollout.plan.state if self.rollout.plan else None

    def steps(self):
        return self.rollout.plan.steps if self.rollout.plan else ()

    @rule(
        version=st.sampled_from(["", *VERSIONS]),
        canary=st.sampled_from(["", "", *NAMES]),
        nodes=st.sampled_from([[], [], [], ["n0"], ["n0", "n3"], ["n1", "n2"]]),
        server_last=st.none() | st.booleans(),
        force=st.booleans(),
    )
    def is_begun(
        self, version: str, canary: str, nodes: list[str], server_last: bool | None, force: bool
    ) -> None:
        request = RolloutRequest(
            version=version, canary=canary, nodes=nodes, server_last=server_last, force=force
        )
        newest = [m.version for m in self.truth.values() if m.is_online]
        try:
            self.rollout = requests.begin(self.rollout, request, self.robot())
        except SaintError as err:
            assert err.message
            return
        plan = self.rollout.plan
        assert plan is not None
        if not force and not nodes:
            assert plan.version >= max(newest)
        self.advance()

    @rule(order=st.sampled_from([requests.pause, requests.resume, requests.cancel]))
    def is_ordered(self, order) -> None:
        try:
            self.rollout = order(self.rollout)
        except SaintError as err:
            assert err.message
        self.advance()

    @rule()
    def is_taken_back(self) -> None:
        unwanted = self.rollout.plan.version if self.rollout.plan else ""
        is_partial = bool(self.rollout.plan and self.rollout.plan.is_partial)
        try:
            self.rollout = requests.roll_back(self.rollout, self.robot())
        except SaintError as err:
            assert err.message
            return
        assert is_partial or self.rollout.saved.current != unwanted
        self.advance()

    @precondition(lambda self: self.update_requests)
    @rule(outcome=st.sampled_from(["agrees", "refuses", "begins silently", "never receives it"]))
    def machine_answers(self, outcome: str) -> None:
        request = self.update_requests.pop(0)
        machine = self.truth[request.node_id]
        begins = outcome in ("agrees", "begins silently") and machine.is_online
        if begins and not machine.is_at_work:
            machine.begin(request)
        if outcome == "agrees" and begins:
            self.rollout = logic.answered(self.rollout, request.node_id, True, "", self.now_s)
        elif outcome == "refuses":
            self.rollout = logic.answered(self.rollout, request.node_id, False, "no", self.now_s)
        else:
            self.rollout = logic.unanswered(self.rollout, request.node_id, self.now_s)
        self.advance()

    @precondition(lambda self: any(machine.is_at_work for machine in self.truth.values()))
    @rule(turn=st.integers(0, 1), is_well=st.booleans())
    def a_machine_ends(self, turn: int, is_well: bool) -> None:
        at_work = [name for name, machine in self.truth.items() if machine.is_at_work]
        self.machine_ends(at_work[turn % len(at_work)], is_well)

    def machine_ends(self, node_id: str, is_well: bool) -> None:
        machine = self.truth[node_id]
        if not machine.is_at_work:
            return
        machine.is_online = True
        machine.end(is_well)
        was_ours = any(
            s.node_id == node_id and s.step is RolloutStep.UPDATING for s in self.steps()
        )
        plan = self.rollout.plan
        self.advance()
        is_wanted = plan is not None and plan.version == machine.target and not plan.is_rollback
        if was_ours and is_wanted and not is_well:
            assert self.state() not in (
                RolloutState.RUNNING,
                RolloutState.PAUSED,
                RolloutState.DONE,
            )

    @rule(node_id=NODES)
    def machine_leads_back(self, node_id: str) -> None:
        """In the hour after its trial."""
        machine = self.truth[node_id]
        if machine.is_at_work or machine.verdict is not UpdateVerdict.HEALTHY or not machine.spare:
            return
        if machine.version != machine.target:
            return
        machine.version, machine.spare = machine.spare, machine.version
        machine.verdict, machine.is_online = UpdateVerdict.ROLLED_BACK, True
        plan = self.rollout.plan
        was_healthy = any(
            s.node_id == node_id and s.step is RolloutStep.HEALTHY for s in self.steps()
        )
        self.advance()
        if plan and was_healthy and plan.version == machine.target and not plan.is_rollback:
            assert self.state() in (RolloutState.HALTED, RolloutState.CANCELLED)
            if plan.state is RolloutState.DONE:
                assert self.rollout.saved.current != plan.version

    @rule(node_id=NODES, is_online=st.booleans())
    def machine_comes_or_goes(self, node_id: str, is_online: bool) -> None:
        self.truth[node_id].is_online = is_online
        self.advance()

    @rule(node_id=NODES, blocked_by=st.sampled_from(["", "outputs are live"]))
    def machine_is_armed(self, node_id: str, blocked_by: str) -> None:
        self.truth[node_id].blocked_by = blocked_by
        self.advance()

    @rule(seconds=st.sampled_from([1.0, 11.0, 31.0, 300.0]))
    def time_passes(self, seconds: float) -> None:
        self.now_s += seconds
        self.advance()

    @rule()
    def otad_restarts(self) -> None:
        """What was requested and not received yet is lost with the process."""
        text = self.rollout.saved.model_dump_json()
        self.rollout = Rollout(saved=SavedFirmware.model_validate_json(text))
        self.update_requests = []
        self.advance()

    @invariant()
    def no_more_at_work_than_allowed(self) -> None:
        at_work = sum(machine.is_at_work for machine in self.truth.values())
        assert at_work <= 2
        plan = self.rollout.plan
        if plan and not plan.is_rollback and not self.has_shown():
            open_steps = [s for s in plan.steps if s.step is RolloutStep.UPDATING]
            assert len(open_steps) <= 1
        if self.truth[SERVER].is_at_work:
            assert at_work == 1

    def has_shown(self) -> bool:
        return any(s.step is RolloutStep.HEALTHY and s.node_id != SERVER for s in self.steps())

    @invariant()
    def a_finished_roll_out_is_true(self) -> None:
        plan = self.rollout.plan
        if plan and plan.state is RolloutState.DONE:
            assert not any(
                s.step in (RolloutStep.WAITING, RolloutStep.UPDATING, RolloutStep.FAILED)
                for s in plan.steps
            )
            assert any(s.step is RolloutStep.HEALTHY for s in plan.steps)

    @invariant()
    def what_is_offered_was_proven(self) -> None:
        """Only a finished roll-out, or the rollback, changes what nodes are offered."""
        assert self.rollout.saved.current in ("", *VERSIONS)
        assert self.rollout.saved.current != self.rollout.saved.previous or (
            not self.rollout.saved.current
        )

    def teardown(self) -> None:
        """When everything goes well from here on, a roll-out that runs comes to its end."""
        for machine in self.truth.values():
            machine.is_online, machine.blocked_by = True, ""
        for _ in range(40):
            if self.state() is not RolloutState.RUNNING:
                break
            self.now_s += 11.0
            self.advance()
            while self.update_requests:
                self.machine_answers("agrees")
            for node_id in NAMES:
                self.machine_ends(node_id, True)
        assert self.state() not in (RolloutState.RUNNING,)
        if self.state() is RolloutState.DONE:
            plan = self.rollout.plan
            healthy = [s.node_id for s in plan.steps if s.step is RolloutStep.HEALTHY]
            assert {self.truth[node_id].version for node_id in healthy} == {plan.version}


TestRolloutLife = RolloutLife.TestCase
TestRolloutLife.settings = limits(max_examples=examples(35), stateful_step_count=40, deadline=None)
