"""Whatever happens to a node with several roles, in whatever order: each role's life, its process
and the disk agree, no pin is held twice, nothing of one role touches another.
"""

from pathlib import Path

import pytest
from hypothesis import settings as limits
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from saint_services.lib import config as settings
from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.node import RoleReport
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.resources import PROCESSES, conflict
from saint_services.noded.lifecycle import model
from saint_services.noded.lifecycle.model import Assignment
from saint_services.noded.lifecycle.node import fresh, step
from tests.examples import examples

pytestmark = pytest.mark.timeout(120)  # thousands of steps on a busy machine
ROLES = Path(__file__).parents[2] / "manifests/roles"


def assignment(name: str) -> Assignment:
    text = (ROLES / f"{name}.yaml").read_text()
    return Assignment(settings.parse(RoleConfig, text, name), text)


# Head and tracks want the same pins, tracks and console too; head and console fit on one node, and
# with them both arms, which are one program.
SHIPPED = ("head", "tracks", "console", "arms_left", "arms_right")
CONFIGS = {a.wanted: a for a in (assignment(name) for name in SHIPPED)}
WANTED = st.sampled_from(sorted(CONFIGS, key=str))
Job = tuple[int, model.StoreRole | model.ForgetRole]


class WholeNode(RuleBasedStateMachine):
    """Plays disk, server, role processes and callers of one node."""

    def __init__(self) -> None:
        super().__init__()
        self.node = fresh("pi_1")
        self.disk: list[Assignment] = []
        self.jobs: list[Job] = []
        self.fetches: list[tuple[int, model.FetchConfig]] = []
        self.connections: dict[int, model.StartRole] = {}
        self.requested: set[int] = set()
        self.happens(model.RolesLoaded())

    def happens(self, event: model.Event, slot: int = 0) -> None:
        before = self.node
        self.node, actions = step(before, event, slot)
        if before.state is not self.node.state:
            assert any(action == model.Announce() for _, action in actions), event
        for whose, action in actions:
            self.carry_out(whose, action)
        for gone in self.connections.keys() - self.node.lives.keys():
            pytest.fail(f"the process of a role that is gone goes on in slot {gone}")

    def carry_out(self, slot: int, action: model.Action) -> None:
        match action:
            case model.StartRole():
                self.connections[slot] = action
            case model.StopRole():
                self.connections.pop(slot, None)
            case model.MakeSafe():
                self.happens(model.MadeSafe(), slot)
            case model.StoreRole() | model.ForgetRole():
                self.jobs.append((slot, action))
            case model.FetchConfig():
                self.fetches.append((slot, action))
            case model.AnswerRequest(request) if request:
                self.requested.remove(request)  # a second answer is a KeyError

    def query(self) -> int:
        number = max(self.requested, default=0) + 1
        self.requested.add(number)
        return number

    @rule(wanted=WANTED, adds=st.booleans())
    def adopt(self, wanted: model.RoleId, adds: bool) -> None:
        self.happens(model.AdoptRequested(self.query(), "pi_1", CONFIGS[wanted], adds))

    @rule(wanted=st.none() | WANTED, factory=st.booleans())
    def reset(self, wanted: model.RoleId | None, factory: bool) -> None:
        self.happens(model.ResetRequested(self.query(), "", factory, wanted=wanted))

    @precondition(lambda self: self.fetches)
    @rule(is_answered=st.booleans())
    def server_answers(self, is_answered: bool) -> None:
        slot, fetch = self.fetches.pop(0)
        found = CONFIGS[fetch.wanted]
        if is_answered:
            self.happens(model.ConfigArrived(fetch.attempt, found), slot)
        else:
            self.happens(model.ConfigFailed(fetch.attempt, "no answer"), slot)

    @precondition(lambda self: self.connections)
    @rule(data=st.data(), ready=st.booleans(), is_held=st.booleans())
    def role_reports(self, data: st.DataObject, ready: bool, is_held: bool) -> None:
        slot = data.draw(st.sampled_from(sorted(self.connections)))
        report = RoleReport(ready=ready, safe=True, estop=False, reset_wanted=is_held)
        self.happens(model.RoleReported(self.connections[slot].attempt, report), slot)

    @precondition(lambda self: self.connections)
    @rule(data=st.data())
    def role_dies(self, data: st.DataObject) -> None:
        slot = data.draw(st.sampled_from(sorted(self.connections)))
        others = {s: life for s, life in self.node.lives.items() if s != slot}
        died = self.connections.pop(slot)
        self.happens(model.RoleBroken(died.attempt, "died"), slot)
        for other, life in others.items():
            assert self.node.lives[other] == life, "one role's crash does not touch another"

    @precondition(lambda self: self.jobs)
    @rule()
    def disk_works(self) -> None:
        slot, job = self.jobs.pop(0)
        if isinstance(job, model.StoreRole):
            wanted = job.assignment.wanted
            self.disk = [a for a in self.disk if a.wanted != wanted] + [job.assignment]
            self.happens(model.StoreResult(job.attempt), slot)
        else:
            kept = [a for a in self.disk if job.wanted and a.wanted != job.wanted]
            self.disk = kept
            self.happens(model.Forgotten(job.attempt), slot)

    @rule()
    def update_begins(self) -> None:
        self.happens(model.UpdateBegan())
        if self.node.state is NodeState.UPDATING:
            assert not self.connections, "nothing moves while a release is written"

    @rule()
    def update_ends(self) -> None:
        self.happens(model.UpdateEnded())
        assert self.node.state is not NodeState.UPDATING

    @rule()
    def power_is_cut(self) -> None:
        self.__dict__ |= {"jobs": [], "fetches": [], "connections": {}, "requested": set()}
        self.node = fresh("pi_1")
        roles = tuple(model.RoleLoaded(held=a) for a in self.disk) or (model.RoleLoaded(),)
        self.happens(model.RolesLoaded(roles))

    @invariant()
    def roles_differ_and_fit(self) -> None:
        wanted = [life.wanted for life in self.node.roles]
        assert len(set(wanted)) == len(wanted)
        configs = self.node.configs_in_use
        assert not any(conflict(configs, config) for config in configs)

    @invariant()
    def a_node_has_one_life_at_least(self) -> None:
        lives_ = self.node.lives.values()
        assert lives_
        if len(lives_) > 1:
            assert all(life.state is not NodeState.UNADOPTED for life in lives_)

    @invariant()
    def each_role_at_work_has_a_process(self) -> None:
        for slot, life in self.node.lives.items():
            if life.state is NodeState.ACTIVE:
                assert slot in self.connections
            elif life.state is not NodeState.ADOPTING:
                assert slot not in self.connections

    @invariant()
    def no_process_has_two_roles(self) -> None:
        at_work = [(slot, start.config.role) for slot, start in self.connections.items()]
        used = [(role, self.node.lives[slot].process) for slot, role in at_work]
        assert len(set(used)) == len(used)
        assert all(process <= PROCESSES for _, process in used)

    @invariant()
    def who_waits_is_known(self) -> None:
        waiting = {life.request for life in self.node.lives.values() if life.request}
        assert self.requested == waiting

    @invariant()
    def disk_agrees_when_it_is_done(self) -> None:
        if not self.jobs and not self.node.is_changing:
            held = {a.wanted for a in self.node.held}
            assert {a.wanted for a in self.disk} == held


TestWholeNode = WholeNode.TestCase
TestWholeNode.settings = limits(max_examples=examples(35), stateful_step_count=40, deadline=None)
